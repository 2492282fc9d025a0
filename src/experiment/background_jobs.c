/* background_jobs.c - see background_jobs.h. */
#include "experiment/background_jobs.h"

#include "base/data_folders.h"
#include "base/rng.h"
#include "workload/distribution.h"
#include "workload/program.h"
#include <string.h>

static const char *const PLACEMENTS[] = {"random_node", "random_switch", "contiguous", NULL};
enum { RANDOM_NODE, RANDOM_SWITCH, CONTIGUOUS };
static const char *const WEIGHTS[] = {"jobs", "nodes", NULL};
enum { OF_JOBS, OF_NODES };

const DnParamSpec dn_background_keys[] = {
    {"utilisation", DN_PARAM_REAL, "80 %", 0, 1, NULL,
     "share of the free nodes that these jobs take"},
    {"sizes", DN_PARAM_NODE, "", 0, 0, NULL, "nodes of a job: weight"},
    {"weights", DN_PARAM_CHOICE, "jobs", 0, 0, WEIGHTS, "what a size's weight is a share of"},
    {"source", DN_PARAM_STRING, "", 0, 0, NULL, "where the distributions come from"},
    {"assumed", DN_PARAM_STRING, "", 0, 0, NULL, "which of them come from nowhere, and why"},
    {"placement", DN_PARAM_CHOICE, "random_node", 0, 0, PLACEMENTS, "which nodes a job gets"},
    {"ranks_per_node", DN_PARAM_INT, "1", 1, 1 << 16, NULL, "of each job"},
    {"service_level", DN_PARAM_INT, "0", 0, 15, NULL, "of their messages"},
    {"service_nodes", DN_PARAM_INT, "0", 0, 1 << 20, NULL,
     "number of nodes, evenly over the machine, that all jobs write to"},
    {"packet_aggregation", DN_PARAM_INT, "1", 1, 64, NULL,
     "packets that one simulated packet of theirs stands for"},
    {"traffic", DN_PARAM_NODE, "", 0, 0, NULL, "keys of workload tenant"},
    {0},
};

/* assumed: no machine's log; many small jobs, a few large */
static const char DEFAULT_SIZES[] = "{1: 4, 2: 2, 4: 2, 8: 2, 16: 1, 64: 1}";

typedef struct {
    const DnRunSpec *spec;
    const DnGraph *graph;
    const DnConfigNode *at; /* of the run file */
    DnParams *params;
    DnDistribution *sizes;
    guint32 *order;        /* [n_order] nodes left, as jobs get them */
    guint32 n_order, used; /* of order */
    guint32 *first;        /* [nodes + 1] endpoints by node */
    guint32 *services;     /* [n_services] nodes */
    guint32 n_services;
    guint64 key;
} Draw;

static void draw_clear(Draw *draw)
{
    dn_params_free(draw->params);
    dn_distribution_free(draw->sizes);
    g_free(draw->order);
    g_free(draw->first);
    g_free(draw->services);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Draw, draw_clear)

/* ---- sizes ---- */

/* Turns each size's share of the nodes into its share of the jobs. */
static void weigh_by_nodes(DnDistribution *sizes)
{
    for (guint i = 0; i < sizes->n; i++)
        sizes->weights[i] /= sizes->values[i];
}

static gboolean read_sizes(Draw *draw, GError **error)
{
    static const DnParamSpec NODES = {"sizes", DN_PARAM_INT,    NULL, 1, G_MAXINT32,
                                      NULL,    "nodes of a job"};
    g_autoptr(DnConfigNode) assumed = dn_config_parse(DEFAULT_SIZES, "sizes", NULL);
    const DnConfigNode *given = dn_params_node(draw->params, "sizes");
    draw->sizes = dn_distribution_read(given != NULL ? given : assumed, &NODES, error);
    if (draw->sizes != NULL && dn_params_int(draw->params, "weights") == OF_NODES)
        weigh_by_nodes(draw->sizes);
    return draw->sizes != NULL;
}

/* ---- nodes ---- */

static guint32 node_of(const Draw *draw, guint32 endpoint)
{
    return draw->graph->vertices[draw->graph->endpoints[endpoint]].node;
}

static guint32 switch_of(const Draw *draw, guint32 node)
{
    guint32 t = draw->graph->endpoint_terminal[draw->first[node]];
    return t == DN_NONE ? 0 : draw->graph->terminal_switch[t];
}

/* Chooses service nodes, evenly spaced; where a job of the run has that node, the next free one.
 * Fewer where too few are free. */
static void find_services(Draw *draw, guint32 nodes, guint8 *taken)
{
    guint32 wanted = (guint32)dn_params_int(draw->params, "service_nodes");
    draw->services = g_new(guint32, wanted + 1);
    for (guint32 i = 0; i < wanted; i++) {
        guint32 at = (guint32)((2 * (guint64)i + 1) * nodes / (2 * (guint64)wanted)) % nodes;
        for (guint32 tried = 0; tried < nodes && taken[at]; tried++)
            at = (at + 1) % nodes;
        if (taken[at])
            return;
        taken[at] = TRUE;
        draw->services[draw->n_services++] = at;
    }
}

/* Lists the nodes that are not @taken. Endpoints come node by node, at least one a node. */
static void find_nodes(Draw *draw, guint8 *taken)
{
    guint32 nodes = MAX(1, draw->graph->size.nodes), endpoints = draw->graph->size.endpoints;
    draw->first = g_new0(guint32, nodes + 1);
    draw->order = g_new0(guint32, nodes);
    for (guint32 e = endpoints; e-- > 0;)
        draw->first[node_of(draw, e)] = e;
    draw->first[nodes] = endpoints;
    find_services(draw, nodes, taken);
    for (guint32 n = 0; n < nodes; n++)
        if (!taken[n])
            draw->order[draw->n_order++] = n;
}

static int background_ascending(gconstpointer a, gconstpointer b)
{
    guint64 x = *(const guint64 *)a, y = *(const guint64 *)b;
    return x < y ? -1 : x > y;
}

/* Nodes one by one, or leaf switches with all their nodes (Fisher & Yates over either). */
static void shuffle_nodes(Draw *draw, gboolean by_switch)
{
    guint64 key = dn_draw_key(draw->key, DN_DRAW_PLACEMENT, 1);
    guint32 n = draw->n_order;
    if (!by_switch) {
        for (guint32 i = 0; i < n; i++) {
            guint32 pick = i + dn_draw_below(dn_draw(key, i), n - i), node = draw->order[pick];
            draw->order[pick] = draw->order[i];
            draw->order[i] = node;
        }
        return;
    }
    g_autofree guint64 *places = g_new(guint64, MAX(1, n));
    for (guint32 i = 0; i < n; i++) /* a switch's draw, then the node: sorts switches at random */
        places[i] = (dn_draw(key, switch_of(draw, draw->order[i])) & ~(guint64)0xffffffff) |
                    draw->order[i];
    qsort(places, n, sizeof *places, background_ascending);
    for (guint32 i = 0; i < n; i++)
        draw->order[i] = (guint32)places[i];
}

/* ---- jobs ---- */

static gint64 nic_rate_bps(const DnGraph *g)
{
    gint64 least = G_MAXINT64;
    for (guint32 l = 0; l < g->size.links; l++) {
        const DnLink *link = &g->links[l];
        if (g->vertices[link->src].kind != DN_VERTEX_SWITCH &&
            g->vertices[link->dst].kind == DN_VERTEX_SWITCH)
            least = MIN(least, dn_link_bandwidth_bps(g, l));
    }
    return least == G_MAXINT64 ? G_GINT64_CONSTANT(100000000000) : least;
}

/* Other types are not silently taken for tenants. */
static gboolean is_tenant(const DnConfigNode *workload, GError **error)
{
    const DnConfigNode *type = dn_config_get(workload, "type");
    if (type == NULL)
        return TRUE;
    if (!dn_config_expect(type, DN_CONFIG_SCALAR, error))
        return FALSE;
    const DnProgramType *program = dn_program_type_find(type->scalar);
    if (program != NULL && program->drawable)
        return TRUE;
    g_autofree char *shown = dn_quote(type->scalar);
    dn_config_error(type, DN_ERROR_RANGE, error,
                    "traffic: %s cannot be drawn; allowed: keys of workload tenant, e.g. "
                    "{alltoall: 1, halo: 0, incast: 0, io: 0}; or a job with `background: yes`",
                    shown);
    return FALSE;
}

/* More messages than a rank sends in any run: a second iteration would begin the tenant's jobs
 * anew. */
#define ENDLESS "messages=1000000000"

/* Returns the run's `traffic` as a workload, with defaults for missing keys. */
static DnConfigNode *workload_node(const Draw *draw, GError **error)
{
    const DnConfigNode *traffic = dn_params_node(draw->params, "traffic");
    if (traffic != NULL && !dn_config_expect(traffic, DN_CONFIG_MAP, error))
        return NULL;
    g_autoptr(DnConfigNode) workload = traffic != NULL
                                           ? dn_config_copy(traffic)
                                           : dn_config_parse("{type: tenant}", "background", error);
    g_autofree char *rate =
        g_strdup_printf("rate=%" G_GINT64_FORMAT " b/s", nic_rate_bps(draw->graph));
    g_autofree char *stores = g_strdup_printf("stores=%u", draw->n_services);
    if (traffic != NULL)
        dn_config_consume(traffic);
    if (!is_tenant(workload, error) || !dn_config_override(workload, "type=tenant", error) ||
        (dn_config_get(workload, "rate") == NULL && !dn_config_override(workload, rate, error)) ||
        (dn_config_get(workload, "messages") == NULL &&
         !dn_config_override(workload, ENDLESS, error)) ||
        (dn_config_get(workload, "steady") == NULL &&
         !dn_config_override(workload, "steady=yes", error)) ||
        (draw->n_services > 0 && !dn_config_override(workload, stores, error)))
        return NULL;
    return g_steal_pointer(&workload);
}

static void background_place(Draw *draw, guint32 nodes, DnPlacement *out)
{
    guint32 per_node = (guint32)dn_params_int(draw->params, "ranks_per_node");
    GArray *list = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_assert(draw->used + nodes <= draw->n_order);
    for (guint32 i = 0; i < nodes; i++) {
        guint32 e = draw->first[draw->order[draw->used + i]], node = node_of(draw, e);
        for (guint32 k = 0; k < per_node && e < draw->graph->size.endpoints; k++, e++)
            if (node_of(draw, e) == node)
                g_array_append_val(list, e);
    }
    for (guint32 i = 0; i < draw->n_services; i++)
        g_array_append_val(list, draw->first[draw->services[i]]);
    out->ranks = list->len;
    out->endpoints = (guint32 *)(gpointer)g_array_free(list, FALSE);
}

static gboolean add_job(Draw *draw, guint32 nodes, GArray *jobs, DnBackgroundMetrics *metrics,
                        GError **error)
{
    DnDrawnJob drawn = {.root = workload_node(draw, error)};
    if (drawn.root == NULL)
        return FALSE;
    g_autofree char *name = g_strdup_printf("background-%u (%u nodes)", jobs->len, nodes);
    background_place(draw, nodes, &drawn.placement);
    drawn.job = (DnJobSpec){
        .name = (char *)g_intern_string(name),
        .node = draw->at,
        .workload = drawn.root,
        .ranks = drawn.placement.ranks,
        .placement = DN_PLACE_LIST,
        .iterations = 1,
        .background = TRUE,
        .service_level = (guint8)dn_params_int(draw->params, "service_level"),
        .aggregation = (guint8)dn_params_int(draw->params, "packet_aggregation"),
    };
    metrics->jobs++;
    metrics->ranks += drawn.placement.ranks;
    g_array_append_val(jobs, drawn);
    return TRUE;
}

static void drawn_clear(gpointer data)
{
    DnDrawnJob *drawn = data;
    dn_config_free(drawn->root);
    g_free(drawn->placement.endpoints);
}

static gboolean draw_jobs(Draw *draw, guint8 *taken, GArray *jobs, DnBackgroundMetrics *metrics,
                          GError **error)
{
    guint32 wanted = (guint32)(dn_params_real(draw->params, "utilisation") * draw->n_order + 0.5);
    for (guint64 n = 0; draw->used < wanted; n++) {
        guint32 size = (guint32)dn_distribution_draw(draw->sizes, dn_draw(draw->key, n));
        guint32 nodes = MIN(size, wanted - draw->used);
        if (nodes > 1 && !add_job(draw, nodes, jobs, metrics, error))
            return FALSE;
        draw->used += nodes;
    }
    metrics->nodes += draw->used;
    for (guint32 i = 0; i < draw->used; i++)
        taken[draw->order[i]] = TRUE;
    return TRUE;
}

/* Checks the traffic's keys, also when no drawn job would read them. */
static gboolean check_traffic(const Draw *draw, GError **error)
{
    g_autoptr(DnConfigNode) root = workload_node(draw, error);
    if (root == NULL)
        return FALSE;
    g_autoptr(DnProgram) program = dn_program_new(root, 2, 1, draw->key, error);
    return program != NULL;
}

/* Warns of a population without a job of two nodes: it changes nothing. */
static void warn_silent(const Draw *draw, guint32 index, GPtrArray *warnings)
{
    g_autofree char *which = draw->spec->background->kind == DN_CONFIG_LIST
                                 ? g_strdup_printf("background[%u]", index)
                                 : g_strdup("background");
    g_ptr_array_add(warnings,
                    g_strdup_printf("%s: none of its jobs has two nodes, so nobody sends and this "
                                    "run is as without them: of %u free nodes %u are service "
                                    "nodes and %u have jobs",
                                    which, draw->n_order + draw->n_services, draw->n_services,
                                    draw->used));
}

/* The @index-th population, on nodes that those before have left. */
static gboolean draw_population(Draw *draw, const DnConfigNode *node, guint32 index, guint8 *taken,
                                GArray *jobs, DnBackgroundMetrics *metrics, GPtrArray *warnings,
                                GError **error)
{
    draw->params = dn_params_read(node, dn_background_keys, NULL, error);
    if (draw->params == NULL)
        return FALSE;
    if (!check_traffic(draw, error) || !read_sizes(draw, error))
        return FALSE;
    draw->key = dn_draw_key(draw->spec->seed, DN_DRAW_PLACEMENT, G_MAXUINT32 - index);
    find_nodes(draw, taken);
    gint64 policy = dn_params_int(draw->params, "placement");
    if (policy != CONTIGUOUS)
        shuffle_nodes(draw, policy == RANDOM_SWITCH);
    guint before = jobs->len;
    if (!draw_jobs(draw, taken, jobs, metrics, error))
        return FALSE;
    if (jobs->len == before)
        warn_silent(draw, index, warnings);
    return TRUE;
}

/* (transfer full): workloads/populations/NAME.yaml, found as workloads are. */
static DnConfigNode *load_population(const DnConfigNode *node, GError **error)
{
    g_autofree char *name = g_strconcat("populations/", node->scalar, NULL);
    g_autofree char *found = dn_data_file("workloads", dn_config_base(node), name);
    if (found != NULL)
        return dn_config_load(found, NULL, error);
    g_autofree char *shown = dn_quote(node->scalar);
    dn_config_error(node, DN_ERROR_UNKNOWN, error,
                    "background: unknown population %s; no such file in folders "
                    "workloads/populations " DN_DATA_PLACES,
                    shown);
    return NULL;
}

GArray *dn_background_jobs_draw(const DnRunSpec *spec, const DnGraph *graph,
                                const DnPlacement *placements, DnBackgroundMetrics *metrics,
                                GPtrArray *warnings, GError **error)
{
    g_autoptr(GArray) jobs = g_array_new(FALSE, FALSE, sizeof(DnDrawnJob));
    g_autofree guint8 *taken = g_new0(guint8, MAX(1, graph->size.nodes));
    const DnConfigNode *all = spec->background;
    gboolean several = all->kind == DN_CONFIG_LIST;
    *metrics = (DnBackgroundMetrics){.asked = TRUE};
    g_array_set_clear_func(jobs, drawn_clear);
    for (guint j = 0; j < spec->n_jobs; j++)
        for (guint32 r = 0; r < placements[j].ranks; r++)
            taken[graph->vertices[graph->endpoints[placements[j].endpoints[r]]].node] = TRUE;
    for (guint i = 0; i < (several ? all->children->len : 1); i++) {
        g_autoptr(DnConfigNode) named = NULL; /* outlives draw, which points into it */
        const DnConfigNode *node = several ? g_ptr_array_index(all->children, i) : all;
        g_auto(Draw) draw = {.spec = spec, .graph = graph, .at = node};
        if (node->kind == DN_CONFIG_SCALAR) {
            named = load_population(node, error);
            if (named == NULL)
                return NULL;
            dn_config_consume(node);
            node = named;
        }
        if (!dn_config_expect(node, DN_CONFIG_MAP, error) ||
            !draw_population(&draw, node, i, taken, jobs, metrics, warnings, error))
            return NULL;
    }
    if (several)
        dn_config_consume(all);
    return g_steal_pointer(&jobs);
}
