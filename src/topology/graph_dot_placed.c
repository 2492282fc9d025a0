/* graph_dot_placed.c - the three graphs from which a drawing with boxes of groups and nodes is made
 * (graph_metrics.h). */
#include <math.h>

#include "topology/graph_dot.h"
#include "topology/graph_metrics.h"

#define POINTS_PER_INCH 72.0
/* Inches between a box and what is inside, at the top for its name, and between two that a cable
 * joins. */
#define BOX_MARGIN 0.12
#define BOX_TITLE 0.2
#define CABLE_INCHES 0.5

static guint32 placed_groups(const DnGraph *g)
{
    return g->size.switches > 0 && g->size.groups > 1 ? g->size.groups : 0;
}

guint32 dn_dot_boxes(const DnGraph *g, guint32 drawn)
{
    gboolean nodes = drawn > g->size.switches && g->size.node_vertices > 1;
    return placed_groups(g) + (nodes ? g->size.nodes : 0);
}

guint32 dn_dot_box(const DnGraph *g, guint32 v)
{
    const DnGraphSize *s = &g->size;
    guint32 groups = placed_groups(g);
    if (v < s->switches)
        return groups > 0 ? v / s->group_switches : DN_NONE;
    return s->node_vertices > 1 ? groups + (v - s->switches) / s->node_vertices : DN_NONE;
}

static void begin_layout(const char *name, guint32 i, GString *out)
{
    g_string_append_printf(out, "graph %s%u {\n  layout=neato; splines=line;\n", name, i);
    dn_dot_write_style(out);
}

static void write_inside(const DnGraph *g, guint32 drawn, guint32 box, GString *out)
{
    begin_layout("box", box, out);
    g_string_append(out, "  overlap=false;\n");
    for (guint32 v = 0; v < drawn; v++) {
        if (dn_dot_box(g, v) != box)
            continue;
        dn_dot_write_vertex(g, v, "  ", "", out);
        for (guint32 i = g->port_first[v]; i < g->port_first[v + 1]; i++) {
            guint32 w = g->links[g->ports[i]].dst;
            if (w > v && w < drawn && dn_dot_box(g, w) == box && dn_dot_equal_cables(g, v, i) > 0)
                g_string_append_printf(out, "  v%u -- v%u;\n", v, w);
        }
    }
    g_string_append(out, "}\n");
}

void dn_graph_write_dot_boxes(const DnGraph *g, guint32 drawn, GString *out)
{
    for (guint32 box = 0; box < dn_dot_boxes(g, drawn); box++)
        write_inside(g, drawn, box, out);
}

/* What a cable ends at: 0 .. @drawn - 1 a vertex outside boxes, then the boxes. */
static guint32 unit_of(const DnGraph *g, guint32 drawn, guint32 v)
{
    guint32 box = dn_dot_box(g, v);
    return box == DN_NONE ? v : drawn + box;
}

static void append_unit(guint32 unit, guint32 drawn, GString *out)
{
    g_string_append_printf(out, "%s%u", unit < drawn ? "v" : "box",
                           unit < drawn ? unit : unit - drawn);
}

/* Inches from the middle of a unit to its edge, about. */
static double unit_radius(guint32 unit, guint32 drawn, const DnDotSize *inside)
{
    return unit < drawn ? 0.0 : (inside[unit - drawn].width + inside[unit - drawn].height) / 4;
}

void dn_graph_write_dot_outside(const DnGraph *g, guint32 drawn, const DnDotSize *inside,
                                GString *out)
{
    guint32 n_boxes = dn_dot_boxes(g, drawn);
    g_autoptr(GHashTable) joined = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    begin_layout("outside", 0, out);
    g_string_append_printf(out, "  overlap=false;%s\n",
                           n_boxes > 0 ? " overlap_scaling=0; sep=\"+12\";" : "");
    if (g->n_classes > 0)
        dn_dot_write_legend(g, "", out);
    for (guint32 i = 0; i < n_boxes; i++)
        g_string_append_printf(
            out, "  box%u [shape=box, fixedsize=true, label=\"\", width=%.3f, height=%.3f];\n", i,
            inside[i].width + 2 * BOX_MARGIN, inside[i].height + 2 * BOX_MARGIN + BOX_TITLE);
    for (guint32 v = 0; v < drawn; v++)
        if (dn_dot_box(g, v) == DN_NONE)
            dn_dot_write_vertex(g, v, "  ", "", out);
    for (guint32 v = 0; v < drawn; v++)
        for (guint32 i = g->port_first[v]; i < g->port_first[v + 1]; i++) {
            guint32 w = g->links[g->ports[i]].dst;
            guint32 a = unit_of(g, drawn, v), b = w < drawn ? unit_of(g, drawn, w) : a;
            gint64 pair = (gint64)a << 32 | b;
            if (a >= b || !g_hash_table_add(joined, g_memdup2(&pair, sizeof pair)))
                continue;
            g_string_append(out, "  ");
            append_unit(a, drawn, out);
            g_string_append(out, " -- ");
            append_unit(b, drawn, out);
            g_string_append_printf(out, " [len=%.3f];\n",
                                   unit_radius(a, drawn, inside) + unit_radius(b, drawn, inside) +
                                       CABLE_INCHES);
        }
    g_string_append(out, "}\n");
}

static void write_box(const DnGraph *g, guint32 box, const DnDotPlace *centre,
                      const DnDotSize *inside, GString *out)
{
    guint32 groups = placed_groups(g);
    double w = inside->width / 2 + BOX_MARGIN, h = inside->height / 2 + BOX_MARGIN;
    double top = centre->y + h + BOX_TITLE / 2;
    g_string_append_printf(
        out,
        "  subgraph cluster_%u {\n    label=\"%s %u\"; fontname=\"sans-serif\"; "
        "fontsize=11;\n    bb=\"%.2f,%.2f,%.2f,%.2f\"; lp=\"%.2f,%.2f\";\n",
        box, box < groups ? "group" : "node", box < groups ? box : box - groups,
        POINTS_PER_INCH * (centre->x - w), POINTS_PER_INCH * (centre->y - h - BOX_TITLE / 2),
        POINTS_PER_INCH * (centre->x + w), POINTS_PER_INCH * top, POINTS_PER_INCH * centre->x,
        POINTS_PER_INCH * (top - BOX_MARGIN / 2 - BOX_TITLE / 3));
}

static void place_attribute(double x, double y, char buf[64])
{
    g_snprintf(buf, 64, "pos=\"%.2f,%.2f\", ", POINTS_PER_INCH * x, POINTS_PER_INCH * y);
}

void dn_graph_write_dot_placed(const DnGraph *g, guint32 drawn, const DnDotPlaces *places,
                               GString *out)
{
    char place[64];
    g_string_append_printf(out, "graph darner {\n  layout=neato; splines=%s;\n",
                           dn_dot_splines_of(g, drawn));
    dn_dot_write_style(out);
    if (g->n_classes > 0) {
        place_attribute(places->legend.x, places->legend.y, place);
        dn_dot_write_legend(g, place, out);
    }
    guint32 open = DN_NONE;
    for (guint32 v = 0; v < drawn; v++) {
        guint32 box = dn_dot_box(g, v);
        if (open != DN_NONE && open != box)
            g_string_append(out, "  }\n");
        if (box == DN_NONE) {
            place_attribute(places->vertices[v].x, places->vertices[v].y, place);
        } else {
            const DnDotPlace *centre = &places->boxes[box];
            const DnDotSize *size = &places->inside[box];
            if (open != box)
                write_box(g, box, centre, size, out);
            place_attribute(centre->x + places->vertices[v].x - size->width / 2,
                            centre->y + places->vertices[v].y - size->height / 2 - BOX_TITLE / 2,
                            place);
        }
        open = box;
        dn_dot_write_vertex(g, v, box != DN_NONE ? "    " : "  ", place, out);
    }
    if (open != DN_NONE)
        g_string_append(out, "  }\n");
    for (guint32 v = 0; v < drawn; v++)
        dn_dot_write_cables(g, v, drawn, out);
    g_string_append(out, "}\n");
}
