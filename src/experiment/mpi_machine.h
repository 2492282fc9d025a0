/* mpi_machine.h - What a machine's `mpi:` says of its MPI: the library that chooses algorithms for
 * jobs that name none, and how it stages reductions of GPUs' buffers. */
#pragma once
#include "experiment/placement.h"
#include "topology/machine.h"
#include "workload/select.h"

/* Reads the machine's `mpi:`; a machine without it is well. FALSE + error at a key. */
gboolean dn_mpi_machine_check(const DnMachine *machine, GError **error);
/* Sets out->mpi, and out->node_of where it is NULL, for the ranks of a job with @placement. A
 * machine without `mpi:` changes nothing. FALSE + error at a key. */
gboolean dn_mpi_machine_place(const DnMachine *machine, const DnPlacement *placement,
                              DnCollMachine *out, GError **error);
/* Returns the key of `default_mechanism:` for MPI's messages of a job with @placement: `host` by
 * where its ranks are, else `gpu`, or what the machine has for an alltoall or a staged reduction on
 * GPUs. */
const char *dn_mpi_machine_mechanism(const DnMachine *machine, const DnPlacement *placement,
                                     gboolean alltoall, gboolean staged);
