/* processes_mpi.h - MPI as the transport between processes (processes.h); in the program alone. */
#pragma once
#include "base/processes.h"

/* FALSE: MPI knows of no other processes, though its launcher does. After TRUE dn_processes() are
 * set, and processes but the first have no standard output. */
gboolean dn_mpi_start(int *argc, char ***argv);
/* Ends MPI when the program is done with @status; without dn_mpi_start() it does nothing. Waits for
 * the other processes; with a @status other than 0 only for a short time, after which they are
 * ended. */
void dn_mpi_finish(int status);
