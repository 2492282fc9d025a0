/* network_analysis.c - see network_analysis.h. */
#include "experiment/network_analysis.h"
#include "config/run_spec.h"
#include "experiment/checked_machine.h"
#include "experiment/job_traffic.h"
#include "topology/machine_argument.h"

#include <string.h>

/* The objects that an analysis takes over. */
typedef struct {
    DnMachine *machine;
    DnRouter *router;
    DnTraffic *traffic;
} Inputs;

static void inputs_clear(Inputs *in)
{
    dn_traffic_free(in->traffic);
    dn_router_free(in->router);
    dn_machine_free(in->machine);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Inputs, inputs_clear)

/* A file with `jobs:` is a run; everything else is left to the machine's loader. */
static gboolean is_run(const char *file)
{
    if (!g_file_test(file, G_FILE_TEST_IS_REGULAR))
        return FALSE;
    g_autoptr(DnConfigNode) root = dn_config_load(file, NULL, NULL);
    return root != NULL && root->kind == DN_CONFIG_MAP && dn_config_get(root, "jobs") != NULL;
}

static gboolean load_machine(Inputs *in, const DnNetworkAnalysisQuery *q, GError **error)
{
    g_autoptr(DnConfigNode) node = dn_machine_argument(q->subject, q->endpoints, q->set, error);
    in->machine = node != NULL ? dn_checked_machine_load(node, q->nodes, NULL, error) : NULL;
    return in->machine != NULL;
}

static gboolean make_router(Inputs *in, const char *routing, const DnConfigNode *of_run,
                            GError **error)
{
    const DnConfigNode *wanted = of_run != NULL ? of_run : in->machine->routing;
    g_autoptr(DnConfigNode) node = NULL;
    if (routing != NULL && (node = dn_routing_argument(routing, "--routing", error)) == NULL)
        return FALSE;
    in->router = dn_router_new(in->machine, node != NULL ? node : wanted, error);
    return in->router != NULL;
}

/* The run's machine, routing, and (unless --traffic) what its jobs send. */
static gboolean load_run(Inputs *in, const DnNetworkAnalysisQuery *q, GError **error)
{
    if (q->endpoints != NULL) {
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    "--endpoints is for machines; this is a run: --set machine.endpoints=%s",
                    q->endpoints);
        return FALSE;
    }
    g_autoptr(DnRunSpec) spec = dn_run_spec_load(q->subject, q->set, error);
    if (spec == NULL)
        return FALSE;
    guint32 nodes = q->nodes > 0 ? q->nodes : spec->nodes;
    in->machine = dn_checked_machine_load(spec->machine, nodes, NULL, error);
    if (in->machine == NULL || !make_router(in, q->routing, spec->routing, error))
        return FALSE;
    if (q->traffic != NULL)
        return TRUE;
    in->traffic = dn_traffic_of_spec(spec, in->machine, error);
    return in->traffic != NULL;
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

DnAnalysis *dn_network_analysis(const DnNetworkAnalysisQuery *q, GError **error)
{
    gint64 start = g_get_monotonic_time();
    g_auto(Inputs) in = {0};
    if (is_run(q->subject)
            ? !load_run(&in, q, error)
            : !load_machine(&in, q, error) || !make_router(&in, q->routing, NULL, error))
        return NULL;
    const DnAnalysisOptions options = {
        .traffic = q->traffic,
        .seed = q->seed,
        .routed = q->routing != NULL,
        .spread = q->fixed_paths ? DN_SPREAD_FIXED : DN_SPREAD_EQUAL,
        .effort = q->effort,
        .stage = q->stage,
        .stage_data = q->stage_data,
    };
    DnAnalysis *a = dn_analysis_new(g_steal_pointer(&in.machine), g_steal_pointer(&in.router),
                                    g_steal_pointer(&in.traffic), &options, error);
    if (a != NULL) {
        a->seconds = (double)(g_get_monotonic_time() - start) * 1e-6;
        a->peak_bytes = peak_bytes();
    }
    return a;
}
