/* analysis_json.c - an analysis for programs. Rates in bit/s, times in ps; a bound that does not
 * apply is null. */
#include "base/rate.h"
#include "report/analysis_report.h"
#include "report/summary_json.h"
#include "base/version.h"

#include <math.h>

static void add_text(JsonBuilder *b, const char *member, const char *value)
{
    json_builder_set_member_name(b, member);
    json_builder_add_string_value(b, value);
}

static void add_int(JsonBuilder *b, const char *member, gint64 value)
{
    json_builder_set_member_name(b, member);
    json_builder_add_int_value(b, value);
}

static void add_bool(JsonBuilder *b, const char *member, gboolean value)
{
    json_builder_set_member_name(b, member);
    json_builder_add_boolean_value(b, value);
}

static void analysis_json_begin(JsonBuilder *b, const char *member)
{
    json_builder_set_member_name(b, member);
    json_builder_begin_object(b);
}

static void add_throughput(JsonBuilder *b, const char *member, const DnThroughput *t)
{
    analysis_json_begin(b, member);
    dn_json_number(b, "lower_bps", t->lower_bps);
    dn_json_number(b, "upper_bps", t->upper_bps);
    add_bool(b, "exact", t->exact);
    add_int(b, "rounds", t->rounds);
    json_builder_end_object(b);
}

static void add_bisection(JsonBuilder *b, const DnBisection *k)
{
    analysis_json_begin(b, "bisection");
    dn_json_number(b, "cut_bps", k->cut_bps);
    add_bool(b, "exact", k->exact);
    dn_json_number(b, "endpoints_0", k->parts[0]);
    dn_json_number(b, "endpoints_1", k->parts[1]);
    dn_json_number(b, "closed_form_bps", k->formula_bps);
    json_builder_end_object(b);
}

static void add_vertices(JsonBuilder *b, const DnAnalysis *a, const guint32 *vertices, guint32 n)
{
    const DnGraph *g = a->machine->graph;
    json_builder_begin_array(b);
    for (guint32 i = 0; i < n; i++)
        json_builder_add_int_value(b, g->vertices[a->node.net->vertex[vertices[i]]].local);
    json_builder_end_array(b);
}

static void add_allreduce(JsonBuilder *b, const DnAnalysis *a)
{
    const DnAllreduceBounds *r = &a->node.allreduce;
    analysis_json_begin(b, "allreduce");
    if (r->rings != NULL) {
        add_int(b, "rings", r->rings->count);
        add_int(b, "rings_at_most", r->rings->most);
        json_builder_set_member_name(b, "ring_vertices");
        json_builder_begin_array(b);
        for (guint32 i = 0; i < r->rings->count; i++)
            add_vertices(b, a, r->rings->rings + i * r->rings->n, r->rings->n);
        json_builder_end_array(b);
        dn_json_number(b, "ring_link_bps", r->rings->least_bps);
        dn_json_number(b, "ring_bps", r->ring_bps);
        dn_json_number(b, "ring_exact_bps", r->ring_exact_bps);
    }
    if (r->trees != NULL) {
        add_int(b, "trees", r->trees->count);
        json_builder_set_member_name(b, "tree_edges");
        json_builder_begin_array(b);
        for (guint32 i = 0; i < r->trees->count; i++)
            add_vertices(b, a, r->trees->edges + i * 2 * (r->trees->n - 1), 2 * (r->trees->n - 1));
        json_builder_end_array(b);
        dn_json_number(b, "tree_bps", r->tree_bps);
    }
    if (r->complete_graph)
        dn_json_number(b, "star_as_printed_bps", r->star_bps);
    dn_json_number(b, "at_most_bps", r->most_bps);
    json_builder_end_object(b);
}

/* Endpoint by endpoint: what one transfer can get. */
static void add_widest(JsonBuilder *b, const DnAnalysis *a)
{
    const DnNet *net = a->node.net;
    guint32 n;
    g_autofree guint8 *is = dn_net_endpoints(net, a->machine->graph, &n);
    json_builder_set_member_name(b, "widest_path_bps");
    json_builder_begin_array(b);
    for (guint32 s = 0; s < net->n; s++) {
        if (!is[s])
            continue;
        g_autofree double *rate = dn_widest_paths(net, s);
        json_builder_begin_array(b);
        for (guint32 t = 0; t < net->n; t++)
            if (is[t])
                json_builder_add_double_value(b, rate[t]);
        json_builder_end_array(b);
    }
    json_builder_end_array(b);
}

static void add_node(JsonBuilder *b, const DnAnalysis *a)
{
    const DnNodeAnalysis *n = &a->node;
    const DnGraph *g = a->machine->graph;
    analysis_json_begin(b, "node");
    add_int(b, "endpoints", n->endpoints);
    add_bool(b, "own_links_only", n->direct);
    dn_json_number(b, "forwarding_index", n->equal.index.paths);
    dn_json_number(b, "forwarding_index_per_link", n->equal.index.per_link);
    dn_json_number(b, "fixed_index_per_link", n->fixed.index.per_link);
    dn_json_number(b, "best_index_per_link", n->has_best ? n->best.per_link : NAN);
    dn_json_number(b, "best_index_bound", n->has_best ? n->best.bound : NAN);
    json_builder_set_member_name(b, "paths");
    json_builder_begin_array(b);
    for (guint32 i = 0; i < n->net->n_arcs; i++) {
        json_builder_begin_object(b);
        add_int(b, "from", g->vertices[n->net->vertex[n->net->from[i]]].local);
        add_int(b, "to", g->vertices[n->net->vertex[n->net->to[i]]].local);
        dn_json_number(b, "links", n->net->width[i]);
        dn_json_number(b, "capacity_bps", n->net->capacity_bps[i]);
        dn_json_number(b, "paths", n->load[i]);
        json_builder_end_object(b);
    }
    json_builder_end_array(b);
    add_widest(b, a);
    dn_json_number(b, "alltoall_pair_bps", n->equal.pair_bps);
    dn_json_number(b, "alltoall_endpoint_as_printed_bps", n->equal.endpoint_bps);
    dn_json_number(b, "alltoall_endpoint_bps", n->equal.exact_endpoint_bps);
    add_throughput(b, "alltoall_pair_any_paths", &n->rate);
    if (n->has_bisection)
        add_bisection(b, &n->bisection);
    add_allreduce(b, a);
    json_builder_end_object(b);
}

static void add_classes(JsonBuilder *b, const DnAnalysis *a)
{
    const DnGraph *g = a->machine->graph;
    json_builder_set_member_name(b, "links");
    json_builder_begin_array(b);
    for (guint32 c = 0; c < g->n_classes; c++) {
        const DnClassLoad *k = &a->loads->classes[c];
        char name[160];
        json_builder_begin_object(b);
        add_text(b, "name", g->classes[c].name);
        add_int(b, "physical_links", (gint64)a->metrics.class_ports[c]);
        add_int(b, "bandwidth_bps", g->classes[c].bandwidth_bps);
        dn_json_number(b, "load_mean_per_link", k->per_link_mean);
        dn_json_number(b, "load_max_per_link", k->per_link_max);
        dn_json_number(b, "load_max", k->paths_max);
        dn_json_number(b, "unit_bps", k->rate_bps);
        add_text(b, "fullest", k->link != DN_NONE ? dn_link_name(g, k->link, name) : "");
        json_builder_end_object(b);
    }
    json_builder_end_array(b);
}

static void add_traffic(JsonBuilder *b, const DnAnalysis *a)
{
    analysis_json_begin(b, "traffic");
    add_text(b, "name", a->traffic->name);
    add_text(b, "unit", a->bytes ? "byte" : "pair");
    add_text(b, "paths", a->paths);
    dn_json_number(b, "largest_out", a->traffic->largest_out);
    dn_json_number(b, "total", a->traffic->total);
    dn_json_number(b, "unit_bps", a->loads->rate_bps);
    dn_json_number(b, "endpoint_bps", a->loads->endpoint_bps);
    dn_json_number(b, "any_paths_lower_bps", a->rate.lower_bps);
    dn_json_number(b, "any_paths_upper_bps", a->rate.upper_bps);
    add_text(b, "limit", a->rate.limit);
    add_throughput(b, "fabric_any_paths", &a->rate.fabric);
    dn_json_number(b, "nic_bps", a->rate.nic_bps);
    add_throughput(b, "node_any_paths", &a->rate.node);
    dn_json_number(b, "time_ps", a->bytes ? dn_rate_time(1, a->loads->rate_bps) : NAN);
    dn_json_number(b, "any_paths_time_ps", a->bytes ? dn_rate_time(1, a->rate.upper_bps) : NAN);
    dn_json_number(b, "mean_switch_hops", a->mean_hops);
    add_classes(b, a);
    json_builder_end_object(b);
}

static void add_fabric(JsonBuilder *b, const DnAnalysis *a)
{
    analysis_json_begin(b, "fabric");
    add_int(b, "diameter", a->metrics.edge_diameter);
    dn_json_number(b, "mean_distance", a->metrics.edge_mean_distance);
    add_int(b, "distances_from", a->metrics.sources);
    if (a->has_diversity) {
        dn_json_number(b, "shortest_paths_least", a->diversity.least);
        dn_json_number(b, "shortest_paths_mean", a->diversity.mean);
        dn_json_number(b, "shortest_paths_most", a->diversity.most);
    }
    if (a->has_bisection)
        add_bisection(b, &a->bisection);
    add_text(b, "routing", a->router->type->name);
    if (a->lengths.paths > 0) {
        add_int(b, "path_hops_shortest", a->lengths.shortest);
        add_int(b, "path_hops_longest_minimal", a->lengths.longest_minimal);
        add_int(b, "path_hops_longest", a->lengths.longest);
    }
    add_int(b, "virtual_channels", a->router->channels);
    if (a->has_detours)
        dn_json_number(b, "detours_in_one_local_link", a->detours.share);
    add_bool(b, "deadlock_free", a->cycle == NULL);
    json_builder_end_object(b);
}

static void add_expectations(JsonBuilder *b, const DnAnalysis *a)
{
    const DnExpectations *e = &a->expectations;
    analysis_json_begin(b, "expectations");
    dn_json_number(b, "inter_node_bps", e->inter_node_bps);
    json_builder_set_member_name(b, "alltoall");
    json_builder_begin_array(b);
    for (guint64 n = e->node_endpoints; n <= a->machine->graph->size.endpoints; n *= 2) {
        json_builder_begin_object(b);
        add_int(b, "endpoints", (gint64)n);
        dn_json_number(b, "pairs_inside", dn_pairs_inside(e, (guint32)n));
        dn_json_number(b, "goodput_bps", dn_expected_alltoall_bps(e, (guint32)n));
        json_builder_end_object(b);
    }
    json_builder_end_array(b);
    json_builder_end_object(b);
}

char *dn_analysis_json(const DnAnalysis *a)
{
    const DnGraphSize *s = &a->machine->graph->size;
    g_autoptr(JsonBuilder) b = json_builder_new();
    json_builder_begin_object(b);
    add_text(b, "version", dn_version);
    add_text(b, "machine", a->machine->name);
    add_int(b, "nodes", s->nodes);
    add_int(b, "endpoints", s->endpoints);
    add_int(b, "switches", s->switches);
    if (a->has_node)
        add_node(b, a);
    add_traffic(b, a);
    if (a->shares->fabric != NULL)
        add_fabric(b, a);
    if (a->has_expectations)
        add_expectations(b, a);
    json_builder_end_object(b);
    JsonNode *root = json_builder_get_root(b);
    char *text = dn_json_text(root);
    json_node_unref(root);
    return text;
}
