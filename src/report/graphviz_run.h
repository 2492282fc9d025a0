/* graphviz_run.h - runs Graphviz' `dot`. */
#pragma once
#include <glib.h>

/* (transfer full): what `dot` with the options @words (NULL at the end) prints of @dot. @option
 * names the option of the user in errors. NULL + DN_ERROR_MISSING without Graphviz, DN_ERROR_FILE
 * when `dot` or its input file fails or it prints nothing. */
char *dn_graphviz_run(const char *dot, const char *const *words, const char *option,
                      GError **error);
