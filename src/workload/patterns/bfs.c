/* bfs.c - breadth-first search of a Graph500 graph over ranks that own its vertices (1-D).
 *
 * Level by level: each rank examines the edges of its part of the frontier (edge_time each, and
 * level_time), sends every other rank the far ends that live there (`item` bytes each, vertex and
 * predecessor), and all agree by an allreduce whether to go on. Sizes are those of the graph's mean
 * (rmat_levels.h), shared out with the scatter that a random partition of unequal vertices has,
 * drawn by the seed. `send: edges` sends every far end, `targets` each but once a level and sender.
 * An iteration is one search; the root is drawn by the seed among vertices of degree 1 or more.
 * goodput counts the graph's edges, a byte each: as a rate, 8 x TEPS.
 * Mastrostefano & Bernaschi, "Efficient breadth first search on multi-GPU systems", J. Parallel
 * Distrib. Comput. 73, 2013; Graph500 benchmark specification. */
#include <math.h>

#include "base/rng.h"
#include "workload/collective.h"
#include "workload/patterns/rmat_levels.h"

extern const DnCollAlgorithm dn_coll_allreduce_recursive_doubling;

static const char *const sends[] = {"edges", "targets", NULL};
static const DnParamSpec params_[] = {
    {"scale", DN_PARAM_INT, NULL, 4, 40, NULL, "2^scale vertices"},
    {"edge_factor", DN_PARAM_INT, "16", 1, 4096, NULL, "edges a vertex"},
    {"a", DN_PARAM_REAL, "0.57", 0.01, 0.97, NULL, "R-MAT's probabilities: a, b = c, the rest"},
    {"b", DN_PARAM_REAL, "0.19", 0.01, 0.49, NULL, "likewise"},
    {"item", DN_PARAM_BYTES, "8 B", 1, 1024, NULL, "sent for a far end"},
    {"send", DN_PARAM_CHOICE, "targets", 0, 0, sends, "every edge's far end, or each target once"},
    {"edge_time", DN_PARAM_TIME, "0", 0, 1e12, NULL, "of a rank for an edge, either direction"},
    {"level_time", DN_PARAM_TIME, "0", 0, 1e15, NULL, "of a rank for each level besides"},
    {0},
};

typedef struct {
    guint n_levels;
    double edges; /* of the graph */
    gint64 level_ps;
    double items[DN_RMAT_LEVELS];   /* all ranks' far ends, at their own rank or not */
    double work_ps[DN_RMAT_LEVELS]; /* all ranks' examining */
    gint64 item_bytes;
    float *out, *in; /* [n_levels * ranks] shares of a rank */
} Bfs;

static double bfs_normal(guint64 key, guint64 n)
{
    double u = dn_draw_unit(dn_draw(key, 2 * n)), v = dn_draw_unit(dn_draw(key, 2 * n + 1));
    return sqrt(-2.0 * log(u)) * cos(2.0 * G_PI * v);
}

/* @ranks shares that add up to 1, scattered by @deviation of the whole. */
static void draw_shares(guint64 key, guint32 ranks, double deviation, float *shares)
{
    double sum = 0.0, mean = 1.0 / ranks, sigma = deviation * sqrt(mean * (1.0 - mean));
    for (guint32 r = 0; r < ranks; r++) {
        shares[r] = (float)MAX(0.0, mean + sigma * bfs_normal(key, r));
        sum += shares[r];
    }
    for (guint32 r = 0; r < ranks; r++)
        shares[r] = sum > 0.0 ? (float)(shares[r] / sum) : (float)mean;
}

/* A vertex number at random whose class has edges to go; class 0 has the most. */
static guint draw_root(const DnRmat *rmat, guint64 key)
{
    for (guint64 n = 0; n < 1000; n++) {
        guint ones = 0;
        guint64 bits = dn_draw(key, n);
        for (guint b = 0; b < rmat->scale; b++)
            ones += bits >> b & 1;
        if (dn_rmat_degree(rmat, ones) >= 1.0)
            return ones;
    }
    return 0;
}

static gboolean read_rmat(const DnParams *params, DnRmat *rmat, GError **error)
{
    rmat->scale = (guint)dn_params_int(params, "scale");
    rmat->edge_factor = (double)dn_params_int(params, "edge_factor");
    rmat->a = dn_params_real(params, "a");
    rmat->b = dn_params_real(params, "b");
    if (rmat->a + 2.0 * rmat->b < 0.999)
        return TRUE;
    dn_params_error(params, "b", DN_ERROR_RANGE, error,
                    "a + 2 b is %.4g; less than 0.999 is needed", rmat->a + 2.0 * rmat->b);
    return FALSE;
}

static gboolean bfs_init(DnProgram *program, const DnParams *params, GError **error)
{
    Bfs *bfs = g_new0(Bfs, 1);
    DnRmat rmat;
    DnRmatLevel levels[DN_RMAT_LEVELS];
    program->data = bfs;
    if (!read_rmat(params, &rmat, error))
        return FALSE;
    guint64 key = dn_draw_key(program->seed, DN_DRAW_WORKLOAD, G_MAXUINT32);
    rmat.root_ones = draw_root(&rmat, key);
    bfs->n_levels = dn_rmat_levels(&rmat, program->ranks, levels);
    bfs->edges = rmat.edge_factor * exp2(rmat.scale);
    bfs->item_bytes = dn_params_int(params, "item");
    bfs->level_ps = dn_params_int(params, "level_time");
    gboolean targets = dn_params_int(params, "send") == 1;
    guint32 n = program->ranks;
    bfs->out = g_new(float, (gsize)bfs->n_levels *n);
    bfs->in = g_new(float, (gsize)bfs->n_levels *n);
    for (guint l = 0; l < bfs->n_levels; l++) {
        guint64 of_level = dn_draw_key(program->seed, DN_DRAW_WORKLOAD, G_MAXUINT32 + 2 * l + 1ul);
        draw_shares(of_level, n, levels[l].out_deviation, bfs->out + (gsize)l * n);
        draw_shares(of_level + 1, n, levels[l].in_deviation, bfs->in + (gsize)l * n);
        bfs->items[l] = targets ? levels[l].targets : levels[l].edges;
        bfs->work_ps[l] = levels[l].edges * (double)dn_params_int(params, "edge_time");
    }
    return TRUE;
}

static gint64 pair_bytes(const Bfs *bfs, guint32 ranks, guint level, guint32 from, guint32 to)
{
    gsize at = (gsize)level * ranks;
    double items = bfs->items[level] * bfs->out[at + from] * bfs->in[at + to];
    return (gint64)(items + 0.5) * bfs->item_bytes;
}

/* Operation @k of a level: examining, receives from all others, sends to them, nearest first, and a
 * wait. FALSE: past the last. */
static gboolean level_op(const DnProgram *program, guint32 rank, guint level, guint64 k, DnOp *op)
{
    const Bfs *bfs = program->data;
    guint32 n = MAX(1, program->ranks), others = n - 1;
    *op = (DnOp){.kind = DN_OP_WAIT, .request = DN_ANY};
    if (k == 0) {
        double work_ps = bfs->work_ps[level] * bfs->out[(gsize)level * n + rank];
        op->kind = DN_OP_COMPUTE;
        op->duration_ps = bfs->level_ps + (gint64)(work_ps + 0.5);
    } else if (k <= 2 * (guint64)others) {
        gboolean send = k > others;
        guint32 away = (guint32)(send ? k - others : n - k);
        *op = (DnOp){.kind = send ? DN_OP_SEND : DN_OP_RECV, .peer = (rank + away) % n};
        op->bytes = send ? pair_bytes(bfs, n, level, rank, op->peer)
                         : pair_bytes(bfs, n, level, op->peer, rank);
        op->flags = send ? DN_OP_NONBLOCKING : 0;
    }
    return k <= 2 * (guint64)others + 1;
}

static gboolean one_op(const DnProgram *program, guint32 rank, DnCursor *cursor, DnOp *op)
{
    if (level_op(program, rank, cursor->step / 2, cursor->b++, op))
        return TRUE;
    cursor->b = 0;
    return FALSE;
}

/* cursor->step: 2 l examining and exchange of a level, 2 l + 1 its allreduce. */
static gboolean bfs_next(const DnProgram *program, guint32 rank, DnCursor *cursor, DnOp *op)
{
    const Bfs *bfs = program->data;
    const DnCollCall agree = {.algorithm = &dn_coll_allreduce_recursive_doubling,
                              .own_in_place = TRUE, /* a word of the host */
                              .n = program->ranks,
                              .bytes = 8,
                              .stride = 1,
                              .tag = 1000};
    for (; cursor->step < 2 * bfs->n_levels; cursor->step++) {
        if (cursor->step % 2 == 0 ? one_op(program, rank, cursor, op)
                                  : program->ranks > 1 && dn_coll_next(&agree, rank, cursor, op))
            return TRUE;
    }
    return FALSE;
}

static void bfs_free(DnProgram *program)
{
    Bfs *bfs = program->data;
    g_free(bfs->out);
    g_free(bfs->in);
    g_free(bfs);
}

static double goodput_bytes(const DnProgram *program)
{
    const Bfs *bfs = program->data;
    return bfs->edges;
}

const DnProgramType dn_program_bfs = {
    .name = "bfs",
    .help =
        "level-synchronous search of a Graph500 graph, 1-D partition; sizes from the mean graph",
    .goodput = "the graph's edges, a byte each",
    .limits = "a level's time on a rank follows its edges alone; no direction switching; "
              "levels: " DN_RMAT_LIMITS,
    .source =
        "Mastrostefano & Bernaschi, Efficient breadth first search on multi-GPU systems, 2013",
    .params = params_,
    .min_ranks = 1,
    .init = bfs_init,
    .free = bfs_free,
    .next = bfs_next,
    .bytes_moved = dn_program_count_bytes,
    .goodput_bytes = goodput_bytes,
    .time_scale = 1,
};
