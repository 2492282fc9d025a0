/* reference_values.h - Measured values are rows of a CSV, each a metric of a job at a point of a
 * run.
 *
 *   run                the run's file name without .yaml; may be absent when there is one run
 *   job                the job's name
 *   metric             one of dn_metrics[] that has a name there (`darner help metrics`)
 *                      `A over B`: two metrics' ratio; `A over KEY=VALUE|VALUE`: the ratio to the
 *                      least A of the points where that swept key is one of these
 *   measured           the value
 *   relation           =, or <= or >= for an inequality (may be absent)
 *   tolerance_percent  of the measured value
 *   evidence           the class (evidence.h): input, calibrated, developed, predicted or observed;
 *                      the column may still be called `role`, as it was
 *   reason             of the tolerance, or why it is only observed
 *
 * and one column for each swept key, named as in the sweep. */
#pragma once
#include "base/csv.h"
#include "experiment/sweep_plan.h"
#include "experiment/metrics.h"
#include "validation/evidence.h"

typedef struct {
    char *run;
    char **keys;   /* swept keys of its run, NULL-terminated */
    char **values; /* as in the file, parallel */
    char *job, *metric, *reason;
    const DnMetric *of, *by; /* by: the denominator; or NULL */
    char *over_key;          /* swept; or NULL */
    char **over_values;      /* of it */
    guint n_over;            /* points found of those, and the least of their values: */
    double over, own;        /* and the point's own value; NAN: not found yet */
    int relation;            /* -1: at most, 0: equal, 1: at least the measured value */
    double measured, tolerance_percent;
    DnEvidence stated;     /* class, as the file says */
    DnEvidence evidence;   /* class: calibrated when the point echoes a calibrated one */
    char *echo;            /* run of that one; NULL: none */
    double simulated;      /* NAN: the simulation did not yield it */
    double error_percent;  /* signed, of the measured value; NAN when missing */
    gint64 bytes;          /* the workload's size, for plots; 0 unknown */
    double null[DN_NULLS]; /* results of the null models; NAN: not known */
    gboolean vacuous;      /* developed or predicted, within, and a null model is too */
    char *known_cause; /* of known-misses.csv: why it is beyond its tolerance; NULL: not listed */
    gboolean within;   /* its tolerance */
    gboolean passed;   /* within and not listed, or beyond and listed; an observed one: exists */
} DnCheckedPoint;
void dn_checked_point_free(gpointer point);

/* (transfer full): DnCheckedPoint*, in the file's order; of the runs @plans (DnPlan*).
 * @as: only rows of the run of this name, or without a column `run`, which are then those of the
 * one plan; keys that it does not sweep may have a value, too. NULL: every row is of one of @plans,
 * and names the keys that this sweeps, no others. */
GPtrArray *dn_expected_read(const DnCsv *csv, const GPtrArray *plans, const char *as,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* (transfer full): @points of equal keys as CSV, to be read again; each `=`, of one metric. */
char *dn_expected_text(const GPtrArray *points);
/* The point is one of @plan's at @sweep_point. */
gboolean dn_expected_matches(const DnCheckedPoint *point, const DnPlan *plan, guint sweep_point);
/* The point is over one of @plan's at @sweep_point. */
gboolean dn_expected_is_over(const DnCheckedPoint *point, const DnPlan *plan, guint sweep_point);
/* Fills in the simulated value; that of a ratio to another point when both are known. */
void dn_expected_compare(DnCheckedPoint *point, const DnRunResult *result);
void dn_expected_compare_over(DnCheckedPoint *point, const DnRunResult *result);
/* Resets a point to the state before any simulation. */
void dn_expected_reset(DnCheckedPoint *point);
/* error_percent, within, vacuous and passed. */
void dn_expected_judge(DnCheckedPoint *point);
/* "1 MiB" and "1MiB" are the same value of a key. */
gboolean dn_expected_same_value(const char *a, const char *b);
