/* graphviz.h - drawings by Graphviz. */
#pragma once
#include "topology/graph.h"

/* (transfer full): @dot, a graph in the DOT language, drawn as SVG by the program `dot`. @option
 * names the option in errors. NULL + DN_ERROR_MISSING without Graphviz, DN_ERROR_FILE when `dot`
 * or its input file fails. */
char *dn_graphviz_svg(const char *dot, const char *option, GError **error);
/* (transfer full): a machine drawn so: whole up to 600 vertices; above, its groups, its first group
 * and its first node; without groups its switches, up to 1,200. NULL + DN_ERROR_RANGE above. */
char *dn_graphviz_machine(const DnGraph *g, const char *option, GError **error);
