/* metrics_test.c - the table of metrics: names are unique wherever they stand, and each row can be
 * filled wherever it appears. */
#include "experiment/metrics.h"
#include "config/test_run_spec.h"
#include "experiment/simulate.h"
#include <math.h>

static void check_unique(GHashTable *seen, const char *name)
{
    if (name != NULL)
        g_assert_true(g_hash_table_add(seen, (gpointer)name));
}

static void test_names(void)
{
    g_autoptr(GHashTable) columns = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GHashTable) members = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GHashTable) references = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GHashTable) headings = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GHashTable) places = g_hash_table_new(NULL, NULL);
    for (const DnMetric *m = dn_metrics; m->help != NULL; m++) {
        check_unique(columns, m->column);
        check_unique(members, m->member);
        check_unique(references, m->reference);
        check_unique(headings, m->heading);
        if (m->heading != NULL)
            g_assert_true(g_hash_table_add(places, GUINT_TO_POINTER(m->place)));
    }
    g_assert_true(g_hash_table_contains(columns, "chosen"));
}

/* A text has text, a number a value or a sample, and what is compared has a value. */
static void test_getters(void)
{
    for (const DnMetric *m = dn_metrics; m->help != NULL; m++) {
        g_assert_true(m->column != NULL || m->member != NULL || m->reference != NULL);
        g_assert_true((m->type == DN_METRIC_TEXT) == (m->text != NULL));
        g_assert_true(m->text != NULL || m->value != NULL || m->sample != NULL);
        if (m->column != NULL || m->reference != NULL || m->heading != NULL)
            g_assert_true(m->text != NULL || m->value != NULL);
        g_assert_true(m->heading == NULL || m->place > 0);
    }
}

static void test_references(void)
{
    const char *const *names = dn_metric_references();
    guint rows = 0;
    for (const DnMetric *m = dn_metrics; m->help != NULL; m++)
        rows += m->reference != NULL;
    g_assert_cmpuint(g_strv_length((char **)names), ==, rows);
    for (; *names != NULL; names++)
        g_assert_cmpstr(dn_metric_of_reference(*names)->reference, ==, *names);
    g_assert_null(dn_metric_of_reference("time_median_s"));
    g_assert_cmpstr(dn_metric_unit(dn_metric_of_reference("goodput_gbps")), ==, "Gbit/s");
    g_assert_cmpstr(dn_metric_csv_unit(dn_metric_of_reference("time_us")), ==, "s");
}

static guint place_of(const char *column)
{
    for (const DnMetric *m = dn_metrics; m->help != NULL; m++)
        if (m->heading != NULL && g_strcmp0(m->column, column) == 0)
            return m->place;
    return 0;
}

/* The table of a run has the three times of OSU's benchmarks side by side: min, mean and max. */
static void test_times(void)
{
    guint mean = place_of("time_mean_s");
    g_assert_cmpuint(mean, >, 0);
    g_assert_cmpuint(place_of("time_min_s"), ==, mean - 1);
    g_assert_cmpuint(place_of("time_max_s"), ==, mean + 1);
}

/* nccl-tests, doc/PERFORMANCE.md: 8 ranks, 1 MiB in 100 us are 83.9 Gb/s; the bus carries 2 * 7 / 8
 * of an allreduce, 7 / 8 of an allgather's result. Of an alltoall goodput counts 7 of 8 blocks. The
 * job's other ranks do not count. */
static void test_bus_bandwidth(void)
{
    static const struct {
        const char *workload;
        double goodput_bytes, algorithm, bus; /* Gb/s */
    } want[] = {{"allreduce", 1048576, 83.88608, 146.80064},
                {"allgather", 1048576, 83.88608, 73.40032},
                {"alltoall", 917504, 83.88608, 73.40032},
                {"bcast", 1048576, 83.88608, 83.88608},
                {"pingpong", 1048576, NAN, NAN}};
    for (guint i = 0; i < G_N_ELEMENTS(want); i++) {
        DnJobResult job = {.workload = want[i].workload, .ranks = 16, .communicator_ranks = 8};
        DnMetricSource source = {.job = &job};
        source.figures.goodput_bps = want[i].goodput_bytes * 8.0 / 100e-6;
        for (const DnMetric *m = dn_metrics; m->help != NULL; m++) {
            gboolean bus = g_strcmp0(m->column, "busbw_bps") == 0;
            if (!bus && g_strcmp0(m->column, "algbw_bps") != 0)
                continue;
            double got = m->value(&source) * 1e-9, wanted = bus ? want[i].bus : want[i].algorithm;
            g_assert_true(isnan(wanted) ? isnan(got) : fabs(got - wanted) < 1e-6);
        }
    }
}

/* Two of four ranks: the bus carries 2 * 1 / 2 of their buffers. */
static void test_communicator(void)
{
    static const char text[] =
        "machine: h200x4\njobs:\n"
        "- {name: a, workload: {type: allreduce, bytes: 1 MiB, communicator: [0, 1]}}\n";
    g_autoptr(GError) error = NULL;
    g_autoptr(DnRunSpec) spec = test_run_spec(text, NULL, &error);
    g_assert_no_error(error);
    g_autoptr(DnRunResult) result = dn_simulate(spec, NULL, NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(result->jobs[0].ranks, ==, 4);
    DnMetricSource source = {.job = &result->jobs[0], .figures.goodput_bps = 1e9};
    for (const DnMetric *m = dn_metrics; m->help != NULL; m++)
        if (g_strcmp0(m->column, "busbw_bps") == 0)
            g_assert_cmpfloat(m->value(&source), ==, 1e9);
}

static double value_of(const char *column, const DnMetricSource *source)
{
    for (const DnMetric *m = dn_metrics; m->help != NULL; m++)
        if (g_strcmp0(m->column, column) == 0)
            return m->value(source);
    g_assert_not_reached();
}

/* One iteration in four meets congestion: the median does not see it, the mean does. The ratio of
 * 99th percentiles needs 100 iterations, with the other jobs and without. */
static void test_slowdown(void)
{
    gint64 with[100], alone[100];
    for (guint i = 0; i < G_N_ELEMENTS(with); i++) {
        alone[i] = 1000000;
        with[i] = i % 4 == 3 ? 9000000 : 1000000;
    }
    DnJobResult job = {
        .iteration_ps = with, .n_iterations = 100, .alone = {.n = 100, .time_ps = alone}};
    DnRunResult result = {.repetitions = 1};
    DnMetricSource source = {.result = &result, .job = &job};
    for (guint n = 99; n <= 100; n++) {
        source.figures.time_us = dn_summary_us(with, n);
        source.alone_us = dn_summary_us(alone, 100);
        g_assert_cmpfloat(value_of("slowdown", &source), ==, 1.0);
        g_assert_true(isfinite(value_of("slowdown_p99", &source)) == (n == 100));
    }
    g_assert_cmpfloat(value_of("alone_mean_s", &source), ==, 1.0);
    g_assert_cmpfloat(value_of("slowdown_mean", &source), ==, 3.0);
    g_assert_cmpfloat(value_of("slowdown_p99", &source), ==, 9.0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/metrics/names", test_names);
    g_test_add_func("/metrics/getters", test_getters);
    g_test_add_func("/metrics/references", test_references);
    g_test_add_func("/metrics/times", test_times);
    g_test_add_func("/metrics/bus-bandwidth", test_bus_bandwidth);
    g_test_add_func("/metrics/communicator", test_communicator);
    g_test_add_func("/metrics/slowdown", test_slowdown);
    return g_test_run();
}
