/* sweep_plan.h - all points of a run read and checked before the first one starts.
 *
 * A mistake in the last point of a sweep is found before hours went into the others. The plan also
 * says how much each point will move, for the time left, and opens the report. */
#pragma once
#include "experiment/simulate.h"

typedef struct {
    char *file;
    char **overrides; /* NULL-terminated */
    guint threads;    /* 0: as the run file says */
    DnSweep *sweep;
    double *hops;     /* [n_points] packet-hops to expect; 0 unknown */
    char *output;     /* of the first point */
    char *name;       /* the run file's, without folder and ending */
    DnFabric *fabric; /* of the point that was looked at, or ran, last */
    char *heading;    /* version, seed, hash, machine, routing, engine limits, packet size */
} DnPlan;

/* (transfer full); NULL + the first mistake. */
DnPlan *dn_plan_new(const char *file, const char *const *overrides, guint threads, GError **error);
void dn_plan_free(DnPlan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnPlan, dn_plan_free)

/* (transfer full): point @point, with the plan's threads. */
DnRunSpec *dn_plan_spec(const DnPlan *plan, guint point, GError **error);
