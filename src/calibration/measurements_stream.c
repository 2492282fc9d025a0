/* measurements_stream.c - the public data of the CPU-free MPI paper.
 *
 * github.com/CUP-ECS/stream-triggering-data.
 * Ping-pong: `Time` in s of `Iters` round trips of `Items` 4-byte words: half a round trip is
 * given. Scaling: `solver_time` in s of `cycles` iterations. */
#include "base/csv.h"
#include "calibration/measurements.h"
#include <string.h>

static const char ping_pong[] = "GPU,Backend,Buffering,Iters,Items,Time";
static const char scaling[] = "nodes,ntasks,backend,solver_creation,solver_time,system,size,"
                              "memory_type,send_type,cycles";

enum { WORD_BYTES = 4 };

static gboolean is_stream(const DnMeasurementFile *file)
{
    return file->text != NULL &&
           (g_str_has_prefix(file->text, ping_pong) || g_str_has_prefix(file->text, scaling));
}

/* Time of one of as many as the column @count says, in us. */
static gboolean read_share(const DnCsv *csv, const DnCsvRow *row, int time, int count, double *us,
                           GError **error)
{
    double s, n;
    if (!dn_csv_read_number(csv, row, (guint)time, &s, error) ||
        !dn_csv_read_number(csv, row, (guint)count, &n, error))
        return FALSE;
    if (n < 1) {
        dn_csv_error(csv, row, (guint)count, DN_ERROR_RANGE, error, "allowed: 1 or more");
        return FALSE;
    }
    *us = s * 1e6 / n;
    return TRUE;
}

static gboolean add_ping_pong(const DnCsv *csv, const DnCsvRow *row, GString *out, GError **error)
{
    enum { GPU, BACKEND, BUFFERING, ITERS, ITEMS, TIME };
    double items, us;
    if (!dn_csv_read_number(csv, row, ITEMS, &items, error) ||
        !read_share(csv, row, TIME, ITERS, &us, error))
        return FALSE;
    dn_csv_cell(out, row->cells[GPU]);
    dn_csv_cell(out, row->cells[BACKEND]);
    dn_csv_cell(out, row->cells[BUFFERING]);
    dn_measurement_cell(out, items * WORD_BYTES);
    dn_measurement_cell(out, us / 2);
    dn_csv_end_row(out);
    return TRUE;
}

static gboolean add_scaling(const DnCsv *csv, const DnCsvRow *row, GString *out, GError **error)
{
    enum { NODES, TASKS, BACKEND, CREATION, SOLVER, SYSTEM, SIZE, MEMORY, SEND, CYCLES };
    static const int kept[] = {SYSTEM, NODES, TASKS, BACKEND, SIZE, MEMORY, SEND};
    double us;
    if (!read_share(csv, row, SOLVER, CYCLES, &us, error))
        return FALSE;
    for (guint i = 0; i < G_N_ELEMENTS(kept); i++)
        dn_csv_cell(out, row->cells[kept[i]]);
    dn_measurement_cell(out, us);
    dn_csv_end_row(out);
    return TRUE;
}

static gboolean convert_stream(const DnMeasurementFile *file, GString *out, GError **error)
{
    g_autoptr(DnCsv) csv = dn_csv_parse(file->text, file->path, error);
    gboolean scales = g_str_has_prefix(file->text, scaling);
    if (csv == NULL)
        return FALSE;
    g_string_append(out, scales ? "system,nodes,ntasks,backend,size,memory_type,send_type,time_us\n"
                                : "gpu,backend,buffering,bytes,time_us\n");
    for (guint r = 0; r < csv->rows->len; r++) {
        const DnCsvRow *row = g_ptr_array_index(csv->rows, r);
        if (!(scales ? add_scaling : add_ping_pong)(csv, row, out, error))
            return FALSE;
    }
    return TRUE;
}

const DnMeasurementFormat dn_measurement_stream_triggering = {
    .name = "stream-triggering",
    .summary = "ping-pong or scaling table of the CPU-free MPI paper's data",
    .recognise = is_stream,
    .convert = convert_stream,
};
