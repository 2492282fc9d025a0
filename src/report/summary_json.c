/* summary_json.c - one point as JSON; values from the YAML stay text, as written. */
#include "report/summary_json.h"
#include "endpoint/mechanism.h"
#include "report/load_matrix.h"
#include "experiment/metrics.h"
#include "stats/sort.h"
#include <math.h>
#include <string.h>

static void add_config(JsonBuilder *json, const DnConfigNode *node)
{
    if (node->kind == DN_CONFIG_SCALAR) {
        json_builder_add_string_value(json, node->scalar);
        return;
    }
    gboolean map = node->kind == DN_CONFIG_MAP;
    if (map)
        json_builder_begin_object(json);
    else
        json_builder_begin_array(json);
    for (guint i = 0; i < node->children->len; i++) {
        if (map)
            json_builder_set_member_name(json, g_ptr_array_index(node->keys, i));
        add_config(json, g_ptr_array_index(node->children, i));
    }
    if (map)
        json_builder_end_object(json);
    else
        json_builder_end_array(json);
}

static void add_machine(JsonBuilder *json, const DnRunResult *result)
{
    const DnMachine *machine = result->machine;
    const DnGraph *graph = machine->graph;
    dn_json_object(json, "machine");
    dn_json_string(json, "name", machine->name);
    dn_json_int(json, "nodes", graph->size.nodes);
    dn_json_int(json, "endpoints", graph->size.endpoints);
    dn_json_int(json, "switches", graph->size.switches);
    dn_json_int(json, "links", graph->size.links);
    dn_json_int(json, "header_bytes", machine->hardware.header_bytes);
    dn_json_int(json, "own_packet_bytes", machine->hardware.packet_bytes);
    dn_json_list(json, "link_classes");
    for (guint32 c = 0; c < graph->n_classes; c++) {
        json_builder_begin_object(json);
        dn_json_string(json, "name", graph->classes[c].name);
        dn_json_int(json, "bandwidth_bps", graph->classes[c].bandwidth_bps);
        dn_json_int(json, "latency_ps", graph->classes[c].latency_ps);
        dn_json_int(json, "buffer_bytes", graph->classes[c].buffer_bytes);
        dn_json_number(json, "efficiency", graph->classes[c].efficiency);
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
    json_builder_end_object(json);
}

static void add_summary(JsonBuilder *json, const char *member, const DnSummary *s)
{
    dn_json_object(json, member);
    for (const DnSummaryField *field = dn_summary_fields; field->name != NULL; field++)
        if (field->whole)
            dn_json_int(json, field->name, (gint64)dn_summary_value(s, field));
        else
            dn_json_number(json, field->name, dn_summary_value(s, field));
    json_builder_end_object(json);
}

static void add_stages(JsonBuilder *json, const char *name, const DnStage *stages, guint n)
{
    if (n == 0)
        return;
    dn_json_list(json, name);
    for (guint i = 0; i < n; i++) {
        json_builder_begin_object(json);
        for (const DnCostsField *f = dn_stage_fields; f->name != NULL; f++)
            if (strcmp(f->name, "unit") == 0)
                dn_json_string(json, f->name, dn_stage_unit_name(stages[i].unit));
            else
                dn_json_int(json, f->name, dn_costs_value(&stages[i], f));
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
}

/* Adds the costs that are not zero. */
static void add_costs(JsonBuilder *json, const DnCosts *c)
{
    for (const DnCostsField *f = dn_costs_fields; f->name != NULL; f++)
        if (dn_costs_value(c, f) != 0)
            dn_json_int(json, f->name, dn_costs_value(c, f));
    add_stages(json, "out", c->out, c->n_out);
    add_stages(json, "in", c->in, c->n_in);
}

/* @of_list: the rule was read, so that its largest message may be of 0 bytes. */
static void add_rule(JsonBuilder *json, const DnMechanismRule *rule, gboolean of_list)
{
    static const char *const reaches[] = {"any", "node", "network"};
    json_builder_begin_object(json);
    dn_json_string(json, "type", rule->type ? rule->type->name : "direct");
    if (of_list && rule->to_bytes != G_MAXINT64)
        dn_json_int(json, "to_bytes", rule->to_bytes);
    dn_json_string(json, "reach", reaches[rule->reach]);
    if (rule->nonblocking)
        dn_json_string(json, "send", "nonblocking");
    if (rule->protocol)
        dn_json_string(json, "protocol", rule->protocol);
    if (rule->algorithm)
        dn_json_string(json, "algorithm", rule->algorithm);
    add_costs(json, &rule->costs);
    json_builder_end_object(json);
}

/* The numbers behind a mechanism's name, as the job ran with them. */
static void add_mechanism(JsonBuilder *json, const DnMechanism *m)
{
    dn_json_object(json, "mechanism");
    dn_json_string(json, "name", m->name);
    dn_json_list(json, "rules");
    for (guint i = 0; i < MAX(1, m->n_rules); i++)
        add_rule(json, &m->rules[i], m->n_rules > 0);
    json_builder_end_array(json);
    json_builder_end_object(json);
}

/* The 0th, 1st, ... 100th percentile, in us: for distributions drawn. */
static void add_percentiles(JsonBuilder *json, const char *member, const gint64 *sample_ps, gsize n)
{
    g_autofree double *us = g_new(double, n + 1);
    dn_json_list(json, member);
    for (gsize i = 0; i < n; i++)
        us[i] = (double)sample_ps[i] * 1e-6;
    dn_doubles_sort(us, n);
    for (guint p = 0; n > 0 && p <= 100; p++)
        json_builder_add_double_value(json,
                                      rint(dn_quantile_sorted(us, n, p / 100.0) * 1e6) * 1e-6);
    json_builder_end_array(json);
}

static void add_metric(JsonBuilder *json, const DnMetric *m, const DnMetricSource *source)
{
    char buffer[DN_METRIC_TEXT_BYTES];
    if (m->sample != NULL)
        add_summary(json, m->member, m->sample(source));
    else if (m->type == DN_METRIC_TEXT)
        dn_json_string(json, m->member, m->text(source, buffer));
    else if (m->type == DN_METRIC_COUNT)
        dn_json_int(json, m->member, (gint64)m->value(source));
    else if (m->type == DN_METRIC_FLAG)
        dn_json_flag(json, m->member, m->value(source) != 0);
    else
        dn_json_number(json, m->member, m->value(source));
}

static void add_jobs(JsonBuilder *json, guint point, const DnRunResult *result,
                     const DnReferences *references)
{
    dn_json_list(json, "jobs");
    for (guint j = 0; j < result->n_jobs; j++) {
        const DnJobResult *job = &result->jobs[j];
        DnMetricSource source;
        dn_metric_source_init(&source, result, job, point);
        json_builder_begin_object(json);
        for (const DnMetric *m = dn_metrics; m->help != NULL; m++)
            if (m->member != NULL && (m->applies == NULL || m->applies(&source)))
                add_metric(json, m, &source);
        add_mechanism(json, job->mechanism);
        if (references != NULL)
            dn_references_json(json, &references[j]);
        add_percentiles(json, "time_percentiles_us", job->iteration_ps,
                        job->load.unpaced ? 0 : job->n_iterations);
        add_percentiles(json, "latency_percentiles_us", job->latency_ps, job->n_latency);
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
}

static void add_packet_bias(JsonBuilder *json, const DnRunResult *result)
{
    const DnPacketBias *bias = &result->packet_bias;
    if (bias->own_bytes == 0)
        return;
    gboolean time = bias->job < result->n_jobs;
    dn_json_object(json, "packet_bias");
    dn_json_int(json, "own_packet_bytes", bias->own_bytes);
    dn_json_number(json, "compared_share", bias->share);
    if (time) {
        dn_json_string(json, "job", result->jobs[bias->job].name);
        dn_json_number(json, "relative", bias->relative);
    } else if (bias->share > 0) {
        dn_json_number(json, "arrived_share", bias->arrived);
        dn_json_number(json, "own_arrived_share", bias->own_arrived);
    }
    json_builder_end_object(json);
}

static void add_engine(JsonBuilder *json, const DnRunResult *result)
{
    const DnEngineResult *e = &result->engine;
    dn_json_object(json, "engine");
    dn_json_string(json, "name", result->engine_type->name);
    dn_json_string(json, "limits", result->engine_type->limits);
    dn_json_int(json, "packet_bytes", result->packet_bytes);
    g_autofree char *blur = dn_packet_text(result->machine, result->packet_bytes);
    dn_json_string(json, "packet_note", blur);
    add_packet_bias(json, result);
    dn_json_number(json, "end_us", (double)e->end_ps * 1e-6);
    dn_json_int(json, "packets", (gint64)e->packets);
    dn_json_int(json, "packet_hops", (gint64)e->packet_hops);
    dn_json_int(json, "messages", (gint64)e->messages);
    dn_json_int(json, "payload_bytes", (gint64)e->payload_bytes);
    dn_json_number(json, "mean_packet_latency_us",
                   e->packets > 0 ? (double)e->packet_latency_ps_sum / (double)e->packets * 1e-6
                                  : NAN);
    json_builder_end_object(json);
}

static void add_background(JsonBuilder *json, const DnBackgroundMetrics *m)
{
    if (!m->asked)
        return;
    dn_json_object(json, "background");
    dn_json_int(json, "jobs", m->jobs);
    dn_json_int(json, "nodes", m->nodes);
    dn_json_int(json, "messages", (gint64)m->messages);
    dn_json_number(json, "payload_bytes", m->payload_bytes);
    dn_json_number(json, "node_load_bps", m->node_load_bps);
    json_builder_end_object(json);
}

void dn_summary_json_point(JsonBuilder *json, const DnSweep *sweep, guint point,
                           const DnRunSpec *spec, const DnRunResult *result,
                           const DnReferences *references)
{
    json_builder_begin_object(json);
    dn_json_int(json, "point", point);
    dn_json_object(json, "sweep");
    for (guint k = 0; sweep != NULL && k < sweep->n_keys; k++)
        dn_json_string(json, sweep->keys[k], sweep->values[point][k]);
    json_builder_end_object(json);
    dn_json_string(json, "config_hash", spec->hash);
    g_autofree char *seed = g_strdup_printf("%" G_GUINT64_FORMAT, spec->seed);
    dn_json_string(json, "seed", seed); /* text: JSON numbers end at 2^53 */
    add_machine(json, result);
    dn_json_object(json, "routing");
    dn_json_string(json, "algorithm", result->router->type->name);
    dn_json_int(json, "virtual_channels", result->router->channels);
    json_builder_end_object(json);
    add_engine(json, result);
    g_autofree char *limit = dn_bottleneck_text(result);
    dn_json_string(json, "bottleneck", limit);
    dn_load_matrix_json(json, result);
    add_background(json, &result->background_metrics);
    add_jobs(json, point, result, references);
    dn_json_list(json, "warnings");
    for (guint i = 0; result->warnings != NULL && i < result->warnings->len; i++)
        json_builder_add_string_value(json, g_ptr_array_index(result->warnings, i));
    json_builder_end_array(json);
    json_builder_set_member_name(json, "config");
    add_config(json, spec->root);
    json_builder_end_object(json);
}
