/* tenant.c - another user's job, as its neighbours notice it: bursts of messages in a pattern that
 * changes when its job ends and the next one gets its nodes.
 *
 * Open loop, one-sided. While a job lives (exponential lifetimes of mean `lifetime`), its ranks
 * alternate between bursts, in which each sends messages of `bytes` at `rate`, and silences. Both
 * are Pareto of exponent `shape`, with a mean of `burst` and of burst (1 / intensity - 1): between
 * 1 and 2 the sum of many is bursty at every time scale (Willinger, Taqqu, Sherman & Wilson,
 * "Self-similarity through high-variability", IEEE/ACM Trans. Networking 5(1), 1997). The intensity
 * is drawn for each job, log-uniform between `least_intensity` and `most_intensity`, and is that of
 * its busiest ends: where n ranks send to one, each sends an n-th of it, for together they get no
 * more from the receiver. Its pattern by weight:
 *   alltoall  every rank to each other one in turn
 *   halo      to the neighbours of a grid that is as cubic as the ranks allow
 *   incast    all to one rank, drawn
 *   io        all to the same sixteenth of the ranks, drawn: those near storage
 * goodput: payload bytes a rank sends, over the iteration's time.
 * LIMITATIONS: a rank does not wait for what it is sent; the first jobs begin at time 0 together;
 * after EPOCHS jobs the last one goes on. */
#include <math.h>

#include "base/rng.h"
#include "workload/program.h"

#define EPOCHS 1024
enum { ALLTOALL, HALO, INCAST, IO, KINDS };

static const DnParamSpec params_[] = {
    {"bytes", DN_PARAM_BYTES, "16 KiB", 1, 1e12, NULL, "size of each message"},
    {"rate", DN_PARAM_RATE, NULL, 1, 1e18, NULL, "of a rank inside a burst"},
    {"least_intensity", DN_PARAM_REAL, "1 %", 1e-6, 1, NULL, "of rate, on the mean"},
    {"most_intensity", DN_PARAM_REAL, "30 %", 1e-6, 1, NULL, "of rate, on the mean"},
    {"burst", DN_PARAM_TIME, "50 us", 1, 1e15, NULL, "mean length of a burst"},
    {"shape", DN_PARAM_REAL, "1.5", 1.01, 100, NULL, "of the tails: P(X > x) ~ x^-shape"},
    {"lifetime", DN_PARAM_TIME, "10 ms", 1, 0, NULL, "mean time from job to job"},
    {"alltoall", DN_PARAM_REAL, "3", 0, 1e9, NULL, "weight of the pattern"},
    {"halo", DN_PARAM_REAL, "4", 0, 1e9, NULL, "weight of the pattern"},
    {"incast", DN_PARAM_REAL, "1", 0, 1e9, NULL, "weight of the pattern"},
    {"io", DN_PARAM_REAL, "2", 0, 1e9, NULL, "weight of the pattern"},
    {"messages", DN_PARAM_INT, "1000", 1, 1e9, NULL, "messages a rank sends in an iteration"},
    {0},
};

typedef struct {
    gint64 end_ps;
    guint8 kind;
    guint32 target; /* first rank of incast, io */
    double silence; /* least silence over least burst */
} Epoch;

typedef struct {
    guint32 messages;
    double shape, least_burst_ps;
    gint64 slot_ps;
    guint32 grid[3];
    Epoch epochs[EPOCHS];
} Tenant;

static double pareto(double least, double shape, guint64 bits)
{
    return MIN(1e17, least * pow(dn_draw_unit(bits), -1.0 / shape));
}

static gboolean read_weights(const DnParams *params, double weights[KINDS], GError **error)
{
    static const char *const names[KINDS] = {"alltoall", "halo", "incast", "io"};
    double sum = 0;
    for (guint k = 0; k < KINDS; k++)
        sum += weights[k] = dn_params_real(params, names[k]);
    if (sum > 0)
        return TRUE;
    dn_params_error(params, names[0], DN_ERROR_RANGE, error,
                    "no pattern has a weight; allowed: at least one of alltoall, halo, incast, io "
                    "above 0");
    return FALSE;
}

static guint8 draw_kind(const double weights[KINDS], guint64 bits)
{
    double sum = 0;
    for (guint k = 0; k < KINDS; k++)
        sum += weights[k];
    double left = dn_draw_unit(bits) * sum;
    for (guint k = 0; k < KINDS; k++) {
        left -= weights[k];
        if (left <= 0 && weights[k] > 0)
            return (guint8)k;
    }
    return ALLTOALL;
}

/* Ranks that receive, of io. */
static guint32 stores(guint32 ranks)
{
    return MAX(1, ranks / 16);
}

/* How many send to the busiest rank. */
static double senders_of(guint8 kind, guint32 ranks)
{
    double senders = kind == INCAST ? ranks - 1 : kind == IO ? (double)ranks / stores(ranks) : 1;
    return MAX(1, senders);
}

static void draw_epochs(const DnProgram *program, const DnParams *params, const double *weights)
{
    Tenant *t = program->data;
    guint64 key = dn_draw_key(program->seed, DN_DRAW_WORKLOAD, G_MAXUINT32);
    double lifetime_ps = (double)dn_params_int(params, "lifetime"), end_ps = 0;
    double least = log(dn_params_real(params, "least_intensity"));
    double most = log(dn_params_real(params, "most_intensity"));
    for (guint64 e = 0; e < EPOCHS; e++) {
        Epoch *epoch = &t->epochs[e];
        double intensity = exp(least + (most - least) * dn_draw_unit(dn_draw(key, 4 * e)));
        end_ps += -log(dn_draw_unit(dn_draw(key, 4 * e + 1))) * lifetime_ps;
        epoch->end_ps = e + 1 == EPOCHS ? G_MAXINT64 : (gint64)MIN(9e18, end_ps);
        epoch->kind = draw_kind(weights, dn_draw(key, 4 * e + 2));
        epoch->target = dn_draw_below(dn_draw(key, 4 * e + 3), program->ranks);
        epoch->silence = senders_of(epoch->kind, program->ranks) / MIN(1, intensity) - 1;
    }
}

/* Sides as equal as whole numbers allow: the third is the largest divisor not above the cube root,
 * and so on. */
static void fit_grid(guint32 ranks, guint32 grid[3])
{
    for (guint d = 0; d < 3; d++) {
        guint32 side = (guint32)floor(pow(ranks, 1.0 / (3 - d)) + 1e-9);
        while (ranks % side != 0)
            side--;
        grid[d] = side;
        ranks /= side;
    }
}

static gboolean init(DnProgram *program, const DnParams *params, GError **error)
{
    Tenant *t = g_new0(Tenant, 1);
    double weights[KINDS];
    program->data = t;
    program->bytes = dn_params_int(params, "bytes");
    if (!read_weights(params, weights, error))
        return FALSE;
    if (dn_params_real(params, "least_intensity") > dn_params_real(params, "most_intensity")) {
        dn_params_error(params, "least_intensity", DN_ERROR_RANGE, error,
                        "least_intensity is above most_intensity");
        return FALSE;
    }
    double rate_bps = (double)dn_params_int(params, "rate");
    t->messages = (guint32)dn_params_int(params, "messages");
    t->shape = dn_params_real(params, "shape");
    t->least_burst_ps = (double)dn_params_int(params, "burst") * (t->shape - 1) / t->shape;
    t->slot_ps = (gint64)MAX(1, (double)program->bytes * 8e12 / rate_bps + 0.5);
    fit_grid(program->ranks, t->grid);
    draw_epochs(program, params, weights);
    return TRUE;
}

/* The neighbour in direction @k of six; DN_NONE where the grid is one thick. */
static guint32 neighbour(const guint32 grid[3], guint32 rank, guint k)
{
    guint32 stride = 1;
    for (guint d = 0; d < k / 2; d++)
        stride *= grid[d];
    guint32 side = grid[k / 2], at = rank / stride % side;
    guint32 to = k % 2 ? (at + 1) % side : (at + side - 1) % side;
    return to == at ? G_MAXUINT32 : rank + to * stride - at * stride;
}

/* Where message @n of @rank goes; itself: nowhere. */
static guint32 peer_of(const DnProgram *program, const Epoch *epoch, guint32 rank, guint64 n)
{
    const Tenant *t = program->data;
    guint32 ranks = program->ranks;
    switch (epoch->kind) {
    case HALO:
        for (guint k = 0; k < 6; k++) {
            guint32 other = neighbour(t->grid, rank, (guint)((n + k) % 6));
            if (other != G_MAXUINT32)
                return other;
        }
        return rank;
    case INCAST:
        return epoch->target;
    case IO:
        return (epoch->target + (guint32)(n % stores(ranks))) % ranks;
    default:
        return (guint32)((rank + 1 + n % (ranks - 1)) % ranks);
    }
}

/* cursor->a: time at which the last message was issued, if nothing delayed it; b: messages << 1 |
 * whether the next is a send; c: end of the burst; step: job. */
static gboolean next(const DnProgram *program, guint32 rank, DnCursor *cursor, DnOp *op)
{
    const Tenant *t = program->data;
    guint64 n = cursor->b >> 1;
    while ((gint64)cursor->a >= t->epochs[cursor->step].end_ps)
        cursor->step++;
    const Epoch *epoch = &t->epochs[cursor->step];
    if (!program->endless && n >= t->messages) {
        *op = (DnOp){.kind = DN_OP_WAIT, .request = DN_ANY};
        return cursor->b++ == 2 * (guint64)t->messages;
    }
    guint32 peer = peer_of(program, epoch, rank, n);
    if (cursor->b & 1 && peer != rank) {
        *op = (DnOp){
            .kind = DN_OP_SEND, .peer = peer, .bytes = program->bytes, .flags = DN_OP_ONE_SIDED};
        cursor->b++;
        return TRUE;
    }
    if (cursor->b & 1) /* nobody to send to: as if sent */
        n = ++cursor->b >> 1;
    gint64 gap_ps = t->slot_ps;
    if ((gint64)cursor->a + gap_ps > (gint64)cursor->c) {
        guint64 key = dn_draw_key(program->seed, DN_DRAW_WORKLOAD, rank);
        guint64 draw = ((guint64)cursor->iteration << 40 | n) << 1;
        gint64 silence_ps =
            (gint64)pareto(t->least_burst_ps * epoch->silence, t->shape, dn_draw(key, draw));
        gap_ps += silence_ps;
        cursor->c = cursor->a + (guint64)silence_ps +
                    (guint64)MAX((double)t->slot_ps,
                                 pareto(t->least_burst_ps, t->shape, dn_draw(key, draw + 1)));
    }
    cursor->a += (guint64)gap_ps;
    cursor->b |= 1;
    *op = (DnOp){.kind = DN_OP_COMPUTE, .duration_ps = gap_ps};
    return TRUE;
}

static double goodput_bytes(const DnProgram *program)
{
    const Tenant *t = program->data;
    return (double)program->bytes * t->messages;
}

extern const DnProgramType dn_program_tenant;
const DnProgramType dn_program_tenant = {
    .name = "tenant",
    .source = "Willinger, Taqqu, Sherman, Wilson, IEEE/ACM Trans. Networking 5(1), 1997",
    .params = params_,
    .min_ranks = 2,
    .init = init,
    .free = dn_program_free_data,
    .next = next,
    .bytes_moved = dn_program_moved_by_all,
    .goodput_bytes = goodput_bytes,
    .time_scale = 1.0,
};
