/* baseline_cli_test.c - `bound:` and `measured:` of a run, as summary.json has them. */
#include "commands/cli_test.h"
#include <json-glib/json-glib.h>
#include <string.h>

/* Three terminals on one switch, 100 Gb/s: 1 MB takes 80 us of a link, and 120 ns from end to end
 * (two wires of 10 ns, a switch of 100 ns). */
#define INCAST                                                                                     \
    CLI_SWITCH("3")                                                                                \
    "jobs: [{name: a, workload: {type: incast, bytes: 1 MB}, ranks: 3}]\n"                         \
    "sweep: {\"jobs[0].workload.bytes\": [1 MB, 2 MB]}\n"
#define HEADER "run,jobs[0].workload.bytes,job,metric,measured,tolerance_percent,evidence,reason\n"

static JsonNode *jobs_of(const CliFolder *f, guint point, JsonObject **job)
{
    g_autofree char *text = cli_read(f, "out/r/summary.json");
    g_assert_nonnull(text);
    JsonNode *root = json_from_string(text, NULL);
    JsonArray *points = json_object_get_array_member(json_node_get_object(root), "points");
    JsonObject *at = json_array_get_object_element(points, point);
    *job = json_array_get_object_element(json_object_get_array_member(at, "jobs"), 0);
    return root;
}

/* Two senders share the link to the third: 160 us for 1 MB each, where a message alone needs 80.12.
 * The bound is the link's; the simulation adds the path there. */
static void test_bound(CliFolder *f, gconstpointer unused)
{
    JsonObject *job;
    cli_write(f, "r.yaml", INCAST "bound: yes\n");
    g_auto(CliAnswer) a = cli_run(f, "run", "r.yaml");
    cli_assert_silent(&a);
    g_assert_cmpint(a.status, ==, 0);
    g_assert_nonnull(strstr(a.out, "bound (us)"));
    g_assert_null(strstr(a.out, "measured"));
    g_autoptr(JsonNode) root = jobs_of(f, 0, &job);
    double bound_us = json_object_get_double_member(job, "bound_us");
    double time_us =
        json_object_get_double_member(json_object_get_object_member(job, "time_us"), "median");
    g_assert_cmpfloat_with_epsilon(bound_us, 160.0, 0.001);
    g_assert_cmpfloat(time_us, >, bound_us);
    g_assert_cmpfloat(time_us, <, 160.5);
    g_assert_false(json_object_has_member(job, "peak_bps")); /* nodes have no links of their own */
    g_assert_false(json_object_has_member(job, "measured"));
}

/* As above, beside a job between two others: the bound is of the job's own messages. */
static void test_bound_among_jobs(CliFolder *f, gconstpointer unused)
{
    JsonObject *job;
    cli_write(f, "r.yaml",
              "machine: {fabric: {type: full_mesh, switches: 1, terminals_per_switch: 5, links: "
              "{terminal: {bandwidth: 100 Gb/s, latency: 20 ns, buffer: 64 KiB}}}}\nbound: yes\n"
              "jobs:\n  - {name: a, ranks: 3, workload: {type: incast, bytes: 1 MB}}\n"
              "  - {name: b, ranks: 2, workload: {type: disjoint, bytes: 4 MB}}\n");
    g_auto(CliAnswer) a = cli_run(f, "run", "r.yaml");
    g_assert_cmpint(a.status, ==, 0);
    g_autoptr(JsonNode) root = jobs_of(f, 0, &job);
    g_assert_cmpfloat_with_epsilon(json_object_get_double_member(job, "bound_us"), 160.0, 0.001);
    g_auto(CliAnswer) b = cli_run(f, "compare", "r.yaml", "--set", "jobs[1].background=yes");
    g_assert_cmpint(b.status, ==, 0);
    g_auto(GStrv) rows = g_strsplit(strstr(b.out, "\na "), " ", -1);
    guint n = 0;
    for (guint i = 1; rows[i] != NULL && n < 3; i++)
        if (rows[i][0] != '\0') {
            g_assert_cmpfloat_with_epsilon(g_ascii_strtod(rows[i], NULL), 160.0, 0.5);
            n++;
        }
    g_assert_cmpuint(n, ==, 3);
    /* an incast in the background has no iterations of its own, on no engine */
    g_auto(CliAnswer) c = cli_run(f, "compare", "r.yaml", "--set", "jobs[0].background=yes");
    g_assert_cmpint(c.status, ==, 0);
    g_assert_true(g_regex_match_simple("\na +- +- +- ", c.out, 0, 0));
}

/* Of random permutations some iterations are shorter than others: the bound is of the shortest of
 * all repetitions, so that no column is below it. */
static void test_bound_of_repetitions(CliFolder *f, gconstpointer unused)
{
    JsonObject *job;
    cli_write(f, "r.yaml",
              "machine: torus-4x4x4\nrepeat: 7\nseed: 6\nbound: yes\njobs: [{name: a, ranks: 8, "
              "workload: {type: permutation, pattern: random, bytes: 4 KiB}}]\n");
    g_auto(CliAnswer) a = cli_run(f, "run", "r.yaml");
    g_assert_cmpint(a.status, ==, 0);
    g_autoptr(JsonNode) root = jobs_of(f, 0, &job);
    JsonObject *time = json_object_get_object_member(job, "time_us");
    double bound_us = json_object_get_double_member(job, "bound_us");
    g_assert_cmpfloat(bound_us, <=, json_object_get_double_member(time, "min") + 5e-5);
    g_assert_cmpfloat(bound_us, >, 0.0);
}

/* De Sensi et al., SC 2024, section IV.A: 600 Gb/s are expected of a die of a LUMI node. */
static void test_peak(CliFolder *f, gconstpointer unused)
{
    JsonObject *job;
    cli_write(f, "r.yaml",
              "machine: lumi\nnodes: 1\nbound: yes\n"
              "jobs: [{name: a, workload: {type: alltoall, bytes: 4 KiB}}]\n");
    g_auto(CliAnswer) a = cli_run(f, "run", "r.yaml");
    g_assert_cmpint(a.status, ==, 0);
    g_autoptr(JsonNode) root = jobs_of(f, 0, &job);
    g_assert_cmpfloat_with_epsilon(json_object_get_double_member(job, "peak_bps"), 600e9, 1.0);
    g_assert_true(json_object_has_member(job, "bound_us"));
}

/* Rows of this run, by its name or by the name given, at the value the point has; others aside. The
 * results are the same with and without. */
static void test_measured(CliFolder *f, gconstpointer unused)
{
    JsonObject *job;
    cli_write(f, "m.csv",
              HEADER "r,1 MB,a,time_us,200,5,observed,made up\n"
                     "r,2MB,a,goodput_gbps,50,5,predicted,made up\n"
                     "other,2 MB,a,time_us,1,5,predicted,made up\n");
    cli_write(f, "r.yaml", INCAST);
    g_auto(CliAnswer) plain = cli_run(f, "run", "r.yaml", "-o", "plain");
    cli_write(f, "r.yaml", INCAST "measured: m.csv\n");
    g_auto(CliAnswer) a = cli_run(f, "run", "r.yaml");
    g_assert_cmpint(a.status, ==, 0);
    g_assert_nonnull(strstr(a.out, "measured  error %"));
    g_assert_null(strstr(plain.out, "measured"));
    g_autofree char *with = cli_read(f, "out/r/results.csv");
    g_autofree char *without = cli_read(f, "plain/results.csv");
    g_assert_cmpstr(with, ==, without);
    g_autoptr(JsonNode) root = jobs_of(f, 1, &job);
    JsonArray *all = json_object_get_array_member(job, "measured");
    g_assert_cmpuint(json_array_get_length(all), ==, 1);
    JsonObject *one = json_array_get_object_element(all, 0);
    g_assert_cmpstr(json_object_get_string_member(one, "metric"), ==, "goodput_gbps");
    g_assert_cmpstr(json_object_get_string_member(one, "evidence"), ==, "predicted");
    /* 2 x 16 Mbit over 320.12 us are 99.96 Gb/s: + 99.9 %. */
    g_assert_cmpfloat_with_epsilon(json_object_get_double_member(one, "error_percent"), 99.9, 0.2);
    cli_write(f, "r.yaml", INCAST "measured: {file: m.csv, run: other}\n");
    g_auto(CliAnswer)
        b = cli_run(f, "run", "r.yaml", "--set", "jobs[0].workload.bytes=2 MB"); /* swept no more */
    g_assert_cmpint(b.status, ==, 0);
    g_autoptr(JsonNode) again = jobs_of(f, 0, &job);
    g_assert_cmpuint(json_array_get_length(json_object_get_array_member(job, "measured")), ==, 1);
}

static void baseline_refuses(CliFolder *f, const char *text, const char *words)
{
    cli_write(f, "r.yaml", text);
    g_auto(CliAnswer) a = cli_run(f, "run", "r.yaml");
    g_assert_cmpint(a.status, ==, 2);
    if (strstr(a.err, words) == NULL)
        g_error("'%s' is not in '%s'", words, a.err);
    g_assert_false(cli_exists(f, "out"));
}

static void test_errors(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "m.csv", HEADER "x,1 MB,a,time_us,200,5,observed,made up\n");
    cli_write(f, "bad.csv", HEADER "r,1 MB,a,speed,200,5,observed,made up\n");
    cli_write(f, "few.csv", "job,metric\n");
    baseline_refuses(f, INCAST "measured: none.csv\n",
                     "r.yaml:14:11: measured: no file ./none.csv");
    baseline_refuses(f, INCAST "measured: m.csv\n", "m.csv:1:1: no row of a run 'r'");
    baseline_refuses(f, INCAST "measured: bad.csv\n",
                     "bad.csv:2:10: unknown metric 'speed'; known: ");
    baseline_refuses(f, INCAST "measured: few.csv\n", "few.csv:1:1: no column 'measured'");
    baseline_refuses(f, INCAST "measured: {run: r}\n", "missing key 'file'");
    baseline_refuses(f, INCAST "measured: [m.csv]\n", "measured: a name or a mapping is wanted");
    baseline_refuses(f, INCAST "bound: yes\nmeasure: {}\n", "bound: yes goes with jobs that end");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    cli_test_add("/baseline/bound", test_bound);
    cli_test_add("/baseline/bound-among-jobs", test_bound_among_jobs);
    cli_test_add("/baseline/bound-of-repetitions", test_bound_of_repetitions);
    cli_test_add("/baseline/peak", test_peak);
    cli_test_add("/baseline/measured", test_measured);
    cli_test_add("/baseline/errors", test_errors);
    return g_test_run();
}
