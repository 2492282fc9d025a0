/* apenet_test.c - the card's read engines and stages against the paper's figures. */
#include "endpoint/mechanism.h"

#include <math.h>
#include <string.h>

/* Ammendola et al., sections IV and V; the values of topologies/apenet-4x2.yaml. */
#define CARD                                                                                       \
    "type: apenet, t_start: 2.25 us, t_message: 5 us, t_gpu: 3 us, t_head: 1.8 us, "               \
    "request_interval: 80 ns, request: 128 B, bar1_rate: 150 MB/s, host_rate: 2.4 GB/s, "          \
    "t_packet: 3 us, t_copy: 10 us, copy_rate: 5 GB/s"
#define RECEIVES "receive_rate: 1.2 GB/s, " CARD

static gboolean read_it(const char *keys, DnCosts *out, GError **error)
{
    g_autofree char *text = g_strdup_printf("mechanism: {%s}\n", keys);
    g_autoptr(DnConfigNode) run = dn_config_parse(text, "run.yaml", error);
    g_assert_nonnull(run);
    DnMechanism m;
    gboolean ok = dn_mechanism_read(dn_config_get(run, "mechanism"), NULL, &m, error);
    if (ok)
        *out = m.rules[0].costs;
    return ok;
}

static DnCosts costs_of(const char *keys)
{
    g_autoptr(GError) error = NULL;
    DnCosts out;
    read_it(keys, &out, &error);
    g_assert_no_error(error);
    return out;
}

static void apenet_near(double value, double wanted, double relative)
{
    if (fabs(value / wanted - 1.0) > relative)
        g_error("%g, wanted %g", value, wanted);
}

static double read_mb_s(const char *engine)
{
    g_autofree char *keys = g_strconcat(engine, ", ", RECEIVES, NULL);
    DnCosts c = costs_of(keys);
    g_assert_cmpuint(c.n_out, ==, 2);
    g_assert_cmpint(c.out[1].rate_bps, ==, c.rate_bps);
    return (double)c.rate_bps / 8e6;
}

/* 128 B each 80 ns are 1600 MB/s. v1: 4096 B in 3 + 1.8 + 2.56 us; v2: a window in 1.8 us and its
 * requests. The paper's peaks: 600 MB/s, 1500 MB/s, and 1536 MB/s sustained; "20 %" from 4 to 8 KB,
 * here 26. */
static void test_engines(void)
{
    apenet_near(read_mb_s("engine: v1"), 4096 / 7.36, 1e-6);
    apenet_near(read_mb_s("engine: v2"), 32768 / 22.28, 1e-6);
    apenet_near(read_mb_s("engine: v3"), 1600, 1e-6);
    apenet_near(read_mb_s("engine: bar1"), 150, 1e-6);
    apenet_near(read_mb_s("engine: v1"), 600, 0.1);
    apenet_near(read_mb_s("engine: v2"), 1500, 0.1);
    apenet_near(read_mb_s("engine: v3"), 1536, 0.1);
    double small = read_mb_s("engine: v2, prefetch: 4 KiB");
    apenet_near(read_mb_s("engine: v2, prefetch: 8 KiB") / small, 1.2, 0.1);
}

/* A packet takes 3 us, a full one 4096 B / 1.2 GB/s = 3.413; into a GPU a tenth more; 11 more
 * buffers of 20 ns: 3.22. */
static void test_receive(void)
{
    DnCosts c = costs_of("into: host, gpu_penalty: 10 %, " RECEIVES);
    g_assert_cmpuint(c.n_in, ==, 1);
    g_assert_true(c.in[0].pipelined);
    g_assert_cmpint(c.in[0].piece_bytes, ==, 4096);
    g_assert_cmpint(c.in[0].piece_ps, ==, 3000000);
    apenet_near(3e-6 + 4096 * 8.0 / (double)c.in[0].rate_bps, 4096 / 1.2e9, 1e-6);
    c = costs_of("into: gpu, gpu_penalty: 10 %, " RECEIVES);
    g_assert_cmpint(c.in[0].piece_ps, ==, 3300000);
    apenet_near(3.3e-6 + 4096 * 8.0 / (double)c.in[0].rate_bps, 1.1 * 4096 / 1.2e9, 1e-6);
    c = costs_of("into: host, buffers: 12, t_buffer: 20 ns, " RECEIVES);
    g_assert_cmpint(c.in[0].piece_ps, ==, 3220000);
    g_assert_cmpuint(costs_of("into: flush, " RECEIVES).n_in, ==, 0);
    /* 16 of 20 ns for each of 7 other ranks: 2.24 us more, into a GPU 2.464. */
    c = costs_of("into: gpu, gpu_penalty: 10 %, buffers_per_peer: 16, t_buffer: 20 ns, " RECEIVES);
    DnMechanism m = {.n_rules = 1, .rules = {{.costs = c}}};
    dn_mechanism_peers(&m, (DnRankCounts){1, 1, 1});
    g_assert_cmpint(m.rules[0].costs.in[0].piece_ps, ==, 3300000);
    m.rules[0].costs = c;
    dn_mechanism_peers(&m, (DnRankCounts){1, 2, 8});
    g_assert_cmpint(m.rules[0].costs.in[0].piece_ps, ==, 3300000 + 2464000);
    DnMechanism endless = {.n_rules = 1, .rules = {{.costs = {.call_rank_ps = G_MAXINT64 / 2}}}};
    dn_mechanism_peers(&endless, (DnRankCounts){1, G_MAXUINT32, G_MAXUINT32});
    g_assert_cmpint(endless.rules[0].costs.call_ps, ==, G_GINT64_CONSTANT(1000000000000000));
    dn_mechanism_peers(&m, (DnRankCounts){1, 2, 8}); /* once */
    g_assert_cmpint(m.rules[0].costs.in[0].piece_ps, ==, 3300000 + 2464000);
    /* 3 us and nothing for bytes: 4096 B / 3 us. */
    g_assert_cmpint(
        costs_of("into: host, packet: 3 kB, receive_rate: 1 GB/s, " CARD).in[0].rate_bps, ==, 0);
}

/* From a GPU: 5 + 3 us a message, the first byte after 2.25 + 1.8 us, 0.4 of which the links take.
 * Staged: copy and reading one after the other, 1 / (1/5 + 1/2.4) GB/s. */
static void test_send(void)
{
    DnCosts c = costs_of("from: gpu, t_flight: 400 ns, " RECEIVES);
    g_assert_cmpint(c.out[1].message_ps, ==, 8000000);
    g_assert_cmpint(c.out[1].latency_ps, ==, 3650000);
    g_assert_cmpint(costs_of("t_flight: 2 us, " RECEIVES).out[1].latency_ps, ==, 2250000);
    /* The Nios II: 3 us a message, in v1 3 us a packet. */
    g_assert_cmpuint(c.out[0].unit, ==, DN_STAGE_RECEIVE);
    g_assert_cmpint(c.out[0].message_ps + c.out[0].latency_ps, ==, 3000000);
    c = costs_of("engine: v1, " RECEIVES);
    g_assert_cmpint(c.out[0].message_ps, ==, 0);
    g_assert_cmpint(c.out[0].piece_ps, ==, 3000000);
    g_assert_cmpint(c.out[0].piece_bytes, ==, 4096);
    c = costs_of("from: host, " RECEIVES);
    g_assert_cmpuint(c.n_out, ==, 2);
    g_assert_cmpint(c.out[0].message_ps, ==, 5000000);
    g_assert_cmpint(c.out[0].latency_ps, ==, 2250000);
    g_assert_cmpint(c.out[1].rate_bps, ==, G_GINT64_CONSTANT(19200000000));
    c = costs_of("from: staged, " RECEIVES);
    g_assert_cmpint(c.out[0].message_ps, ==, 15000000);
    g_assert_cmpint(c.out[0].latency_ps, ==, 12250000);
    apenet_near((double)c.out[0].rate_bps / 8e9, 1 / (1 / 5.0 + 1 / 2.4), 1e-6);
    g_assert_cmpint(c.out[0].pipelined_bps, ==, G_GINT64_CONSTANT(40000000000));
    g_assert_cmpint(c.local.copy_ps, ==, 10000000);
    g_assert_cmpint(c.local.copy_bps, ==, G_GINT64_CONSTANT(40000000000));
}

static void expect_error(const char *keys, DnError code, const char *said)
{
    g_autoptr(GError) error = NULL;
    DnCosts out;
    g_assert_false(read_it(keys, &out, &error));
    g_assert_error(error, DN_ERROR, (gint)code);
    if (strstr(error->message, said) == NULL)
        g_error("wanted '%s', said: %s", said, error->message);
}

static void test_errors(void)
{
    expect_error("receive_rate: 1.4 GB/s, " CARD, DN_ERROR_RANGE,
                 "at receive_rate takes 2926 ns, less than t_packet");
    expect_error("engine: v4, " RECEIVES, DN_ERROR_UNKNOWN, "'v4'");
    expect_error("from: disk, " RECEIVES, DN_ERROR_UNKNOWN, "'disk'");
    expect_error("prefetch: 0 B, " RECEIVES, DN_ERROR_RANGE, "prefetch");
    expect_error(CARD, DN_ERROR_MISSING, "receive_rate");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/apenet/engines", test_engines);
    g_test_add_func("/apenet/receive", test_receive);
    g_test_add_func("/apenet/send", test_send);
    g_test_add_func("/apenet/errors", test_errors);
    return g_test_run();
}
