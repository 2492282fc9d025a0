/* alltoall.c - every rank sends a block to every other rank.
 *
 * algorithm:
 *   linear    all receives, then all sends at once in rank order 0, 1, ... (itself left out)
 *   spread    the same, but rank r begins with r + 1, so that the first sends of all ranks go to
 *             different ranks (MPICH's scattered algorithm, Open MPI's basic linear)
 *   pairwise  n - 1 steps; in step s rank r sends to r + s, receives from r - s, and waits
 * R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of Collective Communication Operations in
 * MPICH", IJHPCA 19(1), 2005, section 3.3 (long messages).
 * `bytes` is a block's size (`bytes_per: pair`, as MPI_Alltoall counts), or the whole buffer of a
 * rank (`bytes_per: rank`, as NCCL tests count; a block is bytes / n rounded down).
 * A rank's own block is a copy in its memory. goodput: bytes a rank sends to others,
 * (n - 1) blocks, over the iteration.
 * LIMITATIONS: no window on outstanding requests in linear and spread; no Bruck algorithm (short
 * blocks on many ranks). */
#include "workload/program.h"

enum { LINEAR, SPREAD, PAIRWISE };
static const char *const algorithms[] = {"linear", "spread", "pairwise", NULL};
static const char *const bases[] = {"pair", "rank", NULL};

static const DnParamSpec params_[] = {
    {"bytes", DN_PARAM_BYTES, NULL, 0, 1e15, NULL, "size of a block, or of a rank's buffer"},
    {"bytes_per", DN_PARAM_CHOICE, "pair", 0, 0, bases, "what `bytes` is the size of"},
    {"algorithm", DN_PARAM_CHOICE, "pairwise", 0, 0, algorithms, "order of the sends"},
    {0},
};

typedef struct {
    gint64 block;
    gint64 algorithm;
} Alltoall;

static gboolean init(DnProgram *program, const DnParams *params, GError **error)
{
    Alltoall *data = g_new0(Alltoall, 1);
    program->data = data;
    program->bytes = dn_params_int(params, "bytes");
    data->algorithm = dn_params_int(params, "algorithm");
    data->block = program->bytes;
    if (dn_params_int(params, "bytes_per") == 1)
        data->block /= program->ranks;
    return TRUE;
}

static void free_(DnProgram *program)
{
    g_free(program->data);
}

/* k-th peer (0 .. n-2) of @rank when all are addressed at once. */
static guint32 peer_at(const Alltoall *data, guint32 n, guint32 rank, guint32 k)
{
    if (data->algorithm == SPREAD)
        return (guint32)(((guint64)rank + 1 + k) % n);
    return k + (k >= rank);
}

/* step 0: own block; then n - 1 receives, n - 1 sends, a wait. */
static gboolean next_at_once(const DnProgram *program, guint32 rank, guint64 step, DnOp *op)
{
    const Alltoall *data = program->data;
    guint64 others = program->ranks - 1;
    *op = (DnOp){.bytes = data->block};
    if (step == 0) {
        op->kind = DN_OP_COPY;
    } else if (step <= others) {
        op->kind = DN_OP_RECV;
        op->peer = peer_at(data, program->ranks, rank, (guint32)(step - 1));
    } else if (step <= 2 * others) {
        op->kind = DN_OP_SEND;
        op->peer = peer_at(data, program->ranks, rank, (guint32)(step - 1 - others));
    } else if (step == 2 * others + 1) {
        *op = (DnOp){.kind = DN_OP_WAIT, .request = DN_ANY};
    } else {
        return FALSE;
    }
    return TRUE;
}

/* step 0: own block; then recv, send, wait of each of the n - 1 exchanges. */
static gboolean next_pairwise(const DnProgram *program, guint32 rank, guint64 step, DnOp *op)
{
    const Alltoall *data = program->data;
    guint64 n = program->ranks;
    *op = (DnOp){.bytes = data->block};
    if (step == 0) {
        op->kind = DN_OP_COPY;
        return TRUE;
    }
    guint64 exchange = (step - 1) / 3 + 1;
    if (exchange >= n)
        return FALSE;
    op->tag = (guint32)exchange;
    switch ((step - 1) % 3) {
    case 0:
        op->kind = DN_OP_RECV;
        op->peer = (guint32)((rank + n - exchange) % n);
        break;
    case 1:
        op->kind = DN_OP_SEND;
        op->peer = (guint32)((rank + exchange) % n);
        break;
    default:
        *op = (DnOp){.kind = DN_OP_WAIT, .request = DN_ANY};
    }
    return TRUE;
}

static gboolean next(const DnProgram *program, guint32 rank, DnCursor *cursor, DnOp *op)
{
    const Alltoall *data = program->data;
    guint64 step = cursor->a++;
    return data->algorithm == PAIRWISE ? next_pairwise(program, rank, step, op)
                                       : next_at_once(program, rank, step, op);
}

static double goodput_bytes(const DnProgram *program)
{
    const Alltoall *data = program->data;
    return (double)data->block * (program->ranks - 1);
}

static double bytes_moved(const DnProgram *program)
{
    return goodput_bytes(program) * program->ranks;
}

const DnProgramType dn_program_alltoall = {
    .name = "alltoall",
    .source = "Thakur, Rabenseifner, Gropp, Optimization of Collective Communication Operations "
              "in MPICH, IJHPCA 19(1), 2005, 3.3",
    .params = params_,
    .min_ranks = 2,
    .init = init,
    .free = free_,
    .next = next,
    .bytes_moved = bytes_moved,
    .goodput_bytes = goodput_bytes,
    .time_scale = 1,
};
