/* analyze.c - `darner analyze MACHINE|RUN`: what the wires allow, without simulating.
 *
 * The machine's graph is taken apart into the fabric, the NICs and the inside of a node; a traffic
 * says what each has to carry; paths, rings, trees and linear programs say at what rate at best. */
#include "commands/analyze.h"
#include "base/units.h"
#include "commands/commands.h"
#include "analysis/routing_index.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_MATRIX_BYTES ((gsize)4 << 30)
#define MOST_ROUTE_STEPS G_GUINT64_CONSTANT(1000000000)
#define MOST_PATHS 20000
#define RING_SECONDS 5
#define NODE_VISITS 1e7

typedef struct {
    gint nodes, effort;
    gint64 seed;
    char *endpoints, *routing, *traffic, *paths, *json, *svg;
    char **set;
} Options;

static void options_clear(Options *o)
{
    g_free(o->endpoints);
    g_free(o->routing);
    g_free(o->traffic);
    g_free(o->paths);
    g_free(o->json);
    g_free(o->svg);
    g_strfreev(o->set);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

static void analysis_clear(DnAnalysis *a)
{
    if (a->has_node) {
        dn_allreduce_bounds_clear(&a->node.allreduce);
        g_free(a->node.load);
        dn_net_free(a->node.net);
    }
    dn_graph_metrics_clear(&a->metrics);
    dn_link_loads_free(a->loads);
    dn_traffic_parts_free(a->parts);
    dn_traffic_free(a->traffic);
    dn_router_free(a->router);
    dn_machine_free(a->machine);
    g_free(a->paths);
    g_free(a->cycle);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(DnAnalysis, analysis_clear)

/* ---- what is asked ---- */

/* A file with `jobs:` is a run; everything else is left to the machine's loader. */
static gboolean is_run(const char *file)
{
    if (!g_file_test(file, G_FILE_TEST_IS_REGULAR))
        return FALSE;
    g_autoptr(DnConfigNode) root = dn_config_load(file, NULL, NULL);
    return root != NULL && root->kind == DN_CONFIG_MAP && dn_config_get(root, "jobs") != NULL;
}

static void append_quoted(GString *out, const char *text)
{
    g_string_append_c(out, '"');
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            g_string_append_c(out, '\\');
        g_string_append_c(out, *text);
    }
    g_string_append_c(out, '"');
}

static gboolean load_machine(DnAnalysis *a, const char *name, const Options *o, GError **error)
{
    g_autoptr(GString) text = g_string_new("{name: ");
    append_quoted(text, name);
    if (o->endpoints != NULL) {
        g_string_append(text, ", endpoints: ");
        append_quoted(text, o->endpoints);
    }
    g_string_append_c(text, '}');
    if (o->endpoints == NULL && o->set == NULL) { /* a path then also may be a plain file */
        g_string_truncate(text, 0);
        append_quoted(text, name);
    }
    g_autoptr(DnConfigNode) node = dn_config_parse(text->str, "command line", error);
    if (node == NULL)
        return FALSE;
    for (guint i = 0; o->set != NULL && o->set[i] != NULL; i++)
        if (!dn_config_override(node, o->set[i], error))
            return FALSE;
    a->machine = dn_machine_load(node, (guint32)o->nodes, error);
    return a->machine != NULL;
}

/* "minimal", or a mapping "{algorithm: valiant, level: switch}". */
static gboolean make_router(DnAnalysis *a, const char *routing, const DnConfigNode *of_run,
                            GError **error)
{
    if (routing == NULL) {
        a->router = dn_router_new(a->machine, of_run, error);
        return a->router != NULL;
    }
    g_autoptr(GString) text = g_string_new(NULL);
    if (*routing == '{') {
        g_string_append(text, routing);
    } else {
        g_string_append(text, "{algorithm: ");
        append_quoted(text, routing);
        g_string_append_c(text, '}');
    }
    g_autoptr(DnConfigNode) node = dn_config_parse(text->str, "--routing", error);
    if (node != NULL)
        a->router = dn_router_new(a->machine, node, error);
    return a->router != NULL;
}

/* The run's machine, routing, and (unless --traffic) what its jobs send. */
static gboolean load_run(DnAnalysis *a, const char *file, const Options *o, GError **error)
{
    g_autoptr(DnRunSpec) spec = dn_run_spec_load(file, (const char *const *)o->set, NULL, 0, error);
    if (spec == NULL)
        return FALSE;
    guint32 nodes = o->nodes > 0 ? (guint32)o->nodes : spec->nodes;
    a->machine = dn_machine_load(spec->machine, nodes, error);
    if (a->machine == NULL || !make_router(a, o->routing, spec->routing, error))
        return FALSE;
    if (o->traffic != NULL)
        return TRUE;
    a->traffic = dn_traffic_of_spec(spec, a->machine->graph, error);
    a->bytes = TRUE;
    return a->traffic != NULL;
}

/* ---- what comes out ---- */

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

static gboolean spread_loads(DnAnalysis *a, const Options *o, GError **error)
{
    const DnGraph *g = a->machine->graph;
    a->mean_hops = NAN;
    if (o->routing == NULL) {
        gboolean fixed = o->paths != NULL && strcmp(o->paths, "fixed") == 0;
        a->paths = g_strdup(fixed ? "one fixed shortest path each" : "all shortest paths, equally");
        a->loads =
            dn_link_loads(g, a->traffic, a->parts, fixed ? DN_SPREAD_FIXED : DN_SPREAD_EQUAL, NULL);
        return TRUE;
    }
    g_autofree double *fabric =
        g_new0(double, (a->parts->fabric != NULL ? a->parts->fabric->n_arcs : 0) + 1);
    a->paths = g_strdup_printf("routing %s, all choices equally", a->router->type->name);
    if (!dn_routing_load(a->router, a->parts, MOST_ROUTE_STEPS, fabric, &a->mean_hops, error))
        return FALSE;
    a->loads = dn_link_loads(g, a->traffic, a->parts, DN_SPREAD_GIVEN, fabric);
    return TRUE;
}

static void measure_fabric(DnAnalysis *a)
{
    const DnGraph *g = a->machine->graph;
    dn_graph_metrics(g, &a->metrics);
    if (a->parts->fabric == NULL)
        return;
    g_autofree double *weight = g_new0(double, g->size.switches + 1);
    for (guint32 e = 0; e < g->size.endpoints; e++)
        weight[g->terminal_switch[g->endpoint_terminal[e]]] += 1;
    a->has_diversity = dn_path_diversity(a->parts->fabric, weight, &a->diversity);
    a->has_bisection = dn_bisect_fabric(a->machine, &a->bisection);
    a->has_expectations =
        dn_expectations(g, a->has_node ? a->node.equal.endpoint_bps : 0, &a->expectations);
}

static void check_deadlock(DnAnalysis *a)
{
    g_autoptr(GError) error = NULL;
    if (!dn_deadlock_check(a->router, &error))
        a->cycle = g_strdup(error->message);
}

/* High-water mark of resident memory, from the kernel. */
static gint64 peak_bytes(void)
{
    g_autofree char *text = NULL;
    if (!g_file_get_contents("/proc/self/status", &text, NULL, NULL))
        return 0;
    const char *line = strstr(text, "VmHWM:");
    return line != NULL ? g_ascii_strtoll(line + strlen("VmHWM:"), NULL, 10) * 1024 : 0;
}

static gboolean analyze(DnAnalysis *a, const char *subject, const Options *o, GError **error)
{
    gint64 start = g_get_monotonic_time();
    gboolean run = is_run(subject);
    if (run && o->endpoints != NULL) {
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    "--endpoints is for machines; this is a run: --set machine.endpoints=%s",
                    o->endpoints);
        return FALSE;
    }
    if (run ? !load_run(a, subject, o, error)
            : !load_machine(a, subject, o, error) || !make_router(a, o->routing, NULL, error))
        return FALSE;
    if (a->traffic == NULL) {
        const char *name = o->traffic != NULL ? o->traffic : "alltoall";
        a->traffic = dn_traffic_new(a->machine->graph, name, (guint64)o->seed, error);
    }
    if (a->traffic != NULL)
        a->parts = dn_traffic_parts(a->machine->graph, a->traffic, MOST_MATRIX_BYTES, error);
    if (a->parts == NULL || !spread_loads(a, o, error))
        return FALSE;
    analyze_node(a);
    measure_fabric(a);
    dn_machine_rate(a->machine->graph, a->parts, o->effort * 1e6, &a->rate);
    check_deadlock(a);
    a->seconds = (double)(g_get_monotonic_time() - start) * 1e-6;
    a->peak_bytes = peak_bytes();
    return TRUE;
}

char *dn_analysis_of_machine(const char *machine, guint nodes, GError **error)
{
    const Options o = {.seed = 1, .effort = 1, .nodes = (gint)nodes};
    g_auto(DnAnalysis) a = {0};
    return analyze(&a, machine, &o, error) ? dn_analysis_json(&a) : NULL;
}

static gboolean write_json(const DnAnalysis *a, const char *file, GError **error)
{
    g_autofree char *text = dn_analysis_json(a);
    return dn_command_write("--json", file, text, error);
}

static gboolean show(const DnAnalysis *a, const Options *o, GError **error)
{
    if (o->json != NULL && !write_json(a, o->json, error))
        return FALSE;
    if (o->svg != NULL && !dn_analysis_draw(a, o->svg, error))
        return FALSE;
    if (o->json == NULL || strcmp(o->json, "-") != 0)
        dn_analysis_print(a);
    return TRUE;
}

static gboolean check_arguments(int argc, const Options *o, GError **error)
{
    if (argc != 2)
        g_set_error(error, DN_ERROR, DN_ERROR_MISSING,
                    "darner analyze: %d subjects given; wanted: one, a machine or a run file",
                    argc - 1);
    else if (o->nodes < 0)
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    "darner analyze: --nodes %d; wanted: 1 or more", o->nodes);
    else if (o->effort < 1)
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    "darner analyze: --effort %d; wanted: 1 or more", o->effort);
    else if (o->paths != NULL && !g_strv_contains(dn_spread_names, o->paths)) {
        g_autofree char *rest = dn_suggest(o->paths, dn_spread_names, "known");
        g_autofree char *quoted = dn_quote(o->paths);
        g_set_error(error, DN_ERROR, DN_ERROR_UNKNOWN, "darner analyze: unknown --paths %s%s",
                    quoted, rest);
    } else if (o->paths != NULL && o->routing != NULL)
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    "darner analyze: --paths and --routing both say which paths; give one");
    else
        return TRUE;
    return FALSE;
}

int dn_command_analyze(int argc, char **argv)
{
    g_auto(Options) o = {.seed = 1, .effort = 300};
    const GOptionEntry entries[] = {
        {"nodes", 'n', 0, G_OPTION_ARG_INT, &o.nodes, "only the first N nodes", "N"},
        {"endpoints", 'e', 0, G_OPTION_ARG_STRING, &o.endpoints, "what sends: gpu, cpu or nic",
         "KIND"},
        {"traffic", 't', 0, G_OPTION_ARG_STRING, &o.traffic,
         "alltoall (default), shift, random_permutation, group_adversarial; a run: its own",
         "NAME"},
        {"paths", 'p', 0, G_OPTION_ARG_STRING, &o.paths,
         "equal (default): split over all shortest paths; fixed: one each", "HOW"},
        {"routing", 'r', 0, G_OPTION_ARG_STRING, &o.routing,
         "paths of a routing algorithm: minimal, '{algorithm: valiant, level: switch}'", "ROUTING"},
        {"effort", 0, 0, G_OPTION_ARG_INT, &o.effort,
         "work on the throughput bounds, in million arcs (default 300)", "N"},
        {"seed", 0, 0, G_OPTION_ARG_INT64, &o.seed, "of random_permutation", "N"},
        {"set", 's', 0, G_OPTION_ARG_STRING_ARRAY, &o.set, "set a key of the machine or run",
         "KEY=VALUE"},
        {"json", 'j', 0, G_OPTION_ARG_FILENAME, &o.json, "write JSON; - : print it alone", "FILE"},
        {"svg", 0, 0, G_OPTION_ARG_FILENAME, &o.svg, "draw the load of the links (needs dot)",
         "FILE"},
        G_OPTION_ENTRY_NULL,
    };
    GError *error = NULL;
    gboolean helped;
    if (!dn_command_options(&argc, &argv, entries, "MACHINE|RUN.yaml",
                            "Bounds on what a network can give, without simulating.", &helped,
                            &error))
        return dn_command_fail(error);
    if (helped)
        return DN_EXIT_OK;
    g_auto(DnAnalysis) analysis = {0};
    if (!check_arguments(argc, &o, &error) || !analyze(&analysis, argv[1], &o, &error) ||
        !show(&analysis, &o, &error))
        return dn_command_fail(error);
    return DN_EXIT_OK;
}
