/* baseline.c - see baseline.h. */
#include "validation/baseline.h"
#include "experiment/job_times.h"
#include "analysis/collective_bounds.h"
#include "analysis/link_load.h"
#include "experiment/experiment.h"
#include "workload/collective.h"
#include <math.h>
#include <string.h>

/* Search for rings and trees: nodes of today's machines need milliseconds. */
#define RING_SECONDS 1

struct DnBaseline {
    DnPlan *plan;      /* borrowed */
    GPtrArray *points; /* DnCheckedPoint*; NULL: nothing measured is named */
};

/* ---- measured ---- */

/* (transfer full): points of the file that the run names. */
static GPtrArray *read_file(const DnPlan *plan, const DnRunSpec *spec, GError **error)
{
    const char *file = spec->measured, *run = spec->measured_run;
    g_autofree char *folder = g_path_get_dirname(plan->file);
    g_autofree char *path = g_path_is_absolute(file) ? g_strdup(file)
                                                     : g_build_filename(folder, file, NULL);
    if (!g_file_test(path, G_FILE_TEST_EXISTS)) {
        dn_config_error(spec->measured_at, DN_ERROR_FILE, error, "measured: no file %s", path);
        return NULL;
    }
    g_autoptr(DnCsv) csv = dn_csv_load(path, error);
    if (csv == NULL)
        return NULL;
    g_autoptr(GPtrArray) plans = g_ptr_array_new();
    g_ptr_array_add(plans, (gpointer)plan);
    return dn_expected_read(csv, plans, run != NULL ? run : plan->name, error);
}

DnBaseline *dn_baseline_new(DnPlan *plan, GError **error)
{
    g_autoptr(DnBaseline) y = g_new0(DnBaseline, 1);
    g_autoptr(DnRunSpec) spec = dn_plan_spec(plan, 0, error);
    y->plan = plan;
    if (spec == NULL)
        return NULL;
    if (spec->measured == NULL)
        return g_steal_pointer(&y);
    y->points = read_file(plan, spec, error);
    return y->points != NULL ? g_steal_pointer(&y) : NULL;
}

void dn_baseline_free(DnBaseline *y)
{
    if (y == NULL)
        return;
    g_clear_pointer(&y->points, g_ptr_array_unref);
    g_free(y);
}

static const DnConfigNode *find_path(const DnConfigNode *node, const char *path)
{
    if (g_strcmp0(node->path, path) == 0)
        return node;
    for (guint i = 0; node->children != NULL && i < node->children->len; i++) {
        const DnConfigNode *found = find_path(g_ptr_array_index(node->children, i), path);
        if (found != NULL)
            return found;
    }
    return NULL;
}

/* Each key of @point has in @spec the value it was measured with. */
static gboolean is_of(const DnCheckedPoint *point, const DnRunSpec *spec)
{
    for (guint k = 0; point->keys[k] != NULL; k++) {
        const DnConfigNode *node = find_path(spec->root, point->keys[k]);
        if (node == NULL || node->kind != DN_CONFIG_SCALAR ||
            !dn_expected_same_value(node->scalar, point->values[k]))
            return FALSE;
    }
    return TRUE;
}

static void add_measured(const DnBaseline *y, const DnRunSpec *spec, const DnRunResult *result,
                         DnReferences *references)
{
    for (guint i = 0; y->points != NULL && i < y->points->len; i++) {
        DnCheckedPoint *point = g_ptr_array_index(y->points, i);
        if (!is_of(point, spec))
            continue;
        dn_expected_compare(point, result);
        for (guint j = 0; j < result->n_jobs; j++)
            if (strcmp(result->jobs[j].name, point->job) == 0)
                dn_references_add(&references[j], point->metric, dn_evidence_names[point->evidence],
                                  point->measured, point->simulated);
    }
}

/* ---- bounds ---- */

/* All endpoints of node 0 and no others. */
static gboolean is_whole_node(const DnRunResult *result, const DnJobResult *job)
{
    const DnGraph *g = result->machine->graph;
    guint32 per_node = g->size.endpoints / MAX(1, g->size.nodes);
    gboolean inside = result->n_jobs == 1 && job->ranks == per_node && job->ranks > 1;
    for (guint32 r = 0; inside && r < job->ranks; r++)
        inside = job->endpoints[r] < per_node;
    return inside && g->size.node_vertices >= 2;
}

/* Adds the peak from the graph of a node, at the rates of its wires. */
static void add_peak(const DnRunResult *result, DnReferences *references)
{
    const DnGraph *g = result->machine->graph;
    const DnJobResult *job = &result->jobs[0];
    gboolean alltoall = dn_workload_is(job->workload, DN_COLL_ALLTOALL);
    if (!is_whole_node(result, job) ||
        (!alltoall && !dn_workload_is(job->workload, DN_COLL_ALLREDUCE)))
        return;
    g_autoptr(DnNet) net = dn_net_node(g, 0, TRUE);
    guint32 n = 0;
    g_autofree guint8 *is G_GNUC_UNUSED = dn_net_endpoints(net, g, &n);
    if (n < 2 || !dn_net_connects(net, g))
        return;
    if (alltoall) {
        g_autofree double *load = g_new0(double, net->n_arcs + 1);
        DnNodeAlltoall peak = dn_node_alltoall(net, g, DN_SPREAD_EQUAL, load);
        references->peak_bps = peak.endpoint_bps;
        references->peak = peak.as_printed
                               ? "an endpoint's links over the edge forwarding index, wire rates"
                               : "to each peer an equal share of the fullest link, wire rates";
        return;
    }
    DnAllreduceBounds bounds = {0};
    dn_allreduce_bounds(net, g, RING_SECONDS, &bounds);
    if (bounds.rings != NULL) {
        references->peak_bps = bounds.ring_bps;
        references->peak = "disjoint rings, twice the buffer sent, wire rates";
    }
    dn_allreduce_bounds_clear(&bounds);
}

static gboolean add_bounds(const DnBaseline *y, const DnRunSpec *spec, const DnRunResult *result,
                           const DnRunOptions *options, DnReferences *references, GError **error)
{
    DnRunOptions bounding = {
        .engine = "bound", .threads = options->threads, .progress = options->progress};
    for (guint r = 0; r < MAX(1, spec->repeat); r++) {
        DnRunSpec one = *spec;
        one.seed += r;
        for (guint j = 0; j < result->n_jobs; j++) {
            /* a background job has as many iterations as others leave it time for */
            if (spec->jobs[j].background)
                continue;
            bounding.isolated_job = j + 1;
            g_autoptr(DnRunResult) bound = dn_simulate(&one, &bounding, y->plan->networks, error);
            if (bound == NULL) {
                g_prefix_error(error, "bound: ");
                return FALSE;
            }
            references[j].bound_us =
                fmin(references[j].bound_us, dn_least_bound_us(bound, j)); /* NAN: none yet */
        }
    }
    add_peak(result, &references[0]);
    return TRUE;
}

DnReferences *dn_baseline_point(const DnBaseline *y, const DnRunSpec *spec,
                                const DnRunResult *result, const DnRunOptions *options,
                                GError **error)
{
    DnReferences *references = dn_references_new(result->n_jobs);
    add_measured(y, spec, result, references);
    if (!spec->bound || add_bounds(y, spec, result, options, references, error))
        return references;
    dn_references_free(references, result->n_jobs);
    return NULL;
}
