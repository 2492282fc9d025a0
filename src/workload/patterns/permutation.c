/* permutation.c - every rank sends to one fixed other rank: the traffic that finds a network's
 * weak links.
 *
 * With `load` 0 (default) closed loop: one message a rank and iteration, received and waited for.
 * With a `load` open loop as in open_loop.h. goodput: payload bytes a rank sends an iteration.
 *
 * Destinations d of source s among n ranks, b = log2 n (Dally & Towles 2004, table 3.1, on one
 * dimension; group_shift: Kim et al., "Technology-Driven, Highly-Scalable Dragonfly Topology",
 * ISCA 2008, section 4.2, "worst-case" traffic):
 *   shift           d = s + stride mod n
 *   neighbour       d = s + 1 mod n
 *   tornado         d = s + ceil(n/2) - 1 mod n; with `dims` so in each of them, the first
 *                   fastest, as the switches of a torus are numbered
 *   bit_complement  d_i = not s_i             (n a power of two)
 *   bit_reverse     d_i = s_(b-i-1)           (n a power of two)
 *   transpose       row and column change places in a square of n ranks (n a square)
 *   random          a permutation drawn from the seed; may have fixed points
 *   group_shift     from a group of `stride` ranks to the next: the same place in it (closed loop),
 *                   a random place in it, by the message (open loop)
 * A rank that is its own destination sends nothing.
 * Mixed traffic (Jiang, Kim, Dally, ISCA 2009; Garcia et al., ICPP 2012): in an open loop
 * `uniform_share` of the messages go to a random other rank instead, drawn by the message. */
#include <string.h>

#include "base/rng.h"
#include "workload/flow_set.h"
#include "workload/patterns/open_loop.h"

enum { SHIFT, NEIGHBOUR, TORNADO, COMPLEMENT, REVERSE, TRANSPOSE, RANDOM, GROUP_SHIFT };
static const char *const patterns[] = {"shift",          "neighbour",   "tornado",
                                       "bit_complement", "bit_reverse", "transpose",
                                       "random",         "group_shift", NULL};

static const DnParamSpec params_[] = {
    {"pattern", DN_PARAM_CHOICE, NULL, 0, 0, patterns, "who sends to whom"},
    {"stride", DN_PARAM_INT, "1", 1, 4294967295.0, NULL,
     "shift: how far; group_shift: ranks in a group"},
    {"dims", DN_PARAM_INT_LIST, "", 2, 65536, NULL, "tornado: ranks along each dimension"},
    {"uniform_share", DN_PARAM_REAL, "0", 0, 1, NULL,
     "open loop: share of the messages that go to a random other rank instead (mixed traffic)"},
    DN_OPEN_LOOP_PARAMS("0"),
    DN_FLOW_SET_PARAMS,
    {0},
};

/* Open loop: `to` per rank. Closed loop: a flow set, and this type is only its maker. */
typedef struct {
    DnFlowSet *set; /* NULL: open loop */
    DnOpenLoop loop;
    guint32 *to;   /* [ranks] */
    guint32 group; /* group_shift: ranks in a group; else 0 */
    double uniform_share;
} Permutation;

static guint32 permutation_isqrt(guint32 n)
{
    guint32 root = 0;
    while ((guint64)(root + 1) * (root + 1) <= n)
        root++;
    return root;
}

/* Ranks along the dimensions, all multiplied; 0 without or beyond 2^32. */
static guint64 dimensions_product(const DnParams *params)
{
    guint n = 0;
    if (!dn_params_has(params, "dims"))
        return 0;
    const gint64 *sizes = dn_params_list(params, "dims", &n);
    guint64 product = 1;
    for (guint d = 0; d < n; d++)
        product = product * (guint64)sizes[d] >> 32 ? 0 : product * (guint64)sizes[d];
    return product;
}

static gboolean check_dimensions(const DnParams *params, guint32 n, GError **error)
{
    if (!dn_params_has(params, "dims"))
        return TRUE;
    if (dn_params_int(params, "pattern") != TORNADO) {
        dn_params_error(params, "dims", DN_ERROR_RANGE, error,
                        "dims belong to the pattern tornado");
        return FALSE;
    }
    if (dimensions_product(params) != n) {
        dn_params_error(params, "dims", DN_ERROR_RANGE, error,
                        "the dimensions do not multiply to the job's %u ranks", n);
        return FALSE;
    }
    return TRUE;
}

static gboolean permutation_check(const DnParams *params, guint32 n, GError **error)
{
    gint64 pattern = dn_params_int(params, "pattern");
    gint64 stride = dn_params_int(params, "stride");
    const char *name = dn_params_string(params, "pattern");
    if ((pattern == COMPLEMENT || pattern == REVERSE) && (n & (n - 1)) != 0) {
        dn_params_error(params, "pattern", DN_ERROR_RANGE, error,
                        "%s needs a power of two ranks; the job has %u", name, n);
        return FALSE;
    }
    if (pattern == TRANSPOSE && permutation_isqrt(n) * permutation_isqrt(n) != n) {
        dn_params_error(params, "pattern", DN_ERROR_RANGE, error,
                        "transpose needs a square number of ranks; the job has %u", n);
        return FALSE;
    }
    if (pattern == SHIFT && stride >= n) {
        dn_params_error(params, "stride", DN_ERROR_RANGE, error,
                        "a shift goes from 1 to ranks - 1 = %u", n - 1);
        return FALSE;
    }
    if (pattern == GROUP_SHIFT && (stride >= n || n % stride != 0)) {
        dn_params_error(params, "stride", DN_ERROR_RANGE, error,
                        "groups of %" G_GINT64_FORMAT " ranks do not divide %u ranks into two or "
                        "more groups",
                        stride, n);
        return FALSE;
    }
    if (dn_params_real(params, "uniform_share") > 0 && dn_params_real(params, "load") <= 0) {
        dn_params_error(params, "uniform_share", DN_ERROR_RANGE, error,
                        "uniform_share mixes messages of an open loop, which `load` sets");
        return FALSE;
    }
    return check_dimensions(params, n, error);
}

static guint32 permutation_tornado(guint32 s, const gint64 *sizes, guint n)
{
    guint32 d = 0, weight = 1;
    for (guint i = 0; i < n; i++) {
        guint32 k = (guint32)sizes[i];
        d += (s % k + (k + 1) / 2 - 1) % k * weight;
        s /= k;
        weight *= k;
    }
    return d;
}

static guint32 reverse_bits(guint32 s, guint32 n)
{
    guint32 d = 0;
    for (guint32 bit = 1; bit < n; bit <<= 1, s >>= 1)
        d = d << 1 | (s & 1);
    return d;
}

static guint32 permutation_destination(gint64 pattern, guint32 s, guint32 n, guint32 stride)
{
    guint32 root;
    switch (pattern) {
    case NEIGHBOUR:
        return (s + 1) % n;
    case TORNADO:
        return (guint32)((s + (guint64)(n + 1) / 2 - 1) % n);
    case COMPLEMENT:
        return ~s & (n - 1);
    case REVERSE:
        return reverse_bits(s, n);
    case TRANSPOSE:
        root = permutation_isqrt(n);
        return s % root * root + s / root;
    default: /* SHIFT, GROUP_SHIFT */
        return (guint32)(((guint64)s + stride) % n);
    }
}

static void permutation_shuffle(guint32 *to, guint32 n, guint64 seed)
{
    g_assert(n > 0);
    guint64 key = dn_draw_key(seed, DN_DRAW_WORKLOAD, G_MAXUINT64);
    for (guint32 i = 0; i < n; i++)
        to[i] = i;
    for (guint32 i = n - 1; i > 0; i--) { /* Fisher & Yates */
        guint32 j = dn_draw_below(dn_draw(key, i), i + 1);
        guint32 swap = to[i];
        to[i] = to[j];
        to[j] = swap;
    }
}

static guint32 *permutation_destinations(const DnProgram *program, const DnParams *params)
{
    guint32 n = program->ranks;
    guint32 *to = g_new0(guint32, n);
    gint64 pattern = dn_params_int(params, "pattern");
    if (pattern == RANDOM) {
        permutation_shuffle(to, n, program->seed);
        return to;
    }
    guint dimensions = 0;
    const gint64 *sizes =
        dn_params_has(params, "dims") ? dn_params_list(params, "dims", &dimensions) : NULL;
    for (guint32 s = 0; dimensions > 0 && s < n; s++)
        to[s] = permutation_tornado(s, sizes, dimensions);
    for (guint32 s = 0; dimensions == 0 && s < n; s++)
        to[s] = permutation_destination(pattern, s, n, (guint32)dn_params_int(params, "stride"));
    return to;
}

static gboolean permutation_init(DnProgram *program, const DnParams *params, GError **error)
{
    Permutation *data = g_new0(Permutation, 1);
    program->data = data;
    if (!permutation_check(params, program->ranks, error))
        return FALSE;
    program->bytes = dn_params_int(params, "bytes");
    data->to = permutation_destinations(program, params);
    if (dn_params_real(params, "load") > 0) {
        if (dn_params_int(params, "pattern") == GROUP_SHIFT)
            data->group = (guint32)dn_params_int(params, "stride");
        data->uniform_share = dn_params_real(params, "uniform_share");
        gboolean ok = dn_open_loop_init(&data->loop, params, error);
        program->offered_bps = data->loop.offered_bps;
        program->rate_bps = data->loop.rate_bps;
        return ok;
    }
    GArray *flows = g_array_new(FALSE, FALSE, sizeof(DnFlow));
    for (guint32 s = 0; s < program->ranks; s++) {
        DnFlow flow = {.src = s, .dst = data->to[s]};
        if (flow.src != flow.dst)
            g_array_append_val(flows, flow);
    }
    dn_flow_set_init(program, params, flows, (double)program->bytes);
    data->set = program->data;
    program->data = data;
    return TRUE;
}

static void permutation_free(DnProgram *program)
{
    Permutation *data = program->data;
    if (!data)
        return;
    if (data->set) {
        DnProgram set = {.data = data->set};
        dn_flow_set_free(&set);
    }
    g_free(data->to);
    g_free(data);
}

/* The destination of one message of @rank in an open loop. */
static guint32 open_loop_destination(const Permutation *data, const DnProgram *program,
                                     guint32 rank, guint64 draw)
{
    guint64 other = dn_mix64(draw);
    if (data->uniform_share > 0 && dn_draw_unit(other) <= data->uniform_share) {
        guint32 peer = dn_draw_below(dn_mix64(other), program->ranks - 1);
        return peer + (peer >= rank);
    }
    guint32 peer = data->to[rank];
    return data->group > 0 ? peer / data->group * data->group + dn_draw_below(draw, data->group)
                           : peer;
}

static gboolean permutation_next(const DnProgram *program, guint32 rank, DnCursor *cursor, DnOp *op)
{
    const Permutation *data = program->data;
    if (data->set) {
        DnProgram set = *program;
        set.data = data->set;
        return dn_flow_set_next(&set, rank, cursor, op);
    }
    if (data->to[rank] == rank)
        return FALSE;
    guint64 draw;
    DnLoopStep step = dn_open_loop_next(&data->loop, program, rank, cursor, op, &draw);
    if (step == DN_OPEN_LOOP_SEND)
        op->peer = open_loop_destination(data, program, rank, draw);
    return step != DN_OPEN_LOOP_DONE;
}

static double goodput_bytes(const DnProgram *program)
{
    const Permutation *data = program->data;
    return (double)program->bytes * (data->set ? 1 : data->loop.messages);
}

static double bytes_moved(const DnProgram *program)
{
    const Permutation *data = program->data;
    guint32 moving = 0;
    for (guint32 s = 0; s < program->ranks; s++)
        moving += data->to[s] != s;
    return goodput_bytes(program) * moving;
}

const DnProgramType dn_program_permutation = {
    .name = "permutation",
    .help = "each rank to one fixed other; open loop when load is given",
    .goodput = "bytes a rank sends",
    .limits = DN_OPEN_LOOP_LIMITS,
    .source = "Dally & Towles, Principles and Practices of Interconnection Networks, 2004, table "
              "3.1; Kim et al., Dragonfly, ISCA 2008",
    .params = params_,
    .min_ranks = 2,
    .init = permutation_init,
    .free = permutation_free,
    .next = permutation_next,
    .bytes_moved = bytes_moved,
    .goodput_bytes = goodput_bytes,
    .time_scale = 1,
};
