/* help_results.h - Tables that `darner help` prints below a topic: the contents of the files of a
 * run, and the algorithms of each fabric. */
#pragma once
#include <glib.h>

void dn_help_metrics(GString *out, gboolean markdown);
void dn_help_costs(GString *out, gboolean markdown);
void dn_help_fabrics(GString *out, gboolean markdown);
