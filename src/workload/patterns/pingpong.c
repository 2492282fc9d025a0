/* pingpong.c - two ranks pass a message to and fro; the others stay idle.
 *
 * One iteration is a round trip; the reported time is half of it, as in the OSU latency test and
 * NetPIPE. goodput: bytes over that half. `between` picks the two ranks, and so the distance. With
 * `pack` either end copies the message into a buffer before it sends and out of one when it has
 * received, by the mechanism's copies. */
#include "workload/program.h"

typedef struct {
    guint32 first, second;
    gboolean pack;
} Pingpong;

static const DnParamSpec params_[] = {
    {"bytes", DN_PARAM_BYTES, NULL, 0, 1e15, NULL, "size of the message"},
    {"between", DN_PARAM_INT_LIST, "[0, 1]", 0, 0, NULL, "the two ranks"},
    {"pack", DN_PARAM_BOOL, "false", 0, 0, NULL, "the message is copied at both ends"},
    {0},
};

static gboolean pingpong_init(DnProgram *program, const DnParams *params, GError **error)
{
    guint n;
    const gint64 *between = dn_params_list(params, "between", &n);
    gint64 ranks = program->ranks;
    if (n != 2 || between[0] == between[1]) {
        dn_params_error(params, "between", DN_ERROR_RANGE, error,
                        "a ping-pong is between two different ranks: [a, b]");
        return FALSE;
    }
    if (MIN(between[0], between[1]) < 0 || MAX(between[0], between[1]) >= ranks) {
        dn_params_error(params, "between", DN_ERROR_RANGE, error,
                        "ranks of this job are 0 to %" G_GINT64_FORMAT, ranks - 1);
        return FALSE;
    }
    Pingpong *data = g_new(Pingpong, 1);
    *data = (Pingpong){.first = (guint32)between[0],
                       .second = (guint32)between[1],
                       .pack = dn_params_bool(params, "pack")};
    program->data = data;
    program->bytes = dn_params_int(params, "bytes");
    return TRUE;
}

/* first:  (copy,) send, recv, wait(, copy)     second: recv, wait(, copy, copy), send
 * The second rank's send is waited for with its next receive: a benchmark takes the time of the
 * first rank, whose message ends the round trip, not the time until the second one knows of it. */
static gboolean pingpong_next(const DnProgram *program, guint32 rank, DnCursor *cursor, DnOp *op)
{
    static const DnOpKind order[2][2][7] = {
        {{DN_OP_SEND, DN_OP_RECV, DN_OP_WAIT, DN_OP_END},
         {DN_OP_RECV, DN_OP_WAIT, DN_OP_SEND, DN_OP_END}},
        {{DN_OP_COPY, DN_OP_SEND, DN_OP_RECV, DN_OP_WAIT, DN_OP_COPY, DN_OP_END},
         {DN_OP_RECV, DN_OP_WAIT, DN_OP_COPY, DN_OP_COPY, DN_OP_SEND, DN_OP_END}},
    };
    const Pingpong *data = program->data;
    if (rank != data->first && rank != data->second)
        return FALSE;
    gboolean second = rank == data->second;
    DnOpKind kind = order[data->pack][second][cursor->step];
    if (kind == DN_OP_END)
        return FALSE;
    cursor->step++;
    *op = (DnOp){.kind = kind, .bytes = program->bytes};
    if (kind == DN_OP_WAIT)
        *op = (DnOp){.kind = kind, .request = DN_ANY};
    else
        op->peer = second ? data->first : data->second;
    return TRUE;
}

static double bytes_moved(const DnProgram *program)
{
    return 2.0 * (double)program->bytes;
}

static double goodput_bytes(const DnProgram *program)
{
    return (double)program->bytes;
}

const DnProgramType dn_program_pingpong = {
    .name = "pingpong",
    .help = "two ranks, to and fro; the rest idle",
    .goodput = "bytes, over half the round trip",
    .source = "D. K. Panda et al., OSU Micro-Benchmarks, osu_latency",
    .params = params_,
    .min_ranks = 2,
    .init = pingpong_init,
    .free = dn_program_free_data,
    .next = pingpong_next,
    .bytes_moved = bytes_moved,
    .goodput_bytes = goodput_bytes,
    .time_scale = 0.5,
};
