/* draft.c - see draft.h; draft_yaml.c writes it out. */
#include "topology/import/draft.h"

#include <string.h>

#define LONGEST_NAME 40 /* a vertex name stands in messages and tables */

DnDraftNumber dn_known(const char *value, const char *source)
{
    return (DnDraftNumber){g_strdup(value), g_strdup(source), TRUE};
}

DnDraftNumber dn_guess(const char *value, const char *assumed)
{
    return (DnDraftNumber){g_strdup(value), g_strdup(assumed), FALSE};
}

void dn_draft_number_clear(DnDraftNumber *number)
{
    g_free(number->value);
    g_free(number->reason);
}

static void clear_vertex(gpointer data)
{
    DnDraftVertex *v = data;
    g_free(v->name);
    g_free(v->label);
    dn_draft_number_clear(&v->latency);
}

static void clear_class(gpointer data)
{
    DnDraftClass *c = data;
    g_free(c->name);
    dn_draft_number_clear(&c->bandwidth);
    dn_draft_number_clear(&c->latency);
    dn_draft_number_clear(&c->efficiency);
    dn_draft_number_clear(&c->buffer);
}

static void clear_edge(gpointer data)
{
    DnDraftEdge *e = data;
    g_free(e->label);
    g_free(e->assumed);
}

static GArray *new_array(guint size, GDestroyNotify clear)
{
    GArray *array = g_array_new(FALSE, TRUE, size);
    g_array_set_clear_func(array, clear);
    return array;
}

DnDraft *dn_draft_new(const char *tool, const char *file)
{
    DnDraft *d = g_new0(DnDraft, 1);
    d->tool = g_strdup(tool);
    d->file = g_strdup(file);
    d->source = g_strdup_printf("%s, %s", tool, file);
    d->vertices = new_array(sizeof(DnDraftVertex), clear_vertex);
    d->classes = new_array(sizeof(DnDraftClass), clear_class);
    d->edges = new_array(sizeof(DnDraftEdge), clear_edge);
    d->names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    d->notes = g_ptr_array_new_with_free_func(g_free);
    d->tail = g_string_new(NULL);
    return d;
}

void dn_draft_free(DnDraft *d)
{
    if (d == NULL)
        return;
    g_free(d->tool);
    g_free(d->file);
    g_free(d->source);
    g_free(d->description);
    g_free(d->endpoints);
    g_array_unref(d->vertices);
    g_array_unref(d->classes);
    g_array_unref(d->edges);
    g_hash_table_unref(d->names);
    g_ptr_array_unref(d->notes);
    if (d->fabric != NULL)
        g_string_free(d->fabric, TRUE);
    g_string_free(d->tail, TRUE);
    g_free(d);
}

/* A letter first, then letters, digits, and what YAML leaves alone inside a word. */
static char *fit_name(const char *name)
{
    GString *out = g_string_new(NULL);
    for (const char *p = name; *p != '\0' && out->len < LONGEST_NAME; p++)
        if (g_ascii_isalnum(*p) || *p == '_' || *p == '-' || *p == '.')
            g_string_append_c(out, *p);
        else if (out->len > 0 && out->str[out->len - 1] != '_')
            g_string_append_c(out, '_');
    if (out->len == 0 || !g_ascii_isalpha(out->str[0]))
        g_string_prepend(out, "v");
    if (g_ascii_strcasecmp(out->str, "null") == 0)
        g_string_append_c(out, '_');
    return g_string_free(out, FALSE);
}

/* names: each with the suffix to try next, so that a thousand equal ones stay cheap. */
static char *unique_name(const DnDraft *d, const char *name)
{
    g_autofree char *fit = fit_name(name);
    guint next = GPOINTER_TO_UINT(g_hash_table_lookup(d->names, fit));
    if (next == 0)
        return g_steal_pointer(&fit);
    for (;; next++) {
        g_autofree char *tried = g_strdup_printf("%s_%u", fit, next);
        if (g_hash_table_contains(d->names, tried))
            continue;
        g_hash_table_insert(d->names, g_steal_pointer(&fit), GUINT_TO_POINTER(next + 1));
        return g_steal_pointer(&tried);
    }
}

guint32 dn_draft_vertex(DnDraft *d, DnDraftKind kind, const char *name, const char *label)
{
    DnDraftVertex v = {.kind = kind, .nic = G_MAXUINT32};
    v.name = unique_name(d, name);
    if (label == NULL && !g_str_equal(v.name, name))
        label = name;
    v.label = label != NULL ? g_utf8_make_valid(label, -1) : NULL; /* a cut may part a character */
    g_hash_table_insert(d->names, g_strdup(v.name), GUINT_TO_POINTER(2));
    g_array_append_val(d->vertices, v);
    return d->vertices->len - 1;
}

DnDraftVertex *dn_draft_at(const DnDraft *d, guint32 vertex)
{
    g_assert(vertex < d->vertices->len);
    return &g_array_index(d->vertices, DnDraftVertex, vertex);
}

guint32 dn_draft_find_class(const DnDraft *d, const char *name)
{
    for (guint32 i = 0; i < d->classes->len; i++)
        if (g_str_equal(g_array_index(d->classes, DnDraftClass, i).name, name))
            return i;
    return G_MAXUINT32;
}

guint32 dn_draft_class(DnDraft *d, const char *name, DnDraftNumber bandwidth, DnDraftNumber latency,
                       DnDraftNumber efficiency, DnDraftNumber buffer)
{
    g_assert(dn_draft_find_class(d, name) == G_MAXUINT32);
    DnDraftClass c = {g_strdup(name), bandwidth, latency, efficiency, buffer};
    g_array_append_val(d->classes, c);
    return d->classes->len - 1;
}

DnDraftEdge *dn_draft_edge(DnDraft *d, guint32 a, guint32 b, guint32 link_class, guint32 count)
{
    g_assert(a != b && a < d->vertices->len && b < d->vertices->len &&
             link_class < d->classes->len && count > 0);
    DnDraftEdge e = {.a = a, .b = b, .link_class = link_class, .count = count};
    g_array_append_val(d->edges, e);
    return &g_array_index(d->edges, DnDraftEdge, d->edges->len - 1);
}

void dn_draft_set_latency(DnDraft *d, guint32 vertex, DnDraftNumber latency)
{
    DnDraftVertex *v = dn_draft_at(d, vertex);
    dn_draft_number_clear(&v->latency);
    v->latency = latency;
}

void dn_draft_serve(DnDraft *d, guint32 nic, guint32 vertex)
{
    g_assert(dn_draft_at(d, nic)->kind == DN_DRAFT_NIC);
    dn_draft_at(d, vertex)->nic = nic;
}

void dn_draft_note(DnDraft *d, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_ptr_array_add(d->notes, g_strdup_vprintf(format, args));
    va_end(args);
}

/* Links from @from to each vertex, GPUs not passed through. */
static guint32 *draft_distances(const DnDraft *d, guint32 from)
{
    guint32 *hops = g_new(guint32, d->vertices->len);
    memset(hops, 0xff, sizeof *hops * d->vertices->len);
    hops[from] = 0;
    for (gboolean moved = TRUE; moved;) {
        moved = FALSE;
        for (guint i = 0; i < d->edges->len; i++) {
            const DnDraftEdge *e = &g_array_index(d->edges, DnDraftEdge, i);
            for (guint direction = 0; direction < 2; direction++) {
                guint32 a = direction ? e->b : e->a, b = direction ? e->a : e->b;
                if (hops[a] == G_MAXUINT32 || hops[b] <= hops[a] + 1)
                    continue;
                if (dn_draft_at(d, a)->kind == DN_DRAFT_GPU && a != from)
                    continue;
                hops[b] = hops[a] + 1;
                moved = TRUE;
            }
        }
    }
    return hops;
}

void dn_draft_serve_nearest(DnDraft *d)
{
    g_autofree guint32 *served = g_new0(guint32, d->vertices->len);
    for (guint32 v = 0; v < d->vertices->len; v++) {
        DnDraftKind kind = dn_draft_at(d, v)->kind;
        if (kind != DN_DRAFT_GPU && kind != DN_DRAFT_CPU)
            continue;
        g_autofree guint32 *hops = draft_distances(d, v);
        guint32 best = G_MAXUINT32;
        for (guint32 k = 0; k < d->vertices->len; k++) {
            if (dn_draft_at(d, k)->kind != DN_DRAFT_NIC || hops[k] == G_MAXUINT32)
                continue;
            if (best == G_MAXUINT32 || hops[k] < hops[best] ||
                (hops[k] == hops[best] && kind == DN_DRAFT_GPU && served[k] < served[best]))
                best = k;
        }
        if (best == G_MAXUINT32)
            continue;
        served[best] += kind == DN_DRAFT_GPU;
        dn_draft_serve(d, best, v);
    }
}
