/* checked_machine.c - see checked_machine.h. */
#include "experiment/checked_machine.h"
#include "endpoint/mechanism.h"
#include "experiment/mpi_machine.h"
#include "experiment/nccl_machine.h"

DnMachine *dn_checked_machine_load(const DnConfigNode *node, guint32 nodes,
                                   const DnMachineMemory *memory, GError **error)
{
    const DnMachineMemory none = {0};
    g_autoptr(DnMachine)
        machine = dn_machine_load_within(node, nodes, memory != NULL ? memory : &none, error);
    if (machine == NULL || !dn_mechanisms_check(machine->mechanisms, error) ||
        !dn_nccl_machine_check(machine, error) || !dn_mpi_machine_check(machine, error))
        return NULL;
    return g_steal_pointer(&machine);
}
