/* error.c - the error domain, and "did you mean".
 *
 * Distance: optimal string alignment (Damerau, "A technique for computer detection and correction
 * of spelling errors", CACM 7(3), 1964): insert, delete, replace, swap of neighbours cost 1 each;
 * no substring is edited twice. Letter case is free. LIMITATIONS: bytes, not characters: an accent
 * counts as two. */
#include "base/error.h"

#include <string.h>

G_DEFINE_QUARK(dn - error - quark, dn_error)

/* Names are short; longer words are pasted text, not misspellings. */
#define MAX_WORD 64

static guint error_min3(guint a, guint b, guint c)
{
    return MIN(a, MIN(b, c));
}

/* Three rows of the usual table suffice: a swap looks back two. */
static guint edit_distance(const char *a, guint n, const char *b, guint m)
{
    guint rows[3][MAX_WORD + 1];
    guint *before = rows[0], *above = rows[1], *row = rows[2];
    for (guint j = 0; j <= m; j++)
        above[j] = j;
    for (guint i = 1; i <= n; i++) {
        char x = g_ascii_tolower(a[i - 1]);
        row[0] = i;
        for (guint j = 1; j <= m; j++) {
            char y = g_ascii_tolower(b[j - 1]);
            row[j] = error_min3(above[j] + 1, row[j - 1] + 1, above[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == g_ascii_tolower(b[j - 2]) && y == g_ascii_tolower(a[i - 2]))
                row[j] = MIN(row[j], before[j - 2] + 1);
        }
        guint *spare = before;
        before = above;
        above = row;
        row = spare;
    }
    return above[m];
}

/* Two slips in a word of five letters are two swaps: with other letters it is another word. */
static gboolean same_letters(const char *a, gsize n, const char *b, gsize m)
{
    gint8 more[256] = {0};
    for (gsize i = 0; n == m && i < n; i++) {
        more[(guint8)g_ascii_tolower(a[i])]++;
        more[(guint8)g_ascii_tolower(b[i])]--;
    }
    for (guint c = 0; c < G_N_ELEMENTS(more); c++)
        if (more[c] != 0)
            return FALSE;
    return n == m;
}

/* Returns TRUE when @word begins @name, or is one of its parts between underscores or hyphens. */
static gboolean is_part_of(const char *word, gsize n, const char *name)
{
    if (g_ascii_strncasecmp(name, word, n) == 0)
        return TRUE;
    for (const char *at = strpbrk(name, "_-"); at != NULL; at = strpbrk(at + 1, "_-"))
        if (g_ascii_strncasecmp(at + 1, word, n) == 0 && strchr("_-", at[1 + n]) != NULL)
            return TRUE;
    return FALSE;
}

/* The only one of @known that @word is a part of; NULL: none, or several. */
static const char *error_only_part(const char *word, gsize n, const char *const *known)
{
    const char *found = NULL;
    for (; n >= 3 && *known != NULL; known++) {
        if (!is_part_of(word, n, *known))
            continue;
        if (found != NULL)
            return NULL;
        found = *known;
    }
    return found;
}

/* By edit distance; else the only name that begins with @word, or has it between underscores. */
const char *dn_nearest(const char *word, const char *const *known)
{
    gsize n = strlen(word);
    if (known == NULL || n == 0 || n > MAX_WORD)
        return NULL;
    const char *const *names = known;
    /* Two slips, or a third of a long word; one in a word of three letters, where two slips turn
     * anything into anything. */
    guint limit = n <= 3 ? 1 : MAX(2, (guint)n / 3);
    const char *best = NULL;
    for (; *known != NULL; known++) {
        gsize m = strlen(*known);
        if (m == 0 || m > MAX_WORD)
            continue;
        guint distance = edit_distance(word, (guint)n, *known, (guint)m);
        /* A distance as long as the word itself shares no letter with it. */
        gboolean few = distance <= n / 3 || distance == 1 || same_letters(word, n, *known, m);
        if (distance <= limit && distance < MAX(n, m) && few) {
            best = *known;
            if (distance == 0)
                break;
            limit = distance - 1; /* the first of equals stays */
        }
    }
    return best != NULL ? best : error_only_part(word, n, names);
}

gboolean dn_has_control_character(const char *text)
{
    for (const char *p = text; *p != '\0'; p = g_utf8_next_char(p))
        if (g_unichar_iscntrl(g_utf8_get_char(p)) ||
            g_unichar_type(g_utf8_get_char(p)) == G_UNICODE_FORMAT)
            return TRUE;
    return FALSE;
}

char *dn_quote(const char *text)
{
    enum { LONGEST = 48 }; /* characters shown of a user's text */
    GString *out = g_string_new("'");
    guint n = 0;
    for (const char *p = text; *p != '\0'; p = g_utf8_next_char(p), n++) {
        gunichar c = g_utf8_get_char_validated(p, -1);
        if (n == LONGEST) {
            g_string_append(out, "...");
            break;
        }
        if (c == (gunichar)-1 || c == (gunichar)-2) {
            g_string_append(out, "?");
            break;
        }
        if (c == '\n')
            g_string_append(out, "\\n");
        else if (c == '\t')
            g_string_append(out, "\\t");
        else if (!g_unichar_isprint(c))
            g_string_append_printf(out, "\\u%04x", c);
        else
            g_string_append_unichar(out, c);
    }
    g_string_append_c(out, '\'');
    return g_string_free(out, FALSE);
}

/* A file may have a million columns: the first of them are enough. */
static void append_names(GString *out, const char *const *names)
{
    enum { LONGEST = 4000 };
    for (guint i = 0; names[i] != NULL; i++) {
        if (out->len > LONGEST) {
            g_string_append_printf(out, ", and %u more", g_strv_length((char **)names) - i);
            return;
        }
        g_string_append_printf(out, "%s%s", i > 0 ? ", " : "", names[i]);
    }
}

char *dn_unknown_where(const char *word, const char *where, const char *const *known,
                       const char *heading)
{
    g_autofree char *shown = dn_quote(word);
    GString *out = g_string_new(shown);
    const char *nearest = dn_nearest(word, known);
    g_string_append(out, where);
    if (nearest != NULL)
        g_string_append_printf(out, "; did you mean '%s'?", nearest);
    if (known != NULL && known[0] != NULL) {
        g_string_append_printf(out, "%s %s: ", nearest != NULL ? "" : ";", heading);
        append_names(out, known);
    }
    return g_string_free(out, FALSE);
}

char *dn_unknown(const char *word, const char *const *known, const char *heading)
{
    return dn_unknown_where(word, "", known, heading);
}
