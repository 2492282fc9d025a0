/* summary_json.c - one point as JSON; values from the YAML stay text, as written. */
#include "report/summary_json.h"
#include "endpoint/mechanism.h"
#include "report/load_matrix.h"
#include "experiment/experiment.h"
#include <gsl/gsl_sort.h>
#include <math.h>

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
    dn_json_int(json, "n", (gint64)s->n);
    dn_json_number(json, "min", s->min);
    dn_json_number(json, "q1", s->q1);
    dn_json_number(json, "median", s->median);
    dn_json_number(json, "q3", s->q3);
    dn_json_number(json, "p95", s->p95);
    dn_json_number(json, "p99", s->p99);
    dn_json_number(json, "max", s->max);
    dn_json_number(json, "mean", s->mean);
    dn_json_number(json, "median_ci_low", s->ci_low);
    dn_json_number(json, "median_ci_high", s->ci_high);
    dn_json_number(json, "qcd", s->qcd);
    dn_json_int(json, "outliers", (gint64)s->outliers);
    json_builder_end_object(json);
}

static void add_stages(JsonBuilder *json, const char *name, const DnStage *stages, guint n)
{
    if (n == 0)
        return;
    dn_json_list(json, name);
    for (guint i = 0; i < n; i++) {
        json_builder_begin_object(json);
        dn_json_int(json, "servers", stages[i].servers);
        dn_json_int(json, "message_ps", stages[i].message_ps);
        dn_json_int(json, "piece_ps", stages[i].piece_ps);
        dn_json_int(json, "rate_bps", stages[i].rate_bps);
        dn_json_int(json, "latency_ps", stages[i].latency_ps);
        if (stages[i].piece_bytes > 0)
            dn_json_int(json, "piece_bytes", stages[i].piece_bytes);
        if (stages[i].peer_ps > 0)
            dn_json_int(json, "peer_ps", stages[i].peer_ps);
        if (stages[i].ahead)
            dn_json_int(json, "ahead_bps", stages[i].ahead_bps);
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
}

/* Those that are not zero. */
static void add_costs(JsonBuilder *json, const DnCosts *c)
{
    const struct {
        const char *name;
        gint64 value;
    } facts[] = {
        {"call_ps", c->call_ps},
        {"call_rank_ps", c->call_rank_ps},
        {"batch_ps", c->batch_ps},
        {"issue_ps", c->issue_ps},
        {"post_ps", c->post_ps},
        {"wait_ps", c->wait_ps},
        {"entries", c->entries},
        {"send_entries", c->send_entries},
        {"recv_entries", c->recv_entries},
        {"rendezvous_from_bytes", c->rendezvous_from_bytes},
        {"control_bytes", c->control_bytes},
        {"control_ps", c->control_ps},
        {"triggered", c->triggered},
        {"serial", c->serial},
        {"start_ps", c->start_ps},
        {"setup_ps", c->setup_ps},
        {"setup_threshold_bytes", c->setup_threshold_bytes},
        {"coalesce", c->coalesce},
        {"rate_bps", c->rate_bps},
        {"via_host", c->via_host},
        {"host_ps", c->host_ps},
        {"device_ps", c->device_ps},
        {"host_bps", c->host_bps},
        {"recv_ps", c->recv_ps},
        {"reduce_ps", c->reduce_ps},
        {"copy_ps", c->copy_ps},
        {"reduce_bps", c->reduce_bps},
        {"copy_bps", c->copy_bps},
        {"stage_ps", c->stage_ps},
        {"stage_bps", c->stage_bps},
    };
    for (guint i = 0; i < G_N_ELEMENTS(facts); i++)
        if (facts[i].value != 0)
            dn_json_int(json, facts[i].name, facts[i].value);
    add_stages(json, "out", c->out, c->n_out);
    add_stages(json, "in", c->in, c->n_in);
}

static void add_rule(JsonBuilder *json, const DnMechanismRule *rule)
{
    static const char *const reaches[] = {"any", "node", "network"};
    json_builder_begin_object(json);
    dn_json_string(json, "type", rule->type ? rule->type->name : "direct");
    if (rule->to_bytes != 0 && rule->to_bytes != G_MAXINT64)
        dn_json_int(json, "to_bytes", rule->to_bytes);
    dn_json_string(json, "reach", reaches[rule->reach]);
    if (rule->protocol)
        dn_json_string(json, "protocol", rule->protocol);
    add_costs(json, &rule->costs);
    json_builder_end_object(json);
}

/* The numbers behind a mechanism's name; simulate() has read the same node without an error. */
static void add_mechanism(JsonBuilder *json, const DnJobSpec *job, const DnMachine *machine)
{
    DnMechanism m;
    if (!dn_mechanism_read(job->mechanism, machine->mechanisms, &m, NULL))
        return;
    dn_json_object(json, "mechanism");
    dn_json_string(json, "name", m.name);
    dn_json_list(json, "rules");
    for (guint i = 0; i < MAX(1, m.n_rules); i++)
        add_rule(json, &m.rules[i]);
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
    gsl_sort(us, 1, n);
    for (guint p = 0; n > 0 && p <= 100; p++)
        json_builder_add_double_value(json,
                                      rint(dn_quantile_sorted(us, n, p / 100.0) * 1e6) * 1e-6);
    json_builder_end_array(json);
}

static void add_measure(JsonBuilder *json, const DnJobResult *job)
{
    dn_json_number(json, "offered_load", job->offered_load);
    dn_json_number(json, "accepted_load", job->accepted_load);
    json_builder_set_member_name(json, "steady");
    json_builder_add_boolean_value(json, job->steady);
}

static void add_slowdown(JsonBuilder *json, const DnRunResult *result, const DnJobResult *job)
{
    DnNicFigures nics = dn_job_nics(result, job);
    if (job->n_alone > 0) {
        DnSummary alone = dn_summary_us(job->alone_ps, job->n_alone);
        add_summary(json, "alone_us", &alone);
        dn_json_number(json, "slowdown", dn_experiment_slowdown(job));
    }
    if (job->aware)
        dn_json_number(json, "adaptive_share", job->adaptive_share);
    dn_json_number(json, "nic_latency_us", nics.latency_us);
    dn_json_number(json, "nic_stalled_cycles_per_flit", nics.stalled_cycles_per_flit);
    if (nics.packet_us.n == 0)
        return;
    add_summary(json, "packet_us", &nics.packet_us);
    add_summary(json, "stalls", &nics.stalls);
    add_summary(json, "network_us", &nics.network_us);
    dn_json_number(json, "model_correlation", nics.model_correlation);
}

static void add_ways(JsonBuilder *json, const DnRunResult *result, guint job)
{
    const DnJobPackets *packets = result->engine.job_packets;
    if (packets == NULL)
        return;
    dn_json_int(json, "minimal_packets", (gint64)packets[job].minimal);
    dn_json_int(json, "non_minimal_packets", (gint64)packets[job].non_minimal);
}

static void add_jobs(JsonBuilder *json, const DnRunSpec *spec, const DnRunResult *result,
                     const DnBeside *beside)
{
    dn_json_list(json, "jobs");
    for (guint j = 0; j < result->n_jobs; j++) {
        const DnJobResult *job = &result->jobs[j];
        DnJobFigures f = dn_job_figures(job);
        json_builder_begin_object(json);
        dn_json_string(json, "name", job->name);
        dn_json_string(json, "workload", job->workload);
        if (job->chosen != NULL) {
            dn_json_string(json, "chosen", job->chosen);
            dn_json_string(json, "choice", job->note);
        }
        dn_json_int(json, "ranks", job->ranks);
        dn_json_int(json, "bytes", job->bytes);
        dn_json_int(json, "messages", (gint64)job->messages);
        add_mechanism(json, &spec->jobs[j], result->machine);
        add_summary(json, "time_us", &f.time_us);
        dn_json_number(json, "goodput_bps", f.goodput_bps);
        add_ways(json, result, j);
        add_slowdown(json, result, job);
        if (job->measured)
            add_measure(json, job);
        if (beside != NULL)
            dn_beside_json(json, &beside[j]);
        add_summary(json, "latency_us", &f.latency_us);
        add_percentiles(json, "time_percentiles_us", job->iteration_ps, job->n_iterations);
        add_percentiles(json, "latency_percentiles_us", job->latency_ps, job->n_latency);
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
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

void dn_summary_json_point(JsonBuilder *json, const DnSweep *sweep, guint point,
                           const DnRunSpec *spec, const DnRunResult *result, const DnBeside *beside)
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
    add_jobs(json, spec, result, beside);
    dn_json_list(json, "warnings");
    for (guint i = 0; result->warnings != NULL && i < result->warnings->len; i++)
        json_builder_add_string_value(json, g_ptr_array_index(result->warnings, i));
    json_builder_end_array(json);
    json_builder_set_member_name(json, "config");
    add_config(json, spec->root);
    json_builder_end_object(json);
}
