/* measurements.h - The output of benchmarks is read as one kind of table.
 *
 * A format turns a file, or a folder of runs, into CSV with a header: sizes in `bytes`, times in
 * columns that end in `_us`, rates in ones that end in `_gbps`; further columns say which test,
 * machine and repetition. One row a line of the file, or one a run of a folder (medians and
 * quantiles).
 *   osu                OSU Micro-Benchmarks: "# Size  Latency (us)", "Bandwidth (MB/s)"
 *   nccl-tests         the table of all_reduce_perf and its like; RCCL's too
 *   blink              data.csv of a run, or a folder with description.csv and the runs it lists:
 *                      the public artifact of De Sensi et al., SC 2024, is one
 *   stream-triggering  ping-pong and scaling tables of the CPU-free MPI paper's public data
 *   csv                a CSV as it is
 * LIMITATIONS: what a size means (of a pair, of a rank, of all) is the benchmark's own affair. */
#pragma once
#include "base/error.h"

typedef struct {
    const char *path;
    const char *text; /* NULL: a folder */
} DnMeasurementFile;

typedef struct {
    const char *name, *summary;
    gboolean bytes_of_all; /* sizes of collectives of blocks are those of all ranks together */
    gboolean (*recognise)(const DnMeasurementFile *file);
    gboolean (*convert)(const DnMeasurementFile *file, GString *csv, GError **error);
} DnMeasurementFormat;

extern const DnMeasurementFormat *const dn_measurement_formats[]; /* NULL-terminated */

/* (transfer full): @path, a file or folder, as CSV; by the format called @format, or NULL: by the
 * first that recognises it. @found: which one it was; or NULL. */
char *dn_measurements_csv(const char *path, const char *format, const DnMeasurementFormat **found,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* ---- for formats ---- */

/* (transfer full): lines without what mpirun puts before them ("[1,0]<stdout>:"). */
char **dn_measurement_lines(const char *text);
/* (transfer full): words between blanks. */
char **dn_measurement_words(const char *line);
/* FALSE: no finite number. */
gboolean dn_measurement_number(const char *word, double *value);
/* Appends @value with as many digits as it has. */
void dn_measurement_cell(GString *csv, double value);
/* "1B", "4 KiB", "1GiB" to bytes; -1: no size. */
gint64 dn_measurement_size(const char *text);
