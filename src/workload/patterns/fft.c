/* fft.c - the transposes of a 3-D FFT on pencils: alltoall in rows, then in columns.
 *
 * `grid: [rows, columns]` of processes (one row: slabs, one transpose). `bytes` is a rank's share
 * of the data; in a communicator of p ranks it sends bytes / p to each other. `compute` is the 1-D
 * transforms before each transpose and after the last. Pairwise exchange.
 * goodput counts what a rank sends.
 * D. Takahashi, An implementation of parallel 3-D FFT with 2-D decomposition on a massively
 * parallel cluster of multi-core processors, PPAM 2009. */
#include "workload/collective.h"

extern const DnCollAlgorithm dn_coll_alltoall_pairwise;

static const DnParamSpec params_[] = {
    {"bytes", DN_PARAM_BYTES, NULL, 0, 1e15, NULL, "a rank's share of the data"},
    {"grid", DN_PARAM_INT_LIST, NULL, 0, 0, NULL, "rows and columns of processes"},
    {"compute", DN_PARAM_TIME, "0", 0, 1e15, NULL, "1-D transforms between transposes"},
    {0},
};

typedef struct {
    guint32 rows, columns;
    gint64 compute_ps;
} Fft;

static gboolean fft_init(DnProgram *program, const DnParams *params, GError **error)
{
    guint32 grid[2];
    Fft *fft = g_new0(Fft, 1);
    program->data = fft;
    if (!dn_program_grid(program, params, "rows, columns", grid, error))
        return FALSE;
    fft->rows = grid[0];
    fft->columns = grid[1];
    fft->compute_ps = dn_params_int(params, "compute");
    program->bytes = dn_params_int(params, "bytes");
    return TRUE;
}

/* Steps: compute, rows, compute, columns, compute. */
static gboolean fft_next(const DnProgram *program, guint32 rank, DnCursor *cursor, DnOp *op)
{
    const Fft *fft = program->data;
    for (; cursor->step < 5; cursor->step++) {
        if (cursor->step % 2 == 0) {
            if (fft->compute_ps == 0)
                continue;
            *op = (DnOp){.kind = DN_OP_COMPUTE, .duration_ps = fft->compute_ps};
            cursor->step++;
            return TRUE;
        }
        gboolean in_row = cursor->step == 1;
        guint32 n = in_row ? fft->columns : fft->rows, column = rank % fft->columns;
        DnCollCall call = {.algorithm = &dn_coll_alltoall_pairwise,
                           .n = n,
                           .bytes = program->bytes / n,
                           .first = in_row ? rank - column : column,
                           .stride = in_row ? 1 : fft->columns};
        if (dn_coll_next(&call, in_row ? column : rank / fft->columns, cursor, op))
            return TRUE;
    }
    return FALSE;
}

static double goodput_bytes(const DnProgram *program)
{
    const Fft *fft = program->data;
    gint64 column_bytes = program->bytes / fft->columns, row_bytes = program->bytes / fft->rows;
    return (double)column_bytes * (fft->columns - 1) + (double)row_bytes * (fft->rows - 1);
}

const DnProgramType dn_program_fft = {
    .name = "fft",
    .help = "3-D FFT on pencils: alltoall in rows, then columns",
    .goodput = "bytes a rank sends",
    .source = "D. Takahashi, Parallel 3-D FFT with 2-D decomposition, PPAM 2009",
    .params = params_,
    .min_ranks = 1,
    .init = fft_init,
    .free = dn_program_free_data,
    .next = fft_next,
    .bytes_moved = dn_program_count_bytes,
    .goodput_bytes = goodput_bytes,
    .time_scale = 1,
};
