/* plan.c - reads every point, builds each different machine and router once, asks each program for
 * its size. */
#include "commands/plan.h"
#include "replay/host_noise.h"
#include "base/rng.h"
#include "base/units.h"
#include "endpoint/mechanism.h"
#include "engine/engine.h"
#include "report/results.h"
#include "report/version.h"
#include "workload/program.h"
#include <string.h>

/* Routes walked for the mean path: a progress line needs no more. */
#define SAMPLED_ROUTES 64
#define MOST_HOPS 256

/* What points have in common is built once: it is kept until a point differs. */
typedef struct {
    char *machine_text, *routing_text;
    DnMachine *machine;
    DnRouter *router;
    double mean_hops;
} Built;

static void built_clear(Built *built)
{
    g_free(built->machine_text);
    g_free(built->routing_text);
    dn_router_free(built->router);
    dn_machine_free(built->machine);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Built, built_clear)

static gint64 no_load(const DnLoadView *view, guint32 port)
{
    (void)view;
    (void)port;
    return 0;
}

/* Links from @src to @dst on an idle machine. */
static guint count_hops(const DnRouter *router, guint32 src, guint32 dst, guint64 key)
{
    const DnLoadView idle = {.port_bytes = no_load};
    const DnGraph *graph = router->machine->graph;
    DnRouteState state;
    dn_route_init(router, src, dst, 0, &state);
    guint64 draws = 0;
    guint hops = 0;
    for (guint32 at = src; at != dst && hops < MOST_HOPS; hops++) {
        DnHop hop = dn_route_next(router, at, &state, &idle, dn_draw(key, draws++));
        at = graph->links[graph->ports[graph->port_first[at] + hop.port]].dst;
    }
    return hops;
}

static double mean_hops(const DnRouter *router)
{
    const DnGraph *graph = router->machine->graph;
    guint32 n = graph->size.endpoints;
    if (n < 2)
        return 0.0;
    guint total = 0;
    for (guint i = 0; i < SAMPLED_ROUTES; i++) {
        guint64 key = dn_draw_key(0, DN_DRAW_TEST, i);
        guint32 a = dn_draw_below(dn_draw(key, 0), n);
        guint32 b = (a + 1 + dn_draw_below(dn_draw(key, 1), n - 1)) % n;
        total += count_hops(router, graph->endpoints[a], graph->endpoints[b], key);
    }
    return (double)total / SAMPLED_ROUTES;
}

static gboolean same_text(const DnConfigNode *node, char **kept)
{
    g_autofree char *text = node != NULL ? dn_config_to_string(node) : g_strdup("");
    if (g_strcmp0(text, *kept) == 0)
        return TRUE;
    g_free(*kept);
    *kept = g_steal_pointer(&text);
    return FALSE;
}

static gboolean build(Built *built, const DnScenario *scenario, guint32 *nodes, GError **error)
{
    gboolean same_machine = same_text(scenario->machine, &built->machine_text);
    gboolean same_routing = same_text(scenario->routing, &built->routing_text);
    if (built->router != NULL && same_machine && same_routing && *nodes == scenario->nodes)
        return TRUE;
    *nodes = scenario->nodes;
    g_clear_pointer(&built->router, dn_router_free);
    g_clear_pointer(&built->machine, dn_machine_free);
    built->machine = dn_machine_load(scenario->machine, scenario->nodes, error);
    if (built->machine == NULL)
        return FALSE;
    built->router = dn_router_new(built->machine, scenario->routing, error);
    if (built->router == NULL)
        return FALSE;
    built->mean_hops = mean_hops(built->router);
    return TRUE;
}

/* What needs to know where jobs sit is read when the point starts. */
static void leave_to_simulate(const DnScenario *scenario)
{
    if (scenario->background != NULL)
        dn_config_consume(scenario->background);
    for (guint j = 0; j < scenario->n_jobs; j++) {
        if (scenario->jobs[j].routing_mode != NULL)
            dn_config_consume(scenario->jobs[j].routing_mode);
        if (scenario->jobs[j].placement_node != NULL)
            dn_config_consume(scenario->jobs[j].placement_node);
    }
}

/* The same readings simulate() will do; the payload all jobs move goes to @bytes. */
static gboolean check_jobs(const DnScenario *scenario, const DnMachine *machine, double *bytes,
                           GError **error)
{
    leave_to_simulate(scenario);
    for (guint j = 0; j < scenario->n_jobs; j++) {
        const DnScenarioJob *job = &scenario->jobs[j];
        DnMechanism mechanism;
        DnHostNoise noise;
        guint32 ranks = job->ranks > 0 ? job->ranks : machine->graph->size.endpoints;
        if (!dn_mechanism_read(job->mechanism, machine->mechanisms, &mechanism, error) ||
            !dn_host_noise_read(job->noise, &noise, error))
            return FALSE;
        g_autoptr(DnProgram)
            program = dn_program_new(job->workload, ranks, job->iterations, scenario->seed, error);
        if (program == NULL)
            return FALSE;
        if (program->type->bytes_moved != NULL)
            *bytes += program->type->bytes_moved(program) * (double)job->iterations;
    }
    return TRUE;
}

static gint64 packet_bytes_of(const DnScenario *scenario, const DnMachine *machine)
{
    return scenario->packet_bytes > 0 ? scenario->packet_bytes : machine->hardware.packet_bytes;
}

static char *heading_of(const DnPlan *plan, const DnScenario *scenario, const Built *built)
{
    const DnGraphSize *size = &built->machine->graph->size;
    const DnEngineType *engine = dn_engine_find(scenario->engine);
    GString *out = g_string_new(NULL);
    g_string_append_printf(out, "darner %s, run %s, seed %" G_GUINT64_FORMAT ", config %s\n",
                           dn_version, plan->name, scenario->seed, scenario->hash);
    g_string_append_printf(out, "machine  %s: nodes %u, endpoints %u, switches %u, links %u\n",
                           built->machine->name, size->nodes, size->endpoints, size->switches,
                           size->links);
    g_string_append_printf(out, "routing  %s, %u virtual channel%s\n", built->router->type->name,
                           built->router->channels, built->router->channels > 1 ? "s" : "");
    g_string_append_printf(out, "engine   %s; limits: %s\n", scenario->engine,
                           engine != NULL ? engine->limits : "");
    g_autofree char *packets =
        dn_packet_text(built->machine, packet_bytes_of(scenario, built->machine));
    g_string_append_printf(out, "packets  %s\n", packets);
    if (plan->sweep->n_points > 1)
        g_string_append_printf(out, "points   %u; the lines above are the first one's\n",
                               plan->sweep->n_points);
    return g_string_free(out, FALSE);
}

DnScenario *dn_plan_scenario(const DnPlan *plan, guint point, GError **error)
{
    DnScenario *scenario = dn_scenario_load(plan->file, (const char *const *)plan->overrides,
                                            plan->sweep, point, error);
    if (scenario != NULL && plan->threads > 0)
        scenario->threads = plan->threads;
    return scenario;
}

static gboolean check_points(DnPlan *plan, GError **error)
{
    g_auto(Built) built = {0};
    guint32 nodes = 0;
    for (guint p = 0; p < plan->sweep->n_points; p++) {
        g_autoptr(DnScenario) scenario = dn_plan_scenario(plan, p, error);
        double bytes = 0.0;
        if (scenario == NULL || !build(&built, scenario, &nodes, error) ||
            !check_jobs(scenario, built.machine, &bytes, error))
            return FALSE;
        if (scenario->measure.node != NULL)
            bytes = 0.0; /* as long as it takes */
        plan->hops[p] = bytes / (double)packet_bytes_of(scenario, built.machine) * built.mean_hops;
        if (p == 0) {
            plan->heading = heading_of(plan, scenario, &built);
            plan->output = g_strdup(scenario->output);
        }
    }
    return TRUE;
}

DnPlan *dn_plan_new(const char *file, const char *const *overrides, guint threads, GError **error)
{
    g_autoptr(DnPlan) plan = g_new0(DnPlan, 1);
    plan->file = g_strdup(file);
    plan->overrides = g_strdupv((char **)overrides);
    plan->threads = threads;
    plan->name = g_path_get_basename(file);
    char *dot = strrchr(plan->name, '.');
    if (dot != NULL && dot != plan->name)
        *dot = '\0';
    plan->sweep = dn_sweep_load(file, overrides, error);
    if (plan->sweep == NULL)
        return NULL;
    plan->hops = g_new0(double, plan->sweep->n_points);
    if (!check_points(plan, error))
        return NULL;
    return g_steal_pointer(&plan);
}

void dn_plan_free(DnPlan *plan)
{
    if (plan == NULL)
        return;
    g_free(plan->file);
    g_strfreev(plan->overrides);
    dn_sweep_free(plan->sweep);
    g_free(plan->hops);
    g_free(plan->output);
    g_free(plan->name);
    g_free(plan->heading);
    g_free(plan);
}
