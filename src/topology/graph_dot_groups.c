/* graph_dot_groups.c - draws a machine that is too large to be drawn whole: its groups, then one
 * group, then one node (graph_metrics.h). */
#include <math.h>

#include "topology/graph_dot.h"
#include "topology/graph_metrics.h"

/* Lines with a label each, up to so many. */
#define LABELLED 66
/* Inches of a circle that a name takes. */
#define NAME_INCHES 0.42

/* Begins a drawing @name, whose positions are given, so that Graphviz chooses none; the ids of its
 * SVG's elements begin with @name too. */
static void begin_drawing(const char *name, GString *out)
{
    g_string_append_printf(out,
                           "graph %s {\n  layout=neato; splines=line; outputorder=edgesfirst; "
                           "id=\"%s\";\n  fontname=\"sans-serif\"; fontsize=12; labelloc=t;\n"
                           "  node [id=\"%s_\\N\", fontname=\"sans-serif\", fontsize=10, "
                           "style=filled, fillcolor=white, margin=\"0.05,0.03\", width=0.3, "
                           "height=0.2];\n"
                           "  edge [id=\"%s_\\E\", fontname=\"sans-serif\", fontsize=8];\n",
                           name, name, name, name);
}

/* The position of @i among @n on a circle, the first at the top. */
static void append_on_circle(guint32 i, guint32 n, GString *out)
{
    double radius = MAX(1.2, n * NAME_INCHES / (2 * G_PI)), angle = 2 * G_PI * i / n;
    g_string_append_printf(out, "pos=\"%.3f,%.3f!\"", radius * sin(angle) + 0.0,
                           radius * cos(angle) + 0.0);
}

/* Links of each width from group @group to each later one into @links [groups], and the class of
 * one of them into @classes. */
static void count_links(const DnGraph *g, guint32 group, guint64 *links, guint32 *classes)
{
    const DnGraphSize *s = &g->size;
    for (guint32 i = 0; i < s->groups; i++)
        links[i] = 0;
    for (guint32 v = group * s->group_switches; v < (group + 1) * s->group_switches; v++)
        for (guint32 p = g->port_first[v]; p < g->port_first[v + 1]; p++) {
            const DnLink *link = &g->links[g->ports[p]];
            if (link->dst >= s->switches || link->dst / s->group_switches <= group)
                continue;
            links[link->dst / s->group_switches] += link->width;
            classes[link->dst / s->group_switches] = link->link_class;
        }
}

typedef struct {
    guint64 links;
    guint32 pairs;
} LinkCount;

static void note_pair(GArray *counts, guint64 links)
{
    guint at = 0;
    while (at < counts->len && g_array_index(counts, LinkCount, at).links > links)
        at++;
    if (at == counts->len || g_array_index(counts, LinkCount, at).links != links) {
        LinkCount new = {.links = links};
        g_array_insert_val(counts, at, new);
    }
    g_array_index(counts, LinkCount, at).pairs++;
}

/* "links between two groups: 8 (270 pairs), 4 (6 pairs)" */
static void append_counts(const GArray *counts, GString *out)
{
    g_string_append(out, "links between two groups: ");
    for (guint i = 0; i < MIN(counts->len, 4); i++) {
        const LinkCount *count = &g_array_index(counts, LinkCount, i);
        g_string_append_printf(out, "%s%" G_GUINT64_FORMAT, i > 0 ? ", " : "", count->links);
        if (counts->len > 1)
            g_string_append_printf(out, " (%u pair%s)", count->pairs, count->pairs > 1 ? "s" : "");
    }
    if (counts->len > 4)
        g_string_append_printf(out, ", ... %" G_GUINT64_FORMAT,
                               g_array_index(counts, LinkCount, counts->len - 1).links);
}

/* The line of @links between two groups, with a label where they are not the same for all. */
static void write_pair(const DnGraph *g, guint32 a, guint32 b, guint64 links, guint32 link_class,
                       const GArray *counts, GString *out)
{
    double pairs = g->size.groups * (g->size.groups - 1.0) / 2;
    double width = MIN(2.5, sqrt(400 / pairs)) * (double)links /
                   (double)g_array_index(counts, LinkCount, 0).links;
    g_string_append_printf(out, "  v%u -- v%u [color=\"%s\", penwidth=%.2f", a, b,
                           dn_dot_class_colour(link_class), MAX(width, 0.15));
    if (counts->len > 1 && pairs <= LABELLED)
        g_string_append_printf(out, ", label=\"%" G_GUINT64_FORMAT "\"", links);
    g_string_append(out, "];\n");
}

static void write_groups(const DnGraph *g, GString *out)
{
    guint32 n = g->size.groups;
    g_autofree guint64 *links = g_new0(guint64, n);
    g_autofree guint32 *classes = g_new0(guint32, n);
    g_autoptr(GArray) counts = g_array_new(FALSE, FALSE, sizeof(LinkCount));
    begin_drawing("groups", out);
    for (guint32 a = 0; a < n; a++) {
        g_string_append_printf(out, "  v%u [shape=circle, fixedsize=true, label=\"%u\", ", a, a);
        append_on_circle(a, n, out);
        g_string_append(out, "];\n");
        count_links(g, a, links, classes);
        for (guint32 b = a + 1; b < n; b++)
            note_pair(counts, links[b]);
    }
    for (guint32 a = 0; a < n; a++) {
        count_links(g, a, links, classes);
        for (guint32 b = a + 1; b < n; b++)
            if (links[b] > 0)
                write_pair(g, a, b, links[b], classes[b], counts, out);
    }
    g_string_append_printf(out, "  label=\"%u switches in %u groups; ", g->size.switches, n);
    append_counts(counts, out);
    g_string_append(out, "\";\n}\n");
}

/* Fewest and most links of a switch to nodes, inside its group and to other groups. */
typedef struct {
    guint32 switches;
    guint32 least[3], most[3];
} LevelPorts;

static void count_ports(const DnGraph *g, guint32 v, LevelPorts *level)
{
    const DnGraphSize *s = &g->size;
    guint32 n[3] = {0, 0, 0};
    for (guint32 p = g->port_first[v]; p < g->port_first[v + 1]; p++) {
        const DnLink *link = &g->links[g->ports[p]];
        gboolean other = link->dst / s->group_switches != v / s->group_switches;
        n[link->dst >= s->switches ? 0 : 1 + other] += link->width;
    }
    for (guint i = 0; i < G_N_ELEMENTS(n); i++) {
        level->least[i] = level->switches == 0 ? n[i] : MIN(level->least[i], n[i]);
        level->most[i] = MAX(level->most[i], n[i]);
    }
    level->switches++;
}

/* "16 switches, each with 8 links to nodes, 31 inside the group, 0 to 2 to other groups" */
static void append_ports(const LevelPorts *level, GString *out)
{
    static const char *const where[] = {" to nodes", " inside the group", " to other groups"};
    g_string_append_printf(out, "%u switches, each with ", level->switches);
    for (guint i = 0; i < G_N_ELEMENTS(where); i++) {
        g_string_append_printf(out, "%s%u", i > 0 ? ", " : "", level->least[i]);
        if (level->most[i] != level->least[i])
            g_string_append_printf(out, "..%u", level->most[i]);
        g_string_append_printf(out, "%s%s", i == 0 ? " links" : "", where[i]);
    }
}

/* Switches of the first group: in a row for each level, or on a circle when all are of one. */
static void write_switches(const DnGraph *g, LevelPorts levels[2], GString *out)
{
    guint32 n = g->size.group_switches;
    for (guint32 v = 0; v < n; v++)
        count_ports(g, v, &levels[MIN(g->vertices[v].level, 1)]);
    guint32 at[2] = {0, 0};
    for (guint32 v = 0; v < n; v++) {
        guint level = MIN(g->vertices[v].level, 1);
        g_string_append_printf(out, "  v%u [shape=box, label=\"s%u\", ", v, v);
        if (levels[1].switches == 0)
            append_on_circle(v, n, out);
        else
            g_string_append_printf(out, "pos=\"%.3f,%u!\"",
                                   NAME_INCHES * (at[level] + 0.5 * (n - levels[level].switches)),
                                   2 * level);
        g_string_append(out, "];\n");
        at[level]++;
    }
}

static void write_first_group(const DnGraph *g, GString *out)
{
    guint32 n = g->size.group_switches;
    LevelPorts levels[2] = {{0}, {0}};
    begin_drawing("first_group", out);
    write_switches(g, levels, out);
    for (guint32 v = 0; v < n; v++)
        for (guint32 p = g->port_first[v]; p < g->port_first[v + 1]; p++) {
            const DnLink *link = &g->links[g->ports[p]];
            guint32 cables = link->dst > v && link->dst < n ? dn_dot_equal_cables(g, v, p) : 0;
            if (cables > 0)
                g_string_append_printf(out, "  v%u -- v%u [color=\"%s\", penwidth=%.2f];\n", v,
                                       link->dst, dn_dot_class_colour(link->link_class),
                                       MIN(cables * link->width, 6) * MIN(1.0, 16.0 / n));
        }
    g_string_append(out, "  label=\"group 0: ");
    append_ports(&levels[0], out);
    if (levels[1].switches > 0) {
        g_string_append(out, "\\n");
        append_ports(&levels[1], out);
    }
    g_string_append(out, "\";\n}\n");
}

/* Rings of the drawing of a node, from its middle: NVSwitches, CPUs, GPUs, NICs, and the switches
 * that these are linked to. */
static guint ring_of(const DnVertex *vertex)
{
    static const guint8 rings[DN_VERTEX_KINDS] = {[DN_VERTEX_NVSWITCH] = 0,
                                                  [DN_VERTEX_CPU] = 1,
                                                  [DN_VERTEX_GPU] = 2,
                                                  [DN_VERTEX_NIC] = 3,
                                                  [DN_VERTEX_SWITCH] = 4};
    return rings[vertex->kind];
}
#define RINGS 5

typedef struct {
    guint32 *vertices, n; /* in the order of their first link */
    guint32 of_ring[RINGS];
    double radius[RINGS];
} NodeDrawing;

static void node_add(const DnGraph *g, NodeDrawing *d, guint32 v)
{
    for (guint32 i = 0; i < d->n; i++)
        if (d->vertices[i] == v)
            return;
    d->vertices[d->n++] = v;
    d->of_ring[ring_of(&g->vertices[v])]++;
}

/* The vertices of the first node and the switches beside it; a ring is as long as its names. */
static void node_collect(const DnGraph *g, NodeDrawing *d)
{
    guint32 first = g->size.switches, end = first + g->size.node_vertices;
    guint32 most = g->size.node_vertices + g->port_first[end] - g->port_first[first];
    d->vertices = g_new(guint32, most);
    for (guint32 v = first; v < end; v++)
        node_add(g, d, v);
    for (guint32 v = first; v < end; v++)
        for (guint32 p = g->port_first[v]; p < g->port_first[v + 1]; p++)
            if (g->links[g->ports[p]].dst < first)
                node_add(g, d, g->links[g->ports[p]].dst);
    double radius = -0.7;
    for (guint ring = 0; ring < RINGS; ring++) {
        if (d->of_ring[ring] == 0)
            continue;
        double names = d->of_ring[ring] > 1 ? d->of_ring[ring] * 0.95 / (2 * G_PI) : 0.0;
        d->radius[ring] = radius = MAX(radius + 0.7, names);
    }
}

/* The first node: each kind of vertex on a ring of its own. */
static void write_first_node(const DnGraph *g, GString *out)
{
    guint32 first = g->size.switches, end = first + g->size.node_vertices;
    NodeDrawing d = {0};
    guint32 at[RINGS] = {0};
    node_collect(g, &d);
    g_autofree guint32 *vertices = d.vertices;
    begin_drawing("first_node", out);
    for (guint32 i = 0; i < d.n; i++) {
        guint ring = ring_of(&g->vertices[vertices[i]]);
        double turn = ring < 2 ? 0.0 : 0.5; /* or the inner rings would hide lines across */
        double angle = 2 * G_PI * (at[ring]++ + turn) / d.of_ring[ring];
        dn_dot_write_vertex(g, vertices[i], "  ", "", out);
        g_string_append_printf(out, "  v%u [pos=\"%.3f,%.3f!\"];\n", vertices[i],
                               d.radius[ring] * sin(angle), d.radius[ring] * cos(angle));
    }
    for (guint32 v = first; v < end; v++)
        for (guint32 p = g->port_first[v]; p < g->port_first[v + 1]; p++) {
            const DnLink *link = &g->links[g->ports[p]];
            gboolean shown = link->dst < first || (link->dst > v && link->dst < end);
            guint32 n = shown ? dn_dot_equal_cables(g, v, p) : 0;
            if (n > 0)
                dn_dot_write_line(v, link->dst, link->link_class, (guint64)n * link->width, out);
        }
    dn_dot_write_legend(g, "", out);
    g_string_append_printf(out, "  legend [pos=\"%.3f,0!\"];\n  label=\"node 0 of %u\";\n}\n",
                           d.radius[RINGS - 1] + 2.0, g->size.nodes);
}

void dn_graph_write_dot_groups(const DnGraph *graph, GString *out)
{
    write_groups(graph, out);
    write_first_group(graph, out);
    write_first_node(graph, out);
}
