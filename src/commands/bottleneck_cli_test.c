/* bottleneck_cli_test.c - The bottleneck line names what limits where no link is busy for long. */
#include "commands/cli_test.h"

#define TORUS                                                                                      \
    "fabric:\n"                                                                                    \
    "  type: torus\n"                                                                              \
    "  dims: [4, 4]\n"                                                                             \
    "  terminals_per_switch: 1\n"                                                                  \
    "  links:\n"                                                                                   \
    "    terminal: {bandwidth: 100 Gb/s, latency: 100 ns, buffer: 64 KiB}\n"                       \
    "    link: {bandwidth: 50 Gb/s, latency: 50 ns, buffer: 64 KiB}\n"                             \
    "  switch: {latency: 100 ns}\n"

/* Runs the only job, or jobs, in @jobs on the torus: its output has @said, and not @wrong. */
static void assert_said(CliFolder *f, const char *jobs, const char *said, const char *wrong)
{
    g_autofree char *run = g_strdup_printf("machine: torus.yaml\njobs: %s\n", jobs);
    cli_write(f, "torus.yaml", TORUS);
    cli_write(f, "run.yaml", run);
    g_auto(CliAnswer) answer = cli_run(f, "run", "run.yaml");
    g_assert_cmpint(answer.status, ==, 0);
    g_assert_nonnull(strstr(answer.out, said));
    g_assert_null(strstr(answer.out, wrong));
}

/* A scan sends its megabyte over one link after the other. */
static void test_serialization(CliFolder *f, gconstpointer unused)
{
    assert_said(f, "[{name: a, workload: {type: scan, bytes: 1 MiB}}]",
                "; no single link limits; serialization and waits on one link after the other do "
                "(99.7 % of an iteration)",
                "latency does");
}

static void test_endpoints(CliFolder *f, gconstpointer unused)
{
    static const char rate[] =
        "[{name: a, ranks: 2, mechanism: {type: basic, t_issue: 1 us, "
        "t_recv: 1 us, rate: 9 Gb/s}, workload: {type: pingpong, bytes: %s}}]";
    g_autofree char *large = g_strdup_printf(rate, "16 MiB");
    g_autofree char *small = g_strdup_printf(rate, "8 B");
    assert_said(f, large, "; the endpoints' rate of 9 Gb/s a message does (100.0 %",
                "latency does");
    assert_said(f, small, "; the endpoints' costs do (81.", "latency does");
}

static void test_latency(CliFolder *f, gconstpointer unused)
{
    assert_said(f, "[{name: a, workload: {type: alltoall, bytes: 8 B}}]",
                "; latency does (15 steps of 621.5 ns, 99.8 % of it latency)", "serialization");
}

/* The time before a job's start is no idle time of its links. */
static void test_start(CliFolder *f, gconstpointer unused)
{
    assert_said(f, "[{name: a, start: 1 s, workload: {type: alltoall, bytes: 64 KiB}}]",
                "(link): busy 44.6 % of 201.4 us", "no single link");
}

/* Neither of the jobs computes; the second has the links to itself. */
static void test_load(CliFolder *f, gconstpointer unused)
{
    static const char both[] =
        "[{name: u, placement: [0, 1, 2, 3, 4, 5, 6, 7], workload: {type: uniform, bytes: 4 KiB, "
        "load: %s, messages: 2000, rate: 50 Gb/s}}, {name: r, start: 10 ms, "
        "placement: [8, 9, 10, 11], workload: {type: ring, bytes: 1 MiB}}]";
    g_autofree char *busy = g_strdup_printf(both, "0.3");
    g_autofree char *idle = g_strdup_printf(both, "0.1");
    assert_said(f, busy, "busy 16.8 % of 4.749 ms", "computation");
    assert_said(f, idle, "; of job u no single link limits; the load that it offers does",
                "computation");
}

/* By the times on ideal networks; without them nothing is said. */
static void test_replay(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "torus.yaml", TORUS);
    cli_write(f, "t.txt",
              "0 init\n1 init\n0 compute 1000000\n0 send 1 0 8\n1 recv 0 0 8\n0 finalize\n"
              "1 finalize\n");
    g_auto(CliAnswer) ideal = cli_run(f, "replay", "t.txt", "--on", "torus.yaml");
    g_assert_cmpint(ideal.status, ==, 0);
    g_assert_nonnull(strstr(ideal.out, "; the program does: without a network it takes 100.0 %"));
    g_auto(CliAnswer) none = cli_run(f, "replay", "t.txt", "--on", "torus.yaml", "--no-ideal");
    g_assert_cmpint(none.status, ==, 0);
    g_assert_nonnull(strstr(none.out, "; no single link limits\n"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    cli_test_add("/bottleneck/serialization", test_serialization);
    cli_test_add("/bottleneck/endpoints", test_endpoints);
    cli_test_add("/bottleneck/latency", test_latency);
    cli_test_add("/bottleneck/start", test_start);
    cli_test_add("/bottleneck/load", test_load);
    cli_test_add("/bottleneck/replay", test_replay);
    return g_test_run();
}
