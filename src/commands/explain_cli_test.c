/* explain_cli_test.c - `darner explain` through the program: splits that add up to the ps, delay
 * attribution that adds up to the delay, advice that a run bears out, wrong input. */
#include "commands/cli_test.h"
#include "base/csv.h"
#include <json-glib/json-glib.h>
#include <stdio.h>
#include <string.h>

#define PINGPONG                                                                                   \
    CLI_PAIR "jobs:\n  - name: a\n    workload: {type: pingpong, bytes: 16 KiB}\n"                 \
             "    placement: [0, 5]\n    iterations: 3\n"                                          \
             "    mechanism: {type: basic, t_start: 1 us, t_recv: 500 ns}\n"
#define VICTIM                                                                                     \
    CLI_PAIR "jobs:\n  - name: victim\n    workload: {type: pingpong, bytes: 16 KiB}\n"            \
             "    placement: [0, 5]\n    iterations: 5\n"                                          \
             "  - name: aggressor\n    background: true\n"                                         \
             "    workload: {type: incast, bytes: 64 KiB}\n    placement: [4, 1, 2, 6]\n"

/* A ring among the packets of an alltoall that sends as fast as the links let it. */
#define SLOWER                                                                                     \
    "machine:\n  fabric:\n    type: torus\n    assumed: round numbers\n    dims: [4, 4]\n"         \
    "    terminals_per_switch: 1\n    links:\n"                                                    \
    "      terminal: {bandwidth: 100 Gb/s, latency: 100 ns, buffer: 64 KiB}\n"                     \
    "      link: {bandwidth: 50 Gb/s, latency: 50 ns, buffer: 64 KiB}\n"                           \
    "    switch: {latency: 100 ns}\n"                                                              \
    "jobs:\n  - {name: victim, placement: [0, 5], iterations: 3, "                                 \
    "workload: {type: ring, bytes: 64 KiB}}\n"                                                     \
    "  - {name: aggressor, background: yes, placement: [1, 2, 4, 6, 8, 9, 10, 11, 13], "           \
    "workload: {type: alltoall, bytes: 256 KiB}}\n"

static JsonObject *explain_file(const CliFolder *f, const char *run, JsonParser *parser)
{
    g_autofree char *folder = g_build_filename("out", run, NULL);
    g_auto(CliAnswer) answer = cli_run(f, "explain", folder);
    cli_assert_silent(&answer);
    g_assert_cmpint(answer.status, ==, 0);
    g_autofree char *name = g_build_filename(folder, "explain.json", NULL);
    g_autofree char *text = cli_read(f, name);
    g_assert_nonnull(text);
    g_assert_true(json_parser_load_from_data(parser, text, -1, NULL));
    return json_node_get_object(json_parser_get_root(parser));
}

/* Of "path" (by "what"): @what's ps, or all. */
static gint64 path_ps(JsonObject *x, const char *what)
{
    JsonArray *path = json_object_get_array_member(x, "path");
    gint64 sum = 0;
    for (guint i = 0; i < json_array_get_length(path); i++) {
        JsonObject *part = json_array_get_object_element(path, i);
        if (what == NULL || strcmp(json_object_get_string_member(part, "what"), what) == 0)
            sum += json_object_get_int_member(part, "ps");
    }
    return sum;
}

/* The advice that begins so. */
static JsonObject *explain_advice(JsonObject *x, const char *prefix)
{
    JsonArray *list = json_object_get_array_member(x, "advice");
    for (guint i = 0; i < json_array_get_length(list); i++) {
        JsonObject *a = json_array_get_object_element(list, i);
        if (g_str_has_prefix(json_object_get_string_member(a, "what"), prefix))
            return a;
    }
    g_assert_not_reached();
}

/* Twice 1 us to start, 500 ns to receive, 240 ns of latency, 16 KiB at 100 ps a byte: 6756.8 ns;
 * each part as it is, and each is what the run without it saves. The link's own bytes are hidden
 * behind the first terminal's, so nothing is owed to it. With latencies of 1 ns a link, three links
 * a direction, 6 ns are left. */
static void test_pingpong(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "pp.yaml", PINGPONG);
    g_auto(CliAnswer) ran = cli_run(f, "run", "pp.yaml");
    g_assert_cmpint(ran.status, ==, 0);
    g_autoptr(JsonParser) parser = json_parser_new();
    JsonObject *x = explain_file(f, "pp", parser);
    g_assert_cmpint(json_object_get_int_member(x, "time_ps"), ==, 6756800);
    g_assert_cmpint(path_ps(x, NULL), ==, 6756800);
    g_assert_cmpint(path_ps(x, "endpoint"), ==, 3000000);
    g_assert_cmpint(path_ps(x, "wire: latency"), ==, 480000);
    g_assert_cmpint(path_ps(x, "wire: own bytes"), ==, 2 * 1638400);
    g_assert_cmpint(json_object_get_int_member(x, "messages_delay_ps"), ==, 0);
    JsonObject *endpoint = explain_advice(x, "A mechanism");
    g_assert_cmpint(json_object_get_int_member(endpoint, "at_most_ps"), ==, 3000000);
    g_assert_cmpint(json_object_get_int_member(endpoint, "iteration_then_ps"), ==, 3756800);
    JsonObject *latency = explain_advice(x, "Shortening the latency");
    g_assert_cmpint(json_object_get_int_member(latency, "iteration_then_ps"), ==, 6282800);
    JsonObject *terminal = explain_advice(x, "Raising the bandwidth of links 'terminal'");
    g_assert_cmpint(json_object_get_int_member(terminal, "at_most_ps"), ==, 2 * 1638400);
}

/* A call of two ranks costs 1 us and twice 500 ns: an endpoint's, all of it gone without. */
static void test_calls(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "call.yaml",
              CLI_PAIR "jobs:\n  - name: a\n    workload: {type: pingpong, bytes: 16 KiB}\n"
                       "    placement: [0, 5]\n"
                       "    mechanism: {type: ccl, t_launch: 1 us, t_pair: 500 ns}\n");
    g_auto(CliAnswer) ran = cli_run(f, "run", "call.yaml");
    g_assert_cmpint(ran.status, ==, 0);
    g_autoptr(JsonParser) parser = json_parser_new();
    JsonObject *x = explain_file(f, "call", parser);
    g_assert_cmpint(path_ps(x, "endpoint"), ==, 2000000);
    g_assert_cmpint(path_ps(x, NULL), ==, 2000000 + 3756800);
    JsonObject *endpoint = explain_advice(x, "A mechanism");
    g_assert_cmpint(json_object_get_int_member(endpoint, "iteration_then_ps"), ==, 3756800);
}

static void sum_delays(const CliFolder *f, const char *of, gint64 *sum, gint64 *others)
{
    GError *error = NULL;
    g_autofree char *text = cli_read(f, "out/victim/delay_attribution.csv");
    g_autoptr(DnCsv) csv = dn_csv_parse(text, "delay_attribution.csv", &error);
    g_assert_no_error(error);
    guint column[] = {(guint)dn_csv_column(csv, "of"), (guint)dn_csv_column(csv, "aggressor"),
                      (guint)dn_csv_column(csv, "time_ps")};
    *sum = *others = 0;
    for (guint i = 0; i < csv->rows->len; i++) {
        const DnCsvRow *row = csv->rows->pdata[i];
        if (strcmp(row->cells[column[0]], of) != 0)
            continue;
        gint64 ps = g_ascii_strtoll(row->cells[column[2]], NULL, 10);
        *sum += ps;
        *others += strcmp(row->cells[column[1]], "aggressor") == 0 ? ps : 0;
    }
}

/* Alone the round trip takes twice 240 ns and 16 KiB at 100 ps a byte, 3,756.8 ns: the delay is
 * the rest, to the ps, all of it caused by the incast, in every table; and a run without the incast
 * takes just that time. The same with two threads. */
static void test_victim(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "victim.yaml", VICTIM);
    g_auto(CliAnswer) ran = cli_run(f, "run", "victim.yaml");
    g_assert_cmpint(ran.status, ==, 0);
    g_autoptr(JsonParser) parser = json_parser_new();
    JsonObject *x = explain_file(f, "victim", parser);
    gint64 time_ps = json_object_get_int_member(x, "time_ps");
    gint64 delay_ps = time_ps - 3756800, sum, others;
    g_assert_cmpint(delay_ps, >, 1000000);
    g_assert_cmpint(path_ps(x, NULL), ==, time_ps);
    g_assert_cmpint(path_ps(x, "queueing") + path_ps(x, "waiting for credits"), ==, delay_ps);
    g_assert_cmpint(json_object_get_int_member(x, "messages_delay_ps"), ==, delay_ps);
    sum_delays(f, "path", &sum, &others);
    g_assert_cmpint(sum, ==, delay_ps);
    g_assert_cmpint(others, ==, delay_ps);
    sum_delays(f, "messages", &sum, &others);
    g_assert_cmpint(sum, ==, delay_ps);
    JsonObject *alone = explain_advice(x, "Keeping other jobs");
    g_assert_cmpint(json_object_get_int_member(alone, "at_most_ps"), ==, delay_ps);
    g_assert_cmpint(json_object_get_int_member(alone, "iteration_then_ps"), ==, 3756800);
    g_autofree char *once = cli_read(f, "out/victim/explain.json");
    g_auto(CliAnswer) again = cli_run(f, "explain", "out/victim", "-t", "2");
    g_autofree char *twice = cli_read(f, "out/victim/explain.json");
    g_assert_cmpint(again.status, ==, 0);
    g_assert_cmpstr(once, ==, twice);
}

/* Three to one: the last message waits for the others' twice 16 KiB, 3,276.8 ns, of an iteration of
 * three times 1,638.4 ns and 120 ns of latency. */
static void test_incast(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "in.yaml",
              CLI_PAIR "jobs:\n  - name: in\n    workload: {type: incast, bytes: 16 KiB}\n"
                       "    placement: [0, 1, 2, 3]\n");
    g_auto(CliAnswer) ran = cli_run(f, "run", "in.yaml");
    g_assert_cmpint(ran.status, ==, 0);
    g_autoptr(JsonParser) parser = json_parser_new();
    JsonObject *x = explain_file(f, "in", parser);
    gint64 time_ps = json_object_get_int_member(x, "time_ps");
    g_assert_cmpint(time_ps, ==, 3 * 1638400 + 120000);
    g_assert_cmpint(path_ps(x, "queueing") + path_ps(x, "waiting for credits"), ==, 2 * 1638400);
    g_assert_cmpint(path_ps(x, "wire: own bytes"), ==, 1638400);
}

/* Explained is the run that was run, also where packets of the incast stand for eight each: the
 * same iteration takes the same time, and the incast is the cause. */
static void test_aggregation(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "eight.yaml", VICTIM "    packet_aggregation: 8\n");
    g_auto(CliAnswer) eight = cli_run(f, "run", "eight.yaml");
    g_assert_cmpint(eight.status, ==, 0);
    GError *error = NULL;
    g_autofree char *text = cli_read(f, "out/eight/samples.csv");
    g_autoptr(DnCsv) csv = dn_csv_parse(text, "samples.csv", &error);
    g_assert_no_error(error);
    guint column = (guint)dn_csv_column(csv, "time_s"), slowest = 0;
    double most_s = 0.0;
    for (guint i = 0; i < 5; i++) { /* the victim's */
        double time_s =
            g_ascii_strtod(((const DnCsvRow *)csv->rows->pdata[i])->cells[column], NULL);
        slowest = time_s > most_s ? i : slowest;
        most_s = MAX(most_s, time_s);
    }
    g_autoptr(JsonParser) parser = json_parser_new();
    JsonObject *x = explain_file(f, "eight", parser);
    g_assert_cmpint(json_object_get_int_member(x, "iteration"), ==, slowest + 1);
    /* A ping-pong counts half of it. */
    g_assert_cmpfloat_with_epsilon((double)json_object_get_int_member(x, "time_ps") * 1e-12,
                                   2.0 * most_s, 2e-12);
    g_autofree char *flows = cli_read(f, "out/eight/delaying_flows.csv");
    g_assert_nonnull(strstr(flows, "path,victim,aggressor,"));
}

/* Drawn jobs are causes by their own names, with their sizes and what they sent. */
static void test_drawn(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "drawn.yaml",
              "machine: {name: dragonfly-1056, fabric: {groups: 3}}\n"
              "background: {utilisation: 100 %, sizes: {16: 1}, traffic: {type: tenant, "
              "alltoall: 1, halo: 0, incast: 0, io: 0, intensity: {1.0: 1}, burst: 100 us, "
              "bytes: 64 KiB}}\n"
              "jobs:\n  - {name: victim, workload: {type: alltoall, bytes: 16 KiB}, ranks: 16, "
              "placement: random_node}\n");
    g_auto(CliAnswer) ran = cli_run(f, "run", "drawn.yaml", "-q");
    g_auto(CliAnswer) why = cli_run(f, "explain", "out/drawn", "--no-reruns");
    g_assert_cmpint(ran.status | why.status, ==, 0);
    g_assert_nonnull(strstr(why.out, "traffic ahead: job       pattern"));
    g_assert_nonnull(strstr(why.out, "background-0 (16 nodes)  alltoall"));
    g_autofree char *flows = cli_read(f, "out/drawn/delaying_flows.csv");
    g_assert_nonnull(strstr(flows, "path,victim,background-0 (16 nodes),alltoall,node "));
    g_autofree char *text = cli_read(f, "out/drawn/delay_attribution.csv");
    g_autoptr(DnCsv) csv = dn_csv_parse(text, "delay_attribution.csv", NULL);
    g_assert_cmpuint(csv->rows->len, >, 4);
    guint waited = (guint)dn_csv_column(csv, "who_waited_for");
    for (guint i = 0; i < csv->rows->len; i++)
        g_assert_cmpstr(((const DnCsvRow *)csv->rows->pdata[i])->cells[waited], !=, "");
}

/* Of three repetitions the one with the slowest iteration. */
static void test_repetitions(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "rep.yaml",
              "repeat: 3\n" CLI_PAIR
              "jobs:\n  - {name: victim, workload: {type: pingpong, bytes: 16 KiB}, "
              "placement: [0, 5], iterations: 2}\n"
              "  - {name: aggressor, background: true, workload: {type: uniform, bytes: 16 KiB, "
              "load: 0.5, rate: 100 Gb/s}, placement: [4, 1, 2, 6]}\n");
    g_auto(CliAnswer) ran = cli_run(f, "run", "rep.yaml");
    g_assert_cmpint(ran.status, ==, 0);
    g_autoptr(JsonParser) parser = json_parser_new();
    JsonObject *x = explain_file(f, "rep", parser);
    gint64 slowest_ps = json_object_get_int_member(x, "time_ps");
    gint64 chosen = json_object_get_int_member(x, "repetition"), most_ps = 0;
    static const char *const repetitions[] = {"0", "1", "2"};
    for (guint r = 0; r < 3; r++) {
        g_auto(CliAnswer) one = cli_run(f, "explain", "out/rep", "-r", repetitions[r]);
        g_assert_cmpint(one.status, ==, 0);
        g_autofree char *text = cli_read(f, "out/rep/explain.json");
        g_assert_true(json_parser_load_from_data(parser, text, -1, NULL));
        x = json_node_get_object(json_parser_get_root(parser));
        gint64 ps = json_object_get_int_member(x, "time_ps");
        if ((gint64)r == chosen)
            g_assert_cmpint(ps, ==, slowest_ps);
        most_ps = MAX(most_ps, ps);
    }
    g_assert_cmpint(most_ps, ==, slowest_ps);
}

static void explain_refused(const CliFolder *f, const char *const *words, const char *part)
{
    g_auto(CliAnswer) answer = cli_run_words(f, words);
    g_assert_cmpint(answer.status, ==, 2);
    g_assert_cmpstr(answer.out, ==, "");
    if (strstr(answer.err, part) == NULL)
        g_error("'%s' is not in: %s", part, answer.err);
}
#define REFUSED(part, ...)                                                                         \
    explain_refused(f, (const char *const[]){"explain", __VA_ARGS__, NULL}, part)

static void test_refused(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "pp.yaml", PINGPONG);
    cli_write(f, "flow.yaml", PINGPONG "engine: bound\n");
    g_auto(CliAnswer) ran = cli_run(f, "run", "pp.yaml");
    g_auto(CliAnswer) bound = cli_run(f, "run", "flow.yaml");
    g_assert_cmpint(ran.status | bound.status, ==, 0);
    REFUSED("one folder that a run wrote is wanted", "a", "b");
    REFUSED("wanted: the folder a run wrote", "out/none");
    REFUSED("has points 0 to 0", "out/pp", "-p", "1");
    REFUSED("iterations 1 to 3", "out/pp", "-i", "4");
    REFUSED("did you mean 'a'", "out/pp", "--job", "aa");
    REFUSED("warning: -j is now called --job", "out/pp", "-j", "aa");
    REFUSED("--point is out of range", "out/pp", "-p", "-1");
    REFUSED("--set engine=packet", "out/flow");
    cli_write(f, "pp.yaml", PINGPONG "seed: 2\n");
    REFUSED("says something else than when out/pp was run", "out/pp");
    cli_write(f, "out/pp/timing.json", "{\"cpu_s\": 1}\n");
    REFUSED("run it again with `darner run`", "out/pp");
    cli_write(f, "out/pp/timing.json", "{");
    REFUSED("not what a run wrote", "out/pp");
}

/* A run is explained from the files that it read, or not at all. */
static void test_changed(CliFolder *f, gconstpointer unused)
{
    static const char machine[] = "fabric: {type: full_mesh, switches: 2, assumed: any, "
                                  "terminals_per_switch: 1, links: {"
                                  "terminal: {bandwidth: %d Gb/s, latency: 10 ns, buffer: 64 KiB}, "
                                  "link: {bandwidth: 100 Gb/s, latency: 10 ns, buffer: 64 KiB}}, "
                                  "switch: {latency: 100 ns}}\n";
    g_autofree char *fast = g_strdup_printf(machine, 100);
    g_autofree char *slow = g_strdup_printf(machine, 50);
    cli_write(f, "m.yaml", fast);
    cli_write(f, "r.yaml",
              "machine: m.yaml\njobs: [{name: a, workload: {type: pingpong, bytes: 8 B}}]\n");
    cli_write(f, "t.txt", "0 init\n1 init\n0 send 1 0 8\n1 recv 0 0 8\n0 finalize\n1 finalize\n");
    g_auto(CliAnswer) ran = cli_run(f, "run", "r.yaml");
    g_auto(CliAnswer) replayed = cli_run(f, "replay", "t.txt", "--on", "m.yaml", "-o", "out/t");
    g_auto(CliAnswer) good = cli_run(f, "explain", "out/r", "--no-reruns");
    g_auto(CliAnswer) too = cli_run(f, "explain", "out/t", "--no-reruns");
    g_assert_cmpint(ran.status | replayed.status | good.status | too.status, ==, 0);
    cli_write(f, "m.yaml", slow);
    REFUSED("/m.yaml: has changed since out/r was run; run it again\n", "out/r");
    REFUSED("/m.yaml: has changed since out/t was run; run it again\n", "out/t");
    cli_write(f, "m.yaml", fast);
    g_autofree char *there = g_build_filename(f->dir, "r.yaml", NULL);
    g_autofree char *moved = g_build_filename(f->dir, "moved.yaml", NULL);
    g_assert_cmpint(rename(there, moved), ==, 0);
    REFUSED("/r.yaml: the run file of out/r is not there any more; move it back, or run it again "
            "where it is now\n",
            "out/r");
}

/* Without a limit on what the links carry, the background sends more, and the victim is slower. */
static void test_slower(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "slow.yaml", SLOWER);
    g_auto(CliAnswer) ran = cli_run(f, "run", "slow.yaml");
    g_auto(CliAnswer) why = cli_run(f, "explain", "out/slow");
    g_assert_cmpint(ran.status | why.status, ==, 0);
    const char *first =
        strstr(why.out, "\nwhat to change first (a limit that is raised is removed)");
    const char *slower = strstr(why.out, "\nwhat makes it slower, as other traffic speeds up");
    g_assert_nonnull(first);
    g_assert_nonnull(slower);
    g_assert_null(g_strstr_len(first, slower - first, " % more"));
    g_assert_nonnull(strstr(slower, " % more.\n"));
}

/* More than a second of simulation, where AddressSanitizer makes it several times as long, too. */
#ifdef __SANITIZE_ADDRESS__
#define LONG "1200 kB"
#else
#define LONG "3 MB"
#endif

/* What takes more than a second says what it will take, as a run does. */
static void test_estimate(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "long.yaml",
              CLI_PAIR "jobs:\n - {name: a, workload: {type: alltoall, bytes: " LONG "}}\n");
    g_auto(CliAnswer) ran = cli_run(f, "run", "long.yaml");
    g_assert_cmpint(ran.status, ==, 0);
    g_auto(CliAnswer) a = cli_run(f, "explain", "out/long", "--no-reruns");
    g_assert_cmpint(a.status, ==, 0);
    g_assert_nonnull(strstr(a.err, "estimate, by the first seconds: about "));
    g_assert_nonnull(strstr(a.err, " in one process for 2 runs, "));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    cli_test_add("/explain/pingpong", test_pingpong);
    cli_test_add("/explain/calls", test_calls);
    cli_test_add("/explain/victim", test_victim);
    cli_test_add("/explain/incast", test_incast);
    cli_test_add("/explain/packet-aggregation", test_aggregation);
    cli_test_add("/explain/drawn", test_drawn);
    cli_test_add("/explain/repetitions", test_repetitions);
    cli_test_add("/explain/refused", test_refused);
    cli_test_add("/explain/changed", test_changed);
    cli_test_add("/explain/slower", test_slower);
    cli_test_add("/explain/estimate", test_estimate);
    return g_test_run();
}
