/* graphml.c - GraphML (graphml.graphdrawing.org), for igraph, NetworkX, Gephi and our own importer.
 *
 * Vertices in their order as v0, v1, ...; cables in theirs, undirected. All that the graph knows
 * but shared buffers stands in attributes: bandwidths of one physical link in bit/s, latencies in
 * ps, buffers in B. */
#include "topology/export/export.h"

static void add_key(GString *out, const char *on, const char *name, const char *type)
{
    g_string_append_printf(out,
                           "  <key id=\"%s_%s\" for=\"%s\" attr.name=\"%s\" attr.type=\"%s\"/>\n",
                           on, name, on, name, type);
}

static void write_keys(GString *out)
{
    static const char *const node[][2] = {
        {"name", "string"},     {"kind", "string"},      {"level", "int"},
        {"group", "int"},       {"node", "int"},         {"latency_ps", "long"},
        {"transit", "boolean"}, {"endpoint", "boolean"}, {"nic", "string"}};
    static const char *const edge[][2] = {{"class", "string"},      {"bandwidth_bps", "long"},
                                          {"latency_ps", "long"},   {"efficiency", "double"},
                                          {"buffer_bytes", "long"}, {"width", "int"}};
    for (guint i = 0; i < G_N_ELEMENTS(node); i++)
        add_key(out, "node", node[i][0], node[i][1]);
    for (guint i = 0; i < G_N_ELEMENTS(edge); i++)
        add_key(out, "edge", edge[i][0], edge[i][1]);
}

static void add_text(GString *out, const char *on, const char *name, const char *text)
{
    g_autofree char *escaped = g_markup_escape_text(text, -1);
    g_string_append_printf(out, "      <data key=\"%s_%s\">%s</data>\n", on, name, escaped);
}

static void add_number(GString *out, const char *on, const char *name, gint64 value)
{
    g_string_append_printf(out, "      <data key=\"%s_%s\">%" G_GINT64_FORMAT "</data>\n", on, name,
                           value);
}

/* "gpu0" in a machine of one node, else "node3.gpu0"; "switch12". */
static char *name_of(const DnGraph *g, guint32 v)
{
    const DnVertex *x = &g->vertices[v];
    const char *own = NULL;
    if (x->kind == DN_VERTEX_SWITCH)
        return g_strdup_printf("switch%u", v);
    if (g->vertex_names != NULL)
        own = g->vertex_names[x->local];
    if (own != NULL && g->size.nodes == 1)
        return g_strdup(own);
    if (own != NULL)
        return g_strdup_printf("node%u.%s", x->node, own);
    return g_strdup_printf("node%u.%s%u", x->node, dn_vertex_kind_name((DnVertexKind)x->kind),
                           x->local);
}

static void write_vertex(const DnGraph *g, guint32 v, GString *out)
{
    const DnVertex *x = &g->vertices[v];
    g_autofree char *name = name_of(g, v);
    g_string_append_printf(out, "    <node id=\"v%u\">\n", v);
    add_text(out, "node", "name", name);
    add_text(out, "node", "kind", dn_vertex_kind_name((DnVertexKind)x->kind));
    if (x->kind == DN_VERTEX_SWITCH) {
        add_number(out, "node", "level", x->level);
        add_number(out, "node", "group", x->group);
    } else {
        add_number(out, "node", "node", x->node);
    }
    add_number(out, "node", "latency_ps", x->latency_ps);
    add_text(out, "node", "transit", x->transit ? "true" : "false");
    add_text(out, "node", "endpoint", x->endpoint ? "true" : "false");
    guint32 e = g->endpoint_of[v];
    if (x->endpoint && g->endpoint_terminal[e] != DN_NONE) {
        char nic[32];
        g_snprintf(nic, sizeof nic, "v%u", g->terminals[g->endpoint_terminal[e]]);
        add_text(out, "node", "nic", nic);
    }
    g_string_append(out, "    </node>\n");
}

static void write_cable(const DnGraph *g, guint32 l, GString *out)
{
    const DnLink *link = &g->links[l];
    const DnLinkClass *k = &g->classes[link->link_class];
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    g_string_append_printf(out, "    <edge id=\"e%u\" source=\"v%u\" target=\"v%u\">\n", l / 2,
                           link->src, link->dst);
    add_text(out, "edge", "class", k->name);
    add_number(out, "edge", "bandwidth_bps", k->bandwidth_bps);
    add_number(out, "edge", "latency_ps", k->latency_ps);
    add_text(out, "edge", "efficiency", g_ascii_dtostr(number, sizeof number, k->efficiency));
    add_number(out, "edge", "buffer_bytes", k->buffer_bytes);
    add_number(out, "edge", "width", link->width);
    g_string_append(out, "    </edge>\n");
}

static gboolean write_machine(const DnMachine *machine, DnExportRoute route, gpointer data,
                              GString *out, GError **error)
{
    const DnGraph *g = machine->graph;
    g_string_append(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                         "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n");
    write_keys(out);
    g_autofree char *name = g_markup_escape_text(machine->name, -1);
    g_string_append_printf(out, "  <graph id=\"%s\" edgedefault=\"undirected\">\n", name);
    for (guint32 v = 0; v < g->n_vertices; v++)
        write_vertex(g, v, out);
    for (guint32 l = 0; l < g->size.links; l += 2)
        write_cable(g, l, out);
    g_string_append(out, "  </graph>\n</graphml>\n");
    return TRUE;
}

const DnExporter dn_exporter_graphml = {
    .name = "graphml",
    .summary = "GraphML, for igraph, NetworkX, Gephi",
    .write = write_machine,
};
