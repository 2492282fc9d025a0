/* calibrate.h - a calibration under way, for the files of `darner calibrate`. */
#pragma once
#include "calibration/calibrate_data.h"
#include "calibration/calibrate_path.h"

/* A range of sizes: its fit, and the latency shared out. */
typedef struct {
    gsize first; /* of the data's points */
    DnFit *fit;
    double issue_us, start_us, recv_us;
} DnCalibrateRange;

typedef struct {
    /* what was asked for; borrowed */
    const char *file, *name, *split_text, *between;
    const char *const *where; /* or NULL */
    gboolean rendezvous;
    double split[3]; /* of issue, start, receive; they add up to 1 */
    /* what came of it */
    DnCalibrateData data;
    gboolean has_path;
    DnCalibratePath path;
    guint n_parts;
    DnCalibrateRange parts[DN_FIT_RANGES];
} DnCalibration;

/* The points of @range end before this one. */
static inline gsize dn_calibration_end(const DnCalibration *c, guint range)
{
    return range + 1 < c->n_parts ? c->parts[range + 1].first : c->data.n_points;
}
/* Of the narrowest link, for the machine to reach the fitted rate; NAN without path or rate. */
double dn_calibration_efficiency(const DnCalibration *c, const DnFit *fit);
/* (transfer full): "data.csv: kind=put, ..." */
char *dn_calibration_source(const DnCalibration *c);

void dn_calibration_print(const DnCalibration *c);
/* (transfer full): a mechanism that a machine can include. */
char *dn_calibration_yaml(const DnCalibration *c);
