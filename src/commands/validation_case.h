/* validation_case.h - validation/<case>/: runs, what was measured, and how far off is too far.
 *
 *   *.yaml        runs (each as for `darner run`); all but case.yaml
 *   case.yaml     optional: description, median_percent, worst_percent; tier: full for a case that
 *                 takes more than seconds and runs only when it is named or with --full
 *   expected.csv  the columns below, and one column for each swept key, named as in the sweep
 *   source.md     where the measured values come from
 *
 *   run                the run's file name without .yaml; may be absent when there is one run
 *   job                the job's name
 *   metric             time_us | goodput_gbps | latency_us: medians; time_mean_us | time_p95_us |
 *                      time_p99_us | time_qcd | latency_mean_us | latency_p95_us | latency_p99_us;
 *                      slowdown of runs with `slowdown:`; accepted_load of those with `measure:`
 *   measured           the value
 *   tolerance_percent  of the measured value
 *   role               calibrated: a parameter was fitted to it; predicted: nothing was;
 *                      observed: shown, does not gate
 *   reason             of the tolerance, or why it is only observed
 *
 * The limits of case.yaml hold for the median and the worst |error| of the calibrated points, and
 * of the predicted points, apart. A point that the simulation does not yield is a failure. */
#pragma once
#include "base/error.h"
#include <json-glib/json-glib.h>

typedef enum { DN_ROLE_CALIBRATED, DN_ROLE_PREDICTED, DN_ROLE_OBSERVED, DN_ROLES } DnRole;
extern const char *const dn_role_names[]; /* NULL-terminated */

typedef struct {
    char *run;
    char **keys;   /* swept keys of its run, NULL-terminated */
    char **values; /* as in expected.csv, parallel */
    char *job, *metric, *reason;
    double measured, tolerance_percent;
    DnRole role;
    double simulated;     /* NAN: the simulation did not yield it */
    double error_percent; /* signed, of the measured value; NAN when missing */
    gint64 bytes;         /* the workload's size, for plots; 0 unknown */
    gboolean passed;      /* always TRUE for an observed point that exists */
} DnCheckedPoint;

typedef struct {
    guint n, missed;       /* points; of them outside their own tolerance */
    double median_percent; /* of |error|; NAN when a point is missing or there is none */
    double worst_percent;
    gboolean passed; /* own tolerances and the case's limits */
} DnRoleResult;

typedef struct {
    char *name, *dir, *description;
    double median_limit, worst_limit; /* percent; NAN: none */
    GPtrArray *points;                /* DnCheckedPoint*, in the file's order */
    GPtrArray *plans;                 /* DnPlan*, its runs */
    DnRoleResult roles[DN_ROLES];
    gboolean passed;
} DnCase;

/* *@full: its tier. */
gboolean dn_case_is_full(const char *dir, gboolean *full, GError **error);
/* (transfer full): read, nothing simulated yet. NULL + error when the case itself is wrong. */
DnCase *dn_case_read(const char *dir, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* FALSE + error when interrupted; a run that fails in the engine leaves its points missing, with a
 * line on stderr. */
gboolean dn_case_simulate(DnCase *case_, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Errors, roles and passed, from the points' simulated values. */
void dn_case_judge(DnCase *case_);
/* "1 MiB" and "1MiB" are the same value of a key. */
gboolean dn_case_same_value(const char *a, const char *b);
void dn_case_free(DnCase *case_);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnCase, dn_case_free)

char *dn_case_text(const DnCase *case_); /* the table and the lines per role */
void dn_case_json(JsonBuilder *json, const DnCase *case_);
