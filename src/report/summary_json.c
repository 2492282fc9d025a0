/* summary_json.c - one point as JSON; values from the YAML stay text, as written. */
#include "report/summary_json.h"
#include "endpoint/mechanism.h"
#include <math.h>

void dn_json_number(JsonBuilder *json, const char *member, double value)
{
    json_builder_set_member_name(json, member);
    if (isfinite(value))
        json_builder_add_double_value(json, value);
    else
        json_builder_add_null_value(json);
}

static void add_int(JsonBuilder *json, const char *member, gint64 value)
{
    json_builder_set_member_name(json, member);
    json_builder_add_int_value(json, value);
}

static void add_text(JsonBuilder *json, const char *member, const char *value)
{
    json_builder_set_member_name(json, member);
    json_builder_add_string_value(json, value);
}

char *dn_json_text(JsonNode *root)
{
    g_autoptr(JsonGenerator) generator = json_generator_new();
    json_generator_set_root(generator, root);
    json_generator_set_pretty(generator, TRUE);
    g_autofree char *text = json_generator_to_data(generator, NULL);
    return g_strconcat(text, "\n", NULL);
}

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

static void add_machine(JsonBuilder *json, const DnSimulation *simulation)
{
    const DnMachine *machine = simulation->machine;
    const DnGraph *graph = machine->graph;
    json_builder_set_member_name(json, "machine");
    json_builder_begin_object(json);
    add_text(json, "name", machine->name);
    add_int(json, "nodes", graph->size.nodes);
    add_int(json, "endpoints", graph->size.endpoints);
    add_int(json, "switches", graph->size.switches);
    add_int(json, "links", graph->size.links);
    add_int(json, "header_bytes", machine->hardware.header_bytes);
    add_int(json, "own_packet_bytes", machine->hardware.packet_bytes);
    json_builder_set_member_name(json, "link_classes");
    json_builder_begin_array(json);
    for (guint32 c = 0; c < graph->n_classes; c++) {
        json_builder_begin_object(json);
        add_text(json, "name", graph->classes[c].name);
        add_int(json, "bandwidth_bps", graph->classes[c].bandwidth_bps);
        add_int(json, "latency_ps", graph->classes[c].latency_ps);
        add_int(json, "buffer_bytes", graph->classes[c].buffer_bytes);
        dn_json_number(json, "efficiency", graph->classes[c].efficiency);
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
    json_builder_end_object(json);
}

static void add_summary(JsonBuilder *json, const char *member, const DnSummary *s)
{
    json_builder_set_member_name(json, member);
    json_builder_begin_object(json);
    add_int(json, "n", (gint64)s->n);
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
    json_builder_end_object(json);
}

/* The numbers behind a mechanism's name; simulate() has read the same node without an error. */
static void add_mechanism(JsonBuilder *json, const DnScenarioJob *job, const DnMachine *machine)
{
    DnMechanism m;
    if (!dn_mechanism_read(job->mechanism, machine->mechanisms, &m, NULL))
        return;
    json_builder_set_member_name(json, "mechanism");
    json_builder_begin_object(json);
    add_text(json, "name", m.name != NULL ? m.name : "");
    add_int(json, "issue_ps", m.issue_ps);
    add_int(json, "start_ps", m.start_ps);
    add_int(json, "recv_ps", m.recv_ps);
    add_int(json, "setup_ps", m.setup_ps);
    add_int(json, "setup_threshold_bytes", m.setup_threshold_bytes);
    json_builder_set_member_name(json, "serial");
    json_builder_add_boolean_value(json, m.serial);
    add_int(json, "rate_bps", m.rate_bps);
    add_int(json, "reduce_bps", m.reduce_bps);
    add_int(json, "copy_bps", m.copy_bps);
    json_builder_end_object(json);
}

static void add_jobs(JsonBuilder *json, const DnScenario *scenario, const DnSimulation *simulation)
{
    json_builder_set_member_name(json, "jobs");
    json_builder_begin_array(json);
    for (guint j = 0; j < simulation->n_jobs; j++) {
        const DnJobResult *job = &simulation->jobs[j];
        DnJobFigures f = dn_job_figures(job);
        json_builder_begin_object(json);
        add_text(json, "name", job->name);
        add_text(json, "workload", job->workload);
        add_int(json, "ranks", job->ranks);
        add_int(json, "bytes", job->bytes);
        add_int(json, "messages", (gint64)job->messages);
        add_mechanism(json, &scenario->jobs[j], simulation->machine);
        add_summary(json, "time_us", &f.time_us);
        dn_json_number(json, "goodput_bps", f.goodput_bps);
        add_summary(json, "latency_us", &f.latency_us);
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
}

static void add_engine(JsonBuilder *json, const DnSimulation *simulation)
{
    const DnEngineResult *e = &simulation->engine;
    json_builder_set_member_name(json, "engine");
    json_builder_begin_object(json);
    add_text(json, "name", simulation->engine_type->name);
    add_text(json, "limits", simulation->engine_type->limits);
    add_int(json, "packet_bytes", simulation->packet_bytes);
    g_autofree char *blur = dn_packet_text(simulation->machine, simulation->packet_bytes);
    add_text(json, "packet_note", blur);
    dn_json_number(json, "end_us", (double)e->end_ps * 1e-6);
    add_int(json, "packets", (gint64)e->packets);
    add_int(json, "packet_hops", (gint64)e->packet_hops);
    add_int(json, "messages", (gint64)e->messages);
    add_int(json, "payload_bytes", (gint64)e->payload_bytes);
    dn_json_number(json, "mean_packet_latency_us",
                   e->packets > 0 ? (double)e->packet_latency_ps_sum / (double)e->packets * 1e-6
                                  : NAN);
    json_builder_end_object(json);
}

void dn_summary_json_point(JsonBuilder *json, const DnSweep *sweep, guint point,
                           const DnScenario *scenario, const DnSimulation *simulation)
{
    json_builder_begin_object(json);
    add_int(json, "point", point);
    json_builder_set_member_name(json, "sweep");
    json_builder_begin_object(json);
    for (guint k = 0; sweep != NULL && k < sweep->n_keys; k++)
        add_text(json, sweep->keys[k], sweep->values[point][k]);
    json_builder_end_object(json);
    add_text(json, "config_hash", scenario->hash);
    g_autofree char *seed = g_strdup_printf("%" G_GUINT64_FORMAT, scenario->seed);
    add_text(json, "seed", seed); /* text: JSON numbers end at 2^53 */
    add_machine(json, simulation);
    json_builder_set_member_name(json, "routing");
    json_builder_begin_object(json);
    add_text(json, "algorithm", simulation->router->type->name);
    add_int(json, "virtual_channels", simulation->router->channels);
    json_builder_end_object(json);
    add_engine(json, simulation);
    g_autofree char *limit = dn_bottleneck_text(simulation);
    add_text(json, "bottleneck", limit);
    add_jobs(json, scenario, simulation);
    json_builder_set_member_name(json, "warnings");
    json_builder_begin_array(json);
    for (guint i = 0; simulation->warnings != NULL && i < simulation->warnings->len; i++)
        json_builder_add_string_value(json, g_ptr_array_index(simulation->warnings, i));
    json_builder_end_array(json);
    json_builder_set_member_name(json, "config");
    add_config(json, scenario->root);
    json_builder_end_object(json);
}
