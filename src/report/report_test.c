/* report_test.c - the progress line, JSON of odd numbers, and figures of a made-up simulation. */
#include "report/load_matrix.h"
#include "report/progress.h"
#include "report/run_table.h"
#include "report/summary_json.h"
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

static void test_line(void)
{
    const DnProgressState several = {.n_points = 40,
                                     .done = 12,
                                     .running = 4,
                                     .share = 0.1,
                                     .hops_per_s = 9.61e6,
                                     .left_s = 75.0};
    const DnProgressState sweep = {.n_points = 4,
                                   .done = 1,
                                   .running = 1,
                                   .share = 0.42,
                                   .now_ps = 1500000,
                                   .hops_per_s = 9.61e6,
                                   .left_s = NAN};
    const DnProgressState single = {
        .n_points = 1, .running = 1, .share = NAN, .now_ps = 1500000, .left_s = 8.0};
    g_autofree char *a = dn_progress_text(&several);
    g_assert_cmpstr(a, ==,
                    "12 of 40 points done, 4 in progress, 9.61 M packet-hops/s, about 1 min 15 s "
                    "left");
    g_autofree char *b = dn_progress_text(&sweep);
    g_assert_cmpstr(b, ==,
                    "1 of 4 points done, the next 42 %, 1.5 us simulated, 9.61 M packet-hops/s, "
                    "time left unknown");
    g_autofree char *c = dn_progress_text(&single);
    g_assert_cmpstr(c, ==, "1.5 us simulated, 0.00 M packet-hops/s, about 8.0 s left");
}

/* Not on a terminal: not a byte in the first seconds, and none at all where nothing is wanted. */
static void test_silent(void)
{
    static const DnProgressMode modes[] = {DN_PROGRESS_NONE, DN_PROGRESS_LINES};
    const double work[3] = {1.0, 1.0, 1.0};
    const gint64 until_ps[3] = {0};
    for (guint m = 0; m < G_N_ELEMENTS(modes); m++) {
        char buffer[64] = "";
        FILE *out = fmemopen(buffer, sizeof buffer, "w");
        DnProgress *progress = dn_progress_new(out, modes[m], 3, 1, work, until_ps);
        dn_progress_update(progress, 0, 5, 5);
        dn_progress_done(progress, 0);
        dn_progress_free(progress);
        fclose(out);
        g_assert_cmpstr(buffer, ==, "");
    }
}

/* On a terminal narrower than the line: it does not wrap, and wrapping is on again behind it. */
static void test_narrow(void)
{
    const double work[1] = {1.0};
    const gint64 until_ps[1] = {0};
    char buffer[256] = "";
    FILE *out = fmemopen(buffer, sizeof buffer, "w");
    DnProgress *progress = dn_progress_new(out, DN_PROGRESS_TERMINAL, 1, 1, work, until_ps);
    dn_progress_update(progress, 0, 5, 5);
    dn_progress_free(progress);
    fclose(out);
    g_assert_true(g_str_has_prefix(buffer, "\r\033[?7l"));
    g_assert_nonnull(strstr(buffer, " left unknown\033[K\033[?7h\r\033[K"));
}

static void test_json_numbers(void)
{
    g_autoptr(JsonBuilder) json = json_builder_new();
    json_builder_begin_object(json);
    dn_json_number(json, "a", 0.5);
    dn_json_number(json, "b", NAN);
    dn_json_number(json, "c", INFINITY);
    json_builder_end_object(json);
    g_autoptr(JsonNode) root = json_builder_get_root(json);
    g_autofree char *text = dn_json_text(root);
    g_assert_cmpstr(text, ==, "{\n  \"a\" : 0.5,\n  \"b\" : null,\n  \"c\" : null\n}\n");
}

/* Two vertices, one cable: link 0 is busy 60 of 100 ns, link 1 not at all. */
typedef struct {
    DnGraph graph;
    DnVertex vertices[2];
    DnLink links[2];
    DnLinkClass class_;
    DnMachine machine;
    DnLinkCounters counters[2];
    gint64 times[4];
    DnJobResult job;
    DnRunResult result;
} Sample;

static void report_fill(Sample *s)
{
    memset(s, 0, sizeof *s);
    s->class_ = (DnLinkClass){.name = (char *)"wire", .bandwidth_bps = 8000000000};
    s->links[0] = (DnLink){.src = 0, .dst = 1, .width = 1};
    s->links[1] = (DnLink){.src = 1, .dst = 0, .width = 1};
    s->graph.size = (DnGraphSize){.switches = 2, .links = 2};
    s->graph.n_vertices = 2;
    s->graph.vertices = s->vertices;
    s->graph.links = s->links;
    s->graph.classes = &s->class_;
    s->graph.n_classes = 1;
    s->machine = (DnMachine){.name = (char *)"sample", .graph = &s->graph};
    s->machine.hardware.packet_bytes = 4096;
    s->counters[0] =
        (DnLinkCounters){.bytes = 60, .packets = 1, .busy_ps = 60000, .stalled_ps = 25000};
    const gint64 times[] = {4000000, 1000000, 3000000, 2000000};
    memcpy(s->times, times, sizeof times);
    s->job = (DnJobResult){.name = (char *)"j",
                           .workload = "flows",
                           .ranks = 2,
                           .bytes = 60,
                           .n_iterations = 4,
                           .iteration_ps = s->times,
                           .goodput_bytes = 1000.0};
    s->result.machine = &s->machine;
    s->result.engine = (DnEngineResult){.end_ps = 100000, .links = s->counters};
    s->result.jobs = &s->job;
    s->result.n_jobs = 1;
}

/* Times 1, 2, 3, 4 us: median 2.5; 1000 B in it are 8000 / 2.5e-6 = 3.2 Gb/s. */
static void test_metrics(void)
{
    Sample s;
    report_fill(&s);
    DnJobMetrics f = dn_job_metrics(&s.job, 1);
    g_assert_cmpfloat_with_epsilon(f.time_us.median, 2.5, 1e-12);
    g_assert_cmpfloat_with_epsilon(f.goodput_bps, 3.2e9, 1.0);
    g_assert_true(isnan(f.latency_us.median));
    s.job.n_iterations = 0;
    g_assert_true(isnan(dn_job_metrics(&s.job, 1).goodput_bps));
}

static void test_bottleneck(void)
{
    Sample s;
    report_fill(&s);
    DnBottleneck b = dn_bottleneck(&s.result);
    g_assert_cmpuint(b.link, ==, 0);
    g_assert_cmpfloat(b.busy, ==, 0.6);
    g_assert_cmpfloat(b.stalled, ==, 0.25);
    g_assert_cmpuint(b.peers, ==, 0);
    guint n;
    g_autofree guint32 *ids = dn_busiest_links(&s.result, 0, &n);
    g_assert_nonnull(ids);
    g_assert_cmpuint(n, ==, 1); /* the idle link is left out */
    s.counters[1] = (DnLinkCounters){.packets = 1, .busy_ps = 59500}; /* within 1 % */
    g_assert_cmpuint(dn_bottleneck(&s.result).peers, ==, 1);
    s.counters[0].busy_ps = s.counters[1].busy_ps = 0;
    g_assert_cmpuint(dn_bottleneck(&s.result).link, ==, DN_NONE);
    g_autofree char *none = dn_bottleneck_text(&s.result);
    g_assert_cmpstr(none, ==, "no link carried anything");
}

/* 4096 B at 8 Gb/s: 4.096 us. */
static void test_packet_text(void)
{
    Sample s;
    report_fill(&s);
    g_autofree char *own = dn_packet_text(&s.machine, 4096);
    g_assert_nonnull(strstr(own, "4 KiB (the machine's own)"));
    g_assert_nonnull(strstr(own, "4.096 us"));
    g_autofree char *large = dn_packet_text(&s.machine, 65536);
    g_assert_null(strstr(large, "own"));
}

static char *loads_of(const Sample *s)
{
    g_autoptr(JsonBuilder) json = json_builder_new();
    json_builder_begin_object(json);
    dn_load_matrix_json(json, &s->result);
    json_builder_end_object(json);
    g_autoptr(JsonNode) root = json_builder_get_root(json);
    return json_to_string(root, FALSE);
}

/* Link 0 was sending for 60 of 100 ns, 25 it waited. Of its 60 bytes 45 were on lane 1: that lane
 * kept it sending for 45 ns. With four lanes of two for requests, the last two carry responses. */
static void test_loads(void)
{
    Sample s;
    guint64 lane_bytes[] = {15, 45, 0, 0, 0, 0, 0, 0};
    report_fill(&s);
    g_autofree char *one = loads_of(&s);
    g_assert_cmpstr(
        one, ==,
        "{\"loads\":{\"parts\":\"switch\",\"names\":[\"0\",\"1\"],\"cells\":[{\"from\":0,"
        "\"to\":1,\"links\":1,\"bytes\":60,\"busy\":0.59999999999999998,\"stalled\":0.25}]}}");
    s.machine.hardware.lanes = 2;
    s.result.engine.lanes = 4;
    s.result.engine.lane_bytes = lane_bytes;
    g_autofree char *four = loads_of(&s);
    g_assert_nonnull(strstr(four, "\"lanes\":[\"lane 0\",\"lane 1\",\"responses, lane 0\","
                                  "\"responses, lane 1\"]"));
    g_assert_nonnull(strstr(four, "\"stalled\":0.25,\"lanes\":[0.14999999999999999,"
                                  "0.45000000000000001,0.0,0.0]"));
    s.result.engine.end_ps = 0;
    g_autofree char *none = loads_of(&s);
    g_assert_cmpstr(none, ==, "{}");
}

/* Two groups, all of it inside the first: its switches are shown. Of 200 switches the two that took
 * part, by their own numbers. */
static void test_loads_of_few(void)
{
    Sample s;
    DnVertex many[200] = {{0}};
    report_fill(&s);
    s.graph.size.groups = 2;
    g_autofree char *one_group = loads_of(&s);
    g_assert_nonnull(strstr(one_group, "{\"parts\":\"switch\",\"names\":[\"0\",\"1\"]"));
    s.vertices[1].group = 1;
    g_autofree char *two_groups = loads_of(&s);
    g_assert_nonnull(strstr(two_groups, "{\"parts\":\"group\""));
    s.graph.size.groups = 1;
    s.graph.size.switches = s.graph.n_vertices = G_N_ELEMENTS(many);
    s.graph.vertices = many;
    s.links[0] = (DnLink){.src = 7, .dst = 150, .width = 1};
    s.links[1] = (DnLink){.src = 150, .dst = 7, .width = 1};
    for (guint i = 0; i < G_N_ELEMENTS(many); i++)
        many[i].kind = DN_VERTEX_SWITCH;
    g_autofree char *of_many = loads_of(&s);
    g_assert_nonnull(strstr(of_many, "\"names\":[\"7\",\"150\"],\"cells\":[{\"from\":0,\"to\":1,"));
}

/* A line says what `background:` of a run did, over all points; without it there is none. */
static void test_background(void)
{
    static const DnBackgroundMetrics points[] = {
        {.asked = TRUE, .jobs = 3, .nodes = 49, .messages = 123456, .node_load_bps = 8e9},
        {.asked = TRUE, .nodes = 49},
        {.asked = FALSE},
    };
    static const char *const lines[] = {
        "background: 3 jobs on 49 nodes, 123456 messages, 1.00 GB/s a node\n",
        "background: 0 to 3 jobs on 49 nodes, 0 to 123456 messages, 0.00 to 1.00 GB/s a node\n",
        ("background: 0 to 3 jobs on 0 to 49 nodes, 0 to 123456 messages, "
         "0.00 to 1.00 GB/s a node\n"),
    };
    Sample s;
    report_fill(&s);
    DnRunTable *table = dn_run_table_new(NULL);
    for (guint i = 0; i < G_N_ELEMENTS(points); i++) {
        s.result.background_metrics = points[i];
        g_autoptr(GVariant)
            record = g_variant_ref_sink(dn_run_table_record(table, i, &s.result, NULL));
        g_assert_true(dn_run_table_add(table, i, record));
        g_autofree char *text = dn_run_table_text(table);
        if (strstr(text, lines[i]) == NULL)
            g_error("%s", text);
    }
    dn_run_table_free(table);
    table = dn_run_table_new(NULL);
    g_autoptr(GVariant) record = g_variant_ref_sink(dn_run_table_record(table, 0, &s.result, NULL));
    g_assert_true(dn_run_table_add(table, 0, record));
    g_autofree char *text = dn_run_table_text(table);
    g_assert_null(strstr(text, "background"));
    dn_run_table_free(table);
}

static void test_references(void)
{
    DnReferences *references = dn_references_new(2);
    references[0].bound_us = 2.0;
    dn_references_add(&references[0], "time_us", "predicted", 4.0, 5.0); /* + 25 % */
    for (guint j = 0; j < 2; j++) {
        g_autoptr(JsonBuilder) json = json_builder_new();
        json_builder_begin_object(json);
        dn_references_json(json, &references[j]);
        json_builder_end_object(json);
        g_autoptr(JsonNode) root = json_builder_get_root(json);
        g_autofree char *text = json_to_string(root, FALSE);
        g_assert_cmpstr(
            text, ==,
            j == 1 ? "{}"
                   : "{\"bound_us\":2.0,\"measured\":[{\"metric\":\"time_us\",\"evidence\":"
                     "\"predicted\",\"measured\":4.0,\"simulated\":5.0,"
                     "\"error_percent\":25.0}]}");
    }
    dn_references_free(references, 2);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/report/results/background", test_background);
    g_test_add_func("/report/progress/line", test_line);
    g_test_add_func("/report/progress/silent", test_silent);
    g_test_add_func("/report/progress/narrow", test_narrow);
    g_test_add_func("/report/json/numbers", test_json_numbers);
    g_test_add_func("/report/results/figures", test_metrics);
    g_test_add_func("/report/results/bottleneck", test_bottleneck);
    g_test_add_func("/report/results/packet-text", test_packet_text);
    g_test_add_func("/report/loads", test_loads);
    g_test_add_func("/report/loads-of-few", test_loads_of_few);
    g_test_add_func("/report/references", test_references);
    return g_test_run();
}
