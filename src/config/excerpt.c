/* excerpt.c - the source line an error message points at, with a caret, for a terminal. */
#include <string.h>

#include "config/config_internal.h"

/* `file:line:col: `; the file may hold colons itself, so the first place that fits is taken. */
static gboolean read_position(const char *message, char **file, guint64 *line, guint64 *column)
{
    for (const char *p = strchr(message, ':'); p != NULL; p = strchr(p + 1, ':')) {
        char *end = NULL;
        if (p == message || !g_ascii_isdigit(p[1]))
            continue;
        *line = g_ascii_strtoull(p + 1, &end, 10);
        if (*end != ':' || !g_ascii_isdigit(end[1]))
            continue;
        *column = g_ascii_strtoull(end + 1, &end, 10);
        if (end[0] != ':' || *line == 0 || *column == 0)
            continue;
        *file = g_strndup(message, (gsize)(p - message));
        return TRUE;
    }
    /* A whole word of the command line, whose errors have no line. */
    const char *colon = strstr(message, ": ");
    if (!g_str_has_prefix(message, "--set ") || colon == NULL)
        return FALSE;
    *file = g_strndup(message, (gsize)(colon - message));
    *line = *column = 1;
    return TRUE;
}

/* The value that `--set KEY=VALUE` gave, as it was parsed; the last one counts. */
static char *set_value(const char *file, const char *const *overrides)
{
    guint n = overrides != NULL ? g_strv_length((char **)overrides) : 0;
    for (guint i = n; i-- > 0;) {
        const char *equals = strchr(overrides[i], '=');
        if (equals == NULL)
            continue;
        g_autofree char *path = g_strndup(overrides[i], (gsize)(equals - overrides[i]));
        g_autofree char *name = g_strconcat("--set ", g_strstrip(path), NULL);
        if (strcmp(name, file) == 0)
            return g_strstrip(g_strdup(equals + 1));
    }
    return NULL;
}

static char *read_text(const char *file, const char *const *overrides)
{
    char *text = NULL;
    if (g_str_has_prefix(file, "--set "))
        return set_value(file, overrides);
    if (g_file_test(file, G_FILE_TEST_IS_REGULAR))
        g_file_get_contents(file, &text, NULL, NULL);
    return text;
}

char *dn_config_excerpt(const char *message, const char *const *overrides)
{
    enum { WIDEST = 200 }; /* a longer line would only bury the caret */
    g_autofree char *file = NULL;
    g_autofree char *text = NULL;
    guint64 line = 0, column = 0;
    if (!read_position(message, &file, &line, &column) ||
        (text = read_text(file, overrides)) == NULL || !g_utf8_validate(text, -1, NULL))
        return NULL;
    const char *start = text;
    for (guint64 i = 1; i < line && start != NULL; i++) {
        start = strchr(start, '\n');
        start = start != NULL ? start + 1 : NULL;
    }
    gsize n = start != NULL ? strcspn(start, "\r\n") : 0;
    glong characters = n > 0 ? g_utf8_strlen(start, (gssize)n) : 0;
    if (n == 0 || characters > WIDEST || column > (guint64)characters + 1)
        return NULL;
    GString *out = g_string_new("    ");
    g_string_append_len(out, start, (gssize)n);
    g_string_append(out, "\n    ");
    const char *p = start;
    for (guint64 i = 1; i < column; i++, p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char(p);
        g_string_append_c(out, c == '\t' ? '\t' : ' '); /* a tab lines up with itself */
        if (g_unichar_iswide(c))
            g_string_append_c(out, ' ');
    }
    g_string_append_c(out, '^');
    return g_string_free(out, FALSE);
}
