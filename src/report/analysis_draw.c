/* analysis_draw.c - a machine with its links coloured by load, by Graphviz.
 *
 * Up to MOST_VERTICES vertices are drawn each; of larger machines the groups, with the fullest link
 * between two of them. The colour is the load per bit/s of capacity, as a share of the fullest
 * link's; of a cable's two directions the fuller one. */
#include "report/analysis_report.h"

#include <math.h>

#include "base/file.h"
#include "report/graphviz.h"
#include "topology/graph_metrics.h"

#define MOST_VERTICES 240

/* Light to dark, readable in grey: ColorBrewer's YlOrRd with 7 classes, the palest left out. */
static const char *const palette[] = {"#fed976", "#feb24c", "#fd8d3c",
                                      "#fc4e2a", "#e31a1c", "#b10026"};
#define IDLE "#cccccc"

static const char *analysis_draw_colour(double share)
{
    if (share <= 0)
        return IDLE;
    guint n = G_N_ELEMENTS(palette);
    return palette[MIN((guint)(share * n * (1 - 1e-9)), n - 1)];
}

typedef struct {
    const DnGraph *g;
    gboolean groups, inside; /* one vertex a group; only the net of the node */
    double *fill;            /* [links] load per capacity, as share of the fullest */
} Drawing;

static guint32 mark_of(const Drawing *d, guint32 v)
{
    return d->groups ? d->g->vertices[v].group : v;
}

static gboolean analysis_draw_drawn(const Drawing *d, const DnAnalysis *a, guint32 v)
{
    if (d->groups)
        return v < d->g->size.switches;
    return !d->inside || dn_net_find(a->node.net, v) != DN_NONE;
}

static void vertex_label(const DnGraph *g, guint32 v, char buf[64])
{
    const DnVertex *x = &g->vertices[v];
    if (v < g->size.switches)
        g_snprintf(buf, 64, "s%u", v);
    else if (g->size.node_vertices == 1)
        g_snprintf(buf, 64, "n%u", x->node);
    else if (g->vertex_names != NULL && g->vertex_names[x->local] != NULL)
        g_snprintf(buf, 64, "%s", g->vertex_names[x->local]);
    else
        g_snprintf(buf, 64, "%u", x->local);
}

static void write_vertices(const Drawing *d, const DnAnalysis *a, GString *out)
{
    const DnGraph *g = d->g;
    char label[64];
    /* Groups stand in order around a circle (sizes in inches). */
    double radius = fmax(2.5, 0.11 * g->size.groups);
    for (guint32 i = 0; d->groups && i < g->size.groups; i++) {
        double angle = 2 * G_PI * i / g->size.groups;
        g_string_append_printf(
            out,
            "  v%u [label=\"%u\", shape=circle, fixedsize=true, width=0.35, pos=\"%.3f,%.3f!\"];\n",
            i, i, radius * sin(angle), radius * cos(angle));
    }
    for (guint32 v = 0; !d->groups && v < g->n_vertices; v++) {
        if (!analysis_draw_drawn(d, a, v))
            continue;
        vertex_label(g, v, label);
        g_string_append_printf(out, "  v%u [label=\"%s\", shape=%s%s];\n", v, label,
                               v < g->size.switches ? "box" : "ellipse",
                               g->vertices[v].endpoint ? ", fillcolor=\"#e8eef4\", style=filled"
                                                       : "");
    }
}

typedef struct {
    guint32 u, v; /* marks, u < v */
    double width; /* physical links */
    double load;  /* of the fuller direction, all links together */
    double fill;
} Bundle;

static gint by_ends(gconstpointer a, gconstpointer b)
{
    const Bundle *x = a, *y = b;
    if (x->u != y->u)
        return x->u < y->u ? -1 : 1;
    return x->v < y->v ? -1 : x->v > y->v;
}

/* Cables between the same two marks as one. */
static GArray *analysis_draw_bundles(const Drawing *d, const DnAnalysis *a)
{
    g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(Bundle));
    GArray *merged = g_array_new(FALSE, FALSE, sizeof(Bundle));
    for (guint32 l = 0; l < d->g->size.links; l += 2) {
        const DnLink *k = &d->g->links[l];
        if (!analysis_draw_drawn(d, a, k->src) || !analysis_draw_drawn(d, a, k->dst))
            continue;
        guint32 u = mark_of(d, k->src), v = mark_of(d, k->dst);
        Bundle b = {MIN(u, v), MAX(u, v), k->width, fmax(a->loads->load[l], a->loads->load[l ^ 1]),
                    fmax(d->fill[l], d->fill[l ^ 1])};
        if (u != v)
            g_array_append_val(all, b);
    }
    g_array_sort(all, by_ends);
    for (guint i = 0; i < all->len; i++) {
        const Bundle *b = &g_array_index(all, Bundle, i);
        Bundle *last = merged->len > 0 ? &g_array_index(merged, Bundle, merged->len - 1) : NULL;
        if (last == NULL || by_ends(last, b) != 0) {
            g_array_append_vals(merged, b, 1);
            continue;
        }
        last->width += b->width;
        last->load += b->load;
        last->fill = fmax(last->fill, b->fill);
    }
    return merged;
}

static void write_bundles(const Drawing *d, const GArray *merged, GString *out)
{
    gboolean labels = merged->len <= 80;
    for (guint i = 0; i < merged->len; i++) {
        const Bundle *b = &g_array_index(merged, Bundle, i);
        char label[64] = "";
        if (labels && b->width > 1)
            g_snprintf(label, sizeof label, "%.4g over %.4g", b->load, b->width);
        else if (labels)
            g_snprintf(label, sizeof label, "%.4g", b->load);
        g_string_append_printf(out,
                               "  v%u -- v%u [color=\"%s\", penwidth=%.3g, label=\"%s\", "
                               "tooltip=\"%.6g over %.6g links, %.1f %% of the fullest\"];\n",
                               b->u, b->v, analysis_draw_colour(b->fill),
                               d->groups ? 0.5 + 0.7 * b->fill : 1.5 + MIN(b->width, 6), label,
                               b->load, b->width, 100 * b->fill);
    }
}

/* @note: what else the drawing shows. */
static void write_legend(const DnAnalysis *a, const char *note, GString *out)
{
    guint n = G_N_ELEMENTS(palette);
    g_string_append(out, "  label=<<table border=\"0\" cellspacing=\"0\"><tr>");
    g_string_append_printf(out, "<td bgcolor=\"%s\"> idle </td>", IDLE);
    for (guint i = 0; i < n; i++)
        g_string_append_printf(
            out, "<td bgcolor=\"%s\"><font color=\"%s\"> %u to %u %% </font></td>", palette[i],
            i + 2 < n ? "black" : "white", 100 * i / n, 100 * (i + 1) / n);
    g_autofree char *machine = g_markup_escape_text(a->machine->name, -1);
    g_autofree char *paths = g_markup_escape_text(a->paths, -1);
    g_autofree char *traffic = g_markup_escape_text(a->traffic->name, -1);
    g_string_append_printf(out,
                           "</tr><tr><td colspan=\"%u\">%s: %s, %s</td></tr><tr><td colspan=\"%u\">"
                           "colour: load of a link, of the fullest link's%s</td></tr></table>>;\n"
                           "  labelloc=b;\n",
                           n + 1, machine, traffic, paths, n + 1, note);
}

/* (transfer full): the drawing in DOT. */
static char *drawing_text(const DnAnalysis *a)
{
    const DnGraph *g = a->machine->graph;
    Drawing d = {.g = g,
                 .inside = a->has_node && g->size.nodes == 1 && a->node.direct &&
                           a->traffic->uniform,
                 .fill = g_new0(double, g->size.links + 1)};
    d.groups = !d.inside && g->n_vertices > MOST_VERTICES && g->size.groups > 1;
    for (guint32 l = 0; l < g->size.links; l++)
        d.fill[l] = a->loads->load[l] * a->loads->rate_bps / (double)dn_link_bandwidth_bps(g, l);
    g_autoptr(GArray) bundles = analysis_draw_bundles(&d, a);
    const char *splines = d.groups ? "line" : dn_dot_splines(g->n_vertices, bundles->len);
    GString *out = g_string_new("graph load {\n");
    g_string_append_printf(out, "  layout=neato; overlap=%s; splines=%s; outputorder=edgesfirst;\n",
                           d.groups ? "true" : "false", splines);
    g_string_append(out, "  node [fontname=\"sans-serif\", fontsize=11, style=filled, "
                         "fillcolor=white, margin=\"0.05,0.03\", width=0.3, height=0.25];\n"
                         "  edge [fontname=\"sans-serif\", fontsize=9, len=2];\n"
                         "  fontname=\"sans-serif\"; fontsize=10;\n");
    write_legend(a, d.groups ? "; a line is all links of two groups" : "; number: load over links",
                 out);
    write_vertices(&d, a, out);
    write_bundles(&d, bundles, out);
    g_string_append(out, "}\n");
    g_free(d.fill);
    return g_string_free(out, FALSE);
}

gboolean dn_analysis_draw(const DnAnalysis *a, const char *file, GError **error)
{
    g_autofree char *text = drawing_text(a);
    g_autofree char *svg = dn_graphviz_svg(text, "--svg", error);
    if (svg == NULL)
        return FALSE;
    if (dn_file_write(file, svg, error))
        return TRUE;
    g_prefix_error(error, "--svg: ");
    return FALSE;
}
