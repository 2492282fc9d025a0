/* draft_yaml.c - a draft as a machine file (topologies/README.md). */
#include <string.h>

#include "topology/import/draft.h"

#define COMMENT_WIDTH 96

static const char *const kind_names[] = {"gpu", "cpu", "nic", "nvswitch", "switch"};

void dn_draft_append_quoted(GString *out, const char *text)
{
    g_string_append_c(out, '"');
    for (const char *p = text; *p != '\0'; p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char(p);
        if (c == '"' || c == '\\')
            g_string_append_c(out, '\\');
        if (g_unichar_isprint(c))
            g_string_append_unichar(out, c);
        else
            g_string_append_c(out, ' ');
    }
    g_string_append_c(out, '"');
}

static void append_comment(GString *out, const char *text)
{
    for (const char *p = text; *p != '\0'; p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char(p);
        g_string_append_unichar(out, g_unichar_isprint(c) ? c : ' ');
    }
}

/* "# text", in lines of COMMENT_WIDTH, the second and later ones set in. */
static void append_note(GString *out, const char *text)
{
    g_auto(GStrv) words = g_strsplit(text, " ", -1);
    gsize column = 0;
    for (guint i = 0; words[i] != NULL; i++) {
        gsize n = strlen(words[i]);
        if (column == 0 || column + n + 1 > COMMENT_WIDTH) {
            g_string_append(out, column == 0 ? "#" : "\n#  ");
            column = 3;
        }
        g_string_append_c(out, ' ');
        append_comment(out, words[i]);
        column += n + 1;
    }
    g_string_append_c(out, '\n');
}

static void append_reason(GString *out, const DnDraftNumber *number)
{
    g_string_append(out, number->known ? "source: " : "assumed: ");
    dn_draft_append_quoted(out, number->reason);
}

void dn_draft_append_number(GString *out, const DnDraftNumber *number)
{
    g_string_append_printf(out, "{value: %s, ", number->value);
    append_reason(out, number);
    g_string_append_c(out, '}');
}

static void append_label(GString *out, const char *label)
{
    if (label != NULL && label[0] != '\0') {
        g_string_append(out, " # ");
        append_comment(out, label);
    }
    g_string_append_c(out, '\n');
}

static gboolean same_number(const DnDraftNumber *a, const DnDraftNumber *b)
{
    return g_strcmp0(a->value, b->value) == 0 && g_strcmp0(a->reason, b->reason) == 0 &&
           a->known == b->known;
}

/* Vertex @i is called @stem@k. */
static gboolean is_numbered(const DnDraft *d, guint32 i, const char *stem, guint32 k)
{
    char name[64];
    g_snprintf(name, sizeof name, "%s%u", stem, k);
    return g_str_equal(dn_draft_at(d, i)->name, name);
}

/* Returns how many vertices from @first on are one family: stem0, stem1, ... alike and without
 * labels. */
static guint32 family_size(const DnDraft *d, guint32 first, const char *stem)
{
    const DnDraftVertex *like = dn_draft_at(d, first);
    guint32 n = 0;
    for (guint32 i = first; i < d->vertices->len && is_numbered(d, i, stem, n); i++, n++) {
        const DnDraftVertex *v = dn_draft_at(d, i);
        if (v->kind != like->kind || v->label != NULL || v->host_end != like->host_end ||
            v->forwards != like->forwards || !same_number(&v->latency, &like->latency))
            break;
    }
    return n;
}

static void append_vertex(GString *out, const DnDraftVertex *v, const char *name, guint32 count,
                          const char *source)
{
    g_string_append_printf(out, "    - {name: %s, kind: %s", name, kind_names[v->kind]);
    if (count > 1) {
        DnDraftNumber n = {.reason = (char *)source, .known = TRUE};
        char text[16];
        g_snprintf(text, sizeof text, "%u", count);
        n.value = text;
        g_string_append(out, ", count: ");
        dn_draft_append_number(out, &n);
    }
    if (v->host_end || v->forwards)
        g_string_append(out, v->forwards ? ", transit: true" : ", transit: false");
    if (v->latency.value != NULL) {
        g_string_append(out, ", latency: ");
        dn_draft_append_number(out, &v->latency);
    }
    g_string_append_c(out, '}');
    append_label(out, v->label);
}

/* A family's name must not be a vertex's or family's: two entries of one name are refused. */
static gboolean is_free(const DnDraft *d, const char *stem)
{
    return stem[0] != '\0' && !g_hash_table_contains(d->names, stem);
}

static void append_vertices(GString *out, const DnDraft *d)
{
    g_autoptr(GHashTable) stems = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_string_append(out, "  vertices:\n");
    for (guint32 i = 0; i < d->vertices->len;) {
        const DnDraftVertex *v = dn_draft_at(d, i);
        gsize n = strlen(v->name);
        guint32 family = 0;
        g_autofree char *stem = g_strndup(v->name, n - 1);
        if (v->name[n - 1] == '0' && is_free(d, stem) && !g_hash_table_contains(stems, stem))
            family = family_size(d, i, stem);
        if (family >= 2) {
            append_vertex(out, v, stem, family, d->source);
            g_hash_table_add(stems, g_steal_pointer(&stem));
            i += family;
        } else {
            append_vertex(out, v, v->name, 1, d->source);
            i++;
        }
    }
}

static void append_field(GString *out, const char *key, const DnDraftNumber *number)
{
    if (number->value == NULL)
        return;
    g_string_append_printf(out, "      %s: ", key);
    dn_draft_append_number(out, number);
    g_string_append_c(out, '\n');
}

static void append_classes(GString *out, const DnDraft *d)
{
    if (d->classes->len > 0)
        g_string_append(out, "  links:\n");
    for (guint i = 0; i < d->classes->len; i++) {
        const DnDraftClass *c = &g_array_index(d->classes, DnDraftClass, i);
        g_string_append_printf(out, "    %s:\n", c->name);
        append_field(out, "bandwidth", &c->bandwidth);
        append_field(out, "latency", &c->latency);
        append_field(out, "efficiency", &c->efficiency);
        append_field(out, "buffer", &c->buffer);
    }
}

static void append_edge(GString *out, const DnDraft *d, const DnDraftEdge *e)
{
    const DnDraftClass *c = &g_array_index(d->classes, DnDraftClass, e->link_class);
    g_string_append_printf(out, "    - {link: [%s, %s], class: %s", dn_draft_at(d, e->a)->name,
                           dn_draft_at(d, e->b)->name, c->name);
    if (e->count > 1)
        g_string_append_printf(out, ", count: %u", e->count);
    if (e->count > 1 && e->separate)
        g_string_append(out, ", bundle: false");
    DnDraftNumber reason = {.reason = e->assumed != NULL ? e->assumed : d->source,
                            .known = e->assumed == NULL};
    if (e->count > 1 || e->assumed != NULL) {
        g_string_append(out, ", ");
        append_reason(out, &reason);
    }
    g_string_append_c(out, '}');
    append_label(out, e->label);
}

/* Appends the NICs in the order of the vertices, as the loader expects. */
static void append_nics(GString *out, const DnDraft *d)
{
    gboolean any = FALSE;
    for (guint32 i = 0; i < d->vertices->len; i++)
        any |= dn_draft_at(d, i)->nic != G_MAXUINT32;
    if (any)
        g_string_append(out, "  nics:\n");
    for (guint32 i = 0; any && i < d->vertices->len; i++) {
        if (dn_draft_at(d, i)->kind != DN_DRAFT_NIC)
            continue;
        g_string_append_printf(out, "    - {nic: %s, serves: [", dn_draft_at(d, i)->name);
        const char *comma = "";
        for (guint32 k = 0; k < d->vertices->len; k++) {
            if (dn_draft_at(d, k)->nic != i || k == i)
                continue;
            g_string_append_printf(out, "%s%s", comma, dn_draft_at(d, k)->name);
            comma = ", ";
        }
        g_string_append(out, "]}\n");
    }
}

static void append_node(GString *out, const DnDraft *d)
{
    g_string_append(out, "\nnode:\n");
    append_vertices(out, d);
    append_classes(out, d);
    if (d->edges->len > 0)
        g_string_append(out, "  edges:\n");
    for (guint i = 0; i < d->edges->len; i++)
        append_edge(out, d, &g_array_index(d->edges, DnDraftEdge, i));
    append_nics(out, d);
}

char *dn_draft_yaml(const DnDraft *d)
{
    GString *out = g_string_new(NULL);
    g_autofree char *from = g_strdup_printf("Imported from %s (%s).", d->file, d->tool);
    append_note(out, from);
    for (guint i = 0; i < d->notes->len; i++)
        append_note(out, d->notes->pdata[i]);
    if (d->description != NULL) {
        g_string_append(out, "description: ");
        dn_draft_append_quoted(out, d->description);
        g_string_append_c(out, '\n');
    }
    if (d->fabric != NULL)
        g_string_append_printf(out, "\nfabric:\n%s", d->fabric->str);
    if (d->vertices->len > 0)
        append_node(out, d);
    if (d->endpoints != NULL)
        g_string_append_printf(out, "\nendpoints: %s\n", d->endpoints);
    g_string_append_printf(out, "%s%s", d->tail->len > 0 ? "\n" : "", d->tail->str);
    return g_string_free(out, FALSE);
}
