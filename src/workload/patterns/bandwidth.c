/* bandwidth.c - a window of messages outstanding from each of the first ranks to a partner.
 *
 * Rank i sends `window` messages to rank i + pairs, which has all receives posted and answers the
 * window with an empty message. `bandwidth` is one pair (osu_bw), `message_rate` all of them
 * (osu_mbw_mr; with an odd number the last rank rests). An iteration is one window.
 * goodput counts the payload of all pairs. D. K. Panda et al., OSU Micro-Benchmarks. */
#include "workload/collective.h"

#define PARAMS(pairs_)                                                                             \
    {                                                                                              \
        {"bytes", DN_PARAM_BYTES, NULL, 0, 1e15, NULL, "size of each message"},                    \
            {"window", DN_PARAM_INT, "64", 1, 1e6, NULL, "messages outstanding"},                  \
            {"pairs", DN_PARAM_INT, pairs_, 0, 1e9, NULL, "pairs at work; 0: all"}, {0},           \
    }
static const DnParamSpec bandwidth_params[] = PARAMS("1");
static const DnParamSpec rate_params[] = PARAMS("0");

typedef struct {
    guint32 pairs;
    guint64 window;
} Bandwidth;

static gboolean bandwidth_init(DnProgram *program, const DnParams *params, GError **error)
{
    Bandwidth *data = g_new0(Bandwidth, 1);
    program->data = data;
    gint64 pairs = dn_params_int(params, "pairs");
    if (pairs > program->ranks / 2) {
        dn_params_error(params, "pairs", DN_ERROR_RANGE, error, "at most %u pairs in %u ranks",
                        program->ranks / 2, program->ranks);
        return FALSE;
    }
    data->pairs = pairs > 0 ? (guint32)pairs : program->ranks / 2;
    data->window = (guint64)dn_params_int(params, "window");
    program->bytes = dn_params_int(params, "bytes");
    return TRUE;
}

static gboolean bandwidth_round(const DnProgram *program, guint32 rank, guint64 k, DnRound *r)
{
    const Bandwidth *data = program->data;
    gboolean sends = rank < data->pairs;
    if (rank >= 2 * data->pairs || k > data->window)
        return FALSE;
    guint32 peer = sends ? rank + data->pairs : rank - data->pairs;
    if (k < data->window) {
        if (sends)
            dn_round_isend(r, peer, 0, 0, dn_scratch(0, program->bytes));
        else
            dn_round_recv(r, peer, 0, 0, dn_scratch(0, program->bytes));
        return TRUE;
    }
    dn_round_wait(r, DN_ANY);
    if (sends)
        dn_round_recv(r, peer, 1, 0, dn_scratch(0, 0));
    else
        dn_round_send(r, peer, 1, 0, dn_scratch(0, 0));
    dn_round_wait(r, DN_ANY);
    return TRUE;
}

static double goodput_bytes(const DnProgram *program)
{
    const Bandwidth *data = program->data;
    return (double)program->bytes * (double)data->window * data->pairs;
}

static gboolean bandwidth_next(const DnProgram *program, guint32 rank, DnCursor *cursor, DnOp *op)
{
    return dn_rounds_next(program, rank, cursor, op, bandwidth_round);
}

const DnProgramType dn_program_bandwidth = {
    .name = "bandwidth",
    .help = "a window of messages from rank i to rank i + pairs, then an empty answer",
    .goodput = "all pairs' payload",
    .source = "D. K. Panda et al., OSU Micro-Benchmarks, osu_bw",
    .params = bandwidth_params,
    .min_ranks = 2,
    .init = bandwidth_init,
    .free = dn_program_free_data,
    .next = bandwidth_next,
    .bytes_moved = dn_program_count_bytes,
    .goodput_bytes = goodput_bytes,
    .time_scale = 1,
};

const DnProgramType dn_program_message_rate = {
    .name = "message_rate",
    .help = "as bandwidth, with all pairs at work",
    .goodput = "all pairs' payload",
    .source = "D. K. Panda et al., OSU Micro-Benchmarks, osu_mbw_mr",
    .params = rate_params,
    .min_ranks = 2,
    .init = bandwidth_init,
    .free = dn_program_free_data,
    .next = bandwidth_next,
    .bytes_moved = dn_program_count_bytes,
    .goodput_bytes = goodput_bytes,
    .time_scale = 1,
};
