/* open_loop.c - see open_loop.h. */
#include "workload/patterns/open_loop.h"

#include <math.h>

#include "base/rng.h"

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
    loop->mean_gap_ps = (double)loop->bytes * 8e12 / (load * (double)dn_params_int(params, "rate"));
    return TRUE;
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
    if (step > steps)
        return DN_OPEN_LOOP_DONE;
    cursor->step = 1;
    cursor->a++;
    if (step == steps) {
        *op = (DnOp){.kind = DN_OP_WAIT, .request = DN_ANY};
        return DN_OPEN_LOOP_DRAIN;
    }
    guint64 bits = dn_draw(cursor->c, cursor->iteration * steps + step);
    if (step & 1) {
        *op = (DnOp){.kind = DN_OP_SEND, .bytes = loop->bytes, .flags = DN_OP_ONE_SIDED};
        *draw = bits;
        return DN_OPEN_LOOP_SEND;
    }
    double unit = dn_draw_unit(bits);
    double gap = step == 0 ? unit : -log(unit);
    *op = (DnOp){.kind = DN_OP_COMPUTE, .duration_ps = (gint64)(gap * loop->mean_gap_ps + 0.5)};
    return DN_OPEN_LOOP_GAP;
}
