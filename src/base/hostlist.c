/* hostlist.c - see hostlist.h. */
#include "base/hostlist.h"

#include <string.h>

/* One number or range inside brackets appended to @prefix; @rest: what follows the brackets. */
static gboolean expand_range(const char *prefix, const char *range, const char *rest,
                             GPtrArray *out);

/* "a[1-3,7]b[0-1]" into @out; FALSE: not a list, or more than DN_HOSTLIST_MOST. */
static gboolean hostlist_expand(const char *prefix, const char *text, GPtrArray *out)
{
    const char *open = strchr(text, '[');
    if (open == NULL) {
        if (strchr(text, ']') != NULL || out->len >= DN_HOSTLIST_MOST)
            return FALSE;
        g_ptr_array_add(out, g_strconcat(prefix, text, NULL));
        return TRUE;
    }
    const char *close = strchr(open, ']');
    if (close == NULL || close == open + 1)
        return FALSE;
    g_autofree char *before = g_strndup(text, (gsize)(open - text));
    g_autofree char *stem = g_strconcat(prefix, before, NULL);
    g_autofree char *inside = g_strndup(open + 1, (gsize)(close - open) - 1);
    g_auto(GStrv) ranges = g_strsplit(inside, ",", -1);
    for (guint i = 0; ranges[i] != NULL; i++)
        if (!expand_range(stem, ranges[i], close + 1, out))
            return FALSE;
    return TRUE;
}

static gboolean expand_range(const char *prefix, const char *range, const char *rest,
                             GPtrArray *out)
{
    const char *dash = strchr(range, '-');
    g_autofree char *first = dash != NULL ? g_strndup(range, (gsize)(dash - range))
                                          : g_strdup(range);
    guint64 from, to;
    if (!g_ascii_string_to_unsigned(first, 10, 0, G_MAXINT32, &from, NULL) ||
        !g_ascii_string_to_unsigned(dash != NULL ? dash + 1 : first, 10, from, G_MAXINT32, &to,
                                    NULL) ||
        to - from >= DN_HOSTLIST_MOST || strlen(first) > 20)
        return FALSE;
    for (guint64 n = from; n <= to; n++) {
        g_autofree char *stem =
            g_strdup_printf("%s%0*" G_GUINT64_FORMAT, prefix, (int)strlen(first), n);
        if (!hostlist_expand(stem, rest, out))
            return FALSE;
    }
    return TRUE;
}

GPtrArray *dn_hostlist_expand(const char *text)
{
    g_autoptr(GPtrArray) out = g_ptr_array_new_with_free_func(g_free);
    const char *start = text;
    guint depth = 0;
    for (const char *p = text;; p++) {
        depth += *p == '[';
        depth -= *p == ']' && depth > 0;
        if (*p != '\0' && (*p != ',' || depth > 0))
            continue;
        g_autofree char *item = g_strndup(start, (gsize)(p - start));
        if (item[0] == '\0' || !hostlist_expand("", item, out))
            return NULL;
        if (*p == '\0')
            return g_steal_pointer(&out);
        start = p + 1;
    }
}
