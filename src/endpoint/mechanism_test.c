/* mechanism_test.c - names, inline mappings, defaults, and every way to get one wrong. */
#include "endpoint/mechanism.h"

#include <string.h>

static const char machine[] = "d2d: {t_issue: 2 us, t_start: 1.5 us, t_setup: 500 ns,\n"
                              "      setup_threshold: 4 MiB, serial: true, rate: 400 Gb/s}\n"
                              "host: {t_recv: 300 ns, reduce_rate: 10 GB/s, copy_rate: 20 GB/s,\n"
                              "       reduce_byte_rate: 2 GB/s}\n";

static gboolean read_it(const char *text, const char *known_text, DnMechanism *out, GError **error)
{
    g_autoptr(DnConfigNode) known = NULL;
    if (known_text) {
        known = dn_config_parse(known_text, "machine.yaml", error);
        g_assert_nonnull(known);
    }
    g_autofree char *run_text = g_strdup_printf("mechanism: %s\n", text);
    g_autoptr(DnConfigNode) run = dn_config_parse(run_text, "run.yaml", error);
    g_assert_nonnull(run);
    return dn_mechanism_read(dn_config_get(run, "mechanism"), known, out, error);
}

static void test_named(void)
{
    g_autoptr(GError) error = NULL;
    DnMechanism m = {0};
    const DnCosts *c = &m.rules[0].costs;
    g_assert_true(read_it("d2d", machine, &m, &error));
    g_assert_cmpstr(m.name, ==, "d2d");
    g_assert_cmpint(c->issue_ps, ==, 2000000);
    g_assert_cmpint(c->start_ps, ==, 1500000);
    g_assert_cmpint(c->setup_ps, ==, 500000);
    g_assert_cmpint(c->setup_threshold_bytes, ==, 4 << 20);
    g_assert_true(c->serial);
    g_assert_cmpint(c->rate_bps, ==, G_GINT64_CONSTANT(400000000000));
    g_assert_cmpint(c->receive.recv_ps, ==, 0);
    g_assert_cmpint(c->rendezvous_from_bytes, ==, 0);
    g_assert_true(read_it("{eager_threshold: 8 KiB, t_control: 100 ns}", NULL, &m, &error));
    g_assert_cmpint(c->rendezvous_from_bytes, ==, 8193);
    g_assert_cmpint(c->control_bytes, ==, 64);
    g_assert_cmpint(c->control_ps, ==, 100000);
    g_assert_true(read_it("host", machine, &m, &error));
    g_assert_cmpint(c->receive.recv_ps, ==, 300000);
    g_assert_cmpint(c->local.reduce_bps, ==, G_GINT64_CONSTANT(80000000000));
    g_assert_cmpint(c->local.reduce_byte_bps, ==, G_GINT64_CONSTANT(16000000000));
    g_assert_cmpint(c->local.copy_bps, ==, G_GINT64_CONSTANT(160000000000));
    g_assert_false(c->serial);
}

static void test_direct(void)
{
    g_autoptr(GError) error = NULL;
    DnMechanism m = {0};
    const DnCosts *c = &m.rules[0].costs;
    memset(&m, 0xff, sizeof m);
    g_assert_true(dn_mechanism_read(NULL, NULL, &m, &error));
    g_assert_cmpstr(m.name, ==, "direct");
    g_assert_cmpint(c->issue_ps + c->start_ps + c->receive.recv_ps + c->setup_ps + c->rate_bps, ==,
                    0);
    g_assert_false(c->serial);
    g_assert_true(read_it("direct", NULL, &m, &error));
    g_assert_true(read_it("{t_start: 1 us}", NULL, &m, &error));
    g_assert_cmpint(c->start_ps, ==, 1000000);
}

/* By size and reach, each rule by name or written out; a name may stand for a list. */
static void test_rules(void)
{
    g_autoptr(GError) error = NULL;
    DnMechanism m;
    g_assert_true(
        read_it("[{to: 8 KiB, use: host}, {reach: node, use: {t_start: 5 us}}, {use: d2d}]",
                machine, &m, &error));
    g_assert_cmpstr(m.name, ==, "host|inline|d2d");
    g_assert_cmpuint(m.n_rules, ==, 3);
    g_assert_cmpint(dn_mechanism_costs(&m, 8192, TRUE)->receive.recv_ps, ==, 300000);
    g_assert_cmpint(dn_mechanism_costs(&m, 8193, TRUE)->start_ps, ==, 5000000);
    g_assert_cmpint(dn_mechanism_costs(&m, 8193, FALSE)->start_ps, ==, 1500000);
    g_assert_true(read_it("both", "a: {t_start: 1 us}\nboth: [{to: 1 B, use: a}, {use: direct}]\n",
                          &m, &error));
    g_assert_cmpstr(m.name, ==, "both");
    g_assert_cmpint(dn_mechanism_costs(&m, 1, TRUE)->start_ps, ==, 1000000);
    g_assert_cmpint(dn_mechanism_costs(&m, 2, TRUE)->start_ps, ==, 0);
}

/* A last rule with `reach: node`: there is none between nodes. A rule that uses such a mechanism is
 * for messages inside a node, too. */
static void test_inside(void)
{
    static const char known[] = "d2d: [{reach: node, use: {t_start: 1 us}}]\n"
                                "net: {t_start: 2 us}\n";
    g_autoptr(GError) error = NULL;
    DnMechanism m;
    g_assert_true(read_it("d2d", known, &m, &error));
    g_assert_true(dn_mechanism_inside_only(&m));
    g_assert_cmpint(dn_mechanism_costs(&m, 1, TRUE)->start_ps, ==, 1000000);
    g_assert_true(read_it("[{to: 8 B, use: d2d}, {use: net}]", known, &m, &error));
    g_assert_false(dn_mechanism_inside_only(&m));
    g_assert_cmpint(dn_mechanism_costs(&m, 8, TRUE)->start_ps, ==, 1000000);
    g_assert_cmpint(dn_mechanism_costs(&m, 8, FALSE)->start_ps, ==, 2000000);
    g_assert_true(read_it("[{to: 8 B, use: net}, {use: d2d}]", known, &m, &error));
    g_assert_true(dn_mechanism_inside_only(&m));
    g_assert_true(read_it("direct", known, &m, &error));
    g_assert_false(dn_mechanism_inside_only(&m));
    g_assert_null(m.endpoints);
    g_assert_true(read_it("{endpoints: cpu, rules: [{use: net}]}", known, &m, &error));
    g_assert_cmpstr(m.endpoints, ==, "cpu");
    g_assert_false(read_it("[{reach: network, use: d2d}, {use: net}]", known, &m, &error));
    g_assert_nonnull(strstr(error->message, "'d2d' is for messages inside a node"));
}

/* Rules for other protocols than the program's go; without a choice all of them. */
static void test_protocol(void)
{
    static const char text[] =
        "[{protocol: LL, use: {t_start: 1 us}}, {protocol: LL128, to: 8 B, use: {t_start: 2 us}}, "
        "{use: {t_start: 3 us}}]";
    static const char *const protocols[] = {"LL", "LL128", "Simple", NULL};
    static const gint64 expected_us[][2] = {{1, 1}, {2, 3}, {3, 3}, {3, 3}};
    for (guint i = 0; i < G_N_ELEMENTS(protocols); i++) {
        g_autoptr(GError) error = NULL;
        DnMechanism m;
        g_assert_true(read_it(text, NULL, &m, &error));
        dn_mechanism_keep(&m, protocols[i], NULL);
        for (guint large = 0; large < 2; large++)
            g_assert_cmpint(dn_mechanism_costs(&m, large ? 9 : 8, TRUE)->start_ps, ==,
                            expected_us[i][large] * 1000000);
    }
}

/* Rules for the other algorithm go as those for other protocols do. */
static void test_algorithm(void)
{
    static const char text[] = "[{protocol: LL, algorithm: tree, use: {t_start: 1 us}}, "
                               "{algorithm: tree, use: {t_start: 2 us}}, {use: {t_start: 3 us}}]";
    static const struct {
        const char *protocol, *algorithm;
        gint64 us;
    } choices[] = {{"LL", "tree", 1}, {"LL", "ring", 3}, {"Simple", "tree", 2}, {NULL, NULL, 3}};
    for (guint i = 0; i < G_N_ELEMENTS(choices); i++) {
        g_autoptr(GError) error = NULL;
        DnMechanism m;
        g_assert_true(read_it(text, NULL, &m, &error));
        dn_mechanism_keep(&m, choices[i].protocol, choices[i].algorithm);
        g_assert_cmpint(dn_mechanism_costs(&m, 8, TRUE)->start_ps, ==, choices[i].us * 1000000);
    }
}

/* Two rules are of sends that do not wait; the receiver takes the first by which the message comes
 * as it did. */
static void test_send(void)
{
    static const char text[] =
        "[{send: nonblocking, to: 8 B, use: {t_start: 1 us}}, {send: nonblocking, to: 1 KiB, use: "
        "{type: host_mpi, eager_threshold: 8 B}}, {use: {t_start: 3 us}}]";
    static const struct {
        gint64 bytes;
        gboolean nonblocking; /* or, at the receiver, by rendezvous */
        guint sender, receiver;
    } cases[] = {{8, TRUE, 0, 0},  {8, FALSE, 2, 0},   {9, TRUE, 1, 1},
                 {9, FALSE, 2, 2}, {1024, TRUE, 1, 1}, {1025, TRUE, 2, 2}};
    g_autoptr(GError) error = NULL;
    DnMechanism m;
    g_assert_true(read_it(text, NULL, &m, &error));
    g_assert_true(m.by_send);
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        gint64 bytes = cases[i].bytes;
        guint rule = dn_mechanism_rule(&m, bytes, FALSE, cases[i].nonblocking);
        gboolean rendezvous = dn_costs_by_rendezvous(&m.rules[rule].costs, bytes);
        g_assert_cmpuint(rule, ==, cases[i].sender);
        g_assert_cmpuint(dn_mechanism_rule_of_arrival(&m, bytes, FALSE, rendezvous), ==,
                         cases[i].receiver);
    }
}

/* Only larger jobs have messages that wait for a connection. */
static void test_connect(void)
{
    static const char text[] =
        "{t_connect: 2 us, connect_above: 4, initiators: 8, t_initiator: 3 us, rules: [{use: "
        "{t_start: 1 us}}]}";
    g_autoptr(GError) error = NULL;
    DnMechanism m;
    for (guint32 ranks = 4; ranks <= 5; ranks++) {
        g_assert_true(read_it(text, NULL, &m, &error));
        g_assert_cmpstr(m.name, ==, "inline");
        for (guint again = 0; again < 2; again++)
            dn_mechanism_peers(&m, (DnRankCounts){1, 2, ranks});
        g_assert_cmpint(m.connect_ps, ==, ranks > 4 ? 2000000 : 0);
        g_assert_cmpuint(m.initiators, ==, 8);
        g_assert_cmpint(m.initiator_ps, ==, 3000000);
        g_assert_cmpint(dn_mechanism_costs(&m, 8, FALSE)->start_ps, ==, 1000000);
    }
}

static void expect_error(const char *text, DnError code, const char *in_message)
{
    g_autoptr(GError) error = NULL;
    DnMechanism m;
    g_assert_false(read_it(text, machine, &m, &error));
    g_assert_error(error, DN_ERROR, (gint)code);
    g_assert_true(g_str_has_prefix(error->message, "run.yaml:1:"));
    g_assert_nonnull(strstr(error->message, in_message));
}

/* A mechanism of a shipped machine. */
static void read_shipped(const char *file_name, const char *name, DnMechanism *out)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path =
        g_build_filename(g_getenv("DARNER_ROOT"), "topologies", file_name, NULL);
    g_autofree char *text = g_strdup_printf("use: %s\n", name);
    g_autoptr(DnConfigNode) file = dn_config_load(path, NULL, &error);
    g_assert_no_error(error);
    g_autoptr(DnConfigNode) use = dn_config_parse(text, "use.yaml", &error);
    const DnConfigNode *known = dn_config_get(file, "mechanisms");
    g_assert_true(dn_mechanism_read(dn_config_get(use, "use"), known, out, &error));
}

/* MPI between Leonardo's GPUs: from UCX's limit on a message waits for its receiver, in a node and
 * between nodes, and the receiver's process is busy with it. */
static void test_leonardo(void)
{
    static const char *const names[] = {"gpu-mpi", "gpu-mpi-all"};
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        DnMechanism m = {0};
        read_shipped("leonardo.yaml", names[i], &m);
        const DnCosts *short_one = dn_mechanism_costs(&m, 8255, TRUE);
        const DnCosts *inside = dn_mechanism_costs(&m, 8256, TRUE);
        const DnCosts *between = dn_mechanism_costs(&m, 1 << 20, FALSE);
        g_assert_cmpint(short_one->rendezvous_from_bytes, ==, 0);
        g_assert_cmpint(inside->rendezvous_from_bytes, ==, 8256);
        g_assert_cmpuint(dn_costs_reads(inside), ==, 1);
        g_assert_cmpuint(inside->receive.progress_ns, >, 0);
        g_assert_cmpint(between->rendezvous_from_bytes, ==, 16385);
    }
}

/* MPI between the hosts' processes of a node does not go by way of the adapter: Cray's copies up to
 * 8 KiB twice, and longer messages once, in the receiver's process. */
static void test_inside_cray_nodes(void)
{
    static const char *const machines[][2] = {{"lumi.yaml", "mpi-host"},
                                              {"frontier.yaml", "mpi-host"},
                                              {"cori.yaml", "mpi"},
                                              {"piz-daint.yaml", "mpi"}};
    for (guint i = 0; i < G_N_ELEMENTS(machines); i++) {
        DnMechanism m = {0};
        read_shipped(machines[i][0], machines[i][1], &m);
        const DnCosts *twice = dn_mechanism_costs(&m, 8192, TRUE);
        const DnCosts *once = dn_mechanism_costs(&m, 8193, TRUE);
        g_assert_cmpuint(twice->n_out, ==, 1);
        g_assert_cmpuint(twice->n_in, ==, 1);
        g_assert_cmpint(twice->rendezvous_from_bytes, ==, 0);
        g_assert_cmpuint(once->n_out, ==, 0);
        g_assert_cmpuint(once->n_in, ==, 1);
        g_assert_cmpint(once->rendezvous_from_bytes, ==, 8193);
        g_assert_cmpint(dn_mechanism_costs(&m, 4 << 20, TRUE)->rate_bps, <, once->rate_bps);
        g_assert_cmpuint(dn_mechanism_costs(&m, 8192, FALSE)->n_in, ==, 0);
    }
}

/* What an allreduce of GPU buffers sends between nodes costs what point to point does. */
static void test_between_nodes(void)
{
    static const struct {
        const char *machine, *reduce, *protocol, *pair;
    } parts[] = {{"lumi.yaml", "gpu-mpi-reduce", "host", "mpi-host"},
                 {"lumi.yaml", "gpu-mpi-reduce", "kernel", "gpu-mpi"},
                 {"frontier.yaml", "gpu-mpi-reduce", "host", "mpi-host"},
                 {"frontier.yaml", "gpu-mpi-reduce", "kernel", "gpu-mpi"},
                 {"leonardo.yaml", "mpi-host-staged", NULL, "mpi-host"}};
    static const gint64 sizes[] = {1, 8, 64, 65, 4096, 16384, 16385, 1 << 18, 1 << 20};
    for (guint i = 0; i < G_N_ELEMENTS(parts); i++) {
        DnMechanism reduce = {0}, pair = {0};
        read_shipped(parts[i].machine, parts[i].reduce, &reduce);
        read_shipped(parts[i].machine, parts[i].pair, &pair);
        dn_mechanism_keep(&reduce, parts[i].protocol, NULL);
        for (guint k = 0; k < G_N_ELEMENTS(sizes); k++)
            g_assert_cmpmem(dn_mechanism_costs(&reduce, sizes[k], FALSE), sizeof(DnCosts),
                            dn_mechanism_costs(&pair, sizes[k], FALSE), sizeof(DnCosts));
    }
}

/* MPI on Frontier costs what it does on LUMI: the nodes, adapters and library are the same. */
static void test_frontier(void)
{
    static const char *const names[][2] = {{"mpi-host", NULL},
                                           {"gpu-mpi", NULL},
                                           {"gpu-mpi-reduce", "host"},
                                           {"gpu-mpi-reduce", "kernel"}};
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        DnMechanism lumi = {0}, frontier = {0};
        read_shipped("lumi.yaml", names[i][0], &lumi);
        read_shipped("frontier.yaml", names[i][0], &frontier);
        dn_mechanism_keep(&lumi, names[i][1], NULL);
        dn_mechanism_keep(&frontier, names[i][1], NULL);
        g_assert_cmpuint(lumi.n_rules, ==, frontier.n_rules);
        for (guint r = 0; r < lumi.n_rules; r++) {
            g_assert_cmpint(lumi.rules[r].to_bytes, ==, frontier.rules[r].to_bytes);
            g_assert_cmpuint(lumi.rules[r].reach, ==, frontier.rules[r].reach);
            g_assert_cmpmem(&lumi.rules[r].costs, sizeof(DnCosts), &frontier.rules[r].costs,
                            sizeof(DnCosts));
        }
    }
}

/* Each call of MPI keeps the process busy, and so does a sum. */
static void test_busy(void)
{
    static const char *const machines[][2] = {{"cori.yaml", "mpi"},
                                              {"piz-daint.yaml", "mpi"},
                                              {"fugaku-rack.yaml", "mpi-host"},
                                              {"frontier.yaml", "mpi-kernels"},
                                              {"tuolumne.yaml", "mpi-kernels"},
                                              {"tuolumne.yaml", "gpu-mpi"}};
    static const gint64 sizes[] = {8, 512, 4096, 16384, 1 << 20, 16 << 20};
    for (guint i = 0; i < G_N_ELEMENTS(machines); i++) {
        DnMechanism m = {0};
        read_shipped(machines[i][0], machines[i][1], &m);
        for (guint k = 0; k < G_N_ELEMENTS(sizes); k++) {
            const DnCosts *c = dn_mechanism_costs(&m, sizes[k], FALSE);
            g_assert_cmpint(c->issue_ps, >, 0);
            g_assert_cmpint(c->post_ps, >, 0);
            g_assert_cmpuint(c->receive.progress_ns, >, 0);
            g_assert_cmpint(c->local.reduce_bps, >, 0);
            g_assert_cmpint(c->local.copy_bps, >, 0);
            g_assert_cmpint(c->local.reduce_bps, ==,
                            dn_mechanism_costs(&m, sizes[k], TRUE)->local.reduce_bps);
        }
    }
}

static void test_errors(void)
{
    expect_error("d2h", DN_ERROR_UNKNOWN, "did you mean 'd2d'");
    expect_error("xylophone", DN_ERROR_UNKNOWN, "known: d2d, host, direct");
    expect_error("{t_start: 5}", DN_ERROR_UNIT, "");
    expect_error("{t_strat: 5 us}", DN_ERROR_UNKNOWN, "t_start");
    expect_error("{t_issue: -1 us}", DN_ERROR_RANGE, "");
    expect_error("[1, 2]", DN_ERROR_TYPE, "");
    expect_error("[]", DN_ERROR_RANGE, "1 to 24 mechanisms");
    expect_error("[{use: d2d}, {use: host}]", DN_ERROR_RANGE, "needs `to`, `reach`, ");
    expect_error("[{to: 1 B, use: d2d}]", DN_ERROR_RANGE, "for all that is left");
    expect_error("[{to: 1 B, use: d2d}, {reach: node}]", DN_ERROR_MISSING, "use");
    expect_error("[{to: 1 B, use: [{use: d2d}]}, {use: d2d}]", DN_ERROR_RANGE, "is a list");
    expect_error("[{to: 1 B, use: d3d}, {use: d2d}]", DN_ERROR_UNKNOWN, "did you mean 'd2d'");
    expect_error("[{protocol: LL12, use: d2d}, {use: d2d}]", DN_ERROR_UNKNOWN, "LL128");
    expect_error("[{protocol: LL, use: d2d}]", DN_ERROR_RANGE, "for all that is left");
    expect_error("[{send: blocking, use: d2d}, {use: d2d}]", DN_ERROR_UNKNOWN, "nonblocking");
    expect_error("[{reach: network, use: d2d}]", DN_ERROR_RANGE, "`reach: network`");
    expect_error("[{to: 1 B, reach: node, use: d2d}]", DN_ERROR_RANGE, "for all that is left");
    expect_error("{rules: [{use: d2d}], endpoints: nic}", DN_ERROR_UNKNOWN, "cpu");
    expect_error("{rules: d2d}", DN_ERROR_TYPE, "");
    expect_error("{rules: [{use: d2d}], connect_above: 8}", DN_ERROR_MISSING, "`t_connect`");
    expect_error("{rules: [{use: d2d}], initiators: 8}", DN_ERROR_MISSING, "`t_connect`");
    expect_error("{rules: [{use: d2d}], t_initiator: 1 us}", DN_ERROR_MISSING, "`t_connect`");
    expect_error("{rules: [{use: d2d}], t_connect: 1 us, initiators: 65}", DN_ERROR_RANGE, "64");
    expect_error("[{send: nonblocking, use: {type: staging}}, {use: d2d}]", DN_ERROR_RANGE,
                 "memory of the hosts");
    expect_error("{rules: [{use: d2d}], t_conect: 1 us}", DN_ERROR_UNKNOWN, "t_connect");
    expect_error("[{to: 1 B, use: {rules: [{use: d2d}]}}, {use: d2d}]", DN_ERROR_RANGE,
                 "is a list");
    expect_error("{type: basix}", DN_ERROR_UNKNOWN, "did you mean 'basic'");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/mechanism/named", test_named);
    g_test_add_func("/mechanism/direct", test_direct);
    g_test_add_func("/mechanism/rules", test_rules);
    g_test_add_func("/mechanism/inside", test_inside);
    g_test_add_func("/mechanism/protocol", test_protocol);
    g_test_add_func("/mechanism/algorithm", test_algorithm);
    g_test_add_func("/mechanism/send", test_send);
    g_test_add_func("/mechanism/connect", test_connect);
    g_test_add_func("/mechanism/leonardo", test_leonardo);
    g_test_add_func("/mechanism/between-nodes", test_between_nodes);
    g_test_add_func("/mechanism/inside-cray-nodes", test_inside_cray_nodes);
    g_test_add_func("/mechanism/frontier", test_frontier);
    g_test_add_func("/mechanism/busy", test_busy);
    g_test_add_func("/mechanism/errors", test_errors);
    return g_test_run();
}
