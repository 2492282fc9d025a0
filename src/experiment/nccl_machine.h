/* nccl_machine.h - The properties of a machine that NCCL and RCCL detect: rings and their rates
 * from its links, and the others from its `nccl:`. */
#pragma once
#include "experiment/placement.h"
#include "topology/machine.h"
#include "workload/select.h"

/* Reads the machine's `nccl:`; a machine without it is well. FALSE + error at a key. */
gboolean dn_nccl_machine_check(const DnMachine *machine, GError **error);
/* Fills all members of @out except node_of. A machine without `nccl:` leaves out->known FALSE.
 * FALSE + error at a key. */
gboolean dn_nccl_machine_read(const DnMachine *machine, DnCollMachine *out, GError **error);
/* Does the same, and sets node_of for the ranks of a job with @placement; @out is to be cleared by
 * dn_nccl_machine_clear(). */
gboolean dn_nccl_machine_place(const DnMachine *machine, const DnPlacement *placement,
                               DnCollMachine *out, GError **error);
/* Returns the key of `default_mechanism:` for the calls of @library: `ccl` for rings and trees,
 * whose rates are those of one channel; `ccl_group` for sends and receives, where the machine has
 * it. NULL: the library is MPI. */
const char *dn_nccl_machine_mechanism(const DnMachine *machine, DnProgramLibrary library);
/* Returns what `default_mechanism:` calls the costs of single sends and receives of NCCL. */
const char *dn_nccl_machine_pair(const DnMachine *machine);
/* Returns the default mechanism for messages of @library that takes the place of @named, which has
 * the rates of a channel, for a program without channels: `ccl_group` for a group, else `ccl_p2p`.
 * NULL: @named is not the default of `ccl`, @library has channels, or the machine has no other. */
const DnConfigNode *dn_nccl_machine_without_channels(const DnMachine *machine,
                                                     const DnConfigNode *named,
                                                     DnProgramLibrary library);
void dn_nccl_machine_clear(DnCollMachine *machine);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(DnCollMachine, dn_nccl_machine_clear)
