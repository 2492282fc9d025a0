/* graphviz.h - drawings by Graphviz. */
#pragma once
#include <glib.h>

/* (transfer full): @dot, a graph in the DOT language, drawn as SVG by the program `dot`. @option
 * names the option in errors. NULL + DN_ERROR_MISSING without Graphviz, DN_ERROR_FILE when `dot`
 * or its input file fails. */
char *dn_graphviz_svg(const char *dot, const char *option, GError **error);
