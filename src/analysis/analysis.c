/* analysis.c - see analysis.h. */
#include "analysis/analysis.h"
#include "analysis/routing_index.h"

#include <math.h>

#define MOST_MATRIX_BYTES ((gsize)4 << 30)
#define MOST_ROUTE_STEPS G_GUINT64_CONSTANT(1000000000)
#define MOST_DETOUR_STEPS G_GUINT64_CONSTANT(10000000) /* of a pair of switches */
#define MOST_PATHS 20000
#define RING_SECONDS 5
#define PATHS_DRAWN 20000
#define NODE_VISITS 1e7

void dn_analysis_free(DnAnalysis *a)
{
    if (a == NULL)
        return;
    if (a->has_node) {
        dn_allreduce_bounds_clear(&a->node.allreduce);
        g_free(a->node.load);
        dn_net_free(a->node.net);
    }
    dn_graph_metrics_clear(&a->metrics);
    dn_link_loads_free(a->loads);
    dn_traffic_shares_free(a->shares);
    dn_traffic_free(a->traffic);
    dn_router_free(a->router);
    dn_machine_free(a->machine);
    g_free(a->paths);
    g_free(a->cycle);
    g_free(a);
}

static void begin_stage(const DnAnalysisOptions *o, const char *stage)
{
    if (o->stage != NULL)
        o->stage(o->stage_data, stage);
}

static void analyze_node(DnAnalysis *a)
{
    const DnGraph *g = a->machine->graph;
    DnNodeAnalysis *n = &a->node;
    if (g->size.node_vertices < 2)
        return;
    n->net = dn_net_node(g, 0, TRUE);
    g_autofree guint8 *is = dn_net_endpoints(n->net, g, &n->endpoints);
    if (n->endpoints < 2 || !dn_net_connects(n->net, g)) {
        g_clear_pointer(&n->net, dn_net_free);
        return;
    }
    a->has_node = TRUE;
    n->direct = n->net->n < g->size.node_vertices;
    n->load = g_new0(double, n->net->n_arcs + 1);
    g_autofree double *other = g_new0(double, n->net->n_arcs + 1);
    g_autofree double *demand = dn_alltoall_demand(n->net, g);
    g_autofree double *weight = g_new0(double, n->net->n);
    for (guint32 v = 0; v < n->net->n; v++)
        weight[v] = is[v];
    n->fixed = dn_node_alltoall(n->net, g, DN_SPREAD_FIXED, other);
    n->has_best = dn_route_best(n->net, demand, MOST_PATHS, other, &n->best);
    n->equal = dn_node_alltoall(n->net, g, DN_SPREAD_EQUAL, n->load);
    dn_throughput(n->net, demand, NODE_VISITS, &n->rate);
    n->has_bisection = dn_bisect(n->net, weight, &n->bisection);
    dn_allreduce_bounds(n->net, g, RING_SECONDS, &n->allreduce);
}

static gboolean spread_loads(DnAnalysis *a, const DnAnalysisOptions *o, GError **error)
{
    const DnGraph *g = a->machine->graph;
    a->mean_hops = NAN;
    if (!o->routed) {
        a->paths = g_strdup(o->spread == DN_SPREAD_FIXED ? "one fixed shortest path each"
                                                         : "all shortest paths, equally");
        a->loads = dn_link_loads(g, a->traffic, a->shares, o->spread, NULL);
        return TRUE;
    }
    g_autofree double *fabric =
        g_new0(double, (a->shares->fabric != NULL ? a->shares->fabric->n_arcs : 0) + 1);
    a->paths = g_strdup_printf("routing %s, all choices equally", a->router->type->name);
    if (!dn_routing_load(a->router, a->shares, MOST_ROUTE_STEPS, fabric, &a->mean_hops, error))
        return FALSE;
    a->loads = dn_link_loads(g, a->traffic, a->shares, DN_SPREAD_GIVEN, fabric);
    return TRUE;
}

static void measure_fabric(DnAnalysis *a, const DnAnalysisOptions *o)
{
    const DnGraph *g = a->machine->graph;
    begin_stage(o, "distances between switches");
    dn_graph_metrics(g, &a->metrics);
    if (a->shares->fabric == NULL)
        return;
    g_autofree double *weight = g_new0(double, g->size.switches + 1);
    for (guint32 e = 0; e < g->size.endpoints; e++)
        weight[g->terminal_switch[g->endpoint_terminal[e]]] += 1;
    begin_stage(o, "shortest paths and their diversity");
    a->has_diversity = dn_path_diversity(a->shares->fabric, weight, &a->diversity);
    dn_path_lengths(a->router, PATHS_DRAWN, 1, &a->lengths);
    begin_stage(o, "bisection");
    a->has_bisection = dn_bisect_fabric(a->machine, &a->bisection);
    begin_stage(o, "detours");
    a->has_detours = dn_detours_meet(a->router, a->shares->fabric, MOST_DETOUR_STEPS, &a->detours);
    a->has_expectations =
        dn_expectations(g, a->has_node ? a->node.equal.endpoint_bps : 0, &a->expectations);
}

static void check_deadlock(DnAnalysis *a)
{
    g_autoptr(GError) error = NULL;
    if (!dn_deadlock_check(a->router, &error))
        a->cycle = g_strdup(error->message);
}

DnAnalysis *dn_analysis_new(DnMachine *machine, DnRouter *router, DnTraffic *traffic,
                            const DnAnalysisOptions *options, GError **error)
{
    g_autoptr(DnAnalysis) a = g_new0(DnAnalysis, 1);
    a->machine = machine;
    a->router = router;
    a->traffic = traffic;
    a->bytes = traffic != NULL;
    if (traffic == NULL) {
        const char *name = options->traffic != NULL ? options->traffic : "alltoall";
        a->traffic = dn_traffic_new(machine->graph, name, options->seed, error);
    }
    if (a->traffic != NULL)
        a->shares = dn_traffic_shares(machine->graph, a->traffic, MOST_MATRIX_BYTES, error);
    begin_stage(options, "load of the links");
    if (a->shares == NULL || !spread_loads(a, options, error))
        return NULL;
    begin_stage(options, "bounds inside a node");
    analyze_node(a);
    measure_fabric(a, options);
    begin_stage(options, "bounds on the throughput");
    dn_machine_rate(machine->graph, a->shares, options->effort, &a->rate);
    begin_stage(options, "deadlock check");
    check_deadlock(a);
    return g_steal_pointer(&a);
}
