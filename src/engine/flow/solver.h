/* solver.h - SimGrid's max-min sharing in a child process.
 *
 * SimGrid keeps one platform per process for good and aborts on invalid input, so each run forks a
 * child. The child is the caller once more, ranks and all: it makes the whole run with SimGrid (it
 * leads) and writes down SimGrid's decisions, which transfers end and when. The caller makes the
 * same run again from that list (it follows), so nothing is ever asked: the child is ahead as far
 * as a socket holds, and both work at once. Equal steps of both are checked by a count. A failure
 * of the child is returned as an error with the child's last output.
 * Links are those of the caller's graph. Sizes in bytes, rates in bytes per us. */
#pragma once
#include "base/error.h"

typedef struct DnSolver DnSolver;

/* The run, as both processes make it. */
typedef struct {
    void *data;
    /* Advances to the time at which only the solver knows what comes next; nothing else happens
     * before @until_ps (G_MAXINT64: at all). FALSE: the run is over. For the child only. */
    gboolean (*go_on)(void *data, gint64 *until_ps);
    /* @now_ps is now, and these transfers (ascending) end. For the child only. */
    void (*absorb)(void *data, gint64 now_ps, const guint32 *ended, guint32 n);
    const guint64 *count; /* of steps made */
} DnSolverRun;

DnSolver *dn_solver_new(void);
/* Forks. @max_memory_bytes: of the child, its copy of the caller included; 0: no limit of its own.
 * The child calls @run and never returns from here. */
gboolean dn_solver_start(DnSolver *solver, const double *capacity, guint32 n_links,
                         gint64 max_memory_bytes, const DnSolverRun *run, GError **error);
/* Ends the child, too. */
void dn_solver_free(DnSolver *solver);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnSolver, dn_solver_free)

/* Starts a transfer now. @cap: 0 none. A link listed m times carries m times the transfer's rate.
 * @flow: the caller's, below 2^32. */
void dn_solver_post(DnSolver *solver, gint64 now_ps, guint32 flow, double bytes, double cap,
                    const guint32 *links, guint32 n);
/* Lets transfers whose ends are no farther apart end together from now on; 1 ps at first. */
void dn_solver_tolerate(DnSolver *solver, double tolerance_us);
guint32 dn_solver_in_flight(const DnSolver *solver);
/* Notes that @n transfers ended. */
void dn_solver_ended(DnSolver *solver, guint32 n);

/* Callback that is called about five times a second while the caller waits for the child; FALSE
 * gives up. */
typedef gboolean (*DnSolverPatience)(void *data);

/* Gives the caller the next arguments of absorb() in the child: the time, and the transfers that
 * ended (guint32; emptied first). FALSE + DN_ERROR_MEMORY, DN_ERROR_STALLED (the child is gone) or
 * DN_ERROR_INTERRUPTED. */
gboolean dn_solver_follow(DnSolver *solver, gint64 *now_ps, GArray *ended,
                          DnSolverPatience patience, void *data, GError **error);
/* Ends the child, and returns its CPU time. */
double dn_solver_cpu_s(DnSolver *solver);
