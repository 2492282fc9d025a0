/* topo_machine.c - see topo_machine.h. */
#include "commands/topo_machine.h"

#include "endpoint/mechanism.h"
#include "topology/machine_argument.h"

DnMachine *dn_topo_machine(const char *name, char **set, guint32 nodes, GError **error)
{
    g_autoptr(DnConfigNode) node = dn_machine_argument(name, NULL, (const char *const *)set, error);
    g_autoptr(DnMachine) m = node != NULL ? dn_machine_load(node, nodes, error) : NULL;
    return m != NULL && dn_mechanisms_check(m->mechanisms, error) ? g_steal_pointer(&m) : NULL;
}
