/* topo_machine.h - The machine that an argument of `darner topo` names. */
#pragma once
#include "topology/machine.h"

/* Returns (transfer full) the machine @name, the first @nodes nodes of it (0: all), with the keys
 * of @set (may be NULL) replaced; its mechanisms are read. NULL + error. */
DnMachine *dn_topo_machine(const char *name, char **set, guint32 nodes, GError **error);
