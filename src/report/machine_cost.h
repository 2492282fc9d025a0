/* machine_cost.h - What fabrics cost and draw, as text: of one machine, or of several. */
#pragma once
#include "topology/machine.h"

/* Appends cables by kind, unused ports, price, power, price for each Gb/s of bisection; nothing of
 * a machine without `parts:` or fabric. */
void dn_machine_cost_text(const DnMachine *machine, GString *out);
/* (transfer full): a table of [n] machines: counts, bisection, cost, power. */
char *dn_machines_table(DnMachine *const *machines, guint n);
