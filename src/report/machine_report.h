/* machine_report.h - a machine as text and as JSON: counts, links, sources of its numbers. */
#pragma once
#include "topology/graph_metrics.h"
#include "topology/machine.h"

/* Onto standard output; @sources: each number with its source or assumption. */
void dn_machine_print(const DnMachine *machine, const DnGraphMetrics *metrics, gboolean sources);
/* (transfer full) */
char *dn_machine_json(const DnMachine *machine, const DnGraphMetrics *metrics);
