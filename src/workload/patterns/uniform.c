/* uniform.c - uniform random traffic: each message to any other rank with equal chance.
 *
 * Open loop, one-sided. goodput: payload bytes a rank sends, over the iteration's time: the
 * accepted load per rank when the network keeps up. */
#include "base/rng.h"
#include "workload/patterns/open_loop.h"

static const DnParamSpec params_[] = {
    {"bytes", DN_PARAM_BYTES, NULL, 1, 1e12, NULL, "size of each message"},
    DN_OPEN_LOOP_PARAMS(NULL),
    {0},
};

static gboolean uniform_init(DnProgram *program, const DnParams *params, GError **error)
{
    DnOpenLoop *loop = g_new0(DnOpenLoop, 1);
    program->data = loop;
    if (!dn_open_loop_init(loop, params, error))
        return FALSE;
    program->bytes = loop->bytes;
    program->offered_bps = loop->offered_bps;
    program->apart = TRUE;
    program->rate_bps = loop->rate_bps;
    return TRUE;
}

static gboolean uniform_next(const DnProgram *program, guint32 rank, DnCursor *cursor, DnOp *op)
{
    guint64 draw;
    DnLoopStep step = dn_open_loop_next(program->data, program, rank, cursor, op, &draw);
    if (step == DN_OPEN_LOOP_SEND) {
        guint32 other = dn_draw_below(draw, program->ranks - 1);
        op->peer = other + (other >= rank); /* never to itself */
    }
    return step != DN_OPEN_LOOP_DONE;
}

static double goodput_bytes(const DnProgram *program)
{
    const DnOpenLoop *loop = program->data;
    return (double)loop->messages * (double)loop->bytes;
}

const DnProgramType dn_program_uniform = {
    .name = "uniform",
    .help = "open loop, each message to a random other rank",
    .goodput = "bytes a rank sends",
    .limits = DN_OPEN_LOOP_LIMITS,
    .source = "Dally & Towles, Principles and Practices of Interconnection Networks, 2004, 3.2",
    .params = params_,
    .min_ranks = 2,
    .init = uniform_init,
    .free = dn_program_free_data,
    .next = uniform_next,
    .bytes_moved = dn_program_moved_by_all,
    .goodput_bytes = goodput_bytes,
    .time_scale = 1,
};
