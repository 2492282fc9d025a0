/* run_spec.c - see run_spec.h: the run file through tables of keys into one plain struct. */
#include "config/run_spec.h"

#include <string.h>

#include "config/config_internal.h"

#define MAX_JOBS 4096
#define MOST_PS 1e18   /* 1,000,000 s: the longest run (DN_RUN_MOST_PS) */
#define HASH_DIGITS 12 /* 48 bits: telling runs apart, not proof against forgery */

/* Names in the order of DnPlacementKind. */
const char *const dn_placement_names[] = {
    "contiguous",         "random", "random_node",   "random_switch", "random_group",
    "random_node_sorted", "spread", "spread_switch", "spread_group",  NULL};

const DnParamSpec dn_run_spec_keys[] = {
    {"machine", DN_PARAM_NODE, NULL, 0, 0, NULL,
     "a name in topologies/, a path, a mapping, or {name: x, key: value}"},
    {"jobs", DN_PARAM_NODE, NULL, 0, 0, NULL, "a list of what runs"},
    {"nodes", DN_PARAM_INT, "", 1, 1 << 24, NULL, "only the first N nodes; default: all"},
    {"engine", DN_PARAM_STRING, "packet", 0, 0, NULL,
     "packet (discrete events), flow (max-min sharing of links), bound (each message as if alone)"},
    {"seed", DN_PARAM_INT, "1", 0, 0x1p63, NULL, "of all random draws"},
    {"repeat", DN_PARAM_INT, "1", 1, 1e5, NULL,
     "repetitions of each point: the first with `seed`, each next with a seed one higher, so "
     "placement, background and noise are drawn anew; pooled, and shown apart"},
    {"threads", DN_PARAM_INT, "1", 1, DN_MAX_THREADS, NULL,
     "of the engine; results do not depend on it"},
    {"packet", DN_PARAM_NODE, "", 0, 0, NULL, "parameters of the packet engine"},
    {"flow", DN_PARAM_NODE, "", 0, 0, NULL, "parameters of the flow engine"},
    {"routing", DN_PARAM_NODE, "", 0, 0, NULL,
     "algorithm and its parameters; default: the machine's, else minimal"},
    {"until", DN_PARAM_TIME, "", 1, MOST_PS, NULL,
     "stop at this simulated time; default: when all is done"},
    {"measure", DN_PARAM_NODE, "", 0, 0, NULL, "steady state of open-loop jobs"},
    {"background", DN_PARAM_NODE, "", 0, 0, NULL,
     "other users' jobs, drawn on the nodes left; workloads/populations/ has some"},
    {"slowdown", DN_PARAM_BOOL, "no", 0, 0, NULL,
     "run each job alone as well, on the same placement"},
    {"bound", DN_PARAM_BOOL, "no", 0, 0, NULL,
     "also a bound: each job's shortest iteration without contention, or what its busiest link "
     "needs; of an alltoall or allreduce of one node also the peak expected of its links"},
    {"measured", DN_PARAM_NODE, "", 0, 0, NULL,
     "measured values to show with the results: a CSV like a validation case's expected.csv"},
    {"output", DN_PARAM_STRING, "", 0, 0, NULL, "folder of the results; default: out/<file name>"},
    {"description", DN_PARAM_STRING, "", 0, 0, NULL, "for people"},
    {"sweep", DN_PARAM_NODE, "", 0, 0, NULL,
     "keys and the lists of values they take; all combinations, the first key slowest"},
    {0},
};

const DnParamSpec dn_packet_keys[] = {
    {"size", DN_PARAM_BYTES, "0", 1, 1 << 20, NULL,
     "largest payload of a packet; 0: the machine's; `darner run` warns by how much others change "
     "a run"},
    {"virtual_channels", DN_PARAM_INT, "0", 0, 64, NULL, "0: as many as the routing needs"},
    {"max_memory", DN_PARAM_BYTES, "", 1 << 20, 0x1p60, NULL,
     "refuse what needs more than that or than there is; default: 80 % of what the host or its "
     "cgroup has"},
    {0},
};

const DnParamSpec dn_measure_keys[] = {
    {"warmup", DN_PARAM_NODE, "", 0, 0, NULL, "auto, or a time before the first window"},
    {"window", DN_PARAM_NODE, "", 0, 0, NULL, "auto, or the length of each of the two windows"},
    {"tolerance", DN_PARAM_REAL, "5 %", 0.001, 0.5, NULL,
     "steady: the mean latencies of the windows differ by no more"},
    {0},
};

const DnParamSpec dn_iterations_keys[] = {
    {"until", DN_PARAM_REAL, NULL, 1e-6, 1, NULL,
     "farther end of the median's interval from it, as a share"},
    {"min", DN_PARAM_INT, "10", 2, 1e6, NULL, "iterations to begin with"},
    {"max", DN_PARAM_INT, "1000", 2, 1e6, NULL, "iterations to end with, settled or not"},
    {0},
};

const DnParamSpec dn_measured_keys[] = {
    {"file", DN_PARAM_STRING, NULL, 0, 0, NULL, "a CSV of measured values"},
    {"run", DN_PARAM_STRING, "", 0, 0, NULL, "only its rows of this run"},
    {0},
};

const DnParamSpec dn_job_keys[] = {
    {"name", DN_PARAM_STRING, "", 0, 0, NULL, "in tables and files"},
    {"workload", DN_PARAM_NODE, NULL, 0, 0, NULL, "a name in workloads/, or {type: ...}"},
    {"ranks", DN_PARAM_INT, "", 1, 1 << 24, NULL, "processes; as many as endpoints if absent"},
    {"placement", DN_PARAM_NODE, "", 0, 0, NULL,
     "a policy (spread: round robin), endpoints one a rank, or which nodes; default: contiguous"},
    {"ranks_per_node", DN_PARAM_INT, "0", 0, 1 << 16, NULL,
     "most ranks on a node, the other endpoints are left to other jobs; 0: a node's endpoints"},
    {"exclusive", DN_PARAM_BOOL, "no", 0, 0, NULL,
     "it gets whole nodes, as from most batch systems: no other job has an endpoint of them"},
    {"mechanism", DN_PARAM_NODE, "", 0, 0, NULL,
     "a name in the machine's mechanisms, costs written out, or a list by size, distance and call; "
     "default: of traces and collectives the machine's default_mechanism, else direct, no costs "
     "besides the links'"},
    {"iterations", DN_PARAM_NODE, "", 0, 0, NULL,
     "how often the workload runs, 1 by default; or until its median is certain"},
    {"start", DN_PARAM_TIME, "0", 0, MOST_PS, NULL, "when its ranks begin"},
    {"background", DN_PARAM_BOOL, "no", 0, 0, NULL,
     "runs over and over until every other job is done"},
    {"service_level", DN_PARAM_INT, "0", 0, 15, NULL,
     "of its messages; the machine says which lane that is"},
    {"packet_aggregation", DN_PARAM_INT, "1", 1, 64, NULL,
     "packets that one simulated packet of the job stands for: cheap background traffic that "
     "disturbs the other jobs as much, but on full links (a run warns of them)"},
    {"routing_mode", DN_PARAM_NODE, "", 0, 0, NULL,
     "of its messages, where the algorithm has modes; by size; or application-aware, by what the "
     "NIC counted; default: routing.mode, on aries without one ADAPTIVE_1 for alltoall"},
    {"noise", DN_PARAM_NODE, "", 0, 0, NULL, "of its hosts: detours and imbalance"},
    {"burst", DN_PARAM_INT, "1", 1, 1e9, NULL, "iterations between two pauses"},
    {"pause", DN_PARAM_TIME, "0", 0, MOST_PS, NULL,
     "silence of a rank after each burst, which counts to its next iteration; 0: none"},
    {0},
};

/* ---- jobs ---- */

static gboolean read_endpoints(const DnConfigNode *list, DnJobSpec *job, gboolean ranks_given,
                               GError **error)
{
    static const DnParamSpec ENDPOINT = {"placement",     DN_PARAM_INT, NULL,         0,
                                         G_MAXUINT32 - 1, NULL,         "an endpoint"};
    guint n = list->children->len;
    if (n == 0) {
        dn_config_error(list, DN_ERROR_RANGE, error,
                        "placement: no endpoints are listed; allowed: one a rank");
        return FALSE;
    }
    if (ranks_given && n != job->ranks) {
        dn_config_error(list, DN_ERROR_RANGE, error,
                        "placement: %u endpoints for %u ranks; allowed: one a rank", n, job->ranks);
        return FALSE;
    }
    job->ranks = n;
    job->placement_list = g_new0(guint32, n);
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < n; i++) {
        gint64 endpoint = 0;
        const DnConfigNode *item = list->children->pdata[i];
        if (!dn_param_parse(item, &ENDPOINT, &endpoint, NULL, error))
            return FALSE;
        job->placement_list[i] = (guint32)endpoint;
        if (!g_hash_table_add(seen, GSIZE_TO_POINTER((gsize)endpoint + 1))) {
            dn_config_error(item, DN_ERROR_RANGE, error,
                            "placement: endpoint %u is listed twice; allowed: one rank each",
                            job->placement_list[i]);
            return FALSE;
        }
    }
    return TRUE;
}

static gboolean read_placement(const DnParams *params, DnJobSpec *job, GError **error)
{
    static const DnParamSpec KIND = {"placement", DN_PARAM_CHOICE,    "contiguous",    0,
                                     0,           dn_placement_names, "where ranks go"};
    const DnConfigNode *node = dn_params_node(params, "placement");
    job->placement = DN_PLACE_CONTIGUOUS;
    if (node == NULL)
        return TRUE;
    if (node->kind == DN_CONFIG_LIST) {
        job->placement = DN_PLACE_LIST;
        dn_config_consume(node);
        return read_endpoints(node, job, dn_params_has(params, "ranks"), error);
    }
    if (node->kind == DN_CONFIG_MAP) {
        job->placement = DN_PLACE_NODES;
        job->placement_node = node;
        return TRUE;
    }
    gint64 kind = 0;
    if (!dn_param_parse(node, &KIND, &kind, NULL, error))
        return FALSE;
    job->placement = (DnPlacementKind)kind;
    return TRUE;
}

/* A number, or a mapping that says when to stop. */
static gboolean read_iterations(const DnParams *params, DnJobSpec *job, GError **error)
{
    static const DnParamSpec COUNT = {"iterations", DN_PARAM_INT, "1", 1, 1e6, NULL, ""};
    const DnConfigNode *node = dn_params_node(params, "iterations");
    gint64 count = 1;
    if (node == NULL || node->kind != DN_CONFIG_MAP) {
        if (node != NULL && !dn_param_parse(node, &COUNT, &count, NULL, error))
            return FALSE;
        job->iterations = (guint32)count;
        return TRUE;
    }
    g_autoptr(DnParams) rule = dn_params_read(node, dn_iterations_keys, NULL, error);
    if (rule == NULL)
        return FALSE;
    job->convergence = dn_params_real(rule, "until");
    job->iterations = (guint32)dn_params_int(rule, "min");
    job->most_iterations = (guint32)dn_params_int(rule, "max");
    if (job->most_iterations >= job->iterations)
        return TRUE;
    dn_params_error(rule, "max", DN_ERROR_RANGE, error, "max: %u is less than `min`, %u",
                    job->most_iterations, job->iterations);
    return FALSE;
}

/* A mapping, or a name; what they hold is for others to read. */
static gboolean check_name_or_map(const DnParams *params, const char *key, GError **error)
{
    const DnConfigNode *node = dn_params_node(params, key);
    if (node == NULL || node->kind == DN_CONFIG_MAP ||
        (node->kind == DN_CONFIG_SCALAR && node->scalar[0] != '\0'))
        return TRUE;
    g_autofree char *found = dn_config_describe(node);
    dn_config_error(node, DN_ERROR_TYPE, error, "%s: a name or a mapping is wanted, not %s", key,
                    found);
    return FALSE;
}

/* Checks `mechanism`: a name, a mapping, or a list of them by size and distance. */
static gboolean check_mechanism(const DnParams *params, GError **error)
{
    const DnConfigNode *node = dn_params_node(params, "mechanism");
    return (node != NULL && node->kind == DN_CONFIG_LIST) ||
           check_name_or_map(params, "mechanism", error);
}

/* Names stand in file names and CSV cells. */
static gboolean check_job_name(const DnParams *params, const DnRunSpec *spec, guint index,
                               GError **error)
{
    enum { LONGEST = 64 };
    const char *name = spec->jobs[index].name;
    g_autofree char *shown = dn_quote(name);
    if (strlen(name) > LONGEST || strpbrk(name, "/,\"\\") != NULL || name[0] == '.' ||
        dn_has_control_character(name)) {
        dn_params_error(params, "name", DN_ERROR_RANGE, error,
                        "name: %s cannot name a job; allowed: 1 to %d bytes without / , \\ "
                        "quotes, control characters or a leading dot",
                        shown, LONGEST);
        return FALSE;
    }
    for (guint i = 0; i < index; i++) {
        if (strcmp(spec->jobs[i].name, name) == 0) {
            dn_params_error(params, "name", DN_ERROR_RANGE, error,
                            "name: %s names jobs[%u] too; each job needs its own", shown, i);
            return FALSE;
        }
    }
    return TRUE;
}

static gboolean read_job(const DnConfigNode *node, DnRunSpec *spec, guint index, GError **error)
{
    DnJobSpec *job = &spec->jobs[index];
    g_autoptr(DnParams) params = dn_params_read(node, dn_job_keys, NULL, error);
    if (params == NULL)
        return FALSE;
    const char *name = dn_params_string(params, "name");
    job->name = name != NULL ? g_strdup(name) : g_strdup_printf("job%u", index);
    job->node = node;
    job->workload = dn_params_node(params, "workload");
    job->mechanism = dn_params_node(params, "mechanism");
    job->ranks = (guint32)dn_params_int(params, "ranks");
    job->ranks_per_node = (guint32)dn_params_int(params, "ranks_per_node");
    job->exclusive = dn_params_bool(params, "exclusive");
    job->start_ps = dn_params_int(params, "start");
    job->background = dn_params_bool(params, "background");
    job->service_level = (guint8)dn_params_int(params, "service_level");
    job->aggregation = (guint8)dn_params_int(params, "packet_aggregation");
    job->routing_mode = dn_params_node(params, "routing_mode");
    job->noise = dn_params_node(params, "noise");
    job->burst = (guint32)dn_params_int(params, "burst");
    job->pause_ps = dn_params_int(params, "pause");
    return check_job_name(params, spec, index, error) && read_iterations(params, job, error) &&
           check_name_or_map(params, "workload", error) && check_mechanism(params, error) &&
           read_placement(params, job, error);
}

static gboolean read_jobs(const DnConfigNode *list, DnRunSpec *spec, GError **error)
{
    if (!dn_config_expect(list, DN_CONFIG_LIST, error))
        return FALSE;
    guint n = list->children->len;
    if (n < 1 || n > MAX_JOBS) {
        dn_config_error(list, DN_ERROR_RANGE, error, "jobs: %u jobs; allowed: 1 to %d", n,
                        MAX_JOBS);
        return FALSE;
    }
    spec->jobs = g_new0(DnJobSpec, n);
    spec->n_jobs = n;
    guint background = 0;
    for (guint i = 0; i < n; i++) {
        if (!read_job(list->children->pdata[i], spec, i, error))
            return FALSE;
        background += spec->jobs[i].background;
    }
    if (background < n)
        return TRUE;
    dn_config_error(list, DN_ERROR_RANGE, error,
                    "jobs: all of them are background; at least one job must come to an end");
    return FALSE;
}

/* ---- the run ---- */

static gboolean read_packet(const DnConfigNode *node, DnRunSpec *spec, GError **error)
{
    g_autoptr(DnParams) params = dn_params_read(node, dn_packet_keys, NULL, error);
    if (params == NULL)
        return FALSE;
    spec->packet_bytes = dn_params_int(params, "size");
    spec->virtual_channels = (guint32)dn_params_int(params, "virtual_channels");
    spec->max_memory_bytes = dn_params_int(params, "max_memory");
    return TRUE;
}

/* A time, or `auto` (0). */
static gboolean read_span(const DnParams *params, const char *key, gint64 *span_ps, GError **error)
{
    const DnParamSpec time = {key, DN_PARAM_TIME, NULL, 1, MOST_PS, NULL, "a time, or auto"};
    const DnConfigNode *node = dn_params_node(params, key);
    *span_ps = 0;
    if (node == NULL || (node->kind == DN_CONFIG_SCALAR && strcmp(node->scalar, "auto") == 0))
        return TRUE;
    return dn_param_parse(node, &time, span_ps, NULL, error);
}

static gboolean read_measure(const DnConfigNode *node, DnRunSpec *spec, GError **error)
{
    DnMeasureSpec *measure = &spec->measure;
    if (node == NULL)
        return TRUE;
    g_autoptr(DnParams) params = dn_params_read(node, dn_measure_keys, NULL, error);
    if (params == NULL)
        return FALSE;
    if (spec->until_ps > 0) {
        dn_config_error(node, DN_ERROR_RANGE, error,
                        "measure: ends the run by itself; allowed: `measure` or `until`, not both");
        return FALSE;
    }
    measure->node = node;
    measure->tolerance = dn_params_real(params, "tolerance");
    return read_span(params, "warmup", &measure->warmup_ps, error) &&
           read_span(params, "window", &measure->window_ps, error);
}

/* A file's name, or a mapping. */
static gboolean read_measured(const DnParams *all, DnRunSpec *spec, GError **error)
{
    const DnConfigNode *node = dn_params_node(all, "measured");
    if (!check_name_or_map(all, "measured", error))
        return FALSE;
    spec->measured_at = node;
    if (node == NULL || node->kind != DN_CONFIG_MAP) {
        spec->measured = node != NULL ? g_strdup(node->scalar) : NULL;
        return TRUE;
    }
    g_autoptr(DnParams) params = dn_params_read(node, dn_measured_keys, NULL, error);
    if (params == NULL)
        return FALSE;
    spec->measured = g_strdup(dn_params_string(params, "file"));
    spec->measured_run = g_strdup(dn_params_string(params, "run"));
    return TRUE;
}

static char *default_output(const char *file)
{
    g_autofree char *base = g_path_get_basename(file);
    char *dot = strrchr(base, '.');
    if (dot != NULL && dot != base)
        *dot = '\0';
    return g_build_filename("out", base, NULL);
}

/* A steady state has no time of its own to bound. */
static gboolean check_bound(const DnParams *params, const DnRunSpec *spec, GError **error)
{
    if (!spec->bound || spec->measure.node == NULL)
        return TRUE;
    dn_params_error(params, "bound", DN_ERROR_RANGE, error,
                    "bound: yes goes with jobs that end, not with `measure`");
    return FALSE;
}

static gboolean read_run(DnRunSpec *spec, const char *file, GError **error)
{
    g_autoptr(DnParams) params = dn_params_read(spec->root, dn_run_spec_keys, NULL, error);
    if (params == NULL)
        return FALSE;
    const char *output = dn_params_string(params, "output");
    spec->machine = dn_params_node(params, "machine");
    spec->routing = dn_params_node(params, "routing");
    spec->background = dn_params_node(params, "background");
    spec->nodes = (guint32)dn_params_int(params, "nodes");
    spec->engine = g_strdup(dn_params_string(params, "engine"));
    spec->seed = (guint64)dn_params_int(params, "seed");
    spec->repeat = (guint)dn_params_int(params, "repeat");
    spec->threads = (guint)dn_params_int(params, "threads");
    spec->until_ps = dn_params_int(params, "until");
    spec->slowdown = dn_params_bool(params, "slowdown");
    spec->bound = dn_params_bool(params, "bound");
    spec->output = output != NULL ? g_strdup(output) : default_output(file);
    return check_name_or_map(params, "machine", error) && read_measured(params, spec, error) &&
           read_packet(dn_params_node(params, "packet"), spec, error) &&
           read_measure(dn_params_node(params, "measure"), spec, error) &&
           check_bound(params, spec, error) &&
           read_jobs(dn_params_node(params, "jobs"), spec, error);
}

/* Returns a hash of all that can change a result and of nothing else, so that a run has the same
 * hash wherever it writes, on any number of threads, as a point of a sweep or alone. */
static char *hash_of(const DnConfigNode *root)
{
    static const char *const IDLE[] = {"output", "threads", "description",
                                       "sweep",  "bound",   "measured"};
    g_autoptr(DnConfigNode) copy = dn_config_copy(root);
    for (guint i = 0; i < G_N_ELEMENTS(IDLE); i++)
        dn_config_map_remove(copy, IDLE[i]);
    g_autofree char *text = dn_config_to_string(copy);
    char *hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);
    hash[HASH_DIGITS] = '\0';
    return hash;
}

DnRunSpec *dn_run_spec_new(DnConfigNode *root, const char *file, GError **error)
{
    g_autoptr(DnRunSpec) spec = g_new0(DnRunSpec, 1);
    spec->root = root;
    if (!read_run(spec, file, error))
        return NULL;
    spec->hash = hash_of(spec->root);
    return g_steal_pointer(&spec);
}

DnRunSpec *dn_run_spec_load(const char *file, const char *const *overrides, GError **error)
{
    DnConfigNode *root = dn_config_load(file, overrides, error);
    if (root == NULL)
        return NULL;
    dn_config_map_remove(root, "sweep");
    return dn_run_spec_new(root, file, error);
}

DnRunSpec *dn_run_spec_repetition(const DnRunSpec *spec, guint r, GError **error)
{
    g_autoptr(DnConfigNode) root = dn_config_copy(spec->root);
    DnConfigNode *seed = dn_config_node_new(DN_CONFIG_SCALAR, root->file, root->line, root->column);
    seed->scalar = g_strdup_printf("%" G_GUINT64_FORMAT, spec->seed + r);
    if (!dn_config_replace(root, "seed", seed, root, error))
        return NULL;
    DnRunSpec *other = dn_run_spec_new(g_steal_pointer(&root), spec->output, error);
    if (other == NULL)
        return NULL;
    other->repeat = 1;
    g_free(other->output);
    other->output = g_strdup(spec->output);
    return other;
}

void dn_run_spec_free(DnRunSpec *spec)
{
    if (spec == NULL)
        return;
    for (guint i = 0; i < spec->n_jobs; i++) {
        g_free(spec->jobs[i].name);
        g_free(spec->jobs[i].placement_list);
    }
    g_free(spec->jobs);
    g_free(spec->engine);
    g_free(spec->measured);
    g_free(spec->measured_run);
    g_free(spec->output);
    g_free(spec->hash);
    dn_config_free(spec->root);
    g_free(spec);
}
