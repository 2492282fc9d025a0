/* explanation_report.c - The explanation as text, as explain.json and as delay_attribution.csv. */
#include "report/explanation_report.h"

#include "base/csv.h"
#include "base/file.h"
#include "base/units.h"
#include "report/json.h"
#include "report/table.h"

static gboolean is_wait(const DnBreakdownRow *item)
{
    return item->kind == DN_BREAKDOWN_NETWORK && dn_delay_is_contention(item->span.kind);
}

static gint64 delay_of(const DnDelayBreakdown *breakdown)
{
    guint n;
    gint64 sum = 0;
    const DnBreakdownRow *rows = dn_delay_breakdown_rows(breakdown, &n);
    for (guint i = 0; i < n; i++)
        sum += is_wait(&rows[i]) ? rows[i].span.ps : 0;
    return sum;
}

/* The longest first; equal ones as they came up. */
static gint explanation_report_longer(gconstpointer a, gconstpointer b)
{
    const DnBreakdownRow *x = *(const DnBreakdownRow *const *)a,
                         *y = *(const DnBreakdownRow *const *)b;
    if (x->span.ps != y->span.ps)
        return x->span.ps > y->span.ps ? -1 : 1;
    return x < y ? -1 : 1;
}

/* Waits of a breakdown summed by what they have in common, the longest first. */
typedef struct {
    DnDelayBreakdown *sums;
    GPtrArray *rows; /* DnBreakdownRow*, of sums */
} Waits;

static void waits_clear(Waits *waits)
{
    g_clear_pointer(&waits->rows, g_ptr_array_unref);
    g_clear_pointer(&waits->sums, dn_delay_breakdown_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Waits, waits_clear)

/* Keys that delays are summed by: job, cause and place; job, source and destination of the messages
 * ahead; or their job alone, which has one pattern. */
typedef enum { BY_PLACE, BY_FLOW, BY_JOB } By;

static Waits waits_of(const DnDelayBreakdown *breakdown, By by)
{
    guint n;
    Waits waits = {.sums = dn_delay_breakdown_new(), .rows = g_ptr_array_new()};
    const DnBreakdownRow *rows = dn_delay_breakdown_rows(breakdown, &n);
    for (guint i = 0; i < n; i++) {
        DnBreakdownRow row = rows[i];
        if (!is_wait(&row))
            continue;
        if (by != BY_PLACE)
            row.span = (DnDelaySpan){.kind = DN_DELAY_QUEUE,
                                     .job = row.span.job,
                                     .link = DN_NONE,
                                     .root = DN_NONE,
                                     .src = by == BY_FLOW ? row.span.src : DN_NONE,
                                     .dst = by == BY_FLOW ? row.span.dst : DN_NONE,
                                     .ps = row.span.ps};
        else
            row.span.src = row.span.dst = DN_NONE;
        dn_delay_breakdown_add(waits.sums, &row);
    }
    rows = dn_delay_breakdown_rows(waits.sums, &n);
    for (guint i = 0; i < n; i++)
        g_ptr_array_add(waits.rows, (gpointer)&rows[i]);
    g_ptr_array_sort(waits.rows, explanation_report_longer);
    return waits;
}

/* Drawn jobs stand behind the run's own. */
static const char *job_name(const DnExplanation *x, guint job)
{
    const DnRunResult *result = x->result;
    if (job < result->n_jobs)
        return result->jobs[job].name;
    return job - result->n_jobs < result->n_drawn ? result->drawn_names[job - result->n_jobs]
                                                  : "background";
}

/* Returns the pattern that the job's ranks send: "alltoall". */
static const char *pattern_name(const DnExplanation *x, guint job)
{
    const DnRunResult *result = x->result;
    return job < result->n_jobs + result->n_drawn ? result->patterns[job] : "";
}

/* The link that the packets ahead waited for: where they had no credits either, the root of the
 * congestion; else the link itself, which they were sent on. */
static const char *root_name(const DnExplanation *x, const DnDelaySpan *span, char *name)
{
    guint32 link = span->root != DN_NONE ? span->root : span->link;
    return link != DN_NONE ? dn_link_name(x->result->machine->graph, link, name) : "";
}

static const char *endpoint_name(const DnExplanation *x, guint32 endpoint, char *name)
{
    const DnGraph *graph = x->result->machine->graph;
    return endpoint != DN_NONE ? dn_vertex_name(graph, graph->endpoints[endpoint], name) : "-";
}

/* ---- words ---- */

typedef struct {
    const char *name;
    DnBreakdownKind kind;
    DnDelayKind span;
} Line;

static const Line LINES[] = {
    {"compute", DN_BREAKDOWN_COMPUTE, DN_DELAY_KINDS},
    {"endpoint", DN_BREAKDOWN_ENDPOINT, DN_DELAY_KINDS},
    {"injection", DN_BREAKDOWN_NETWORK, DN_DELAY_INJECT},
    {"wire: latency", DN_BREAKDOWN_NETWORK, DN_DELAY_LATENCY},
    {"wire: own bytes", DN_BREAKDOWN_NETWORK, DN_DELAY_SERIAL},
    {"queueing", DN_BREAKDOWN_NETWORK, DN_DELAY_QUEUE},
    {"waiting for credits", DN_BREAKDOWN_NETWORK, DN_DELAY_CREDIT},
    {"waiting for the crossbar", DN_BREAKDOWN_NETWORK, DN_DELAY_CROSSBAR},
};

static void add_path(const DnExplanation *x, GString *out)
{
    char buf[DN_UNIT_BUF];
    g_autoptr(DnTable) table = dn_table_new();
    dn_table_column(table, "critical path", DN_ALIGN_LEFT);
    dn_table_column(table, "time", DN_ALIGN_RIGHT);
    dn_table_column(table, "share", DN_ALIGN_RIGHT);
    for (guint i = 0; i < G_N_ELEMENTS(LINES); i++) {
        gint64 ps = dn_breakdown_sum(x->critical_path.path, LINES[i].kind, LINES[i].span);
        if (ps == 0)
            continue;
        dn_table_row(table);
        dn_table_cell(table, "%s", LINES[i].name);
        dn_table_cell(table, "%s", dn_format_time(ps, buf));
        dn_table_cell(table, "%.1f %%", dn_explained_percent(ps, dn_explained_ps(x)));
    }
    dn_table_row(table);
    dn_table_cell(table, "all, in %u step%s", x->critical_path.steps,
                  x->critical_path.steps == 1 ? "" : "s");
    dn_table_cell(table, "%s", dn_format_time(dn_explained_ps(x), buf));
    dn_table_cell(table, "100.0 %%");
    g_autofree char *text = dn_table_text(table);
    g_string_append_printf(out, "\n%s", text);
}

static void add_wait(const DnExplanation *x, DnTable *table, const DnBreakdownRow *wait,
                     gint64 whole_ps)
{
    const DnGraph *graph = x->result->machine->graph;
    char buf[DN_UNIT_BUF], name[160] = "-", root[160];
    if (wait->span.link != DN_NONE)
        dn_link_name(graph, wait->span.link, name);
    dn_table_row(table);
    dn_table_cell(table, "%s", job_name(x, wait->span.job));
    dn_table_cell(table, "%s", dn_delay_kind_name(wait->span.kind));
    dn_table_cell(table, "%s", name);
    dn_table_cell(table, "%u", wait->span.lane);
    dn_table_cell(table, "%s", dn_format_time(wait->span.ps, buf));
    dn_table_cell(table, "%.1f %%", dn_explained_percent(wait->span.ps, whole_ps));
    dn_table_cell(table, "%s", root_name(x, &wait->span, root));
}

static void add_waits(const DnExplanation *x, const DnDelayBreakdown *breakdown, guint top,
                      GString *out)
{
    g_auto(Waits) waits = waits_of(breakdown, BY_PLACE);
    g_autoptr(DnTable) table = dn_table_new();
    gint64 delay_ps = delay_of(breakdown), left_ps = delay_ps;
    char buf[DN_UNIT_BUF];
    dn_table_column(table, "whose packets", DN_ALIGN_LEFT);
    dn_table_column(table, "why", DN_ALIGN_LEFT);
    dn_table_column(table, "link", DN_ALIGN_LEFT);
    dn_table_column(table, "lane", DN_ALIGN_RIGHT);
    dn_table_column(table, "time", DN_ALIGN_RIGHT);
    dn_table_column(table, "share", DN_ALIGN_RIGHT);
    dn_table_column(table, "who waited for", DN_ALIGN_LEFT);
    for (guint i = 0; i < MIN(top, waits.rows->len); i++) {
        const DnBreakdownRow *wait = waits.rows->pdata[i];
        add_wait(x, table, wait, delay_ps);
        left_ps -= wait->span.ps;
    }
    if (waits.rows->len > top) {
        dn_table_row(table);
        dn_table_cell(table, "%u more", waits.rows->len - top);
        for (guint i = 0; i < 3; i++)
            dn_table_cell(table, "%s", "");
        dn_table_cell(table, "%s", dn_format_time(left_ps, buf));
        dn_table_cell(table, "%.1f %%", dn_explained_percent(left_ps, delay_ps));
    }
    g_autofree char *text = dn_table_text(table);
    g_string_append(out, text);
}

/* The messages ahead, by job, source and destination. */
static void add_flows(const DnExplanation *x, const DnDelayBreakdown *breakdown, guint top,
                      GString *out)
{
    g_auto(Waits) flows = waits_of(breakdown, BY_FLOW);
    g_autoptr(DnTable) table = dn_table_new();
    gint64 delay_ps = delay_of(breakdown);
    char buf[DN_UNIT_BUF], name[64];
    dn_table_column(table, "flow ahead: job", DN_ALIGN_LEFT);
    dn_table_column(table, "from", DN_ALIGN_LEFT);
    dn_table_column(table, "to", DN_ALIGN_LEFT);
    dn_table_column(table, "time", DN_ALIGN_RIGHT);
    dn_table_column(table, "share", DN_ALIGN_RIGHT);
    for (guint i = 0; i < MIN(top, flows.rows->len); i++) {
        const DnDelaySpan *span = &((const DnBreakdownRow *)flows.rows->pdata[i])->span;
        dn_table_row(table);
        dn_table_cell(table, "%s", job_name(x, span->job));
        dn_table_cell(table, "%s", endpoint_name(x, span->src, name));
        dn_table_cell(table, "%s", endpoint_name(x, span->dst, name));
        dn_table_cell(table, "%s", dn_format_time(span->ps, buf));
        dn_table_cell(table, "%.1f %%", dn_explained_percent(span->ps, delay_ps));
    }
    if (flows.rows->len > top) {
        dn_table_row(table);
        dn_table_cell(table, "%u more", flows.rows->len - top);
    }
    g_autofree char *text = dn_table_text(table);
    g_string_append_printf(out, "\n%s", text);
}

/* The traffic ahead, by job and its pattern. */
static void add_jobs(const DnExplanation *x, const DnDelayBreakdown *breakdown, guint top,
                     GString *out)
{
    g_auto(Waits) jobs = waits_of(breakdown, BY_JOB);
    g_autoptr(DnTable) table = dn_table_new();
    gint64 delay_ps = delay_of(breakdown);
    char buf[DN_UNIT_BUF];
    dn_table_column(table, "traffic ahead: job", DN_ALIGN_LEFT);
    dn_table_column(table, "pattern", DN_ALIGN_LEFT);
    dn_table_column(table, "time", DN_ALIGN_RIGHT);
    dn_table_column(table, "share", DN_ALIGN_RIGHT);
    for (guint i = 0; i < MIN(top, jobs.rows->len); i++) {
        const DnDelaySpan *span = &((const DnBreakdownRow *)jobs.rows->pdata[i])->span;
        dn_table_row(table);
        dn_table_cell(table, "%s", job_name(x, span->job));
        dn_table_cell(table, "%s", pattern_name(x, span->job));
        dn_table_cell(table, "%s", dn_format_time(span->ps, buf));
        dn_table_cell(table, "%.1f %%", dn_explained_percent(span->ps, delay_ps));
    }
    g_autofree char *text = dn_table_text(table);
    g_string_append_printf(out, "%s\n", text);
}

/* The tables of waits; below a thousandth of @whole_ps their rows would all say 0.0 %. */
static void add_wait_tables(const DnExplanation *x, const DnDelayBreakdown *breakdown,
                            gint64 whole_ps, guint top, GString *out)
{
    if (delay_of(breakdown) < whole_ps / 1000) {
        g_string_append(out, "too little for tables; delay_attribution.csv lists it\n");
        return;
    }
    add_jobs(x, breakdown, top, out);
    add_waits(x, breakdown, top, out);
    add_flows(x, breakdown, top, out);
}

static void add_delay_rows(const DnExplanation *x, guint top, GString *out)
{
    char all[DN_UNIT_BUF], delay[DN_UNIT_BUF], zero[DN_UNIT_BUF];
    gint64 delay_ps = delay_of(x->critical_path.path);
    if (delay_ps > 0) {
        g_string_append_printf(out, "\nwaits on the critical path: %s in sum\n",
                               dn_format_time(delay_ps, delay));
        add_wait_tables(x, x->critical_path.path, dn_explained_ps(x), top, out);
    } else {
        g_string_append(out, "\nnothing waits for other packets on the critical path\n");
    }
    delay_ps = delay_of(x->critical_path.messages);
    g_string_append_printf(
        out,
        "\nall %" G_GUINT64_FORMAT
        " messages handed over in its time: %s in sum, %s without other packets, so "
        "%s of delay\n",
        x->critical_path.n_messages, dn_format_time(x->critical_path.messages_ps, all),
        dn_format_time(x->critical_path.messages_ps - delay_ps, zero),
        dn_format_time(delay_ps, delay));
    if (delay_ps > 0)
        add_wait_tables(x, x->critical_path.messages, x->critical_path.messages_ps, top, out);
}

char *dn_explain_text(const DnExplanation *x, guint top)
{
    const DnJobResult *job = &x->result->jobs[x->critical_path.job];
    char time[DN_UNIT_BUF], median[DN_UNIT_BUF];
    g_autofree char *repetition =
        x->own_spec != NULL ? g_strdup_printf(", repetition %u", x->repetition) : g_strdup("");
    GString *out = g_string_new(NULL);
    g_string_append_printf(
        out, "run %s, point %u%s, job %s: iteration %u of %u%s takes %s%s; the median %s\n",
        x->run_name, x->point, repetition, job->name, x->critical_path.iteration + 1,
        job->n_iterations, x->critical_path.iteration == x->slowest ? " (the slowest)" : "",
        dn_format_time(dn_explained_ps(x), time),
        job->after_barrier ? ", from end to end with its barrier" : "",
        dn_format_time(x->median_ps, median));
    add_path(x, out);
    add_delay_rows(x, top, out);
    dn_advice_text(x, out);
    return g_string_free(out, FALSE);
}

/* ---- files ---- */

static void json_path(JsonBuilder *json, const DnExplanation *x)
{
    dn_json_list(json, "path");
    for (guint i = 0; i < G_N_ELEMENTS(LINES); i++) {
        json_builder_begin_object(json);
        dn_json_string(json, "what", LINES[i].name);
        dn_json_int(json, "ps",
                    dn_breakdown_sum(x->critical_path.path, LINES[i].kind, LINES[i].span));
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
}

static void json_advice(JsonBuilder *json, const DnExplanation *x)
{
    dn_json_list(json, "advice");
    for (guint i = 0; i < x->advice->len; i++) {
        const DnAdvice *a = &g_array_index(x->advice, DnAdvice, i);
        json_builder_begin_object(json);
        dn_json_string(json, "what", a->what);
        dn_json_int(json, "at_most_ps", a->most_ps);
        if (a->rerun_ps >= 0)
            dn_json_int(json, "iteration_then_ps", a->rerun_ps);
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
}

static char *json_of(const DnExplanation *x)
{
    const DnJobResult *job = &x->result->jobs[x->critical_path.job];
    g_autoptr(JsonBuilder) json = json_builder_new();
    json_builder_begin_object(json);
    dn_json_string(json, "run", x->run_name);
    dn_json_string(json, "config_hash", x->spec->hash);
    dn_json_int(json, "point", x->point);
    dn_json_int(json, "repetition", x->repetition);
    dn_json_string(json, "job", job->name);
    dn_json_int(json, "iteration", x->critical_path.iteration + 1);
    dn_json_int(json, "iterations", job->n_iterations);
    dn_json_flag(json, "slowest", x->critical_path.iteration == x->slowest);
    dn_json_int(json, "from_ps", x->critical_path.from_ps);
    dn_json_int(json, "time_ps", dn_explained_ps(x));
    dn_json_int(json, "median_ps", x->median_ps);
    dn_json_int(json, "steps", x->critical_path.steps);
    json_path(json, x);
    dn_json_int(json, "messages", (gint64)x->critical_path.n_messages);
    dn_json_int(json, "messages_ps", x->critical_path.messages_ps);
    dn_json_int(json, "messages_delay_ps", delay_of(x->critical_path.messages));
    json_advice(json, x);
    json_builder_end_object(json);
    g_autoptr(JsonNode) root = json_builder_get_root(json);
    return dn_json_text(root);
}

static void csv_rows(GString *out, const DnExplanation *x, const char *of,
                     const DnDelayBreakdown *breakdown)
{
    const DnGraph *graph = x->result->machine->graph;
    g_auto(Waits) waits = waits_of(breakdown, BY_PLACE);
    gint64 delay_ps = delay_of(breakdown);
    for (guint i = 0; i < waits.rows->len; i++) {
        const DnDelaySpan *span = &((const DnBreakdownRow *)waits.rows->pdata[i])->span;
        char name[160];
        gboolean placed = span->link != DN_NONE;
        dn_csv_cell(out, of);
        dn_csv_cell(out, x->result->jobs[x->critical_path.job].name);
        dn_csv_cell(out, job_name(x, span->job));
        dn_csv_cell(out, pattern_name(x, span->job));
        dn_csv_cell(out, dn_delay_kind_name(span->kind));
        dn_csv_cell(out, placed ? dn_link_name(graph, span->link, name) : "");
        dn_csv_cell(out, placed ? graph->classes[graph->links[span->link].link_class].name : "");
        dn_csv_int(out, span->lane);
        dn_csv_cell(out, root_name(x, span, name));
        dn_csv_int(out, span->ps);
        dn_csv_number(out, (double)span->ps / (double)delay_ps, 6);
        dn_csv_end_row(out);
    }
}

static char *csv_of(const DnExplanation *x)
{
    static const char *const columns[] = {
        "of",    "victim", "aggressor",      "pattern", "why",  "link",
        "class", "lane",   "who_waited_for", "time_ps", "share"};
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < G_N_ELEMENTS(columns); i++)
        dn_csv_cell(out, columns[i]);
    dn_csv_end_row(out);
    csv_rows(out, x, "path", x->critical_path.path);
    csv_rows(out, x, "messages", x->critical_path.messages);
    return g_string_free(out, FALSE);
}

static void flow_rows(GString *out, const DnExplanation *x, const char *of,
                      const DnDelayBreakdown *breakdown)
{
    g_auto(Waits) flows = waits_of(breakdown, BY_FLOW);
    gint64 delay_ps = delay_of(breakdown);
    for (guint i = 0; i < flows.rows->len; i++) {
        const DnDelaySpan *span = &((const DnBreakdownRow *)flows.rows->pdata[i])->span;
        char name[64];
        dn_csv_cell(out, of);
        dn_csv_cell(out, x->result->jobs[x->critical_path.job].name);
        dn_csv_cell(out, job_name(x, span->job));
        dn_csv_cell(out, pattern_name(x, span->job));
        dn_csv_cell(out, endpoint_name(x, span->src, name));
        dn_csv_cell(out, endpoint_name(x, span->dst, name));
        dn_csv_int(out, span->ps);
        dn_csv_number(out, (double)span->ps / (double)delay_ps, 6);
        dn_csv_end_row(out);
    }
}

/* (transfer full): by job, source and destination of the messages ahead. */
static char *flows_of(const DnExplanation *x)
{
    static const char *const columns[] = {"of",     "victim",      "aggressor", "pattern",
                                          "source", "destination", "time_ps",   "share"};
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < G_N_ELEMENTS(columns); i++)
        dn_csv_cell(out, columns[i]);
    dn_csv_end_row(out);
    flow_rows(out, x, "path", x->critical_path.path);
    flow_rows(out, x, "messages", x->critical_path.messages);
    return g_string_free(out, FALSE);
}

static gboolean explanation_report_put(const char *folder, const char *name, const char *text,
                                       GError **error)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    return dn_file_write(path, text, error);
}

gboolean dn_explain_write(const DnExplanation *x, const char *folder, GError **error)
{
    g_autofree char *json = json_of(x);
    g_autofree char *csv = csv_of(x);
    g_autofree char *flows = flows_of(x);
    return explanation_report_put(folder, "explain.json", json, error) &&
           explanation_report_put(folder, "delay_attribution.csv", csv, error) &&
           explanation_report_put(folder, "delaying_flows.csv", flows, error);
}
