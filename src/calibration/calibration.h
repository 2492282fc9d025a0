/* calibration.h - the numbers of a mechanism from measured messages.
 *
 * Fits fit.h's model to the rows that a query chooses, subtracts the path's share of the latency
 * and divides the rest among issue, start and receive: measured latencies do not separate these,
 * so their shares are given. */
#pragma once
#include "calibration/calibrate_data.h"
#include "calibration/calibrate_path.h"

typedef struct {
    DnCalibrateQuery rows; /* the file and its rows */
    const char *machine;   /* whose wires are taken off the latency; NULL: none */
    const char *between;   /* "A,B": the endpoints that were measured; with @machine */
    const char *name;      /* of the mechanism */
    const char *split;     /* "0:1:1", shares of issue, start and receive */
    guint ranges;          /* at most so many ranges of size; 1: the whole model */
    gboolean no_step;      /* look for no step in size */
    gboolean rendezvous;   /* the step is a handshake, not a start-up */
} DnCalibrationQuery;

/* A range of sizes: its fit, and the latency shared out. */
typedef struct {
    gsize first; /* of the data's points */
    DnFit *fit;
    double issue_us, start_us, recv_us;
} DnCalibrateRange;

typedef struct {
    const DnCalibrationQuery *query;
    double split[3]; /* of issue, start, receive; they add up to 1 */
    DnCalibrateData data;
    gboolean has_path;
    DnCalibratePath path;
    guint n_parts;
    DnCalibrateRange parts[DN_FIT_RANGES];
} DnCalibration;

/* @query must live as long as the calibration. NULL + DN_ERROR_RANGE and what reading the file and
 * the machine give. */
DnCalibration *dn_calibration_new(const DnCalibrationQuery *query, GError **error);
void dn_calibration_free(DnCalibration *calibration);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnCalibration, dn_calibration_free)

/* The points of @range end before this one. */
static inline gsize dn_calibration_end(const DnCalibration *c, guint range)
{
    return range + 1 < c->n_parts ? c->parts[range + 1].first : c->data.n_points;
}
/* Returns the efficiency of the narrowest link with which the machine reaches the fitted rate; NAN
 * without path or rate. */
double dn_calibration_efficiency(const DnCalibration *c, const DnFit *fit);
/* (transfer full): "data.csv: kind=put, ..." */
char *dn_calibration_source(const DnCalibration *c);
