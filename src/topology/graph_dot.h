/* graph_dot.h - Helpers of the drawings of a graph (graph_metrics.h). */
#pragma once
#include "topology/graph.h"

/* The colour of a class of links, "#rrggbb". */
const char *dn_dot_class_colour(guint32 link_class);
/* Appends the fonts and the smallest size of a vertex. */
void dn_dot_write_style(GString *out);
/* Appends the key: one line a class in its colour. @place: "" or a further attribute with a comma
 * after it. */
void dn_dot_write_legend(const DnGraph *g, const char *place, GString *out);
void dn_dot_write_vertex(const DnGraph *g, guint32 v, const char *indent, const char *place,
                         GString *out);
/* Cables of @v with the class, width and far end of port @i; 0 when an earlier port shows them. */
guint32 dn_dot_equal_cables(const DnGraph *g, guint32 v, guint32 i);
/* `splines` of a drawing of the vertices 0 .. @drawn - 1 (dn_dot_splines()). */
const char *dn_dot_splines_of(const DnGraph *g, guint32 drawn);
/* Appends the line of @wide links of @link_class between @v and @w. */
void dn_dot_write_line(guint32 v, guint32 w, guint32 link_class, guint64 wide, GString *out);
/* Appends the lines from @v to later vertices below @drawn. */
void dn_dot_write_cables(const DnGraph *g, guint32 v, guint32 drawn, GString *out);
