/* mechanism_types_test.c - Tests of what each type makes of its keys, and what it refuses. */
#include "endpoint/mechanism.h"

#include <string.h>

static gboolean read_it(const char *text, DnMechanism *out, GError **error)
{
    g_autofree char *run_text = g_strdup_printf("mechanism: %s\n", text);
    g_autoptr(DnConfigNode) run = dn_config_parse(run_text, "run.yaml", error);
    g_assert_nonnull(run);
    return dn_mechanism_read(dn_config_get(run, "mechanism"), NULL, out, error);
}

static DnCosts costs_of(const char *text)
{
    g_autoptr(GError) error = NULL;
    DnMechanism m;
    gboolean ok = read_it(text, &m, &error);
    g_assert_no_error(error);
    g_assert_true(ok);
    return m.rules[0].costs;
}

/* Every type states where it is from and what it leaves out; names are unique. */
static void test_all(void)
{
    for (guint i = 0; dn_mechanism_types[i]; i++) {
        const DnMechanismType *type = dn_mechanism_types[i];
        g_assert(type != NULL);
        g_assert_true(type->source && *type->source && type->limits && *type->limits);
        for (guint j = 0; j < i; j++) {
            const DnMechanismType *other = dn_mechanism_types[j];
            g_assert(other != NULL);
            g_assert_cmpstr(type->name, !=, other->name);
        }
        for (const DnParamSpec *p = type->params; p->key; p++)
            g_assert_nonnull(p->help);
    }
    const DnMechanismType *first = dn_mechanism_types[0];
    g_assert(first != NULL);
    g_assert_cmpstr(first->name, ==, "basic");
}

/* Eager messages are copied on both sides, up to the threshold; without one, all are. */
static void test_host_mpi(void)
{
    DnCosts c = costs_of("{type: host_mpi, t_issue: 1 us, t_post: 2 us, t_progress: 300 ns, "
                         "eager_threshold: 8 KiB, eager_copy_rate: 80 Gb/s, "
                         "unexpected_limit: 1.5 KiB}");
    g_assert_cmpuint(c.receive.unexpected_kib, ==, 2);
    g_assert_cmpint(c.issue_ps, ==, 1000000);
    g_assert_cmpint(c.post_ps, ==, 2000000);
    g_assert_cmpuint(c.receive.progress_ns, ==, 300);
    g_assert_cmpuint(c.out[0].unit, ==, DN_STAGE_CPU);
    g_assert_cmpint(c.rendezvous_from_bytes, ==, 8193);
    g_assert_cmpuint(c.n_out, ==, 1);
    g_assert_cmpuint(c.n_in, ==, 1);
    g_assert_cmpint(c.out[0].max_bytes, ==, 8192);
    g_assert_cmpint(c.in[0].rate_bps, ==, G_GINT64_CONSTANT(80000000000));
    c = costs_of("{type: host_mpi, eager_copy_rate: 80 Gb/s}");
    g_assert_cmpint(c.out[0].max_bytes, ==, 0);
    g_assert_cmpuint(
        costs_of("{type: host_mpi, eager_threshold: 0, eager_copy_rate: 1 Gb/s}").n_out, ==, 0);
}

/* Two copies by one server; the wire goes at their rate, or slower. */
static void test_shared_memory(void)
{
    DnCosts c = costs_of("{type: host_mpi, t_shm: 1 us, shm_rate: 8 GB/s}");
    g_assert_cmpuint(c.n_out, ==, 1);
    g_assert_cmpuint(c.n_in, ==, 1);
    g_assert_cmpint(c.rate_bps, ==, G_GINT64_CONSTANT(64000000000));
    g_assert_cmpint(c.out[0].rate_bps, ==, c.rate_bps);
    g_assert_cmpint(c.out[0].latency_ps, ==, 1000000);
    g_assert_cmpint(c.in[0].latency_ps, ==, 0);
    g_assert_cmpint(c.in[0].piece_bytes, ==, 8192);
    g_assert_true(c.out[0].pipelined && c.in[0].pipelined && c.out[0].unit == c.in[0].unit);
    c = costs_of("{type: host_mpi, shm_rate: 8 GB/s, rate: 7 GB/s}");
    g_assert_cmpint(c.rate_bps, ==, G_GINT64_CONSTANT(56000000000));
    c = costs_of("{type: host_mpi, shm_rate: 8 GB/s, rate: 9 GB/s}");
    g_assert_cmpint(c.rate_bps, ==, G_GINT64_CONSTANT(64000000000));
}

static void test_host_mpi_completion(void)
{
    DnCosts c = costs_of("{type: host_mpi, acknowledged: true, t_ack: 541 ns}");
    g_assert_true(c.receive.acknowledged);
    g_assert_cmpuint(c.ack_ns, ==, 541);
    g_assert_false(costs_of("{type: host_mpi, t_ack: 541 ns}").receive.acknowledged);
    c = costs_of("{type: host_mpi, eager_threshold: 1 KiB, register_rate: 10 GB/s}");
    g_assert_cmpuint(c.n_out + c.n_in, ==, 0);
    g_assert_cmpint(c.local.register_bps, ==, G_GINT64_CONSTANT(80000000000));
    g_assert_cmpint(c.rendezvous_from_bytes, ==, 1025);
}

static void test_basic(void)
{
    DnCosts c = costs_of("{serial: true, t_ack: 1.5 us}");
    g_assert_cmpuint(c.ack_ns, ==, 1500);
    g_assert_true(c.serial);
    g_assert_cmpuint(costs_of("{t_start: 1 us}").ack_ns, ==, 0);
}

static void test_gpu_mpi(void)
{
#define GPU_MPI                                                                                    \
    "{type: gpu_mpi, t_sync: 1 us, t_launch: 2 us, small_threshold: 4 KiB, t_gdr: 300 ns, "        \
    "gdr_rate: 8 Gb/s, t_copy: 5 us"
    const char *on = GPU_MPI "}", *off = GPU_MPI ", gdrcopy: false}";
    DnCosts c = costs_of(on);
    g_assert_cmpint(c.batch_ps, ==, 1000000);
    g_assert_cmpint(c.wait_ps, ==, 2000000);
    g_assert_cmpint(c.in[0].message_ps, ==, 300000);
    g_assert_cmpint(c.in[0].rate_bps, ==, G_GINT64_CONSTANT(8000000000));
    g_assert_cmpint(c.in[0].max_bytes, ==, 4096);
    c = costs_of(off);
    g_assert_cmpint(c.out[0].message_ps, ==, 5000000);
    g_assert_cmpint(c.out[0].rate_bps, ==, 0);
    g_assert_cmpuint(costs_of("{type: gpu_mpi, t_copy: 5 us}").n_out, ==, 0);
    /* The copy goes on after 6 us; the process is busy for the 2 us of the word after it, too. */
    c = costs_of("{type: gpu_mpi, t_ipc: 6 us, t_ack: 2 us, eager_threshold: 0}");
    g_assert_true(c.serial);
    g_assert_cmpint(c.rendezvous_from_bytes, ==, 1);
    g_assert_cmpuint(c.ack_ns, ==, 2000);
    g_assert_cmpuint(c.out[0].unit, ==, DN_STAGE_CPU);
    g_assert_cmpint(c.out[0].message_ps, ==, 8000000);
    g_assert_cmpint(c.out[0].latency_ps, ==, 6000000);
}

/* What one peer has of 300 Gb/s and 5 us, two and three share: 150 and 100, after 10 and 15 us. */
static void test_ccl_shared(void)
{
    for (guint32 peers = 1; peers <= 3; peers++) {
        DnMechanism m = {.n_rules = 1};
        m.rules[0].costs = costs_of("{type: ccl, rate: 300 Gb/s, t_recv: 5 us, shared: yes}");
        dn_mechanism_peers(&m, (DnRankCounts){1, peers + 1, 512}); /* of a communicator */
        const DnCosts *c = dn_mechanism_costs(&m, 1 << 20, TRUE);
        g_assert_cmpint(c->rate_bps, ==, G_GINT64_CONSTANT(300000000000) / peers);
        g_assert_cmpint(c->receive.recv_ps, ==, peers * G_GINT64_CONSTANT(5000000));
    }
}

/* Of 235 GB/s three peers have a third each, two the 88.8 that a message has alone. In a node its
 * ranks count, of a communicator of two that one; between nodes all of the communicator. */
static void test_group_rate(void)
{
    static const struct {
        DnReach reach;
        guint32 in_node, communicator;
        double gbytes;
    } cases[] = {{DN_REACH_NODE, 4, 8, 235.0 / 3},    {DN_REACH_NODE, 3, 8, 88.8},
                 {DN_REACH_NODE, 1, 8, 88.8},         {DN_REACH_NODE, 4, 2, 88.8},
                 {DN_REACH_NETWORK, 4, 8, 235.0 / 7}, {DN_REACH_ANY, 4, 4, 235.0 / 3}};
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        DnMechanism m = {.n_rules = 1};
        m.rules[0].reach = (guint8)cases[i].reach;
        m.rules[0].costs = costs_of("{type: ccl, rate: 88.8 GB/s, group_rate: 235 GB/s}");
        for (guint twice = 0; twice < 2; twice++)
            dn_mechanism_peers(&m, (DnRankCounts){cases[i].in_node, cases[i].communicator, 64});
        g_assert_cmpfloat_with_epsilon((double)m.rules[0].costs.rate_bps, cases[i].gbytes * 8e9, 1);
        g_assert_cmpint(m.rules[0].costs.channel_bps, ==, m.rules[0].costs.rate_bps);
    }
    DnMechanism free = {.n_rules = 1};
    free.rules[0].costs = costs_of("{type: device_copy, group_rate: 90 GB/s}");
    dn_mechanism_peers(&free, (DnRankCounts){4, 4, 4});
    g_assert_cmpint(free.rules[0].costs.rate_bps, ==, G_GINT64_CONSTANT(240000000000));
    g_assert_cmpint(free.rules[0].costs.channel_bps, ==, 0);
}

/* 16 channels of 10 Gb/s: 160; half for LL, 120/128 for LL128; never above `rate`. */
static void test_ccl(void)
{
    static const char *const protocols[] = {"simple", "ll", "ll128"};
    static const gint64 expected[] = {160, 80, 150};
    for (guint i = 0; i < 3; i++) {
        g_autofree char *text =
            g_strdup_printf("{type: ccl, t_launch: 7 us, channels: 16, channel_rate: 10 Gb/s, "
                            "protocol: %s}",
                            protocols[i]);
        DnCosts c = costs_of(text);
        g_assert_cmpint(c.call_ps, ==, 7000000);
        g_assert_cmpint(c.rate_bps, ==, expected[i] * 1000000000);
    }
    const char *capped = "{type: ccl, channels: 16, channel_rate: 10 Gb/s, rate: 90 Gb/s}";
    g_assert_cmpint(costs_of(capped).rate_bps, ==, G_GINT64_CONSTANT(90000000000));
    g_assert_cmpint(costs_of("{type: ccl, channels: 16}").rate_bps, ==, 0);
    g_assert_cmpuint(costs_of("{type: ccl}").handshake, !=, DN_HANDSHAKE_TRIGGERED);
    g_assert_cmpuint(costs_of("{type: ccl, receive_first: yes}").handshake, ==,
                     DN_HANDSHAKE_TRIGGERED);
    /* Out of a buffer that is full: at 16 GB/s, after the wire; any number at once. */
    DnCosts c = costs_of("{type: ccl, rate: 16 GB/s, drain_rate: 16 GB/s}");
    g_assert_cmpuint(c.n_in, ==, 1);
    g_assert_cmpuint(c.in[0].servers, ==, 0);
    g_assert_false(c.in[0].pipelined);
    g_assert_cmpint(c.in[0].rate_bps, ==, G_GINT64_CONSTANT(128000000000));
    g_assert_cmpuint(costs_of("{type: ccl, rate: 16 GB/s}").n_in, ==, 0);
    /* Four ranks put four pairs each in a queue before the kernel: 7 + 4 x 0.5 us, once. */
    DnMechanism m = {.n_rules = 1};
    c = costs_of("{type: ccl, rendezvous: read, eager_threshold: 16 KiB, read_queues: 4}");
    g_assert_cmpint(c.rendezvous_from_bytes, ==, 16385);
    g_assert_cmpuint(dn_costs_reads(&c), ==, 1);
    g_assert_cmpuint(c.receive.read_queues, ==, 4);
    g_assert_cmpuint(c.receive.read_window_kib, ==, 128);
    g_assert_cmpuint(c.receive.read_chunk_kib, ==, 128);
    m.rules[0].costs = costs_of("{type: ccl, t_launch: 7 us, t_pair: 500 ns}");
    dn_mechanism_peers(&m, (DnRankCounts){1, 4, 512});
    dn_mechanism_peers(&m, (DnRankCounts){1, 4, 512});
    g_assert_cmpint(m.rules[0].costs.call_ps, ==, 9000000);
}

/* A message of 300 kB in chunks of 100: the first call holds who posts, all three the thread,
 * before the wire without waiting. */
static void test_ccl_proxy(void)
{
    DnCosts c = costs_of("{type: ccl, t_proxy_send: 2 us, t_proxy_recv: 3 us, proxy_chunk: 100 kB, "
                         "proxy_arrival_rate: 8 Gb/s, t_proxy_post: 1 us}");
    g_assert_cmpuint(c.receive.proxy_post_ns, ==, 1000);
    g_assert_cmpuint(c.n_out, ==, 2);
    g_assert_cmpuint(c.n_in, ==, 1);
    g_assert_cmpint(c.out[0].unit, ==, DN_STAGE_POST);
    g_assert_true(c.out[0].pipelined);
    g_assert_cmpint(c.out[0].message_ps, ==, 2000000);
    g_assert_true(c.out[1].async);
    g_assert_cmpint(c.out[1].piece_ps, ==, 2000000);
    g_assert_cmpint(c.out[1].unit, ==, c.in[0].unit);
    g_assert_false(c.in[0].async);
    g_assert_cmpint(c.in[0].piece_ps, ==, 3000000);
    g_assert_cmpint(c.in[0].piece_bytes, ==, 100000);
    g_assert_cmpint(c.in[0].arrival_bps, ==, G_GINT64_CONSTANT(8000000000));
    c = costs_of("{type: ccl, proxy_chunk: 1 MiB}");
    g_assert_cmpuint(c.n_out + c.n_in, ==, 0);
}

/* The thread reads the lines of a message first, which waits for it; without a rate it does not. */
static void test_ccl_scan(void)
{
    DnCosts c = costs_of("{type: ccl, t_proxy_send: 2 us, proxy_scan_rate: 2 GB/s}");
    g_assert_cmpuint(c.n_out, ==, 3);
    g_assert_cmpint(c.out[0].unit, ==, DN_STAGE_PROXY);
    g_assert_cmpint(c.out[0].rate_bps, ==, G_GINT64_CONSTANT(16000000000));
    g_assert_false(c.out[0].async || c.out[0].pipelined);
    g_assert_cmpint(c.out[1].unit, ==, DN_STAGE_POST);
    c = costs_of("{type: ccl, t_proxy_send: 2 us}");
    g_assert_cmpuint(c.n_out, ==, 2);
}

/* Further chunks take less than the first, never more; and what a batch of three adds, once. */
static void test_ccl_chunks(void)
{
    DnCosts c = costs_of("{type: ccl, t_proxy_send: 2 us, t_proxy_recv: 3 us, "
                         "t_proxy_send_chunk: 0.5 us, t_proxy_recv_chunk: 1 us}");
    g_assert_cmpint(c.out[0].message_ps, ==, 2000000);
    g_assert_cmpint(c.out[1].message_ps, ==, 1500000);
    g_assert_cmpint(c.out[1].piece_ps, ==, 500000);
    g_assert_cmpint(c.in[0].message_ps, ==, 2000000);
    g_assert_cmpint(c.in[0].piece_ps, ==, 1000000);
    DnMechanism m = {.n_rules = 1};
    m.rules[0].costs = costs_of("{type: ccl, t_start: 4 us, t_recv: 1 us, t_peer: 7 us}");
    m.rules[0].to_bytes = 100;
    dn_mechanism_batch(&m, 3, 0, 0);
    dn_mechanism_batch(&m, 3, 0, 0);
    g_assert_cmpint(m.rules[0].costs.start_ps, ==, 25000000); /* warps for four */
    g_assert_cmpint(m.rules[0].costs.receive.recv_ps, ==, 22000000);
    g_assert_cmpint(m.rules[0].to_bytes, ==, 100);
    g_assert_false(dn_mechanism_rule_fits(&m.rules[0], 101, FALSE));
    dn_mechanism_batch(&m, 0, 4, 2); /* of four blocks a half */
    g_assert_true(dn_mechanism_rule_fits(&m.rules[0], 200, FALSE));
    g_assert_false(dn_mechanism_rule_fits(&m.rules[0], 201, FALSE));
    g_assert_false(dn_mechanism_rule_fits(&m.rules[0], 101, TRUE)); /* a node's are whole blocks */
    m.rules[0].reach = DN_REACH_NODE;
    dn_mechanism_batch(&m, 0, 4, 2);
    g_assert_true(dn_mechanism_rule_fits(&m.rules[0], 100, TRUE));
    g_assert_false(dn_mechanism_rule_fits(&m.rules[0], 101, TRUE));
}

/* Eight parts of 20 GB/s for three peers, of four blocks at once; a lower rate stays. */
static void test_ccl_thread_block(void)
{
    DnMechanism m = {.n_rules = 2};
    m.rules[0].costs = costs_of("{type: ccl, rate: 12 GB/s, thread_block_rate: 20 GB/s}");
    m.rules[1].costs = costs_of("{type: ccl, rate: 1 GB/s, thread_block_rate: 20 GB/s}");
    dn_mechanism_batch(&m, 3, 4, 1);
    dn_mechanism_batch(&m, 3, 4, 1);
    g_assert_cmpint(m.rules[0].costs.rate_bps, ==, G_GINT64_CONSTANT(80000000000));
    g_assert_cmpint(m.rules[0].costs.channel_bps, ==, G_GINT64_CONSTANT(80000000000));
    g_assert_cmpint(m.rules[1].costs.rate_bps, ==, G_GINT64_CONSTANT(8000000000));
    m.rules[0].costs = costs_of("{type: ccl, thread_block_rate: 20 GB/s}");
    m.rules[0].reach = DN_REACH_NODE; /* one block each */
    dn_mechanism_batch(&m, 3, 4, 1);
    g_assert_cmpint(m.rules[0].costs.rate_bps, ==, G_GINT64_CONSTANT(20000000000));
    m.rules[0].costs = costs_of("{type: ccl, thread_block_rate: 20 GB/s}");
    dn_mechanism_batch(&m, 1, 0, 0); /* a send and a receive */
    g_assert_cmpint(m.rules[0].costs.rate_bps, ==, G_GINT64_CONSTANT(80000000000));
    m.rules[0].costs = costs_of("{type: ccl, thread_block_rate: 20 GB/s}");
    dn_mechanism_batch(&m, 0, 0, 0); /* not grouped */
    g_assert_cmpint(m.rules[0].costs.rate_bps, ==, 0);
}

static void test_device_copy(void)
{
    DnCosts c = costs_of("{type: device_copy, t_start: 2 us}");
    g_assert_true(c.serial);
    g_assert_cmpuint(c.n_out, ==, 0);
    c = costs_of("{type: device_copy, engines: 3, engine_rate: 100 Gb/s}");
    g_assert_false(c.serial);
    g_assert_cmpuint(c.out[0].servers, ==, 3);
    g_assert_cmpuint(c.n_out, ==, 1);
    c = costs_of("{type: device_copy, t_start: 2 us, t_setup: 1 us, setup_threshold: 10 B, "
                 "engines: 2, engine_rate: 8 Gb/s, rate: 16 Gb/s}");
    g_assert_cmpint(c.start_ps + c.setup_ps, ==, 0); /* an engine's, which overlaps with the wire */
    g_assert_cmpint(c.rate_bps, ==, G_GINT64_CONSTANT(8000000000));
    g_assert_cmpuint(c.n_out, ==, 2);
    g_assert_true(c.out[0].pipelined && c.out[1].pipelined);
    g_assert_cmpint(c.out[0].max_bytes + 1, ==, c.out[1].min_bytes);
    g_assert_cmpint(c.out[0].message_ps, ==, 2000000);
    g_assert_cmpint(c.out[1].latency_ps, ==, 3000000);
}

/* Ready sends trigger once a batch; standard ones at each send and receive, and wait for a CTS. */
static void test_stream_triggered(void)
{
    DnCosts c = costs_of("{type: stream_triggered, send: ready, t_trigger: 1 us, t_wait: 2 us}");
    g_assert_cmpint(c.batch_ps, ==, 1000000);
    g_assert_cmpint(c.issue_ps + c.post_ps, ==, 0);
    g_assert_cmpint(c.wait_ps, ==, 2000000);
    g_assert_cmpuint(c.handshake, ==, DN_HANDSHAKE_RTS_CTS);
    g_assert_cmpuint(c.entries, ==, 500);
    c = costs_of("{type: stream_triggered, t_trigger: 1 us, t_enqueue: 4 us}");
    g_assert_cmpint(c.batch_ps, ==, 0);
    g_assert_cmpint(c.enqueue_ps, ==, 4000000);
    g_assert_cmpint(c.issue_ps, ==, 1000000);
    g_assert_cmpint(c.post_ps, ==, 1000000);
    g_assert_cmpuint(c.handshake, ==, DN_HANDSHAKE_TRIGGERED);
    g_assert_cmpuint(c.send_entries, ==, 2);
    g_assert_cmpuint(c.recv_entries, ==, 2);
}

/* 1.7 million requests a second are 588235 ps each. */
static void test_puts(void)
{
    DnCosts c = costs_of("{type: proxy, ctas: 4, t_post: 2 us, service_rate: 1.7 M/s}");
    g_assert_cmpuint(c.out[0].servers, ==, 4);
    g_assert_cmpint(c.out[0].message_ps, ==, 2000000);
    g_assert_cmpuint(c.out[1].servers, ==, 1);
    g_assert_cmpint(c.out[1].piece_ps, ==, 588235);
    c = costs_of("{type: proxy, ctas: 4, t_post: 2 us, service_rate: 1.7 M/s, threads: 4}");
    g_assert_cmpuint(c.out[1].servers, ==, 1);
    g_assert_cmpint(c.out[1].piece_ps, ==, 588235);
    c = costs_of("{type: gpu_initiated, posters: 64, queues: 8, t_wqe: 43 ns, t_doorbell: 50 ns}");
    g_assert_cmpuint(c.coalesce, ==, 32);
    g_assert_cmpuint(c.out[0].servers, ==, 64);
    g_assert_cmpint(c.out[1].piece_ps, ==, 43000);
    g_assert_cmpint(c.out[1].message_ps, ==, 50000);
    /* A put with a signal: through the proxy three descriptors and two requests (2 / 1.7 million/s
     * = 1,176.5 ns); from the GPU one call, two work requests. The round's barrier comes once. */
    c = costs_of("{type: proxy, t_post: 2 us, t_round: 1 us, descriptors: 3, requests: 2, "
                 "service_rate: 1.7 M/s, t_quiet: 5 us}");
    g_assert_cmpint(c.out[0].message_ps, ==, 7000000);
    g_assert_cmpint(c.out[1].piece_ps, ==, 1176471);
    g_assert_cmpint(c.wait_ps, ==, 5000000);
    c = costs_of("{type: gpu_initiated, t_post: 2 us, t_round: 1 us, requests: 2, t_wqe: 43 ns, "
                 "t_change: 4 us, t_quiet: 6 us}");
    g_assert_cmpint(c.out[0].message_ps, ==, 3000000);
    g_assert_cmpint(c.out[1].change_ps, ==, 4000000);
    g_assert_cmpint(c.wait_ps, ==, 6000000);
    g_assert_cmpint(c.out[1].piece_ps, ==, 86000);
    c = costs_of("{type: cta_stores, ctas: 4, cta_rate: 40 GB/s, t_launch: 3 us}");
    g_assert_cmpint(c.rate_bps, ==, G_GINT64_CONSTANT(1280000000000));
    g_assert_cmpint(c.call_ps, ==, 3000000);
}

static void expect_error(const char *text, DnError code, const char *in_message)
{
    g_autoptr(GError) error = NULL;
    DnMechanism m;
    g_assert_false(read_it(text, &m, &error));
    g_assert_error(error, DN_ERROR, (gint)code);
    g_assert_nonnull(strstr(error->message, in_message));
}

/* One copy, by the receiver's processor, at its rate and no later than its last line. */
static void test_single_copy(void)
{
    DnCosts c = costs_of("{type: host_mpi, rendezvous: read, eager_threshold: 8 KiB, "
                         "single_copy_rate: 16 GB/s, memory_rate: 20 GB/s}");
    g_assert_cmpint(c.local.memory_bps, ==, G_GINT64_CONSTANT(160000000000));
    g_assert_cmpint(c.in[0].memory_bps, ==, c.local.memory_bps);
    g_assert_cmpuint(c.n_out, ==, 0);
    g_assert_cmpuint(c.n_in, ==, 1);
    g_assert_cmpint(c.rate_bps, ==, G_GINT64_CONSTANT(128000000000));
    g_assert_cmpint(c.in[0].rate_bps, ==, c.rate_bps);
    g_assert_cmpint(c.in[0].unit, ==, DN_STAGE_CPU);
    g_assert_cmpint(c.in[0].piece_bytes, ==, 64);
    g_assert_true(c.in[0].pipelined);
    const char *receivers = "receiver's: `rendezvous: read`";
    expect_error("{type: host_mpi, single_copy_rate: 1 GB/s}", DN_ERROR_RANGE, receivers);
    expect_error("{type: host_mpi, single_copy_rate: 1 GB/s, rendezvous: read}", DN_ERROR_RANGE,
                 receivers);
    expect_error("{type: host_mpi, single_copy_rate: 1 GB/s, eager_threshold: 0, rendezvous: get}",
                 DN_ERROR_RANGE, receivers);
    expect_error("{type: host_mpi, single_copy_rate: 1 GB/s, eager_threshold: 0, rendezvous: read, "
                 "read_rails: 2}",
                 DN_ERROR_RANGE, receivers);
    expect_error("{type: host_mpi, single_copy_rate: 1 GB/s, eager_threshold: 0, rendezvous: read, "
                 "eager_copy_rate: 1 GB/s}",
                 DN_ERROR_RANGE, "the only one");
    expect_error("{type: host_mpi, single_copy_rate: 1 GB/s, shm_rate: 1 GB/s}", DN_ERROR_RANGE,
                 "set one");
    expect_error("{type: host_mpi, shm_rate: 1 GB/s, via: nic}", DN_ERROR_RANGE, "use no NIC");
    expect_error("{type: gpu_mpi, t_ipc: 1 us, via: nic}", DN_ERROR_RANGE, "use no NIC");
}

static void test_errors(void)
{
    expect_error("{type: ccl, t_proxy_send: 2 us, t_proxy_send_chunk: 3 us}", DN_ERROR_RANGE,
                 "t_proxy_send_chunk: a further chunk takes at most what the first does");
    expect_error("{type: ccl, receive_first: yes, eager_threshold: 1 KiB}", DN_ERROR_RANGE,
                 "receive_first: a message that waits for its receive needs no rendezvous");
    expect_error("{type: device_copy, engines: 2}", DN_ERROR_MISSING, "engine_rate");
    expect_error("{type: stream_triggered, entries: 1}", DN_ERROR_RANGE, "wait for ever");
    expect_error("{type: proxy}", DN_ERROR_MISSING, "service_rate");
    expect_error("{type: cta_stores, ctas: 0, cta_rate: 1 GB/s}", DN_ERROR_RANGE, "ctas");
    expect_error("{type: gpu_initiated, coalesce: 33}", DN_ERROR_RANGE, "coalesce");
    expect_error("{type: proxy, service_rate: 1 M/s, requests: 3}", DN_ERROR_RANGE, "requests");
    expect_error("{type: proxy, service_rate: 1 M/s, descriptors: 4}", DN_ERROR_RANGE, "descr");
    expect_error("{type: ccl, protocol: LL129}", DN_ERROR_UNKNOWN, "ll128");
    expect_error("{type: host_mpi, shm_rate: 1 GB/s, eager_copy_rate: 1 GB/s}", DN_ERROR_RANGE,
                 "shared memory");
    expect_error("{type: host_mpi, shm_rate: 1 GB/s, register_rate: 1 GB/s}", DN_ERROR_RANGE,
                 "`eager_threshold`, without `shm_rate`");
    expect_error("{type: host_mpi, register_rate: 1 GB/s}", DN_ERROR_RANGE, "`eager_threshold`");
    expect_error("{type: gpu_mpi, acknowledged: true, t_ipc: 5 us}", DN_ERROR_RANGE,
                 "acknowledged by `t_ack` already");
    expect_error("{t_ack: 2 ms}", DN_ERROR_RANGE, "t_ack");
    expect_error("{type: [a]}", DN_ERROR_TYPE, "");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/mechanism-types/all", test_all);
    g_test_add_func("/mechanism-types/host-mpi", test_host_mpi);
    g_test_add_func("/mechanism-types/shared-memory", test_shared_memory);
    g_test_add_func("/mechanism-types/single-copy", test_single_copy);
    g_test_add_func("/mechanism-types/host-mpi-completion", test_host_mpi_completion);
    g_test_add_func("/mechanism-types/basic", test_basic);
    g_test_add_func("/mechanism-types/gpu-mpi", test_gpu_mpi);
    g_test_add_func("/mechanism-types/ccl", test_ccl);
    g_test_add_func("/mechanism-types/ccl-shared", test_ccl_shared);
    g_test_add_func("/mechanism-types/group-rate", test_group_rate);
    g_test_add_func("/mechanism-types/ccl-proxy", test_ccl_proxy);
    g_test_add_func("/mechanism-types/ccl-scan", test_ccl_scan);
    g_test_add_func("/mechanism-types/ccl-chunks", test_ccl_chunks);
    g_test_add_func("/mechanism-types/ccl-thread-block", test_ccl_thread_block);
    g_test_add_func("/mechanism-types/device-copy", test_device_copy);
    g_test_add_func("/mechanism-types/stream-triggered", test_stream_triggered);
    g_test_add_func("/mechanism-types/puts", test_puts);
    g_test_add_func("/mechanism-types/errors", test_errors);
    return g_test_run();
}
