/* validate_cli_test.c - `darner validate` must fail when something is wrong, and say where. */
#include "commands/cli_test.h"
#include <json-glib/json-glib.h>
#include <glib/gstdio.h>
#include <string.h>

/* On this machine of round numbers a message of b bytes between two terminals of one switch, over
 * two links of 100 Gb/s and 10 ns and a switch of 100 ns, takes 120 ns plus 80 ps a byte (heads cut
 * through). 1 MB: 80.12 us there, as much back; half of both is reported. */
#define RUN                                                                                        \
    CLI_SWITCH("2")                                                                                \
    "jobs:\n"                                                                                      \
    "  - {name: a, workload: {type: pingpong, bytes: 1 MB}, ranks: 2}\n"                           \
    "sweep: {\"jobs[0].workload.bytes\": [1 MB, 2 MB]}\n"
#define HEADER "jobs[0].workload.bytes,job,metric,measured,tolerance_percent,evidence,reason\n"

static void write_case(const CliFolder *f, const char *rows, const char *limits)
{
    g_autofree char *expected = g_strconcat(HEADER, rows, NULL);
    cli_write(f, "case/run.yaml", RUN);
    cli_write(f, "case/expected.csv", expected);
    if (limits != NULL)
        cli_write(f, "case/case.yaml", limits);
}

static void test_passes(CliFolder *f, gconstpointer unused)
{
    write_case(f,
               "1 MB,a,time_us,80.12,0.5,predicted,closed form\n"
               "2MB,a,goodput_gbps,99.9,0.5,predicted,\"16 Mbit over 160.12 us, closed form\"\n"
               "1 MB,a,time_us,1,0,observed,never gates\n",
               "median_percent: 1\nworst_percent: 1\n");
    g_auto(CliAnswer) a = cli_run(f, "validate", "./case", "--json", "v.json");
    g_assert_cmpstr(a.err, ==, "");
    g_assert_cmpint(a.status, ==, 0);
    g_autofree char *text = cli_read(f, "v.json");
    g_autoptr(JsonParser) parser = json_parser_new();
    g_assert_true(json_parser_load_from_data(parser, text, -1, NULL));
    JsonObject *root = json_node_get_object(json_parser_get_root(parser));
    g_assert_true(json_object_get_boolean_member(root, "passed"));
    JsonArray *cases = json_object_get_array_member(root, "cases");
    JsonObject *one = json_array_get_object_element(cases, 0);
    g_assert_cmpstr(json_object_get_string_member(one, "name"), ==, "case");
    g_assert_cmpuint(json_array_get_length(json_object_get_array_member(one, "points")), ==, 3);
}

/* A case of the full tier runs when it is named, and not by itself without --full. */
static void test_tiers(CliFolder *f, gconstpointer unused)
{
    const char *row = HEADER "1 MB,a,time_us,80.12,0.5,predicted,closed form\n";
    g_autofree char *root = g_strdup(g_getenv("DARNER_ROOT"));
    g_setenv("DARNER_ROOT", f->dir, TRUE);
    cli_write(f, "validation/slow/run.yaml", RUN);
    cli_write(f, "validation/slow/expected.csv", row);
    cli_write(f, "validation/slow/case.yaml", "tier: full\n");
    cli_write(f, "validation/fast/run.yaml", RUN);
    cli_write(f, "validation/fast/expected.csv", row);
    g_auto(CliAnswer) quick = cli_run(f, "validate"), all = cli_run(f, "validate", "--full"),
                      named = cli_run(f, "validate", "slow"), list = cli_run(f, "validate", "-l");
    g_assert_nonnull(strstr(quick.out, "\n1 case, 0 missed"));
    g_assert_null(strstr(quick.out, "slow"));
    g_assert_nonnull(strstr(all.out, "\n2 cases, 0 missed"));
    g_assert_nonnull(strstr(named.out, "\n1 case, 0 missed"));
    g_assert_cmpstr(list.out, ==, "fast\nslow\n");
    cli_write(f, "validation/slow/case.yaml", "tier: fast\n");
    g_auto(CliAnswer) wrong = cli_run(f, "validate");
    g_assert_cmpint(wrong.status, ==, 2);
    g_assert_nonnull(strstr(wrong.err, "case.yaml:1:7: "));
    if (root != NULL)
        g_setenv("DARNER_ROOT", root, TRUE);
    else
        g_unsetenv("DARNER_ROOT");
}

static void expect_missed(CliFolder *f, const char *rows, const char *limits, const char *said)
{
    write_case(f, rows, limits);
    g_auto(CliAnswer) a = cli_run(f, "validate", "./case");
    if (a.status != 1 || strstr(a.out, said) == NULL)
        g_error("status %d, wanted '%s', said: %s%s", a.status, said, a.out, a.err);
}

static void test_misses(CliFolder *f, gconstpointer unused)
{
    /* a wrong expected value, 2 % off with 1 % allowed */
    expect_missed(f, "1 MB,a,time_us,81.72,1,predicted,wrong\n", NULL, "1 case, 1 missed");
    expect_missed(f, "1 MB,a,time_us,81.72,1,calibrated,wrong\n", NULL, "1 case, 1 missed");
    /* a size that the sweep lacks, a job that does not exist: missing, not skipped */
    expect_missed(f, "3 MB,a,time_us,240.12,50,predicted,missing\n", NULL, "missing");
    expect_missed(f, "1 MB,b,time_us,80.12,50,predicted,missing\n", NULL, "missing");
    expect_missed(f, "1 MB,b,time_us,80.12,50,observed,missing\n", NULL, "missing");
    /* each point within its own tolerance, the case's limits not kept */
    expect_missed(f, "1 MB,a,time_us,81.72,5,predicted,\n", "median_percent: 1\n", "allowed 1 %");
    expect_missed(f, "1 MB,a,time_us,81.72,5,predicted,\n", "worst_percent: 1\n", "allowed 1 %");
}

#define PLAIN "median_percent: 1000\n"
#define OVER_HEADER                                                                                \
    "jobs[0].workload.bytes,job,metric,relation,measured,tolerance_percent,evidence,reason\n"

static int validate_rows(CliFolder *f, const char *rows, const char *limits, char **out)
{
    g_autofree char *expected = g_strconcat(OVER_HEADER, rows, NULL);
    cli_write(f, "case/run.yaml", RUN);
    cli_write(f, "case/expected.csv", expected);
    cli_write(f, "case/case.yaml", limits);
    g_auto(CliAnswer) a = cli_run(f, "validate", "./case");
    g_free(*out);
    *out = g_strconcat(a.out, a.err, NULL);
    return a.status;
}

/* 80.12 us of 1 MB over 160.12 us of 2 MB is 0.50037; the least of both is the first itself; mean
 * and median of one iteration are one. Relations allow one side alone. */
static void test_over(CliFolder *f, gconstpointer unused)
{
    g_autofree char *out = NULL;
    static const struct {
        const char *rows, *limits;
        int status;
    } cases[] = {
        {"1 MB,a,time_us over jobs[0].workload.bytes=2MB,,0.50037,0.01,predicted,\n"
         "2 MB,a,time_us over jobs[0].workload.bytes=1 MB|2 MB,=,1.99850,0.01,predicted,\n"
         "2 MB,a,time_us over time_mean_us,,1,0.01,predicted,\n"
         "1 MB,a,time_us,>=,80,0,predicted,\n1 MB,a,time_us,<=,81,0,predicted,\n",
         PLAIN, 0},
        {"1 MB,a,time_us,>=,81,0,predicted,\n", PLAIN, 1},
        {"1 MB,a,time_us,<=,80,0,predicted,\n", PLAIN, 1},
        {"1 MB,a,time_us over jobs[0].workload.bytes=1 MB|2 MB,,0.50037,0.01,predicted,\n", PLAIN,
         1},
        /* no NIC counts on this machine; what is observed must be there */
        {"1 MB,a,packet_qcd,,1,0,predicted,\n", PLAIN, 1},
        {"1 MB,a,packet_qcd,,1,0,observed,\n", PLAIN, 1},
        {"1 MB,a,time_us,=>,81,0,predicted,\n", PLAIN, 2},
        {"1 MB,a,time_us over tim_us,,81,0,predicted,\n", PLAIN, 2},
        {"1 MB,a,time_us over jobs[0].workload.bytes=3 MB,,81,0,predicted,\n", PLAIN, 2},
    };
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        int status = validate_rows(f, cases[i].rows, cases[i].limits, &out);
        if (status != cases[i].status)
            g_error("row %u: status %d: %s", i, status, out);
    }
    g_assert_nonnull(strstr(out, "over jobs[0].workload.bytes=3 MB: run 'run' does not sweep to "
                                 "that"));
}

/* What is one-sided holds, give or take its own tolerance, or does not; its error is no error of
 * the others. 80.12 against 80 us is 0.15 %. */
static void test_claims(CliFolder *f, gconstpointer unused)
{
    g_autofree char *out = NULL;
    int status = validate_rows(f,
                               "1 MB,a,time_us,>=,80,0,predicted,\n"
                               "1 MB,a,time_us,<=,80,1,predicted,\n"
                               "1 MB,a,time_us,,80,1,predicted,\n",
                               "worst_percent: 0.2\n", &out);
    g_assert_cmpint(status, ==, 0);
    g_assert_nonnull(strstr(out, "3 points, 2 of 2 claims hold, median |error| 0.15 %"));
    status = validate_rows(f,
                           "1 MB,a,time_us,>=,80,0,predicted,\n"
                           "1 MB,a,time_us,<=,80,0.1,predicted,\n",
                           PLAIN, &out);
    g_assert_cmpint(status, ==, 1);
    g_assert_nonnull(strstr(out, "2 points, 1 of 2 claims hold"));
    status = validate_rows(f, "1 MB,a,time_us,>=,80,0,predicted,\n", "worst_percent: 1\n", &out);
    g_assert_cmpint(status, ==, 0);
    g_assert_nonnull(strstr(out, "1 point, 1 of 1 claims hold: ok"));
}

#define KNOWN "case,run,point,job,metric,cause\n"

/* A listed point does not fail the case and counts in the median; one that holds by now does. */
static void test_known(CliFolder *f, gconstpointer unused)
{
    write_case(f, "1 MB,a,time_us,70,1,predicted,\n2 MB,a,time_us,160.12,1,predicted,\n", NULL);
    cli_write(f, "known-misses.csv",
              "# closed\n" KNOWN "case,run,jobs[0].workload.bytes 1 MB,a,time_us,no model\n");
    g_auto(CliAnswer) a = cli_run(f, "validate", "./case");
    g_assert_cmpint(a.status, ==, 0);
    g_assert_nonnull(strstr(a.out, "known miss"));
    g_assert_nonnull(strstr(a.out, "median |error| 7.23 %, worst |error| 14.46 %, 1 known miss"));
    write_case(f, "1 MB,a,time_us,80.12,1,predicted,\n", NULL);
    g_auto(CliAnswer) b = cli_run(f, "validate", "./case");
    g_assert_cmpint(b.status, ==, 1);
    g_assert_nonnull(strstr(b.out, "KNOWN MISS HOLDS"));
    cli_write(f, "known-misses.csv", KNOWN "case,run,,a,time_us,\n");
    g_auto(CliAnswer) c = cli_run(f, "validate", "./case");
    g_assert_cmpint(c.status, ==, 2);
    g_assert_nonnull(strstr(c.err, "known-misses.csv:2:21: a known miss needs a cause"));
}

/* Nobody else is on the network of these runs, so that engine bound is as good: vacuous. */
static void test_null(CliFolder *f, gconstpointer unused)
{
    write_case(f, "1 MB,a,time_us,80.12,1,predicted,\n1 MB,a,time_us,70,1,predicted,\n", NULL);
    g_auto(CliAnswer) null = cli_run(f, "validate", "./case", "--null", "bound", "--keep", "k");
    g_assert_cmpint(null.status, ==, 0);
    g_assert_true(cli_exists(f, "k/bound/case.csv"));
    g_assert_false(cli_exists(f, "k/case.csv"));
    g_auto(CliAnswer) a = cli_run(f, "validate", "./case", "--keep", "k", "--json", "v.json");
    g_autofree char *text = cli_read(f, "v.json");
    g_auto(GStrv) parts = g_strsplit(text, "\"vacuous\" : true", -1);
    g_assert_cmpint(a.status, ==, 1);
    g_assert_cmpuint(g_strv_length(parts), ==, 2);
    g_auto(CliAnswer) wrong = cli_run(f, "validate", "./case", "--null", "none", "--keep", "k");
    g_assert_cmpint(wrong.status, ==, 2);
    g_assert_nonnull(strstr(wrong.err, "wanted: `idle` or `bound`, with --keep FOLDER"));
}

/* What repeats a calibrated point's result to the digit is calibrated; so is a rate that comes of
 * the same time a message. The old name of the column is read, with a warning. */
static void test_echo(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "case/run.yaml", RUN);
    cli_write(f, "case/expected.csv",
              "jobs[0].workload.bytes,job,metric,measured,tolerance_percent,role,reason\n"
              "1 MB,a,time_us,80.12,1,calibrated,\n1 MB,a,time_us,80.5,1,predicted,\n"
              "2 MB,a,time_us,160.12,1,predicted,\n2 MB,a,time_us,160.2,1,developed,\n");
    g_auto(CliAnswer) a = cli_run(f, "validate", "./case");
    g_assert_cmpint(a.status, ==, 0);
    g_assert_nonnull(strstr(a.err, "warning: the column 'role' is now called 'evidence'"));
    g_assert_nonnull(strstr(a.out, "calibrated: 2 points"));
    g_assert_nonnull(strstr(a.out, "developed: 1 point,"));
    g_assert_nonnull(strstr(a.out, "predicted: 1 point,"));
}

static void expect_wrong(CliFolder *f, const char *rows, const char *limits, const char *said)
{
    write_case(f, rows, limits);
    g_auto(CliAnswer) a = cli_run(f, "validate", "./case");
    if (a.status != 2 || strstr(a.err, said) == NULL)
        g_error("status %d, wanted '%s', said: %s%s", a.status, said, a.out, a.err);
}

static void test_wrong(CliFolder *f, gconstpointer unused)
{
    expect_wrong(f, "1 MB,a,time,80,1,predicted,\n", NULL,
                 "expected.csv:2:8: unknown metric 'time'");
    expect_wrong(f, "1 MB,a,time_us,80,1,guess,\n", NULL,
                 "expected.csv:2:21: unknown evidence 'guess'");
    expect_wrong(f, "1 MB,a,time_us,8o,1,predicted,\n", NULL, "expected.csv:2:16: '8o'");
    expect_wrong(f, "1 MB,a,time_us,0,1,predicted,\n", NULL, "expected.csv:2:16: out of range");
    expect_wrong(f, "1 MB,a,time_us,80,-1,predicted,\n", NULL, "expected.csv:2:19: out of range");
    expect_wrong(f, ",a,time_us,80,1,predicted,\n", NULL, "give its value");
    expect_wrong(f, "1 MB,a,time_us,80\n", NULL, "expected.csv:2:1: this line has 4 cells");
    expect_wrong(f, "", NULL, "no row below the header");
    expect_wrong(f, "1 MB,a,time_us,80.12,1,predicted,\n", "median: 1\n", "case.yaml:1:1: ");
    cli_write(f, "case/case.yaml", "median_percent: 5\n");
    cli_write(f, "case/expected.csv", "job,metric,measured,role,reason\na,time_us,1,observed,\n");
    g_auto(CliAnswer) column = cli_run(f, "validate", "./case");
    g_assert_cmpint(column.status, ==, 2);
    g_assert_nonnull(strstr(column.err, "no column 'tolerance_percent'"));
    g_auto(CliAnswer) none = cli_run(f, "validate", "./nothing");
    g_assert_cmpint(none.status, ==, 2);
    g_assert_nonnull(strstr(none.err, "not a validation case"));
}

#define TWO_HEADER                                                                                 \
    "run,jobs[0].workload.bytes,job,metric,measured,tolerance_percent,evidence,reason\n"

/* A case of two runs, at once: the same words. */
static void test_jobs(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "case/one.yaml", RUN);
    cli_write(f, "case/two.yaml", RUN);
    cli_write(f, "case/expected.csv",
              TWO_HEADER "one,1 MB,a,time_us,80.12,0.5,predicted,closed form\n"
                         "two,2 MB,a,time_us,160.12,0.5,predicted,closed form\n");
    g_auto(CliAnswer) turn = cli_run(f, "validate", "./case"),
                      once = cli_run(f, "validate", "./case", "--jobs", "3"),
                      none = cli_run(f, "validate", "./case", "--jobs", "0");
    g_assert_cmpint(turn.status, ==, 0);
    g_assert_cmpint(once.status, ==, 0);
    g_assert_cmpstr(turn.out, ==, once.out);
    g_assert_cmpint(none.status, ==, 2);
    g_assert_nonnull(strstr(none.err, "--jobs 0 is out of range; allowed: 1 to 1024"));
    /* What was stopped after its first run goes on with the second. That the first is not run again
     * shows in its value, which no simulation gives. */
    g_auto(CliAnswer) kept = cli_run(f, "validate", "./case", "--keep", "k", "--jobs", "2");
    g_assert_cmpint(kept.status, ==, 0);
    g_autofree char *whole = cli_read(f, "k/case.csv");
    g_assert_nonnull(whole);
    g_assert_false(cli_exists(f, "k/case.parts"));
    g_auto(GStrv) lines = g_strsplit(whole, "\n", -1);
    g_autofree char *part = g_strdup_printf(
        "%s\n%s\none,jobs[0].workload.bytes 1 MB,a,time_us,80.4,1000000\n", lines[0], lines[1]);
    g_autofree char *file = g_build_filename(f->dir, "k", "case.csv", NULL);
    g_unlink(file);
    cli_write(f, "k/case.parts/one.csv", part);
    g_auto(CliAnswer) on = cli_run(f, "validate", "./case", "--keep", "k");
    g_assert_cmpint(on.status, ==, 0);
    g_assert_nonnull(strstr(on.out, "80.40"));
    g_assert_nonnull(strstr(on.out, "160.1"));
    g_assert_false(cli_exists(f, "k/case.parts"));
    /* A part of other files is none. */
    g_autofree char *stale = g_strconcat("# inputs 0 program 0\n", strchr(part, '\n') + 1, NULL);
    g_unlink(file);
    cli_write(f, "k/case.parts/one.csv", stale);
    g_auto(CliAnswer) anew = cli_run(f, "validate", "./case", "--keep", "k", "-n", "2");
    g_assert_null(strstr(anew.out, "80.40"));
}

/* Names are looked up in the project's own validation/ (DARNER_ROOT). */
static void test_names(CliFolder *f, gconstpointer unused)
{
    g_auto(CliAnswer) list = cli_run(f, "validate", "--list");
    g_assert_cmpint(list.status, ==, 0);
    g_assert_nonnull(strstr(list.out, "h200x4-patterns\n"));
    g_auto(CliAnswer) some = cli_run(f, "validate", "-q", "h200x4-p*s");
    g_assert_cmpint(some.status, ==, 0);
    g_assert_nonnull(strstr(some.out, "2 cases, 0 missed"));
    g_auto(CliAnswer) typo = cli_run(f, "validate", "h200x4-pair");
    g_assert_cmpint(typo.status, ==, 2);
    g_assert_nonnull(strstr(typo.err, "did you mean 'h200x4-pairs'"));
}

/* What takes more than an hour is refused off a terminal before anything is simulated. */
static void test_too_long(CliFolder *f, gconstpointer unused)
{
    g_autofree char *row = g_strconcat(HEADER, "20 TB,a,time_us,80.12,0.5,predicted,none\n", NULL);
    cli_write(f, "case/run.yaml",
              CLI_SWITCH("2") "jobs:\n"
                              "  - {name: a, workload: {type: pingpong, bytes: 1 MB}, ranks: 2}\n"
                              "sweep: {\"jobs[0].workload.bytes\": [1 MB, 20 TB]}\n");
    cli_write(f, "case/expected.csv", row);
    g_auto(CliAnswer) refused = cli_run(f, "validate", "./case", "--keep", "kept");
    g_assert_cmpint(refused.status, ==, 2);
    g_assert_nonnull(strstr(refused.err, "estimate, by packet hops: about "));
    g_assert_nonnull(strstr(refused.err, " for 1 run of cases"));
    g_assert_nonnull(strstr(refused.err, "a run of more than an hour needs --yes"));
    g_assert_cmpstr(refused.out, ==, "");
    /* of the points that nobody compares none counts */
    cli_write(f, "case/expected.csv", HEADER "1 MB,a,time_us,80.12,0.5,predicted,closed form\n");
    g_auto(CliAnswer) short_ = cli_run(f, "validate", "./case");
    g_assert_cmpstr(short_.err, ==, "");
    g_assert_cmpint(short_.status, ==, 0);
}

#define CPU_HEADER "case,run,cpu_s,hops,simulations\n"

/* The CPU seconds of each run are kept beside the results, which they do not change, and the next
 * estimate is theirs, for as many simulations as there are now. */
static void test_cpu_seconds(CliFolder *f, gconstpointer unused)
{
    write_case(f, "1 MB,a,time_us,80.12,0.5,predicted,closed form\n", NULL);
    g_auto(CliAnswer) one = cli_run(f, "validate", "./case", "--keep", "k"),
                      two = cli_run(f, "validate", "./case", "--keep", "k2", "--jobs", "2");
    g_assert_cmpint(one.status, ==, 0);
    g_assert_cmpint(two.status, ==, 0);
    g_autofree char *first = cli_read(f, "k/case.csv"), *second = cli_read(f, "k2/case.csv"),
                    *cpu = cli_read(f, "k/cpu_seconds.csv"),
                    *forked = cli_read(f, "k2/cpu_seconds.csv");
    g_assert_cmpstr(first, ==, second);
    g_assert_true(g_str_has_prefix(cpu, "case,run,cpu_s,hops,simulations\ncase,run,0."));
    g_assert_true(g_str_has_prefix(forked, "case,run,cpu_s,hops,simulations\ncase,run,0."));
    g_assert_true(g_str_has_suffix(cpu, ",1\n"));
    cli_write(f, "results/cpu_seconds.csv", CPU_HEADER "case,run,14400,0,2\n");
    g_auto(CliAnswer) half = cli_run(f, "validate", "./case");
    g_assert_cmpint(half.status, ==, 2);
    g_assert_nonnull(strstr(half.err, "estimate, by earlier runs: about 2 h "));
    g_assert_nonnull(strstr(half.err, " of memory; off a terminal a run of more than an hour"));
    cli_write(f, "results/cpu_seconds.csv", CPU_HEADER "case,run,60,0,2\n");
    g_auto(CliAnswer) brief = cli_run(f, "validate", "./case");
    g_assert_cmpint(brief.status, ==, 0);
    g_assert_true(g_str_has_prefix(brief.err, "estimate, by earlier runs: about 30 s of CPU time"));
    cli_write(f, "results/cpu_seconds.csv", CPU_HEADER "case,run,-1,0,2\n");
    g_auto(CliAnswer) wrong = cli_run(f, "validate", "./case");
    g_assert_cmpint(wrong.status, ==, 2);
    g_assert_nonnull(strstr(wrong.err, "cpu_seconds.csv:2:10: -1; allowed: numbers from 0 on"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    cli_test_add("/commands/validate/passes", test_passes);
    cli_test_add("/commands/validate/cpu-seconds", test_cpu_seconds);
    cli_test_add("/commands/validate/tiers", test_tiers);
    cli_test_add("/commands/validate/misses", test_misses);
    cli_test_add("/commands/validate/over", test_over);
    cli_test_add("/commands/validate/claims", test_claims);
    cli_test_add("/commands/validate/known", test_known);
    cli_test_add("/commands/validate/null", test_null);
    cli_test_add("/commands/validate/echo", test_echo);
    cli_test_add("/commands/validate/wrong", test_wrong);
    cli_test_add("/commands/validate/jobs", test_jobs);
    cli_test_add("/commands/validate/names", test_names);
    cli_test_add("/commands/validate/too_long", test_too_long);
    return g_test_run();
}
