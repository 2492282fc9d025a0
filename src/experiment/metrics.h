/* metrics.h - Metrics are the reported properties of each job: one table lists them for every place
 * that prints, compares or documents them.
 *
 * A row of dn_metrics[] names a metric in each place where it appears: a column of results.csv, a
 * member of the job in summary.json, a metric of measured values (validation/reference_values.h), a
 * column of the table on the terminal, a line of `darner help metrics`. The order is that of
 * results.csv and of summary.json. To add a metric: its getter and its row in metrics.c.
 * A value is in the unit of its type, NAN where there is none. */
#pragma once
#include "experiment/results.h"

/* The values that a getter may use. */
typedef struct {
    const DnRunResult *result;
    const DnJobResult *job;
    guint point;
    DnJobMetrics figures;
    DnNicMetrics nics;
    DnSwitchMetrics switches;
    DnSummary alone_us;
    DnBottleneck limit;
} DnMetricSource;
void dn_metric_source_init(DnMetricSource *source, const DnRunResult *result,
                           const DnJobResult *job, guint point);

typedef enum {
    DN_METRIC_TEXT,  /* .text */
    DN_METRIC_COUNT, /* whole numbers */
    DN_METRIC_TIME,  /* us; in results.csv s */
    DN_METRIC_RATE,  /* bit/s; in measured values and on the terminal Gbit/s */
    DN_METRIC_RATIO, /* without a unit */
    DN_METRIC_FLAG,  /* 1: yes, 0: no */
} DnMetricType;

typedef struct {
    DnMetricType type;
    guint place;           /* of the heading, rising from left to right */
    const char *column;    /* of results.csv; or NULL */
    const char *member;    /* of a job in summary.json; or NULL */
    const char *reference; /* in files of measured values; or NULL */
    const char *heading;   /* on the terminal, where it applies to a job; or NULL */
    const char *help;      /* one line */
    gboolean (*applies)(const DnMetricSource *source); /* for member and heading; NULL: always */
    double (*value)(const DnMetricSource *source);
    const char *(*text)(const DnMetricSource *source, char *buffer); /* NULL: none */
    const DnSummary *(*sample)(const DnMetricSource *source);        /* an object of the member */
} DnMetric;

#define DN_METRIC_TEXT_BYTES 160 /* of a text's buffer */
/* Columns that other tables add stand between those of these places. */
#define DN_METRIC_PLACE_BASELINE 50

extern const DnMetric dn_metrics[]; /* a row without help ends it */
/* NULL: no metric of measured values has that name. */
const DnMetric *dn_metric_of_reference(const char *name);
/* NULL-terminated names of all that measured values can be of. */
const char *const *dn_metric_references(void);
/* Returns the metric in the unit of reference values: us, Gbit/s, or a number. */
double dn_metric_reference_value(const DnMetric *metric, const DnMetricSource *source);
/* "s", "Gbit/s", ...: in results.csv, and elsewhere; "" without one. */
const char *dn_metric_csv_unit(const DnMetric *metric);
const char *dn_metric_unit(const DnMetric *metric);
