/* graphviz_boxes.h - a small machine with a box around each group and each node. */
#pragma once
#include "topology/graph.h"

/* (transfer full): the vertices 0 .. @drawn - 1 of @graph as SVG, the same bytes each time for one
 * Graphviz: neato lays out the inside of each box, then the boxes. Errors as dn_graphviz_svg(). */
char *dn_graphviz_boxes(const DnGraph *graph, guint32 drawn, const char *option, GError **error);
