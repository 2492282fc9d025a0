/* allreduce_ring.c - allreduce around a ring: reduce-scatter, then allgather, n - 1 steps each.
 *
 * The buffer of B bytes is cut into n chunks, chunk c from byte B*c/n to B*(c+1)/n. In step s of
 * the reduce-scatter rank r sends chunk r - s to r + 1, receives chunk r - s - 1 from r - 1 and
 * combines it with its own; after n - 1 steps it holds the sum of chunk r + 1. In step s of the
 * allgather it sends chunk r + 1 - s and receives chunk r - s (all mod n). A rank sends
 * 2 (n - 1) / n of B.
 * P. Patarasuk, X. Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations",
 * J. Parallel Distrib. Comput. 69(2), 2009.
 * goodput: B over the iteration (NCCL's algorithm bandwidth).
 * LIMITATIONS: chunks are cut at bytes, not at elements; one ring, one segment a chunk: no overlap
 * of a chunk's reduction with its own transfer, no channels. */
#include "workload/program.h"

static const DnParamSpec params_[] = {
    {"bytes", DN_PARAM_BYTES, NULL, 0, 1e15, NULL, "size of the buffer of each rank"},
    {0},
};

static gboolean init(DnProgram *program, const DnParams *params, GError **error)
{
    program->bytes = dn_params_int(params, "bytes");
    return TRUE;
}

static gint64 chunk_bytes(const DnProgram *program, guint64 chunk)
{
    guint64 n = program->ranks;
    /* B = q n + m; B*c/n = q c + m c / n does not overflow. */
    guint64 q = (guint64)program->bytes / n, m = (guint64)program->bytes % n;
    return (gint64)(q + m * (chunk + 1) / n - m * chunk / n);
}

/* Four operations a step: recv, send, wait, reduce (allgather: no reduce). */
static gboolean next(const DnProgram *program, guint32 rank, DnCursor *cursor, DnOp *op)
{
    guint64 n = program->ranks, r = rank;
    guint64 step = cursor->a / 4, part = cursor->a % 4;
    gboolean gather = step >= n - 1;
    if (step >= 2 * (n - 1))
        return FALSE;
    guint64 s = gather ? step - (n - 1) : step;
    guint64 out = (r + n - s + (gather ? 1 : 0)) % n;
    guint64 in = (out + n - 1) % n;
    switch (part) {
    case 0:
        *op = (DnOp){.kind = DN_OP_RECV,
                     .peer = (guint32)((r + n - 1) % n),
                     .tag = (guint32)step,
                     .bytes = chunk_bytes(program, in)};
        break;
    case 1:
        *op = (DnOp){.kind = DN_OP_SEND,
                     .peer = (guint32)((r + 1) % n),
                     .tag = (guint32)step,
                     .bytes = chunk_bytes(program, out)};
        break;
    case 2:
        *op = (DnOp){.kind = DN_OP_WAIT, .request = DN_ANY};
        cursor->a += gather; /* skip the reduce */
        break;
    default:
        *op = (DnOp){.kind = DN_OP_REDUCE, .bytes = chunk_bytes(program, in)};
    }
    cursor->a++;
    return TRUE;
}

static double bytes_moved(const DnProgram *program)
{
    return 2.0 * (program->ranks - 1) * (double)program->bytes;
}

static double goodput_bytes(const DnProgram *program)
{
    return (double)program->bytes;
}

const DnProgramType dn_program_allreduce_ring = {
    .name = "allreduce_ring",
    .source = "Patarasuk & Yuan, Bandwidth optimal all-reduce algorithms for clusters of "
              "workstations, JPDC 69(2), 2009",
    .params = params_,
    .min_ranks = 1,
    .init = init,
    .next = next,
    .bytes_moved = bytes_moved,
    .goodput_bytes = goodput_bytes,
    .time_scale = 1,
};
