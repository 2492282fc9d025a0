/* jacobi.c - Jacobi's method on slabs of rows, with one-sided puts: each rank puts its first row to
 * the rank above and its last to the one below, and all meet in a barrier.
 *
 *   put: words  each thread puts the element it has just computed; a warp's are one operation of
 *               32 words, which the mechanism sends one by one or coalesces
 *   put: rows   the row is gathered first, then put in `puts_per_row` blocks
 * The puts go while the rest of the slab is computed (`compute`, of the whole slab); then the rank
 * waits for them to leave and for a dissemination barrier, whose messages follow the puts through
 * the same mechanism. Rows wrap around, so two ranks put both rows to each other.
 * NVIDIA, "Improving Network Performance of HPC Systems Using NVIDIA Magnum IO NVSHMEM and
 * GPUDirect Async", 2022, Jacobi method case study; github.com/NVIDIA/multi-gpu-programming-models.
 */
#include "workload/program.h"

#define WARP 32
enum { WORDS, ROWS };
static const char *const puts_[] = {"words", "rows", NULL};
static const DnParamSpec params_[] = {
    {"columns", DN_PARAM_INT, NULL, 1, 1e9, NULL, "elements of a row"},
    {"element", DN_PARAM_BYTES, "4 B", 1, 1024, NULL, "size of an element"},
    {"put", DN_PARAM_CHOICE, "rows", 0, 0, puts_, "how a row goes"},
    {"puts_per_row", DN_PARAM_INT, "1", 1, 65535, NULL, "puts that a gathered row consists of"},
    {"compute", DN_PARAM_TIME, "0", 0, 1e15, NULL, "of a slab, while the puts go"},
    {0},
};

typedef struct {
    gint64 columns, element_bytes, compute_ps;
    guint32 puts;  /* of a row */
    guint32 words; /* of the elements of a put, messages of their own; 0: none */
    guint32 rounds;
} Jacobi;

static gboolean jacobi_init(DnProgram *program, const DnParams *params, GError **error)
{
    Jacobi *data = g_new0(Jacobi, 1);
    program->data = data;
    *data = (Jacobi){.columns = dn_params_int(params, "columns"),
                     .element_bytes = dn_params_int(params, "element"),
                     .compute_ps = dn_params_int(params, "compute"),
                     .words = dn_params_int(params, "put") == WORDS ? WARP : 0};
    data->puts = data->words > 0 ? (guint32)((data->columns + WARP - 1) / WARP)
                                 : (guint32)dn_params_int(params, "puts_per_row");
    while (G_GUINT64_CONSTANT(1) << data->rounds < program->ranks)
        data->rounds++;
    program->bytes = data->columns * data->element_bytes;
    if (data->puts <= data->columns)
        return TRUE;
    dn_params_error(params, "puts_per_row", DN_ERROR_RANGE, error,
                    "%u parts of %" G_GINT64_FORMAT " columns", data->puts, data->columns);
    return FALSE;
}

/* Elements of put @i of a row: even parts, or a warp's. */
static guint32 jacobi_elements(const Jacobi *data, guint32 i)
{
    if (data->words > 0)
        return (guint32)MIN(WARP, data->columns - (gint64)i * WARP);
    return (guint32)(data->columns * (i + 1) / data->puts - data->columns * i / data->puts);
}

static void jacobi_put(const DnProgram *program, guint32 rank, guint32 i, DnOp *op)
{
    const Jacobi *data = program->data;
    guint32 ranks = program->ranks, n = jacobi_elements(data, i % data->puts);
    *op = (DnOp){.kind = DN_OP_SEND,
                 .peer = i < data->puts ? (rank + ranks - 1) % ranks : (rank + 1) % ranks,
                 .bytes = n * data->element_bytes,
                 .pieces = data->words > 0 ? n : 1,
                 .flags = DN_OP_ONE_SIDED};
}

/* Round @k of the barrier: operation 0, 1, 2 of it. */
static void jacobi_barrier(guint32 ranks, guint32 rank, guint32 k, guint32 which, DnOp *op)
{
    guint32 far = (guint32)1 << k;
    *op = (DnOp){.kind = DN_OP_WAIT, .request = DN_ANY};
    if (which == 0)
        *op = (DnOp){.kind = DN_OP_SEND, .peer = (rank + far) % ranks, .tag = k};
    else if (which == 1)
        *op = (DnOp){.kind = DN_OP_RECV, .peer = (rank + ranks - far) % ranks, .tag = k};
}

static gboolean jacobi_next(const DnProgram *program, guint32 rank, DnCursor *cursor, DnOp *op)
{
    const Jacobi *data = program->data;
    guint32 step = cursor->step++, puts = 2 * data->puts;
    if (step < puts)
        jacobi_put(program, rank, step, op);
    else if (step == puts)
        *op = (DnOp){.kind = DN_OP_COMPUTE, .duration_ps = data->compute_ps};
    else if (step == puts + 1)
        *op = (DnOp){.kind = DN_OP_WAIT, .request = DN_ANY};
    else if (step - puts - 2 < 3 * data->rounds)
        jacobi_barrier(program->ranks, rank, (step - puts - 2) / 3, (step - puts - 2) % 3, op);
    else
        return FALSE;
    return TRUE;
}

static double goodput_bytes(const DnProgram *program)
{
    return 2.0 * (double)program->bytes;
}

const DnProgramType dn_program_jacobi = {
    .name = "jacobi",
    .help = "slabs of rows whose borders are put word by word or gathered, then a barrier",
    .goodput = "bytes a rank puts",
    .limits = "the convergence test and its reduction are left out; the barrier orders puts by the "
              "order in which messages leave, without acknowledgements",
    .source = "NVIDIA, Improving Network Performance of HPC Systems Using NVIDIA Magnum IO NVSHMEM "
              "and GPUDirect Async, 2022",
    .params = params_,
    .min_ranks = 2,
    .init = jacobi_init,
    .free = dn_program_free_data,
    .next = jacobi_next,
    .bytes_moved = dn_program_moved_by_all,
    .goodput_bytes = goodput_bytes,
    .time_scale = 1,
};
