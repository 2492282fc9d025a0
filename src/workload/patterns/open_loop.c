/* open_loop.c - see open_loop.h. */
#include "workload/patterns/open_loop.h"

#include <math.h>

#include "base/rate.h"
#include "base/rng.h"

#define LONGEST_GAP 40.0 /* of their mean: -ln 2^-53 and more */
#define LONGEST_PS 4e18  /* half of what 64 bits hold, for their sum varies */

const char *const dn_open_loop_arrivals[] = {"poisson", "bernoulli", NULL};

gboolean dn_open_loop_init(DnOpenLoop *loop, const DnParams *params, GError **error)
{
    double load = dn_params_real(params, "load");
    if (load <= 0) {
        dn_params_error(params, "load", DN_ERROR_RANGE, error,
                        "an offered load is above 0, e.g. 0.5 or 50 %%");
        return FALSE;
    }
    if (!dn_params_has(params, "rate")) {
        dn_params_error(params, "load", DN_ERROR_MISSING, error,
                        "a load is a fraction of `rate`, which is missing; e.g. rate: 200 Gb/s");
        return FALSE;
    }
    loop->bytes = dn_params_int(params, "bytes");
    loop->messages = (guint32)dn_params_int(params, "messages");
    loop->rate_bps = (double)dn_params_int(params, "rate");
    loop->offered_bps = load * loop->rate_bps;
    loop->slot_ps = dn_rate_time((double)loop->bytes, loop->rate_bps);
    if (dn_params_int(params, "arrivals") == 1)
        loop->log_idle = log1p(-load); /* -inf at load 1: no idle slot */
    loop->mean_gap_ps = dn_rate_time((double)loop->bytes, loop->offered_bps);
    /* a gap is at most 37 times the mean: all of them fit into the time of a run */
    if (!(loop->mean_gap_ps * ((double)loop->messages + LONGEST_GAP) < LONGEST_PS)) {
        dn_params_error(params, "load", DN_ERROR_RANGE, error,
                        "messages are %.3g s apart and there are %u of them; allowed: less than "
                        "%.0f days in all",
                        loop->mean_gap_ps * 1e-12, loop->messages, LONGEST_PS / (86400 * 1e12));
        return FALSE;
    }
    return TRUE;
}

/* Returns a gap in units of ps; @first: before the first message. */
static double gap_ps(const DnOpenLoop *loop, double unit, gboolean first)
{
    if (loop->log_idle < 0) /* idle slots are geometric; a slot later at the soonest */
        return (floor(log(unit) / loop->log_idle) + (first ? 0 : 1)) * loop->slot_ps;
    return (first ? unit : -log(unit)) * loop->mean_gap_ps;
}

/* step 2k: the gap before message k; step 2k + 1: its send. cursor->c keeps the stream's key,
 * whose making costs three mixes. */
DnLoopStep dn_open_loop_next(const DnOpenLoop *loop, const DnProgram *program, guint32 rank,
                             DnCursor *cursor, DnOp *op, guint64 *draw)
{
    if (cursor->step == 0)
        cursor->c = dn_draw_key(program->seed, DN_DRAW_WORKLOAD, rank);
    guint64 steps = 2 * (guint64)loop->messages;
    guint64 step = cursor->a;
    if (!program->endless && step > steps)
        return DN_OPEN_LOOP_DONE;
    cursor->step = 1;
    cursor->a++;
    if (!program->endless && step == steps) {
        *op = (DnOp){.kind = DN_OP_WAIT, .request = DN_ANY};
        return DN_OPEN_LOOP_DRAIN;
    }
    guint64 bits = dn_draw(cursor->c, cursor->iteration * steps + step);
    if (step & 1) {
        *op = (DnOp){.kind = DN_OP_SEND, .bytes = loop->bytes, .flags = DN_OP_ONE_SIDED};
        *draw = bits;
        return DN_OPEN_LOOP_SEND;
    }
    double gap = gap_ps(loop, dn_draw_unit(bits), step == 0);
    *op = (DnOp){.kind = DN_OP_COMPUTE, .duration_ps = (gint64)(gap + 0.5)};
    return DN_OPEN_LOOP_GAP;
}
