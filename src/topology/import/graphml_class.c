/* graphml_class.c - Edges of a GraphML graph with the same figures share one link class. */
#include "topology/import/graphml_class.h"

static DnDraftNumber known_or(DnDraft *draft, double value, const char *unit, const char *fallback,
                              const char *why)
{
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    if (!(value >= 0))
        return dn_guess(fallback, why);
    g_ascii_formatd(number, sizeof number, unit[0] == '\0' ? "%.17g" : "%.0f", value);
    g_autofree char *text = unit[0] == '\0' ? g_strdup(number)
                                            : g_strdup_printf("%s %s", number, unit);
    return dn_known(text, draft->source);
}

static gboolean number_same(const DnDraftNumber *a, const DnDraftNumber *b)
{
    return a->known == b->known && g_str_equal(a->value, b->value);
}

guint32 dn_graphml_class_find(DnDraft *draft, const char *name, const DnGraphmlFigures *f)
{
    DnDraftClass c = {
        NULL, known_or(draft, f->bandwidth, "b/s", "200 Gb/s", "no bandwidth in the graph"),
        known_or(draft, f->latency, "ps", "25 ns", "no latency in the graph; 5 m at 5 ns/m"),
        known_or(draft, f->efficiency, "", "1", "no efficiency in the graph"),
        known_or(draft, f->buffer, "B", "128 KiB", "no buffer in the graph; several round trips")};
    for (guint i = 1;; i++) {
        g_autofree char *tried = i == 1 ? g_strdup(name) : g_strdup_printf("%s-%u", name, i);
        guint32 found = dn_draft_find_class(draft, tried);
        if (found == G_MAXUINT32)
            return dn_draft_class(draft, tried, c.bandwidth, c.latency, c.efficiency, c.buffer);
        const DnDraftClass *k = &g_array_index(draft->classes, DnDraftClass, found);
        if (!number_same(&k->bandwidth, &c.bandwidth) || !number_same(&k->latency, &c.latency) ||
            !number_same(&k->efficiency, &c.efficiency) || !number_same(&k->buffer, &c.buffer))
            continue;
        dn_draft_number_clear(&c.bandwidth);
        dn_draft_number_clear(&c.latency);
        dn_draft_number_clear(&c.efficiency);
        dn_draft_number_clear(&c.buffer);
        return found;
    }
}

char *dn_graphml_class_name(const char *text)
{
    GString *out = g_string_new(NULL);
    for (const char *p = text != NULL ? text : ""; *p != '\0' && out->len < 32; p++)
        g_string_append_c(out, g_ascii_isalnum(*p) || *p == '-' || *p == '_' ? *p : '_');
    if (out->len == 0 || !g_ascii_isalpha(out->str[0]))
        g_string_prepend(out, "link");
    if (g_str_equal(out->str, "source") || g_str_equal(out->str, "assumed") ||
        g_str_equal(out->str, "include") || g_str_equal(out->str, "null"))
        g_string_append_c(out, '_');
    return g_string_free(out, FALSE);
}
