/* calibrate_data.h - a table of measured times to the points of a fit.
 *
 * Rows are chosen by `column=value`; those of one size and kind become their median. Refused is
 * what a mechanism must not be fitted to (collectives, patterns of several messages at once), and
 * rows that differ in anything but size, time, repetition and statistics. */
#pragma once
#include "calibration/fit.h"

typedef struct {
    const char *file;         /* CSV, or CSV compressed (.gz) */
    const char *const *where; /* "column=value", NULL-terminated; or NULL */
    const char *bytes_column; /* NULL: bytes, size_bytes */
    const char *time_column;  /* NULL: time_us, median_us */
    double scale;             /* times the file's times: 0.5 for round trips */
} DnCalibrateQuery;

typedef struct {
    DnFitPoint *points;
    gsize n_points, n_rows;
    char *hash; /* dn_calibrate_data_hash() of the file */
} DnCalibrateData;

/* (transfer full): 16 hex digits of the SHA-256 of measurements' CSV: they tell them apart. */
char *dn_calibrate_data_hash(const char *csv);
gboolean dn_calibrate_read(const DnCalibrateQuery *query, DnCalibrateData *data,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
void dn_calibrate_data_clear(DnCalibrateData *data);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(DnCalibrateData, dn_calibrate_data_clear)
