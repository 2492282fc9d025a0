/* sweep_plan.h - The plan of a run: all points of its sweep, read and checked before the first one
 * is simulated, so that a mistake in the last point is found at once.
 *
 * The plan also holds the expected work of each point, from which the remaining time is estimated,
 * and the heading of the report. */
#pragma once
#include "experiment/simulate.h"

typedef struct {
    char *file;
    char **overrides; /* NULL-terminated */
    DnSweep *sweep;
    double *hops;             /* [n_points] expected packet hops of a run; 0: unknown */
    double *work;             /* [n_points] the same without background traffic */
    gint64 *until_ps;         /* [n_points] simulated time at which a run ends; 0: unknown */
    double *runs;             /* [n_points] runs: repetitions, and those of jobs alone */
    guint64 *bytes;           /* [n_points] of machine, routing, engine and ranks */
    char *output;             /* of the first point */
    char *name;               /* the run file's, without folder and ending */
    DnNetworkCache *networks; /* of the points */
    char *heading; /* version, seed, hash, machine, routing, engine limits, packet size */
} DnPlan;

/* Returns (transfer full) the plan of run file @file with @overrides (--set). NULL + the first
 * mistake, or DN_ERROR_INTERRUPTED after a signal. */
DnPlan *dn_plan_new(const char *file, const char *const *overrides, GError **error);
/* Returns (transfer full) the plan of run file @file, which is checked like that with networks of
 * @networks, but not for a simulation: there are only file, name and sweep. */
DnPlan *dn_plan_check(const char *file, DnNetworkCache *networks, GError **error);
void dn_plan_free(DnPlan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnPlan, dn_plan_free)

/* Called for each point without mistakes. */
typedef void (*DnPointChecked)(gpointer data, guint point, const DnRunSpec *spec,
                               const DnRunCheck *check);
/* Reads and checks every point of @sweep in order, as dn_simulate_check() does, and removes points
 * that combine a fabric with a routing algorithm of other fabrics, unless all points do. @checked
 * may be NULL: then no work is estimated. FALSE + the first mistake, or DN_ERROR_INTERRUPTED after
 * a signal. */
gboolean dn_sweep_check(DnSweep *sweep, DnNetworkCache *networks, DnPointChecked checked,
                        gpointer data, GError **error);

/* Returns (transfer full) the specification of point @point, as it was checked. */
DnRunSpec *dn_plan_spec(const DnPlan *plan, guint point, GError **error);
