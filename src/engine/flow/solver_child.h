/* solver_child.h - The main loop of the child, and the records that it writes for solver.c. */
#pragma once
#include "engine/flow/simgrid_module.h"
#include "engine/flow/solver.h"

/* Followed by the flows (guint32). */
typedef struct {
    gint64 now_ps;
    guint64 count;
    guint32 n_ended, pad;
} DnSolverAnswer;

typedef struct DnSolverChild DnSolverChild;
DnSolverChild *dn_solver_child_new(const DnSimgrid *simgrid, int fd, const double *capacity,
                                   guint32 n_links, const DnSolverRun *run);
/* Makes the run. */
void dn_solver_child_lead(DnSolverChild *child) G_GNUC_NORETURN;
void dn_solver_child_tolerate(DnSolverChild *child, double tolerance_us);
/* @first: no other transfer is in flight. */
void dn_solver_child_post(DnSolverChild *child, gint64 now_ps, gboolean first, guint32 flow,
                          double bytes, double cap, const guint32 *links, guint32 n);
