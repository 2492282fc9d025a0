/* topo_machine.c - see topo_machine.h. */
#include "commands/topo_machine.h"

#include "experiment/checked_machine.h"
#include "topology/machine_argument.h"

DnMachine *dn_topo_machine(const char *name, char **set, guint32 nodes, GError **error)
{
    g_autoptr(DnConfigNode) node = dn_machine_argument(name, NULL, (const char *const *)set, error);
    return node != NULL ? dn_checked_machine_load(node, nodes, NULL, error) : NULL;
}
