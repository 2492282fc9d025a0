/* bursty.c - background of other people's jobs: bursts and silences with heavy tails.
 *
 * Open loop, one-sided. A rank sends bursts of messages at `rate`, each burst to one random other
 * rank; burst lengths and the silences between them are Pareto with exponent `shape`: mean `burst`
 * messages, and silences such that the load is `load`. With 1 < shape < 2 the variance is infinite,
 * and the sum of many such sources is self-similar: it has bursts at every time scale. Lengths are
 * rounded up or down at random, so that their mean is kept.
 * goodput: payload bytes a rank sends, over the iteration's time.
 * Willinger, Taqqu, Sherman, Wilson, "Self-similarity through high-variability", IEEE/ACM Trans.
 * Networking 5(1), 1997. */
#include <math.h>

#include "base/rate.h"
#include "base/rng.h"
#include "workload/program.h"

static const DnParamSpec params_[] = {
    {"bytes", DN_PARAM_BYTES, NULL, 1, 1e12, NULL, "size of each message"},
    {"load", DN_PARAM_REAL, NULL, 1e-6, 1, NULL, "offered load as a fraction of rate, on the mean"},
    {"rate", DN_PARAM_RATE, NULL, 1, 1e18, NULL, "of a rank inside a burst"},
    {"burst", DN_PARAM_REAL, "32", 1, 1e9, NULL, "messages of a burst, on the mean"},
    {"shape", DN_PARAM_REAL, "1.5", 1.01, 100, NULL, "of the tails: P(X > x) ~ x^-shape"},
    {"messages", DN_PARAM_INT, "1000", 1, 1e9, NULL, "messages a rank sends in an iteration"},
    {0},
};

typedef struct {
    guint32 messages;
    double shape;
    double least_burst, least_silence_ps; /* Pareto's scale */
    gint64 gap_ps;                        /* between messages of a burst */
} Bursty;

static gboolean bursty_init(DnProgram *program, const DnParams *params, GError **error)
{
    Bursty *b = g_new0(Bursty, 1);
    program->data = b;
    program->bytes = dn_params_int(params, "bytes");
    b->messages = (guint32)dn_params_int(params, "messages");
    b->shape = dn_params_real(params, "shape");
    program->rate_bps = (double)dn_params_int(params, "rate");
    program->apart = TRUE;
    program->offered_bps = dn_params_real(params, "load") * program->rate_bps;
    double slot_ps = dn_rate_time((double)program->bytes, program->rate_bps);
    double scale = (b->shape - 1.0) / b->shape; /* least over mean */
    double mean = dn_params_real(params, "burst");
    b->least_burst = mean * scale;
    b->least_silence_ps = mean * slot_ps * (1.0 / dn_params_real(params, "load") - 1.0) * scale;
    b->gap_ps = (gint64)(slot_ps + 0.5);
    if (b->least_burst >= 1.0)
        return TRUE;
    dn_params_error(params, "burst", DN_ERROR_RANGE, error,
                    "with shape %.3g a mean of at least %.4g messages is needed, so that the "
                    "shortest burst has one",
                    b->shape, 1.0 / scale);
    return FALSE;
}

static double bursty_pareto(double least, double shape, guint64 bits)
{
    return least * pow(dn_draw_unit(bits), -1.0 / shape);
}

/* Purposes of the draws of a burst. */
enum { SILENCE, LENGTH, ROUNDING, PEER, DRAWS };

static guint64 bursty_draw(const DnCursor *cursor, guint64 burst, guint what)
{
    return dn_draw(cursor->c, (guint64)cursor->iteration << 40 | (burst * DRAWS + what));
}

static guint64 burst_length(const Bursty *b, const DnCursor *cursor, guint64 burst)
{
    double length =
        MIN(1e15, bursty_pareto(b->least_burst, b->shape, bursty_draw(cursor, burst, LENGTH)));
    double whole = floor(length);
    return (guint64)whole + (dn_draw_unit(bursty_draw(cursor, burst, ROUNDING)) <= length - whole);
}

/* cursor->a: messages sent; cursor->b: bursts begun << 1 | whether the next is a send; the rest of
 * the burst is in cursor->step - 1. */
static gboolean bursty_next(const DnProgram *program, guint32 rank, DnCursor *cursor, DnOp *op)
{
    const Bursty *b = program->data;
    if (cursor->step == 0 && cursor->b == 0)
        cursor->c = dn_draw_key(program->seed, DN_DRAW_WORKLOAD, rank);
    if (!program->endless && cursor->a >= b->messages) {
        *op = (DnOp){.kind = DN_OP_WAIT, .request = DN_ANY};
        return cursor->a++ == b->messages;
    }
    if (cursor->b & 1) {
        guint64 burst = cursor->b >> 1;
        guint32 other = dn_draw_below(bursty_draw(cursor, burst, PEER), program->ranks - 1);
        *op = (DnOp){.kind = DN_OP_SEND,
                     .peer = other + (other >= rank),
                     .bytes = program->bytes,
                     .flags = DN_OP_ONE_SIDED};
        cursor->a++;
        cursor->step--;
        cursor->b ^= 1;
        return TRUE;
    }
    *op = (DnOp){.kind = DN_OP_COMPUTE, .duration_ps = b->gap_ps};
    if (cursor->step == 0) {
        guint64 burst = (cursor->b >> 1) + 1;
        double silence_ps =
            bursty_pareto(b->least_silence_ps, b->shape, bursty_draw(cursor, burst, SILENCE));
        op->duration_ps += (gint64)MIN(1e17, silence_ps);
        cursor->step = (guint32)MIN(G_MAXUINT32, burst_length(b, cursor, burst));
        cursor->b = burst << 1;
    }
    cursor->b |= 1;
    return TRUE;
}

static double goodput_bytes(const DnProgram *program)
{
    const Bursty *b = program->data;
    return (double)b->messages * (double)program->bytes;
}

const DnProgramType dn_program_bursty = {
    .name = "bursty",
    .help = "open loop, bursts to one random rank and silences, both with heavy tails",
    .goodput = "bytes a rank sends",
    .limits = "a silence counts from the last message's issue; a run is "
              "short against its own longest bursts, so that its load scatters",
    .source = "Willinger, Taqqu, Sherman, Wilson, Self-similarity through high-variability, 1997",
    .params = params_,
    .min_ranks = 2,
    .init = bursty_init,
    .free = dn_program_free_data,
    .next = bursty_next,
    .bytes_moved = dn_program_moved_by_all,
    .goodput_bytes = goodput_bytes,
    .time_scale = 1,
};
