/* graph_metrics.h - Metrics of a graph without routing or traffic: distances, radix, link counts, a
 * drawing.
 *
 * Hops are links between fabric switches, every link counting one whatever its latency. */
#pragma once
#include "topology/graph.h"

typedef struct {
    guint32 diameter;      /* hops between the two farthest switches; DN_NONE: not connected */
    double mean_distance;  /* over ordered pairs of different switches that reach each other */
    guint32 edge_switches; /* switches with terminals */
    guint32 edge_diameter; /* the same two, among switches with terminals */
    double edge_mean_distance;
    guint32 sources;              /* switches from which these four were measured: all, or a part */
    guint32 radix_min, radix_max; /* physical ports of a switch: widths of its links, summed */
    guint32 n_classes;
    guint32 *class_cables; /* [n_classes] cables as the graph has them */
    guint64 *class_ports;  /* [n_classes] physical links: cables times width */
} DnGraphMetrics;

/* By breadth-first search from every switch, 64 at a time: O(diameter * L * R / 64). Where that
 * takes more than some seconds, from runs of 64 switches at equal intervals: diameters are then the
 * longest distances found. */
void dn_graph_metrics(const DnGraph *graph, DnGraphMetrics *metrics);
/* The same by at most about @most_visits of switches and links, or 64 sources. */
void dn_graph_metrics_within(const DnGraph *graph, guint64 most_visits, DnGraphMetrics *metrics);
void dn_graph_metrics_clear(DnGraphMetrics *metrics);

/* Appends an undirected DOT drawing: a cluster for each group and each node of several vertices,
 * one line for each set of equal cables, coloured by class, pen by width, label "x3" where they are
 * several. Readable up to some 200 vertices; any size works, above DN_DOT_CURVES vertices with
 * straight lines and without clusters (Graphviz' sfdp). */
#define DN_DOT_CURVES 250
/* Graphviz' `splines` for @lines round @vertices: curves, where they take seconds (time grows with
 * the lines and the square of the vertices); else straight lines, for which Graphviz takes none. */
#define DN_DOT_CURVE_WORK 6e6
const char *dn_dot_splines(guint32 vertices, guint32 lines);
typedef enum { DN_DOT_ALL, DN_DOT_SWITCHES } DnDotDetail;
void dn_graph_write_dot(const DnGraph *graph, DnDotDetail detail, GString *out);
/* A drawing of the vertices 0 .. @drawn - 1 (all, or the switches) with a box around each group and
 * each node of several vertices is made of three graphs, for Graphviz' neato: what is inside each
 * box; the boxes and what is outside them; and the whole, each vertex in its place. fdp lays out
 * such a drawing in one step, but differently each time: it orders vertices by their addresses. */
typedef struct {
    double width, height; /* inches */
} DnDotSize;
typedef struct {
    double x, y; /* inches */
} DnDotPlace;
typedef struct {
    DnDotPlace *vertices; /* [drawn] in a box from its lower left corner */
    DnDotPlace *boxes;    /* [boxes] their middles */
    DnDotSize *inside;    /* [boxes] what the first graphs take */
    DnDotPlace legend;
} DnDotPlaces;
guint32 dn_dot_boxes(const DnGraph *graph, guint32 drawn);
/* The box of vertex @v; DN_NONE: in none. */
guint32 dn_dot_box(const DnGraph *graph, guint32 v);
/* Appends a graph for each box in turn, with the vertices "v0", ... as names. */
void dn_graph_write_dot_boxes(const DnGraph *graph, guint32 drawn, GString *out);
/* @inside: [boxes] the sizes of those. Appends one graph, with the boxes "box0", ..., the vertices
 * outside them and "legend". */
void dn_graph_write_dot_outside(const DnGraph *graph, guint32 drawn, const DnDotSize *inside,
                                GString *out);
/* Appends the drawing, for `dot -n`, which keeps the places. */
void dn_graph_write_dot_placed(const DnGraph *graph, guint32 drawn, const DnDotPlaces *places,
                               GString *out);
/* Appends three drawings of a machine with groups: its groups on a circle, with the number of links
 * between two; the switches of its first group; its first node with its switches. */
void dn_graph_write_dot_groups(const DnGraph *graph, GString *out);
