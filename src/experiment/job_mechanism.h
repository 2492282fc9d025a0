/* job_mechanism.h - The mechanism of a job: the one that its run names, or a default of its machine
 * by the library whose messages the job sends. */
#pragma once
#include "experiment/setup.h"

/* Fills @out with what libraries find on @machine for @job with @placement: NCCL and MPI. MPI
 * stages nothing for a job that names another mechanism than it reduces with by default. To be
 * cleared by dn_nccl_machine_clear(). FALSE + error at a key. */
gboolean dn_job_machine_place(const DnMachine *machine, const DnJobSpec *job,
                              const DnPlacement *placement, DnCollMachine *out, GError **error);

/* Sets the mechanism of job @j, whose program and placement are set, and those of calls of a trace
 * that have others. Warns when calls of a library are free, and when a mechanism of another name
 * takes the place of the named one. FALSE + error at a key. */
gboolean dn_job_mechanisms_read(DnSetup *setup, guint j, GError **error);
