/* checked_machine.c - see checked_machine.h. */
#include "experiment/checked_machine.h"
#include "endpoint/mechanism.h"

DnMachine *dn_checked_machine_load(const DnConfigNode *node, guint32 nodes,
                                   const DnMachineMemory *memory, GError **error)
{
    const DnMachineMemory none = {0};
    g_autoptr(DnMachine)
        machine = dn_machine_load_within(node, nodes, memory != NULL ? memory : &none, error);
    if (machine == NULL || !dn_mechanisms_check(machine->mechanisms, error))
        return NULL;
    return g_steal_pointer(&machine);
}
