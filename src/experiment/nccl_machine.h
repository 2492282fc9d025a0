/* nccl_machine.h - NCCL and RCCL find rings and their rates in a machine's links, the rest in its
 * `nccl:`. */
#pragma once
#include "experiment/placement.h"
#include "topology/machine.h"
#include "workload/select.h"

/* Fills @out but for node_of; without `nccl:` it is not known. FALSE + error at a key. */
gboolean dn_nccl_machine_read(const DnMachine *machine, DnCollMachine *out, GError **error);
/* Likewise, with node_of for the ranks of a job; @out is to be cleared. */
gboolean dn_nccl_machine_place(const DnMachine *machine, const DnPlacement *placement,
                               DnCollMachine *out, GError **error);
/* The key of default_mechanism for such calls: rings and trees take `ccl`, whose rates are those of
 * a channel; sends and receives `ccl_group` where the machine has it. NULL: of MPI's. */
const char *dn_nccl_machine_mechanism(const DnMachine *machine, DnProgramLibrary library);
void dn_nccl_machine_clear(DnCollMachine *machine);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(DnCollMachine, dn_nccl_machine_clear)
