/* sweep_plan.h - all points of a run read and checked before the first one starts.
 *
 * A mistake in the last point of a sweep is found before hours went into the others. The plan also
 * says how much each point will move, for the time left, and opens the report. */
#pragma once
#include "experiment/simulate.h"

typedef struct {
    char *file;
    char **overrides; /* NULL-terminated */
    DnSweep *sweep;
    double *hops;             /* [n_points] packet-hops to expect of a run; 0 unknown */
    double *work;             /* [n_points] those of its own jobs alone, beside a background */
    gint64 *until_ps;         /* [n_points] where the clock stops; 0 unknown */
    double *runs;             /* [n_points] that are as long: repetitions, and all jobs alone */
    guint64 *bytes;           /* [n_points] of machine, routing, engine and ranks */
    char *output;             /* of the first point */
    char *name;               /* the run file's, without folder and ending */
    DnNetworkCache *networks; /* of the points */
    char *heading; /* version, seed, hash, machine, routing, engine limits, packet size */
} DnPlan;

/* (transfer full); NULL + the first mistake, or DN_ERROR_INTERRUPTED after a signal. */
DnPlan *dn_plan_new(const char *file, const char *const *overrides, GError **error);
void dn_plan_free(DnPlan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnPlan, dn_plan_free)

/* A point is good. */
typedef void (*DnPointChecked)(gpointer data, guint point, const DnRunSpec *spec,
                               const DnRunCheck *check);
/* Reads and checks every point of @sweep in order, up to where its engine would start, and drops
 * those that combine a fabric with a routing of others, unless all do. @checked may be NULL. FALSE
 * + the first mistake, or DN_ERROR_INTERRUPTED after a signal. */
gboolean dn_sweep_check(DnSweep *sweep, DnNetworkCache *networks, DnPointChecked checked,
                        gpointer data, GError **error);

/* (transfer full): point @point, as it was checked. */
DnRunSpec *dn_plan_spec(const DnPlan *plan, guint point, GError **error);
