/* trace_cli_test.c - `darner trace` from outside. */
#include <string.h>

#include "commands/cli_test.h"

/* 4 ranks: a ring of 1,000 B, and a bcast of 80 B from rank 0: binomial, three messages. */
static const char ring[] = "0 init\n1 init\n2 init\n3 init\n"
                           "0 irecv 3 7 1000\n0 isend 1 7 1000\n0 waitall\n"
                           "1 irecv 0 7 1000\n1 isend 2 7 1000\n1 waitall\n"
                           "2 irecv 1 7 1000\n2 isend 3 7 1000\n2 waitall\n"
                           "3 irecv 2 7 1000\n3 isend 0 7 1000\n3 waitall\n"
                           "0 bcast 80\n1 bcast 80\n2 bcast 80\n3 bcast 80\n"
                           "0 compute 2e6\n";

static void trace_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        g_error("no '%s' in:\n%s", part, text);
}

static void test_info(CliFolder *folder, gconstpointer unused)
{
    (void)unused;
    cli_write(folder, "ring.txt", ring);
    g_auto(CliAnswer) text = cli_run(folder, "trace", "info", "ring.txt");
    g_assert_cmpint(text.status, ==, 0);
    trace_has(text.out, "4 ranks, 21 operations\n");
    trace_has(text.out, "isend        4\n");
    g_auto(CliAnswer) json = cli_run(folder, "trace", "info", "ring.txt", "--json");
    trace_has(json.out, "\"format\" : \"ti\"");
    trace_has(json.out, "\"bcast\" : 4");
}

static void test_check(CliFolder *folder, gconstpointer unused)
{
    (void)unused;
    cli_write(folder, "ring.txt", ring);
    g_auto(CliAnswer) good = cli_run(folder, "trace", "check", "ring.txt");
    g_assert_cmpint(good.status, ==, 0);
    g_assert_cmpstr(good.out, ==, "4 ranks, 7 messages: all are received, all ranks end\n");
    cli_write(folder, "bad.txt",
              "0 recv 1 3 8\n1 send 0 4 8\n1 send 0 4 9\n2 recv 0 1 5\n0 send 2 1 5\n");
    g_auto(CliAnswer) bad = cli_run(folder, "trace", "check", "bad.txt");
    g_assert_cmpint(bad.status, ==, 2);
    g_assert_cmpstr(
        bad.out, ==,
        "rank 0: receive of 8 B from rank 1, tag 3 (recv at bad.txt:1): nobody answers\n"
        "rank 2: receive of 5 B from rank 0, tag 1 (recv at bad.txt:4): nobody answers\n"
        "rank 1: send of 8 B to rank 0, tag 4 (send at bad.txt:2): nobody receives it; "
        "and 1 more\n");
    trace_has(bad.err, "bad.txt: 2 of 3 ranks wait for ever, 1 have messages nobody receives, 0 "
                       "messages that do not fit\n");
    cli_write(folder, "short.txt",
              "0 send 1 3 8\n0 send 1 3 9\n1 recv 0 3 4\n1 recv 0 3 8\n"
              "0 alltoallv 10 5 5 10 5 5\n1 alltoallv 10 7 5 10 5 5\n");
    g_auto(CliAnswer) unfit = cli_run(folder, "trace", "check", "short.txt");
    g_assert_cmpint(unfit.status, ==, 2);
    trace_has(unfit.out, "rank 0: receive of 5 B from rank 1, tag ");
    trace_has(unfit.out, "(alltoallv at short.txt:5): 7 B are sent\n");
    trace_has(unfit.out, "rank 1: receive of 4 B from rank 0, tag 3 (recv at short.txt:3): 8 B are "
                         "sent; and 1 more\n");
    cli_write(folder, "mixed.txt", "0 barrier\n1 bcast 8\n");
    g_auto(CliAnswer) mixed = cli_run(folder, "trace", "check", "mixed.txt");
    g_assert_cmpint(mixed.status, ==, 2);
    trace_has(mixed.err, "mixed.txt:2: rank 1 calls bcast (root 0, 8 B) as collective 1 of a");
    trace_has(mixed.err, "rank 0, at mixed.txt:1, calls barrier (root 0, 0 B)\n");
}

/* 4,000 B of the ring and 240 of the tree: 4.1406 KiB. */
static void test_stats(CliFolder *folder, gconstpointer unused)
{
    (void)unused;
    cli_write(folder, "ring.txt", ring);
    g_auto(CliAnswer)
        answer = cli_run(folder, "trace", "stats", "ring.txt", "--svg", "m.svg", "--csv", "m.csv");
    g_assert_cmpint(answer.status, ==, 0);
    trace_has(answer.out, "7 messages, 4.141 KiB; 0.002 s of computation");
    g_autofree char *csv = cli_read(folder, "m.csv"), *svg = cli_read(folder, "m.svg");
    trace_has(csv, "from,to,bytes\n0,1,1080\n0,2,80\n1,2,1000\n");
    trace_has(svg, "<svg xmlns=");
    trace_has(svg, "ring.txt: bytes from rank (down) to rank (across), at most ");
    g_auto(CliAnswer)
        gone = cli_run(folder, "trace", "stats", "ring.txt", "--svg", "/nonexistent/m.svg");
    g_assert_cmpint(gone.status, ==, 2);
}

static const char run_of[] = "machine:\n"
                             "  fabric: {type: full_mesh, assumed: for a test, switches: 4,\n"
                             "    terminals_per_switch: 1, switch: {latency: 0}, links: {\n"
                             "    terminal: {bandwidth: 8 Gb/s, latency: 100 ns, buffer: 64 KiB},\n"
                             "    link: {bandwidth: 8 Gb/s, latency: 100 ns, buffer: 64 KiB}}}\n"
                             "  hardware: {assumed: for a test, packet: 1 KiB}\n"
                             "jobs:\n"
                             "  - {name: j, workload: {type: trace, file: %s}}\n";

static char *time_of(const CliFolder *folder, const char *file)
{
    g_autofree char *run = g_strdup_printf(run_of, file);
    cli_write(folder, "run.yaml", run);
    g_auto(CliAnswer) answer = cli_run(folder, "run", "run.yaml", "-o", "out");
    if (answer.status != 0)
        g_error("%s: %s", file, answer.err);
    g_autofree char *csv = cli_read(folder, "out/results.csv");
    g_assert_nonnull(csv);
    return g_steal_pointer(&csv);
}

/* What was converted takes the same time, to the picosecond, on the packet engine. */
static void test_convert(CliFolder *folder, gconstpointer unused)
{
    static const char *const formats[][2] = {
        {"ti", "c.txt"}, {"goal", "c.goal"}, {"goal_binary", "c.bin"}};
    (void)unused;
    cli_write(folder, "ring.txt", ring);
    g_autofree char *first = time_of(folder, "ring.txt");
    for (guint i = 0; i < G_N_ELEMENTS(formats); i++) {
        g_auto(CliAnswer) answer = cli_run(folder, "trace", "convert", "ring.txt", "--to",
                                           formats[i][0], "-o", formats[i][1]);
        g_assert_cmpint(answer.status, ==, 0);
        g_autofree char *again = time_of(folder, formats[i][1]);
        g_assert_cmpstr(again, ==, first);
    }
    g_auto(CliAnswer) named = cli_run(folder, "trace", "convert", "ring.txt", "--to", "goal");
    g_assert_cmpint(named.status, ==, 0);
    g_assert_true(cli_exists(folder, "ring.goal"));
    g_auto(CliAnswer) there = cli_run(folder, "trace", "convert", "ring.txt", "--to", "goal");
    g_assert_cmpint(there.status, ==, 2);
    trace_has(there.err, "ring.goal exists; say -o FILE to write over it");
}

/* Rank 0 computes 2,000 ns and sends 1,000 B (1 ns a byte), three times; then the last has 300 ns
 * of links before it, and rank 1 its 500 ns: 9.8 us. A graph begins anew each time. */
static void test_iterations(CliFolder *folder, gconstpointer unused)
{
    (void)unused;
    cli_write(folder, "g.goal",
              "num_ranks 4\nrank 0 {\na: calc 2000\nb: send 1000b to 1 tag 0\nb requires a\n}\n"
              "rank 1 {\na: recv 1000b from 0 tag 0\nb: calc 500 cpu 1\nb requires a\n}\n"
              "rank 2 {\n}\nrank 3 {\n}\n");
    g_autofree char *run = g_strdup_printf(run_of, "g.goal");
    g_autofree char *bound = g_strconcat("engine: bound\n", run, NULL);
    cli_write(folder, "run.yaml", bound);
    g_auto(CliAnswer)
        answer = cli_run(folder, "run", "run.yaml", "-o", "out", "--set", "jobs[0].iterations=3");
    g_assert_cmpint(answer.status, ==, 0);
    g_autofree char *summary = cli_read(folder, "out/summary.json");
    trace_has(summary, "\"end_us\" : 9.79999");
}

static void trace_refused(const CliFolder *folder, const char *const *words, const char *part)
{
    g_auto(CliAnswer) answer = cli_run_words(folder, words);
    g_assert_cmpint(answer.status, ==, 2);
    g_assert_cmpstr(answer.out, ==, "");
    trace_has(answer.err, part);
}
#define REFUSED(part, ...)                                                                         \
    trace_refused(folder, (const char *const[]){"trace", __VA_ARGS__, NULL}, part)

static void test_errors(CliFolder *folder, gconstpointer unused)
{
    (void)unused;
    cli_write(folder, "ring.txt", ring);
    cli_write(folder, "junk", "junk\n");
    REFUSED("one trace; usage: darner trace info|check|convert|stats TRACE", "info");
    REFUSED("unknown darner trace 'inof'; did you mean 'info'?", "inof", "ring.txt");
    REFUSED("none.txt: cannot be read", "info", "none.txt");
    REFUSED("junk: no trace of a format that is known by its content", "info", "junk");
    REFUSED("unknown trace format 'tj'", "info", "ring.txt", "--format", "tj");
    REFUSED("--to: unknown format 'gaol'; did you mean 'goal'?", "convert", "ring.txt", "--to",
            "gaol");
    REFUSED("unknown algorithm 'rng'; did you mean 'ring'?", "check", "ring.txt", "--algorithm",
            "rng");
    REFUSED("hierarchical, smp, spread, ", "check", "ring.txt", "--algorithm",
            "nothing"); /* not `linear` again, which alltoalls have, too */
    REFUSED("'ompy'", "check", "ring.txt", "--library", "ompy");
}

/* A job of another number of ranks; a missing file. */
static void test_run_errors(CliFolder *folder, gconstpointer unused)
{
    (void)unused;
    cli_write(folder, "two.txt", "0 init\n1 init\n");
    g_autofree char *run = g_strdup_printf(run_of, "two.txt");
    cli_write(folder, "run.yaml", run);
    g_auto(CliAnswer) ranks = cli_run(folder, "run", "run.yaml", "-o", "out");
    g_assert_cmpint(ranks.status, ==, 2);
    trace_has(ranks.err, "run.yaml:8:45: the trace has 2 ranks, the job 4; they must be as many");
    g_autofree char *none = g_strdup_printf(run_of, "none.txt");
    cli_write(folder, "run.yaml", none);
    g_auto(CliAnswer) gone = cli_run(folder, "run", "run.yaml", "-o", "out");
    g_assert_cmpint(gone.status, ==, 2);
    trace_has(gone.err, "run.yaml:8:45: no file ");
}

/* Runs end with an account of who waits for what and which messages nobody takes, and without a
 * result. A receive before no send, a send (rendezvous) before no receive. */
static void test_run_stuck(CliFolder *folder, gconstpointer unused)
{
    (void)unused;
    g_autofree char *run = g_strdup_printf(run_of, "stuck.txt");
    cli_write(folder, "run.yaml", run);
    cli_write(folder, "stuck.txt", "0 send 1 5 1000 0\n1 recv 0 6 1000 0\n2 init\n3 init\n");
    g_auto(CliAnswer) recv = cli_run(folder, "run", "run.yaml", "-o", "out");
    g_assert_cmpint(recv.status, ==, 2);
    trace_has(recv.err, "1 ranks are blocked:\n");
    trace_has(recv.err, " rank 1: waits since 0 s for a message from rank 0, tag 6 (1 operations "
                        "outstanding); nobody receives the message from rank 0, tag 5\n");
    g_auto(CliAnswer) send = cli_run(folder, "run", "run.yaml", "-o", "out", "--set",
                                     "jobs[0].mechanism={type: host_mpi, eager_threshold: 1 B}");
    g_assert_cmpint(send.status, ==, 2);
    trace_has(send.err, "2 ranks are blocked:\n");
    trace_has(send.err,
              " rank 0: waits since 0 s for rank 1 to receive its message, tag 5 (1 operations "
              "outstanding)\n");
    g_assert_false(cli_exists(folder, "out/results.csv")); /* only complete runs have results */
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    cli_test_add("/trace-cli/info", test_info);
    cli_test_add("/trace-cli/check", test_check);
    cli_test_add("/trace-cli/stats", test_stats);
    cli_test_add("/trace-cli/convert", test_convert);
    cli_test_add("/trace-cli/iterations", test_iterations);
    cli_test_add("/trace-cli/errors", test_errors);
    cli_test_add("/trace-cli/run-errors", test_run_errors);
    cli_test_add("/trace-cli/run-stuck", test_run_stuck);
    return g_test_run();
}
