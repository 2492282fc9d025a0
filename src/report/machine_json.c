/* machine_json.c - a machine for programs. Rates in bit/s, times in ps. */
#include "report/json.h"
#include "report/machine_report.h"

static void json_counts(JsonBuilder *b, const DnMachine *m, const DnGraphMetrics *metrics)
{
    const DnGraphSize *s = &m->graph->size;
    dn_json_string(b, "name", m->name);
    dn_json_string(b, "description", m->description);
    dn_json_string(b, "fabric", m->type != NULL ? m->type->name : NULL);
    dn_json_int(b, "switches", s->switches);
    dn_json_int(b, "groups", m->type != NULL ? s->groups : 0);
    dn_json_string(b, "arrangement", dn_machine_arrangement(m));
    dn_json_int(b, "failed_cables", m->failed_cables);
    dn_json_int(b, "nodes", s->nodes);
    dn_json_int(b, "whole_nodes", m->whole_nodes);
    dn_json_int(b, "vertices_per_node", s->node_vertices);
    dn_json_int(b, "gpus_per_node", m->gpus_per_node);
    dn_json_int(b, "nics_per_node", m->nics_per_node);
    dn_json_int(b, "endpoints", s->endpoints);
    dn_json_string(b, "endpoint_kind", dn_endpoint_kind_name(m->graph));
    dn_json_int(b, "terminals", s->terminals);
    dn_json_int(b, "radix_min", metrics->radix_min);
    dn_json_int(b, "radix_max", metrics->radix_max);
    dn_json_int(b, "diameter", m->type != NULL ? metrics->edge_diameter : 0);
    dn_json_number(b, "mean_distance", m->type != NULL ? metrics->edge_mean_distance : 0);
    dn_json_int(b, "distances_from", m->type != NULL ? metrics->sources : 0);
    dn_json_int(b, "packet_bytes", m->hardware.packet_bytes);
    dn_json_int(b, "header_bytes", m->hardware.header_bytes);
    dn_json_int(b, "lanes", m->hardware.lanes);
    dn_json_int(b, "memory_bytes", (gint64)dn_graph_memory_bytes(s));
}

static void json_links(JsonBuilder *b, const DnGraph *g, const DnGraphMetrics *metrics)
{
    dn_json_list(b, "links");
    for (guint32 c = 0; c < g->n_classes; c++) {
        const DnLinkClass *k = &g->classes[c];
        json_builder_begin_object(b);
        dn_json_string(b, "name", k->name);
        dn_json_int(b, "cables", metrics->class_cables[c]);
        dn_json_int(b, "physical_links", (gint64)metrics->class_ports[c]);
        dn_json_int(b, "bandwidth_bps", k->bandwidth_bps);
        dn_json_int(b, "latency_ps", k->latency_ps);
        dn_json_number(b, "efficiency", k->efficiency);
        dn_json_int(b, "buffer_bytes", k->buffer_bytes);
        dn_json_int(b, "shared_buffer_bytes", k->shared_buffer_bytes);
        json_builder_end_object(b);
    }
    json_builder_end_array(b);
}

static void json_sources(JsonBuilder *b, const DnMachine *m)
{
    dn_json_list(b, "provenance");
    for (guint i = 0; i < m->provenance->len; i++) {
        const DnProvenance *p = m->provenance->pdata[i];
        json_builder_begin_object(b);
        dn_json_string(b, "key", p->key);
        dn_json_string(b, "value", p->text);
        dn_json_string(b, "source", p->source);
        dn_json_string(b, "assumed", p->assumed);
        dn_json_string(b, "file", p->file);
        dn_json_int(b, "line", p->line);
        json_builder_end_object(b);
    }
    json_builder_end_array(b);
}

char *dn_machine_json(const DnMachine *m, const DnGraphMetrics *metrics)
{
    g_autoptr(JsonBuilder) b = json_builder_new();
    json_builder_begin_object(b);
    json_counts(b, m, metrics);
    json_links(b, m->graph, metrics);
    json_sources(b, m);
    json_builder_end_object(b);
    g_autoptr(JsonNode) root = json_builder_get_root(b);
    return json_to_string(root, TRUE);
}
