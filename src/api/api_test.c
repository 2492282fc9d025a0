/* api_test.c - the public library, used as a program outside the project uses it. */
#include "api/darner.h"
#include <glib.h>
#include <math.h>
#include <string.h>

static const char sweep_text[] =
    "machine: h200x4\n"
    "jobs: [{name: pair, ranks: 2, workload: {type: pingpong, bytes: 1 KiB}}]\n"
    "sweep:\n"
    "  jobs[0].workload.bytes: [1 KiB, 1 MiB]\n";

static void test_version(void)
{
    g_assert_true(g_regex_match_simple("^[0-9]+\\.[0-9]+\\.[0-9]+$", darner_version(), 0, 0));
}

static void test_machine(void)
{
    darner_error *error = NULL;
    darner_machine *machine = darner_machine_load("lumi", 2, &error);
    g_assert_nonnull(machine);
    g_assert_null(error);
    g_assert_cmpstr(darner_machine_name(machine), ==, "lumi");
    g_assert_cmpuint(darner_machine_count(machine, DARNER_COUNT_NODES), ==, 2);
    g_assert_cmpuint(darner_machine_count(machine, DARNER_COUNT_ENDPOINTS), ==, 16);
    darner_table *links = darner_machine_links(machine);
    g_assert_cmpuint(darner_table_rows(links), ==,
                     darner_machine_count(machine, DARNER_COUNT_LINKS));
    ptrdiff_t bandwidth = darner_table_find(links, "bandwidth_bps");
    g_assert_cmpint(bandwidth, >=, 0);
    g_assert_true(darner_table_is_number(links, (size_t)bandwidth));
    g_assert_false(darner_table_is_number(links, (size_t)darner_table_find(links, "class")));
    for (size_t row = 0; row < darner_table_rows(links); row++)
        g_assert_cmpfloat(darner_table_number(links, row, (size_t)bandwidth), >, 1e9);
    darner_table_free(links);
    darner_machine_free(machine);
}

static void test_unknown_machine(void)
{
    darner_error *error = NULL;
    g_assert_null(darner_machine_load("lumy\"", 0, &error));
    g_assert_cmpint(darner_error_get_code(error), ==, DARNER_ERROR_INPUT);
    g_assert_nonnull(strstr(darner_error_message(error), "lumi"));
    darner_error_free(error);
}

static void test_run(void)
{
    darner_error *error = NULL;
    darner_spec *spec = darner_spec_parse(sweep_text, "pair.yaml", NULL, &error);
    g_assert_nonnull(spec);
    g_assert_cmpuint(darner_spec_points(spec), ==, 2);
    g_assert_cmpstr(darner_spec_swept_key(spec, 0), ==, "jobs[0].workload.bytes");
    g_assert_null(darner_spec_swept_key(spec, 1));
    g_assert_cmpstr(darner_spec_swept_value(spec, 1, 0), ==, "1 MiB");
    g_assert_cmpint(darner_spec_check(spec, &error), ==, 0);
    darner_result *result = darner_run(spec, NULL, &error);
    g_assert_nonnull(result);
    const darner_table *jobs = darner_result_table(result, "jobs");
    size_t time = (size_t)darner_table_find(jobs, "time_median_s");
    g_assert_cmpuint(darner_table_rows(jobs), ==, 2);
    double small = darner_table_number(jobs, 0, time), large = darner_table_number(jobs, 1, time);
    g_assert_cmpfloat(small, >, 0.0);
    g_assert_cmpfloat(large, >, small);
    g_assert_cmpuint(darner_table_rows(darner_result_table(result, "links")), >, 0);
    g_assert_null(darner_result_table(result, "nonsense"));
    g_assert_nonnull(strstr(darner_result_summary(result), "\"points_done\" : 2"));
    g_assert_true(isnan(darner_table_number(jobs, 2, time)));
    g_assert_null(darner_table_text(jobs, 0, 10000));
    darner_result_free(result);
    darner_spec_free(spec);
}

/* One object is read once and run twice, with one and with two threads: the same bytes. */
static void test_threads(void)
{
    darner_spec *spec = darner_spec_parse(sweep_text, "pair.yaml", NULL, NULL);
    const darner_options two = {.size = sizeof two, .threads = 2};
    darner_result *a = darner_run(spec, NULL, NULL), *b = darner_run(spec, &two, NULL);
    g_assert_cmpstr(darner_result_summary(a), ==, darner_result_summary(b));
    darner_result_free(a);
    darner_result_free(b);
    const darner_options many = {.size = sizeof many, .threads = 257};
    darner_error *error = NULL;
    g_assert_null(darner_run(spec, &many, &error));
    g_assert_cmpstr(darner_error_message(error), ==, "threads: 257; allowed: 0 to 256");
    darner_error_free(error);
    darner_spec_free(spec);
}

static void test_position(void)
{
    darner_error *error = NULL;
    g_assert_null(darner_spec_load("/nonexistent/run.yaml", NULL, &error));
    g_assert_cmpint(darner_error_get_code(error), ==, DARNER_ERROR_FILE);
    darner_error_free(error);
    error = NULL;
    const char *text =
        "machine: h200x4\njobs:\n  - {name: a, workload: {type: pingpong, byts: 1}}\n";
    darner_spec *spec = darner_spec_parse(text, "wrong.yaml", NULL, &error);
    g_assert_nonnull(spec); /* what a workload's keys are is known when it is built */
    g_assert_cmpint(darner_spec_check(spec, &error), ==, -1);
    g_assert_cmpstr(darner_error_file(error), ==, "wrong.yaml");
    g_assert_cmpuint(darner_error_line(error), ==, 3);
    g_assert_cmpuint(darner_error_column(error), >, 1);
    darner_error_free(error);
    darner_spec_free(spec);
}

static void test_override(void)
{
    const char *const set[] = {"jobs[0].workload.bytes=64 KiB", NULL};
    darner_spec *spec = darner_spec_parse(sweep_text, "pair.yaml", set, NULL);
    g_assert_cmpuint(darner_spec_points(spec), ==, 1); /* what is set is no longer swept */
    darner_spec_free(spec);
    const char *const wrong[] = {"jobs[7].name=b", NULL};
    darner_error *error = NULL;
    g_assert_null(darner_spec_parse(sweep_text, "pair.yaml", wrong, &error));
    g_assert_nonnull(darner_error_message(error));
    darner_error_free(error);
}

static int stop_at_once(void *data, size_t point, size_t points, double simulated_s)
{
    guint *calls = data;
    g_assert_cmpuint(point, <, points);
    g_assert_cmpfloat(simulated_s, >=, 0.0);
    (*calls)++;
    return 1;
}

static void test_interrupt(void)
{
    const char *const set[] = {"machine=dgx-a100-4", "jobs[0].workload.bytes=1 MiB",
                               "jobs[0].iterations=1000000", NULL};
    darner_spec *spec = darner_spec_parse(sweep_text, "pair.yaml", set, NULL);
    guint calls = 0;
    const darner_options options = {
        .size = sizeof options, .progress = stop_at_once, .progress_data = &calls};
    darner_error *error = NULL;
    g_assert_null(darner_run(spec, &options, &error));
    g_assert_cmpint(darner_error_get_code(error), ==, DARNER_ERROR_INTERRUPTED);
    g_assert_cmpuint(calls, ==, 1);
    darner_error_free(error);
    darner_spec_free(spec);
}

/* Mistakes of the calling program: no string, and options without their size. */
static void test_mistakes(void)
{
    darner_error *error = NULL;
    g_assert_null(darner_spec_parse(sweep_text, NULL, NULL, &error));
    g_assert_cmpstr(darner_error_message(error), ==,
                    "darner_spec_parse: name is NULL; a string is wanted");
    darner_error_free(error);
    g_assert_null(darner_spec_parse(NULL, "pair.yaml", NULL, NULL));
    g_assert_null(darner_spec_load(NULL, NULL, NULL));
    g_assert_null(darner_machine_load(NULL, 0, NULL));
    darner_spec *spec = darner_spec_parse(sweep_text, "pair.yaml", NULL, NULL);
    const darner_options no_size = {.engine = "flow"}, none = {0};
    g_assert_null(darner_run(spec, &no_size, &error));
    g_assert_cmpint(darner_error_get_code(error), ==, DARNER_ERROR_INPUT);
    g_assert_cmpstr(darner_error_message(error), ==,
                    "options: size is 0; wanted: sizeof(darner_options)");
    darner_error_free(error);
    darner_result *result = darner_run(spec, &none, NULL);
    g_assert_nonnull(result);
    g_assert_null(darner_result_table(result, NULL));
    darner_result_free(result);
    darner_spec_free(spec);
}

static void test_unknown_engine(void)
{
    darner_spec *spec = darner_spec_parse(sweep_text, "pair.yaml", NULL, NULL);
    const darner_options options = {.size = sizeof options, .engine = "fluid"};
    darner_error *error = NULL;
    g_assert_null(darner_run(spec, &options, &error));
    g_assert_nonnull(strstr(darner_error_message(error), "unknown engine 'fluid'"));
    darner_error_free(error);
    darner_spec_free(spec);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/api/version", test_version);
    g_test_add_func("/api/machine", test_machine);
    g_test_add_func("/api/unknown-machine", test_unknown_machine);
    g_test_add_func("/api/run", test_run);
    g_test_add_func("/api/threads", test_threads);
    g_test_add_func("/api/position", test_position);
    g_test_add_func("/api/override", test_override);
    g_test_add_func("/api/interrupt", test_interrupt);
    g_test_add_func("/api/unknown-engine", test_unknown_engine);
    g_test_add_func("/api/mistakes", test_mistakes);
    return g_test_run();
}
