/* replay_cli_test.c - `darner replay` from outside: times that follow from the machine, and errors.
 *
 * The machine: a full mesh of four switches with a terminal each, links of 8 Gb/s (1 ns a byte) and
 * 100 ns, switches of 0 ns, so a message from end to end crosses three links: 300 ns. The engine is
 * `bound`, which has no packets: a message of b bytes takes 300 ns + b ns. */
#include <string.h>

#include "commands/cli_test.h"

static const char machine[] = "fabric:\n"
                              "  type: full_mesh\n"
                              "  assumed: round numbers for a test\n"
                              "  switches: 4\n"
                              "  terminals_per_switch: 1\n"
                              "  links:\n"
                              "    terminal: {bandwidth: 8 Gb/s, latency: 100 ns, buffer: 64 KiB}\n"
                              "    link: {bandwidth: 8 Gb/s, latency: 100 ns, buffer: 64 KiB}\n"
                              "  switch: {latency: 0}\n"
                              "hardware: {assumed: round numbers for a test, packet: 1 KiB}\n";

/* Rank 0 computes 2 us (of 1e9 operations a second), sends 1,000 bytes; rank 1 waits for them. */
static const char trace[] = "0 init\n1 init\n"
                            "0 compute 2000\n"
                            "0 send 1 0 1000 6\n"
                            "1 recv 0 0 1000 6\n"
                            "0 finalize\n1 finalize\n";

static void replay_prepare(const CliFolder *folder)
{
    cli_write(folder, "m.yaml", machine);
    cli_write(folder, "t.txt", trace);
}

static void replay_expect(const CliFolder *folder, const char *file, const char *line)
{
    g_autofree char *text = cli_read(folder, file);
    g_assert_nonnull(text);
    if (strstr(text, line) == NULL)
        g_error("%s: no line %s in:\n%s", file, line, text);
}

/* 2 us + 0.3 us + 1,000 ns = 3.3 us. Infinite bandwidth: the million-fold, so 1 ps: 2.300001 us;
 * latency of 1 ps a link: 3.000003 us; both: 2.000004 us. */
static void test_times(CliFolder *folder, gconstpointer unused)
{
    (void)unused;
    replay_prepare(folder);
    g_auto(CliAnswer) answer =
        cli_run(folder, "replay", "t.txt", "--on", "./m.yaml", "--engine", "bound", "-o", "out");
    g_assert_nonnull(strstr(answer.err, "its calls are free"));
    g_assert_cmpint(answer.status, ==, 0);
    replay_expect(folder, "out/replay.csv", "t,2,1,3.300000,2.300001,3.000003,2.000004\n");
    replay_expect(folder, "out/calls.csv", "t,0,0,compute,2.000000\n");
    replay_expect(folder, "out/calls.csv", "t,1,1,recv,3.300000\n");
    replay_expect(folder, "out/calls.csv", "t,1,1,total,3.300000\n");
    /* The sender's last byte leaves after 1 us. */
    replay_expect(folder, "out/calls.csv", "t,0,0,send,1.000000\n");
}

/* Rank 0 computes 2 us, rank 1 waits for 1,000 bytes, which take 1.3 us. At once, as two that do
 * not depend on each other or as one that needs only the other's begin: 2 and 1.3 us, of which 1 us
 * a rank is computed, 0.65 exposed. One after the other: 3 us (the last byte leaves) and 3.3, so
 * 2.15 are exposed. */
static void test_exposed(CliFolder *folder, gconstpointer unused)
{
    static const char *const rows[][2] = {
        {"", "exposed communication 0.65 us (39.4 %)"},
        {"b irequires a\n", "exposed communication 0.65 us (39.4 %)"},
        {"b requires a\n", "exposed communication 2.15 us (68.3 %)"}};
    (void)unused;
    replay_prepare(folder);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *graph =
            g_strdup_printf("num_ranks 2\nrank 0 {\na: calc 2000\nb: send 1000b to 1 tag 0\n%s}\n"
                            "rank 1 {\nc: recv 1000b from 0 tag 0\n}\n",
                            rows[i][0]);
        cli_write(folder, "x.goal", graph);
        g_auto(CliAnswer) answer = cli_run(folder, "replay", "x.goal", "--on", "./m.yaml",
                                           "--engine", "bound", "-o", "out", "--no-ideal");
        g_assert_cmpint(answer.status, ==, 0);
        g_assert_nonnull(strstr(answer.out, "computing 1 us of a rank (mean), "));
        if (strstr(answer.out, rows[i][1]) == NULL)
            g_error("no %s in:\n%s", rows[i][1], answer.out);
        /* the parts of a rank's time are all there */
        replay_expect(folder, "out/calls.csv", "x,0,0,compute,2.000000\n");
        replay_expect(folder, "out/calls.csv",
                      i < 2 ? "x,1,1,waiting,1.300000\n" : "x,1,1,waiting,3.300000\n");
    }
}

/* What the ranks called, which algorithm each collective ran, and where the ranks are. */
static void test_named(CliFolder *folder, gconstpointer unused)
{
    static const char all[] = "0 init\n1 init\n2 init\n"
                              "0 compute 2000\n"
                              "0 send 1 0 1000 6\n"
                              "1 recv 0 0 1000 6\n"
                              "0 allreduce 64 0 6 6\n1 allreduce 64 0 6 6\n2 allreduce 64 0 6 6\n"
                              "0 finalize\n1 finalize\n2 finalize\n";
    (void)unused;
    replay_prepare(folder);
    cli_write(folder, "all.txt", all);
    g_auto(CliAnswer)
        answer = cli_run(folder, "replay", "all.txt", "--on", "m.yaml", "--mechanism", "direct",
                         "-o", "out", "--no-ideal", "--placement", "[3, 0, 2]", "--timeline",
                         "--algorithm", "{allreduce: recursive_doubling}");
    cli_assert_silent(&answer);
    g_assert_nonnull(strstr(answer.out, "placement: rank 0 on node 3, rank 1 on node 0, rank 2 on "
                                        "node 2\n"));
    g_assert_nonnull(
        strstr(answer.out, "allreduce   recursive_doubling      3      1  64 B  64 B"));
    replay_expect(folder, "out/placement.csv", "all,0,3,3,node 3 ");
    replay_expect(folder, "out/algorithms.csv", "all,allreduce,recursive_doubling,3,1,64,64\n");
    replay_expect(folder, "out/timeline.json", "\"name\":\"MPI_Allreduce\",\"cat\":\"call\"");
    replay_expect(folder, "out/timeline.json", "\"name\":\"MPI_Recv\",\"cat\":\"call\"");
    replay_expect(folder, "out/timeline.json", "\"ph\":\"s\"");
    replay_expect(folder, "out/timeline.paje", "2 c4 RC MPI_Send ");
    g_auto(CliAnswer) none = cli_run(folder, "replay", "t.txt", "--on", "m.yaml", "--mechanism",
                                     "direct", "--engine", "bound", "--timeline", "-o", "out");
    g_assert_cmpint(none.status, ==, 2);
    g_assert_nonnull(strstr(none.err, "--timeline: only the packet engine has one"));
}

/* Computing twice as fast: 1 us less. What run.yaml says is the same run. */
static void test_scale(CliFolder *folder, gconstpointer unused)
{
    (void)unused;
    replay_prepare(folder);
    g_auto(CliAnswer) answer = cli_run(
        folder, "replay", "t.txt", "--on", "m.yaml", "--mechanism", "direct", "--engine", "bound",
        "-o", "out", "--compute-scale", "0.5", "--no-ideal", "--placement", "random:3");
    cli_assert_silent(&answer);
    replay_expect(folder, "out/replay.csv", "t,2,1,2.300000,,,\n");
    replay_expect(folder, "out/run.yaml", "seed: 3\n");
    g_auto(CliAnswer) again = cli_run(folder, "replay", "out/run.yaml", "-o", "again");
    g_assert_cmpint(again.status, ==, 0);
    replay_expect(folder, "again/replay.csv", "t,2,1,2.300000,1.300001,2.000003,1.000004\n");
}

/* Packets: 1,000 bytes are cut through the switches, so 300 ns + 1,000 ns as well. What replay
 * wrote can be explained. */
static void test_packet(CliFolder *folder, gconstpointer unused)
{
    (void)unused;
    replay_prepare(folder);
    g_auto(CliAnswer) answer = cli_run(folder, "replay", "t.txt", "--on", "m.yaml", "--mechanism",
                                       "direct", "-o", "out", "--packet", "1000 B", "--no-ideal");
    cli_assert_silent(&answer);
    replay_expect(folder, "out/replay.csv", "t,2,1,3.300000,,,\n");
    replay_expect(folder, "out/summary.json", "\"own_packet_bytes\" : 1024,");
    replay_expect(folder, "out/summary.json", "\"relative\" : 0");
    g_assert_nonnull(strstr(answer.out, "bottleneck "));
    g_auto(CliAnswer) why = cli_run(folder, "explain", "out", "--no-reruns");
    cli_assert_silent(&why);
    replay_expect(folder, "out/explain.json", "\"time_ps\" : 3300000,");
}

/* Beside a job that keeps sending to the same endpoint, the message waits for a packet of that. */
static void test_background(CliFolder *folder, gconstpointer unused)
{
    static const char run[] = "machine: ./m.yaml\n"
                              "jobs:\n"
                              "  - name: t\n"
                              "    ranks: 2\n"
                              "    placement: [0, 1]\n"
                              "    mechanism: direct\n"
                              "    workload: {type: trace, file: t.txt}\n"
                              "  - name: other\n"
                              "    ranks: 2\n"
                              "    placement: [2, 1]\n"
                              "    workload: {type: bandwidth, bytes: 100 kB}\n"
                              "    background: true\n";
    (void)unused;
    replay_prepare(folder);
    cli_write(folder, "both.yaml", run);
    g_auto(CliAnswer) answer = cli_run(folder, "replay", "both.yaml", "--no-ideal", "-o", "out");
    cli_assert_silent(&answer);
    g_assert_cmpint(answer.status, ==, 0);
    g_autofree char *csv = cli_read(folder, "out/replay.csv");
    g_auto(GStrv) cells = g_strsplit(strchr(csv, '\n') + 1, ",", 5);
    g_assert_cmpstr(cells[0], ==, "t");
    double makespan_us = g_ascii_strtod(cells[3], NULL);
    /* Alone 3.3 us. The link is busy with the other, whose next packets are younger: the wait is
     * for the rest of one packet of 1 KiB. */
    g_assert_cmpfloat(makespan_us, >, 3.3);
    g_assert_cmpfloat(makespan_us, <=, 3.3 + 1.024);
}

/* Rank 1 waits for a message that rank 0 does not send, while the others go on: what is in the
 * background keeps nobody from noticing. */
static void test_stalled(CliFolder *folder, gconstpointer unused)
{
    static const char run[] = "machine: ./m.yaml\n"
                              "jobs:\n"
                              "  - name: t\n"
                              "    ranks: 2\n"
                              "    placement: [0, 1]\n"
                              "    workload: {type: trace, file: short.txt}\n"
                              "  - name: other\n"
                              "    ranks: 2\n"
                              "    placement: [2, 3]\n"
                              "    workload: {type: ring, bytes: 100 kB}\n"
                              "    packet_aggregation: 4\n"
                              "    background: true\n";
    (void)unused;
    replay_prepare(folder);
    cli_write(folder, "short.txt",
              "0 init\n1 init\n0 compute 2000\n1 recv 0 0 1000 6\n"
              "0 finalize\n1 finalize\n");
    cli_write(folder, "both.yaml", run);
    g_auto(CliAnswer) answer = cli_run(folder, "replay", "both.yaml", "--no-ideal", "-o", "out");
    g_assert_cmpint(answer.status, ==, 2);
    g_assert_nonnull(strstr(answer.err, "nothing moves but what is in the background"));
    g_assert_nonnull(strstr(answer.err, "job t rank 1: waits since 0 s for a message from rank 0"));
}

/* The ideal networks at once: the same bytes. */
static void test_jobs(CliFolder *folder, gconstpointer unused)
{
    static const char *const names[] = {"replay.csv", "calls.csv", "results.csv", "summary.json",
                                        NULL};
    (void)unused;
    replay_prepare(folder);
    g_auto(CliAnswer) one = cli_run(folder, "replay", "t.txt", "--on", "m.yaml", "-o", "one/t");
    g_auto(CliAnswer)
        more = cli_run(folder, "replay", "t.txt", "--on", "m.yaml", "-o", "more/t", "--jobs", "4");
    g_assert_cmpint(one.status | more.status, ==, 0);
    cli_same_files(folder, "one/t", "more/t", names);
}

/* A replay that fails leaves the results of the one before, and its run file. */
static void test_earlier(CliFolder *folder, gconstpointer unused)
{
    (void)unused;
    replay_prepare(folder);
    g_auto(CliAnswer) good = cli_run(folder, "replay", "t.txt", "--on", "m.yaml", "-o", "out");
    g_autofree char *run = cli_read(folder, "out/run.yaml");
    g_autofree char *times = cli_read(folder, "out/replay.csv");
    cli_write(folder, "stuck.txt", "0 init\n1 init\n0 recv 1 0 8 6\n0 finalize\n1 finalize\n");
    g_auto(CliAnswer) bad = cli_run(folder, "replay", "stuck.txt", "--on", "m.yaml", "-o", "out");
    g_assert_cmpint(good.status, ==, 0);
    g_assert_cmpint(bad.status, ==, 2);
    g_autofree char *run_after = cli_read(folder, "out/run.yaml");
    g_autofree char *times_after = cli_read(folder, "out/replay.csv");
    g_assert_cmpstr(run, ==, run_after);
    g_assert_cmpstr(times, ==, times_after);
    g_assert_false(cli_exists(folder, "out/unfinished"));
}

typedef struct {
    const char *words[10], *says;
} Wrong;

static void test_wrong(CliFolder *folder, gconstpointer unused)
{
    static const Wrong wrongs[] = {
        {{"replay", NULL}, "one trace or run file"},
        {{"replay", "t.txt", NULL}, "no machine given"},
        {{"replay", "none.txt", "--on", "m.yaml", NULL}, "none.txt"},
        {{"replay", "t.txt", "--on", "nowhere", NULL}, "nowhere"},
        {{"replay", "t.txt", "--on", "m.yaml", "--nodes", "1", NULL}, "1"},
        {{"replay", "t.txt", "--on", "m.yaml", "--placement", "random:x", NULL}, "random:7"},
        {{"replay", "t.txt", "--on", "m.yaml", "--engine", "packt", NULL}, "did you mean 'packet'"},
        {{"replay", "t.txt", "--on", "m.yaml", "--compute-scale", "-1", NULL}, "not negative"},
        {{"replay", "m.yaml", "--engine", "bound", NULL}, "--set"},
        {{"replay", "m.yaml", NULL}, "m.yaml"},
        {{"replay", "t.txt", "--on", "m.yaml", "--jobs", "0", NULL}, "--jobs is out of range"},
    };
    (void)unused;
    replay_prepare(folder);
    for (gsize i = 0; i < G_N_ELEMENTS(wrongs); i++) {
        g_auto(CliAnswer) answer = cli_run_words(folder, wrongs[i].words);
        g_assert_cmpint(answer.status, ==, 2);
        g_assert_cmpstr(answer.out, ==, "");
        if (strstr(answer.err, wrongs[i].says) == NULL)
            g_error("%s: said %s", wrongs[i].says, answer.err);
        g_assert_false(cli_exists(folder, "out")); /* nothing half-written */
    }
}

/* Of ASTRA-sim, eight ranks; where the foreign traces are: a custom ring, in which each rank sends
 * before it receives, ends over NCCL, whose sends do not wait for receives. */
static void test_chakra(CliFolder *folder, gconstpointer unused)
{
    static const char *const mechanisms[] = {"ccl", "gpu-mpi"};
    const char *root = g_getenv("DARNER_ROOT");
    g_autofree char *all = g_build_filename(root, "..", "shared", "foreign_traces", "chakra", NULL);
    g_autofree char *custom = g_build_filename(all, "custom_allreduce.0.et", NULL);
    g_autofree char *plain = g_build_filename(all, "all_reduce.8.0.et", NULL);
    (void)unused;
    if (!g_file_test(custom, G_FILE_TEST_EXISTS)) {
        g_test_skip("the foreign traces are not here");
        return;
    }
    for (guint i = 0; i < 2; i++) {
        g_auto(CliAnswer)
            answer = cli_run(folder, "replay", custom, "--on", "leonardo", "--nodes", "2",
                             "--no-ideal", "--mechanism", mechanisms[i], "-o", "out");
        g_assert_cmpint(answer.status, ==, i == 0 ? 0 : 2);
        g_assert_true((strstr(answer.err, "(a send over NCCL, --mechanism ccl, ends") != NULL) ==
                      (i == 1));
    }
    g_auto(CliAnswer) nccl = cli_run(folder, "replay", plain, "--on", "leonardo", "--nodes", "2",
                                     "--no-ideal", "-o", "o");
    g_assert_nonnull(strstr(nccl.out, "\nnote: collectives are chosen as by NCCL, which PyTorch"));
    g_assert_nonnull(strstr(nccl.out, "nccl_")); /* ring or tree, on the machine's channels */
    g_auto(CliAnswer) rccl =
        cli_run(folder, "replay", plain, "--on", "lumi", "--nodes", "1", "--no-ideal", "-o", "o");
    g_assert_nonnull(strstr(rccl.out, "\nnote: collectives are chosen as by RCCL, which PyTorch"));
    g_auto(CliAnswer) none = cli_run(folder, "replay", plain, "--on", "tuolumne", "--nodes", "2",
                                     "--no-ideal", "-o", "o");
    g_assert_nonnull(strstr(none.out, "\nnote: collectives are chosen as by Open MPI, since the "
                                      "machine has no `nccl:`"));
    g_auto(CliAnswer)
        ompi = cli_run(folder, "replay", plain, "--on", "leonardo", "--nodes", "2", "--no-ideal",
                       "-o", "o", "-s", "jobs[0].workload.library=ompi");
    g_assert_null(strstr(ompi.out, "note: "));
    g_assert_null(strstr(ompi.out, "nccl_"));
}

/* A wrong value is the option's, not that of a line of the run file made of it, which is gone. */
static void test_options(CliFolder *folder, gconstpointer unused)
{
    static const char *const wrong[][2] = {{"--mechanism", "nope"}, {"--placement", "nope"},
                                           {"--packet", "nope"},    {"--routing", "nope"},
                                           {"--algorithm", "nope"}, {"--engine", "nope"}};
    cli_write(folder, "t.txt",
              "0 init\n0 send 1 0 8\n0 finalize\n1 init\n1 recv 0 0 8\n1 finalize\n");
    for (guint i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_auto(CliAnswer) answer = cli_run(folder, "replay", "t.txt", "--on", "lumi", wrong[i][0],
                                           wrong[i][1], "-o", "out");
        g_autofree char *begin = g_strconcat(wrong[i][0], ": ", NULL);
        g_assert_cmpint(answer.status, ==, 2);
        g_assert_true(g_str_has_prefix(answer.err, begin));
        g_assert_nonnull(strstr(answer.err, "nope"));
        g_assert_false(cli_exists(folder, "out"));
    }
    g_auto(CliAnswer)
        nodes = cli_run(folder, "replay", "t.txt", "--on", "lumi", "--nodes", "9999", "-o", "out");
    g_assert_true(g_str_has_prefix(nodes.err, "--on: 9999 nodes of lumi"));
}

/* A long message inside a node stays where it is until its receiver comes, after 1 ms: then it
 * takes what 16 MiB take over the links between two GPUs, some 130 us. */
static void test_late(CliFolder *folder, gconstpointer unused)
{
    static const char *const machines[] = {"alps", "leonardo", "lumi", "frontier", "tuolumne"};
    (void)unused;
    cli_write(folder, "late.goal",
              "num_ranks 2\nrank 0 {\na: send 16777216b to 1 tag 0\n}\n"
              "rank 1 {\na: calc 1000000\nb: recv 16777216b from 0 tag 0\nb requires a\n}\n");
    for (guint i = 0; i < G_N_ELEMENTS(machines); i++) {
        g_auto(CliAnswer) answer = cli_run(folder, "replay", "late.goal", "--on", machines[i],
                                           "--nodes", "1", "--no-ideal", "-o", "out");
        g_assert_cmpint(answer.status, ==, 0);
        g_autofree char *text = cli_read(folder, "out/replay.csv");
        const char *row = strstr(text, "\nlate,");
        g_assert_nonnull(row);
        g_auto(GStrv) cells = g_strsplit(row + 1, ",", -1);
        double us = g_ascii_strtod(cells[3], NULL);
        if (us < 1100 || us > 1300)
            g_error("%s: %g us", machines[i], us);
    }
}

/* What takes more than an hour is refused off a terminal, by its first CPU second, of which the
 * estimate tells; nothing is written. */
static void test_too_long(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "m.yaml", machine);
    g_autoptr(GString) text = g_string_new("0 init\n1 init\n");
    for (guint i = 0; i < 10000; i++)
        g_string_append(text, "0 send 1 0 9000000000\n1 recv 0 0 9000000000\n");
    g_string_append(text, "0 finalize\n1 finalize\n");
    cli_write(f, "long.txt", text->str);
    g_auto(CliAnswer) refused = cli_run(f, "replay", "long.txt", "--on", "m.yaml", "-o", "out");
    g_assert_cmpint(refused.status, ==, 2);
    g_assert_nonnull(strstr(refused.err, "estimate, by the first seconds: about "));
    g_assert_nonnull(strstr(refused.err, " for 4 runs, "));
    g_assert_nonnull(strstr(refused.err, "a run of more than an hour needs --yes"));
    g_assert_false(cli_exists(f, "out"));
    /* nor is one message between neighbours, whose packets have no hops */
    cli_write(f, "one.txt",
              "0 init\n1 init\n0 send 1 0 900000000000000\n1 recv 0 0 900000000000000\n"
              "0 finalize\n1 finalize\n");
    g_auto(CliAnswer) one = cli_run(f, "replay", "one.txt", "--on", "leonardo", "-o", "out");
    g_assert_cmpint(one.status, ==, 2);
    g_assert_nonnull(strstr(one.err, " for 4 runs, "));
    g_assert_nonnull(strstr(one.err, "a run of more than an hour needs --yes"));
    /* nor is one of a graph, whose messages begin when others are over */
    cli_write(f, "one.goal",
              "num_ranks 2\nrank 0 {\nl1: calc 5\nl2: send 900000000000000b to 1\n"
              "l2 requires l1\n}\nrank 1 {\nl1: recv 900000000000000b from 0\n}\n");
    g_auto(CliAnswer) goal = cli_run(f, "replay", "one.goal", "--on", "leonardo", "-o", "out");
    g_assert_cmpint(goal.status, ==, 2);
    g_assert_nonnull(strstr(goal.err, "a run of more than an hour needs --yes"));
    g_assert_false(cli_exists(f, "out"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    cli_test_add("/replay/times", test_times);
    cli_test_add("/replay/exposed", test_exposed);
    cli_test_add("/replay/named", test_named);
    cli_test_add("/replay/scale", test_scale);
    cli_test_add("/replay/packet", test_packet);
    cli_test_add("/replay/background", test_background);
    cli_test_add("/replay/stalled", test_stalled);
    cli_test_add("/replay/jobs", test_jobs);
    cli_test_add("/replay/earlier", test_earlier);
    cli_test_add("/replay/chakra", test_chakra);
    cli_test_add("/replay/late", test_late);
    cli_test_add("/replay/too_long", test_too_long);
    cli_test_add("/replay/wrong", test_wrong);
    cli_test_add("/replay/options", test_options);
    return g_test_run();
}
