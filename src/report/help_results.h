/* help_results.h - The contents of a run's files, for `darner help`. */
#pragma once
#include <glib.h>

void dn_help_metrics(GString *out, gboolean markdown);
void dn_help_costs(GString *out, gboolean markdown);
