/* solver.h - SimGrid's max-min sharing in a child process: transfers in, ends of transfers out.
 *
 * SimGrid keeps one platform a process for good and aborts on what it dislikes, so each run forks a
 * child that does nothing else; whatever happens to it comes back as an error with its last words.
 * Links are those of the caller's graph. Time in us, sizes in bytes, rates in bytes per us. */
#pragma once
#include "base/error.h"

typedef struct DnSolver DnSolver;

/* @max_memory_bytes: of the child; 0: no limit of its own. */
DnSolver *dn_solver_new(const double *capacity, guint32 n_links, gint64 max_memory_bytes,
                        GError **error);
/* Ends the child, too. */
void dn_solver_free(DnSolver *solver);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnSolver, dn_solver_free)

/* Starts a transfer with the next step. @cap: 0 none. A link listed m times carries m times the
 * transfer's rate. @flow: the caller's, below 2^32. */
void dn_solver_post(DnSolver *solver, guint32 flow, double bytes, double cap, const guint32 *links,
                    guint32 n);
/* From the next step on, transfers whose ends are no farther apart end together; 1 ps at first. */
void dn_solver_tolerate(DnSolver *solver, double tolerance_us);
guint32 dn_solver_under_way(const DnSolver *solver);

/* What is asked about five times a second while the child is at work; FALSE gives up. */
typedef gboolean (*DnSolverPatience)(void *data);

/* From @from_us (no earlier than the last step's end) to the first end of a transfer or @until_us
 * (INFINITY: none), whichever comes first: the time in @now_us, what ended there in @ended
 * (guint32, emptied first, ascending). FALSE + DN_ERROR_MEMORY, DN_ERROR_STALLED (the child is
 * gone) or DN_ERROR_INTERRUPTED. */
gboolean dn_solver_step(DnSolver *solver, double from_us, double until_us, double *now_us,
                        GArray *ended, DnSolverPatience patience, void *data, GError **error);
/* CPU time of the child so far; after its end only what it took in all. */
double dn_solver_cpu_s(DnSolver *solver);
