/* checked_machine.h - a machine of which also those keys were read that only some runs need: a
 * typing mistake in a mechanism that no job uses is an error, wherever the machine is used. */
#pragma once
#include "topology/machine.h"

/* (transfer full): dn_machine_load_within(), then all of `mechanisms:`,
 * `nccl:` and `mpi:`; @memory NULL: no limits. */
DnMachine *dn_checked_machine_load(const DnConfigNode *node, guint32 nodes,
                                   const DnMachineMemory *memory,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
