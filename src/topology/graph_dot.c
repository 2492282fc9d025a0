/* graph_dot.c - draws a graph in Graphviz's DOT language (graph_metrics.h). */
#include "topology/graph_dot.h"
#include "topology/graph_metrics.h"

/* Okabe & Ito's eight colours, which colour-blind readers tell apart too; black last. */
static const char *const palette[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                      "#E69F00", "#56B4E9", "#F0E442", "#000000"};

const char *dn_dot_class_colour(guint32 link_class)
{
    return palette[link_class % G_N_ELEMENTS(palette)];
}

/* @text in double quotes, as DOT wants it. */
static void append_quoted(GString *out, const char *text)
{
    g_string_append_c(out, '"');
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            g_string_append_c(out, '\\');
        g_string_append_c(out, *text);
    }
    g_string_append_c(out, '"');
}

void dn_dot_write_vertex(const DnGraph *g, guint32 v, const char *indent, const char *place,
                         GString *out)
{
    static const char *const shapes[DN_VERTEX_KINDS] = {"box", "diamond", "ellipse", "hexagon",
                                                        "box"};
    const DnVertex *vertex = &g->vertices[v];
    g_autofree char *label = NULL;
    if (vertex->kind == DN_VERTEX_SWITCH)
        label = g_strdup_printf("s%u", v);
    else if (g->size.node_vertices == 1)
        label = g_strdup_printf("n%u", vertex->node);
    else if (g->vertex_names != NULL && g->vertex_names[vertex->local] != NULL)
        label = g_strdup(g->vertex_names[vertex->local]);
    else
        label = g_strdup_printf("%s%u", dn_vertex_kind_name(vertex->kind), vertex->local);
    g_string_append_printf(out, "%sv%u [%sshape=%s, label=", indent, v, place,
                           shapes[vertex->kind]);
    append_quoted(out, label);
    g_string_append(out, vertex->endpoint ? ", style=filled, fillcolor=\"#dddddd\"];\n" : "];\n");
}

/* Vertices @first .. @first + @n - 1, in a box called @label unless it is NULL. */
static void write_cluster(const DnGraph *g, const char *name, const char *label, guint32 first,
                          guint32 n, GString *out)
{
    if (label != NULL)
        g_string_append_printf(out, "  subgraph cluster_%s {\n    label=\"%s\";\n", name, label);
    for (guint32 v = first; v < first + n; v++)
        dn_dot_write_vertex(g, v, label != NULL ? "    " : "  ", "", out);
    if (label != NULL)
        g_string_append(out, "  }\n");
}

static void write_clusters(const DnGraph *g, gboolean with_nodes, GString *out)
{
    const DnGraphSize *s = &g->size;
    char name[32], label[32];
    for (guint32 i = 0; s->switches > 0 && i < s->groups; i++) {
        g_snprintf(name, sizeof name, "group%u", i);
        g_snprintf(label, sizeof label, "group %u", i);
        write_cluster(g, name, s->groups > 1 ? label : NULL, i * s->group_switches,
                      s->group_switches, out);
    }
    for (guint32 i = 0; with_nodes && i < s->nodes; i++) {
        g_snprintf(name, sizeof name, "node%u", i);
        g_snprintf(label, sizeof label, "node %u", i);
        write_cluster(g, name, s->node_vertices > 1 ? label : NULL,
                      s->switches + i * s->node_vertices, s->node_vertices, out);
    }
}

guint32 dn_dot_equal_cables(const DnGraph *g, guint32 v, guint32 i)
{
    const DnLink *link = &g->links[g->ports[i]];
    guint32 n = 0;
    for (guint32 k = g->port_first[v]; k < g->port_first[v + 1]; k++) {
        const DnLink *other = &g->links[g->ports[k]];
        if (other->dst != link->dst || other->link_class != link->link_class ||
            other->width != link->width)
            continue;
        if (k < i)
            return 0;
        n++;
    }
    return n;
}

const char *dn_dot_splines(guint32 vertices, guint32 lines)
{
    return (double)vertices * vertices * lines <= DN_DOT_CURVE_WORK ? "true" : "line";
}

const char *dn_dot_splines_of(const DnGraph *g, guint32 drawn)
{
    guint32 lines = 0;
    for (guint32 v = 0; v < drawn; v++)
        for (guint32 i = g->port_first[v]; i < g->port_first[v + 1]; i++) {
            guint32 w = g->links[g->ports[i]].dst;
            lines += w > v && w < drawn && dn_dot_equal_cables(g, v, i) > 0;
        }
    return dn_dot_splines(drawn, lines);
}

void dn_dot_write_line(guint32 v, guint32 w, guint32 link_class, guint64 wide, GString *out)
{
    g_string_append_printf(out, "  v%u -- v%u [color=\"%s\", penwidth=%u", v, w,
                           dn_dot_class_colour(link_class), (guint)MIN(wide, 6));
    if (wide > 1)
        g_string_append_printf(out, ", label=\"x%" G_GUINT64_FORMAT "\"", wide);
    g_string_append(out, "];\n");
}

void dn_dot_write_cables(const DnGraph *g, guint32 v, guint32 drawn, GString *out)
{
    for (guint32 i = g->port_first[v]; i < g->port_first[v + 1]; i++) {
        const DnLink *link = &g->links[g->ports[i]];
        guint32 n = link->dst > v && link->dst < drawn ? dn_dot_equal_cables(g, v, i) : 0;
        if (n == 0)
            continue;
        dn_dot_write_line(v, link->dst, link->link_class, (guint64)n * link->width, out);
    }
}

/* "local 200 Gb/s" */
void dn_dot_write_legend(const DnGraph *g, const char *place, GString *out)
{
    g_string_append_printf(out, "  legend [%sshape=plaintext, label=<<table border=\"0\">", place);
    for (guint32 c = 0; c < g->n_classes; c++) {
        g_autofree char *name = g_markup_escape_text(g->classes[c].name, -1);
        g_string_append_printf(out, "<tr><td><font color=\"%s\">%s %g Gb/s</font></td></tr>",
                               dn_dot_class_colour(c), name,
                               (double)g->classes[c].bandwidth_bps / 1e9);
    }
    g_string_append(out, "</table>>];\n");
}

void dn_dot_write_style(GString *out)
{
    g_string_append(out, "  node [fontname=\"sans-serif\", fontsize=10, margin=\"0.05,0.03\", "
                         "width=0.3, height=0.2];\n"
                         "  edge [fontname=\"sans-serif\", fontsize=8];\n");
}

void dn_graph_write_dot(const DnGraph *graph, DnDotDetail detail, GString *out)
{
    guint32 drawn = detail == DN_DOT_SWITCHES ? graph->size.switches : graph->n_vertices;
    gboolean many = drawn > DN_DOT_CURVES;
    g_string_append_printf(out, "graph darner {\n  layout=%s; overlap=false; splines=%s;\n",
                           many ? "sfdp" : "fdp", many ? "line" : dn_dot_splines_of(graph, drawn));
    dn_dot_write_style(out);
    if (graph->n_classes > 0)
        dn_dot_write_legend(graph, "", out);
    write_clusters(graph, detail == DN_DOT_ALL, out);
    for (guint32 v = 0; v < drawn; v++)
        dn_dot_write_cables(graph, v, drawn, out);
    g_string_append(out, "}\n");
}
