/* application_test.c - spin glass, breadth-first search and bursts: volumes in closed form, the
 * model of a graph's levels against graphs, tails against their exponent. */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "workload/patterns/rmat_levels.h"
#include "workload/program.h"

static DnProgram *try_program(const char *yaml, guint32 ranks, guint32 iterations, GError **error)
{
    g_autofree char *text = g_strdup_printf("workload: %s\n", yaml);
    g_autoptr(DnConfigNode) root = dn_config_parse(text, "test.yaml", error);
    g_assert_nonnull(root);
    return dn_program_new(dn_config_get(root, "workload"), ranks, iterations, 1, error);
}

static DnProgram *program_of(const char *yaml, guint32 ranks)
{
    g_autoptr(GError) error = NULL;
    DnProgram *program = try_program(yaml, ranks, 1, &error);
    g_assert_no_error(error);
    return program;
}

/* What a rank's stream holds, by kind. */
typedef struct {
    guint count[DN_OP_END + 1];
    gint64 sent, received, copied, compute_ps;
    gint64 check; /* sum over (peer, tag, bytes) of sends less receives, peers by rank */
} Counts;

static gint64 key_of(guint32 from, guint32 to, guint32 tag, gint64 bytes)
{
    return (gint64)dn_mix64(from + 1000003ul * to + 1000000007ul * tag +
                            998244353ul * (guint64)bytes);
}

static Counts counts_of(const DnProgram *program, guint32 rank, guint32 stream)
{
    Counts t = {0};
    DnCursor cursor = {.stream = stream};
    DnOp op;
    do {
        dn_program_next(program, rank, &cursor, &op);
        t.count[op.kind]++;
        if (op.kind == DN_OP_SEND) {
            t.sent += op.bytes;
            t.check = (gint64)((guint64)t.check + (guint64)key_of(rank, op.peer, op.tag, op.bytes));
        } else if (op.kind == DN_OP_RECV) {
            t.received += op.bytes;
            t.check = (gint64)((guint64)t.check - (guint64)key_of(op.peer, rank, op.tag, op.bytes));
        } else if (op.kind == DN_OP_COMPUTE) {
            t.compute_ps += op.duration_ps;
        } else if (op.kind == DN_OP_COPY) {
            t.copied += op.bytes;
        }
    } while (op.kind != DN_OP_END);
    return t;
}

/* Sends and receives of all ranks agree in (from, to, tag, bytes). */
static gint64 all_sent(const DnProgram *program)
{
    guint64 check = 0;
    gint64 sent = 0;
    for (guint32 r = 0; r < program->ranks; r++) {
        Counts t = counts_of(program, r, 0);
        check += (guint64)t.check;
        sent += t.sent;
    }
    g_assert_cmpuint(check, ==, 0);
    return sent;
}

/* 256^3 on 4 ranks, single precision: "6 outgoing and 6 incoming 128 KB messages" for each colour
 * (Ammendola et al., section V.D); the bulk is 62 of 64 planes of 65,536 spins. */
static void test_hsg(void)
{
    g_autoptr(DnProgram) p = program_of(
        "{type: hsg, lattice: 256, spin_time: 800 ps, boundary: 200 us, unpack: true}", 4);
    g_assert_cmpuint(p->streams, ==, 2);
    g_assert_cmpint(p->bytes, ==, 131072);
    g_assert_cmpint(all_sent(p), ==, 4 * 2 * 6 * 131072);
    g_assert_cmpfloat(p->type->goodput_bytes(p), ==, 2 * 6 * 131072);
    g_assert_cmpfloat(p->type->bytes_moved(p), ==, 4 * 2 * 6 * 131072);
    Counts host = counts_of(p, 1, 0), bulk = counts_of(p, 1, 1);
    g_assert_cmpuint(host.count[DN_OP_SEND], ==, 12);
    g_assert_cmpuint(host.count[DN_OP_COPY], ==, 12);
    g_assert_cmpint(host.copied, ==, 12 * 131072);
    g_assert_cmpint(host.compute_ps, ==, 200000000);
    g_assert_cmpint(bulk.compute_ps, ==, G_GINT64_CONSTANT(800) * 62 * 65536);
    g_assert_cmpuint(bulk.count[DN_OP_SIGNAL], ==, 2);
    g_assert_cmpuint(bulk.count[DN_OP_AWAIT], ==, 2);
    g_autoptr(DnProgram)
        staged = program_of("{type: hsg, lattice: 256, pack: true, unpack: true}", 4);
    g_assert_cmpint(counts_of(staged, 1, 0).copied, ==, 24 * 131072);
    /* One by one: a wait for each of 12 messages, and one for what was sent of each colour. */
    g_autoptr(DnProgram)
        each = program_of("{type: hsg, lattice: 256, pack: true, unpack: true, each: true}", 4);
    Counts one_by_one = counts_of(each, 1, 0);
    g_assert_cmpint(one_by_one.copied, ==, 24 * 131072);
    g_assert_cmpuint(one_by_one.count[DN_OP_SEND], ==, 12);
    g_assert_cmpuint(one_by_one.count[DN_OP_WAIT], ==, 12 + 2);
    /* Two ranks have each other on both sides; one has nobody, and all its planes are bulk. */
    g_autoptr(DnProgram) two = program_of("{type: hsg, lattice: 4, components: 2}", 2);
    g_assert_cmpint(all_sent(two), ==, 2 * 2 * 4 * 32);
    g_autoptr(DnProgram) one = program_of("{type: hsg, lattice: 4, spin_time: 10 ps}", 1);
    g_assert_cmpint(all_sent(one), ==, 0);
    g_assert_cmpint(counts_of(one, 0, 1).compute_ps, ==, 640);
}

/* ---- levels against graphs ---- */

typedef struct {
    guint32 n, m;
    guint32 *first, *to; /* neighbours of v: to[first[v]] .. to[first[v + 1] - 1] */
} Graph;

/* As the Graph500 generator: an edge draws each bit of its ends. */
static void draw_edge(const DnRmat *r, guint64 key, guint64 edge, guint32 ends[2])
{
    ends[0] = ends[1] = 0;
    for (guint b = 0; b < r->scale; b++) {
        double u = dn_draw_unit(dn_draw(key, edge * r->scale + b));
        guint quadrant = u < r->a ? 0 : u < r->a + r->b ? 1 : u < r->a + 2 * r->b ? 2 : 3;
        ends[0] = ends[0] << 1 | quadrant >> 1;
        ends[1] = ends[1] << 1 | (quadrant & 1);
    }
}

static void make_graph(const DnRmat *r, guint64 seed, Graph *g)
{
    guint64 key = dn_draw_key(seed, DN_DRAW_TEST, 1);
    g->n = 1u << r->scale;
    g->m = g->n * (guint32)r->edge_factor;
    g->first = g_new0(guint32, g->n + 2);
    g->to = g_new(guint32, 2 * (gsize)g->m);
    guint32 ends[2];
    for (guint32 e = 0; e < g->m; e++) {
        draw_edge(r, key, e, ends);
        g->first[ends[0] + 2]++;
        g->first[ends[1] + 2]++;
    }
    for (guint32 v = 2; v < g->n + 2; v++)
        g->first[v] += g->first[v - 1];
    for (guint32 e = 0; e < g->m; e++) {
        draw_edge(r, key, e, ends);
        g->to[g->first[ends[0] + 1]++] = ends[1];
        g->to[g->first[ends[1] + 1]++] = ends[0];
    }
}

/* Adds what a search from @root examines and reaches at each level. */
static void application_search(const Graph *g, guint32 root, double *edges, double *reached)
{
    g_autofree guint8 *seen = g_new0(guint8, g->n);
    g_autofree guint32 *queue = g_new(guint32, g->n);
    guint32 head = 0, tail = 1, end = 1;
    queue[0] = root;
    seen[root] = 1;
    for (guint level = 0; head < tail; level++, end = tail) {
        for (; head < end; head++)
            for (guint32 i = g->first[queue[head]]; i < g->first[queue[head] + 1]; i++) {
                edges[level]++;
                guint32 v = g->to[i];
                if (seen[v])
                    continue;
                seen[v] = 1;
                queue[tail++] = v;
                reached[level]++;
            }
    }
}

/* Three graphs of 2^14 vertices, from the vertices 1, 2, 4, ...: their class is "one one", of about
 * 900 edges each, so the root's own level scatters little. Held are the two levels that have nearly
 * all edges, and the sums, to 3 %. */
static void test_levels(void)
{
    const DnRmat r = {.scale = 14, .edge_factor = 16, .a = 0.57, .b = 0.19, .root_ones = 1};
    double edges[DN_RMAT_LEVELS] = {0}, reached[DN_RMAT_LEVELS] = {0}, sums[4] = {0};
    const guint graphs = 3;
    for (guint64 seed = 0; seed < graphs; seed++) {
        Graph g;
        make_graph(&r, seed, &g);
        for (guint b = 0; b < r.scale; b++)
            application_search(&g, 1u << b, edges, reached);
        g_free(g.first);
        g_free(g.to);
    }
    DnRmatLevel levels[DN_RMAT_LEVELS];
    guint n = dn_rmat_levels(&r, 4, levels);
    g_assert_cmpuint(n, >=, 4);
    for (guint l = 0; l < n; l++) {
        edges[l] /= graphs * r.scale;
        reached[l] /= graphs * r.scale;
        sums[0] += edges[l];
        sums[1] += levels[l].edges;
        sums[2] += reached[l];
        sums[3] += levels[l].reached;
        g_test_message("level %u: edges %.0f model %.0f, reached %.0f model %.0f", l, edges[l],
                       levels[l].edges, reached[l], levels[l].reached);
    }
    for (guint l = 1; l <= 2; l++) {
        g_assert_cmpfloat(fabs(levels[l].edges / edges[l] - 1), <, 0.03);
        g_assert_cmpfloat(fabs(levels[l].reached / reached[l] - 1), <, 0.03);
    }
    g_assert_cmpfloat(fabs(sums[1] / sums[0] - 1), <, 0.03);
    g_assert_cmpfloat(fabs(sums[3] / sums[2] - 1), <, 0.03);
}

/* Every edge of the 2^18 is examined twice, 3 of 4 far ends live elsewhere: 8 B each; the 8 B of
 * the allreduces come on top, two sends a rank and level. Targets are fewer than edges, and at most
 * every vertex a level and sender. */
static void test_bfs(void)
{
    static const char all[] = "{type: bfs, scale: 14, send: edges, edge_time: 10 ns}";
    g_autoptr(DnProgram) edges = program_of(all, 4);
    g_autoptr(DnProgram) targets = program_of("{type: bfs, scale: 14, send: targets}", 4);
    double m = 1 << 18, sent = (double)all_sent(edges), fewer = (double)all_sent(targets);
    g_assert_cmpfloat(fabs(sent / (2 * m * 0.75 * 8) - 1), <, 0.03);
    g_assert_cmpfloat(fewer, <, 0.5 * sent);
    g_assert_cmpfloat(fewer, >, 0.75 * 8 * (1 << 13));
    g_assert_cmpfloat(edges->type->goodput_bytes(edges), ==, m);
    gint64 work_ps = 0;
    for (guint32 r = 0; r < 4; r++)
        work_ps += counts_of(edges, r, 0).compute_ps;
    g_assert_cmpfloat(fabs((double)work_ps / (2 * m * 1e4) - 1), <, 0.03);
    /* One rank has nobody to tell; three and five ranks agree too. */
    g_autoptr(DnProgram) one = program_of(all, 1), three = program_of(all, 3),
                         five = program_of(all, 5);
    g_assert_cmpint(all_sent(one), ==, 0);
    g_assert_cmpint(all_sent(three), >, 0);
    g_assert_cmpint(all_sent(five), >, 0);
}

/* ---- bursts ---- */

/* Slots of 80 ns (1000 B at 100 Gb/s). Silences are gaps beyond a slot. With shape 2.5 the variance
 * is finite: 20,000 bursts of 20 +- 18 messages, silences likewise, give the load to 2 %. */
static void test_bursty_load(void)
{
    g_autoptr(DnProgram) p =
        program_of("{type: bursty, bytes: 1000 B, load: 25 %, rate: 100 Gb/s, burst: 20, shape: "
                   "2.5, messages: 400000}",
                   3);
    Counts t = counts_of(p, 1, 0);
    g_assert_cmpuint(t.count[DN_OP_SEND], ==, 400000);
    g_assert_cmpint(t.sent, ==, 400000000);
    g_assert_cmpfloat(fabs(400000 * 80e3 / (double)t.compute_ps / 0.25 - 1), <, 0.02);
    g_assert_cmpfloat(p->offered_bps, ==, 25e9);
}

/* Hill's estimator of the exponent: n / sum ln(x / least) over silences. With 1.5 and n = 5,000 its
 * standard deviation is 1.5 / sqrt(5000) = 0.021; four of them. A burst goes to one other rank. */
static void test_bursty_tail(void)
{
    g_autoptr(DnProgram)
        p = program_of("{type: bursty, bytes: 1000 B, load: 25 %, rate: 100 Gb/s, burst: 3, shape: "
                       "1.5, messages: 1000000}",
                       5);
    double least_ps = 3 * 80e3 * 3 / 3, sum = 0.0; /* mean 3 x 3 slots; a third of it */
    guint n = 0;
    guint32 peer = DN_ANY;
    DnCursor cursor = {0};
    DnOp op;
    while (n < 5000) {
        dn_program_next(p, 2, &cursor, &op);
        g_assert_cmpuint(op.kind, !=, DN_OP_END);
        if (op.kind == DN_OP_COMPUTE && op.duration_ps > 80000) {
            sum += log((double)(op.duration_ps - 80000) / least_ps);
            peer = DN_ANY;
            n++;
        } else if (op.kind == DN_OP_SEND) {
            g_assert_cmpuint(op.peer, !=, 2);
            g_assert_cmpuint(op.peer, <, 5);
            g_assert_true(peer == DN_ANY || peer == op.peer);
            peer = op.peer;
        }
    }
    g_assert_cmpfloat(fabs(n / sum - 1.5), <, 4 * 0.021);
}

/* A second iteration has draws of its own; equal seeds give equal streams. */
static void test_bursty_draws(void)
{
    static const char yaml[] =
        "{type: bursty, bytes: 1 kB, load: 0.5, rate: 1 Gb/s, burst: 4, messages: 50}";
    g_autoptr(GError) error = NULL;
    g_autoptr(DnProgram) p = try_program(yaml, 4, 2, &error);
    g_autoptr(DnProgram) again = try_program(yaml, 4, 2, &error);
    g_assert_no_error(error);
    DnCursor cursor = {0}, other = {0};
    gint64 sums[3] = {0};
    DnOp op, same;
    guint iteration = 0;
    do {
        dn_program_next(p, 0, &cursor, &op);
        dn_program_next(again, 0, &other, &same);
        g_assert_cmpmem(&op, sizeof op, &same, sizeof same);
        iteration += op.kind == DN_OP_MARK;
        sums[MIN(2, iteration)] += op.kind == DN_OP_COMPUTE ? op.duration_ps : 0;
    } while (op.kind != DN_OP_END);
    g_assert_cmpuint(iteration, ==, 2);
    g_assert_cmpint(sums[0], >, 0);
    g_assert_cmpint(sums[0], !=, sums[1]);
}

static void expect_error(const char *yaml, guint32 ranks, const char *said)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(try_program(yaml, ranks, 1, &error));
    g_assert_nonnull(error);
    if (strstr(error->message, said) == NULL)
        g_error("wanted '%s', said: %s", said, error->message);
}

static void test_errors(void)
{
    expect_error("{type: hsg, lattice: 255}", 4, "an even number of sites");
    expect_error("{type: hsg, lattice: 6}", 4, "at least 2 for each of the 4 ranks");
    expect_error("{type: hsg}", 4, "lattice");
    expect_error("{type: bfs, scale: 14, a: 0.7, b: 0.15}", 4, "a + 2 b is 1; less than 0.999");
    expect_error("{type: bfs, scale: 41}", 4, "scale");
    expect_error("{type: bfs, scale: 14, send: edge}", 4, "did you mean 'edges'");
    expect_error("{type: bursty, bytes: 1 B, load: 0.5, rate: 1 Gb/s, burst: 2}", 4,
                 "with shape 1.5 a mean of at least 3 messages");
    expect_error("{type: bursty, bytes: 1 B, load: 0, rate: 1 Gb/s}", 4, "load");
    expect_error("{type: bursty, bytes: 1 B, load: 0.5}", 4, "rate");
    expect_error("{type: bursty, bytes: 1 B, load: 0.5, rate: 1 Gb/s}", 1, "rank");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/application/hsg", test_hsg);
    g_test_add_func("/application/levels", test_levels);
    g_test_add_func("/application/bfs", test_bfs);
    g_test_add_func("/application/bursty_load", test_bursty_load);
    g_test_add_func("/application/bursty_tail", test_bursty_tail);
    g_test_add_func("/application/bursty_draws", test_bursty_draws);
    g_test_add_func("/application/errors", test_errors);
    return g_test_run();
}
