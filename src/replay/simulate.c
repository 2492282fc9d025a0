/* simulate.c - see simulate.h.
 *
 * Latency samples: from the moment a message is handed to the engine (after issue, turn and
 * start-up) to its last byte at the destination; for open-loop traffic that includes the wait in
 * the source's queue. About a million a job at most, thinned evenly (replay.h). */
#include "replay/simulate.h"

#include "base/rng.h"
#include "base/units.h"
#include "replay/hosts.h"
#include "replay/ideal.h"
#include "replay/measure.h"
#include "replay/placement.h"
#include "replay/replay.h"

#include <string.h>

typedef struct {
    const DnScenario *scenario; /* as given, or &whole */
    DnScenario whole;           /* with the drawn jobs behind the run's own */
    guint own_jobs;
    GArray *population; /* DnDrawnJob; NULL: none */
    DnSimulation *simulation;
    DnPlacement *placements; /* [n_jobs] */
    DnProgram **programs;    /* [n_jobs] */
    DnReplayJob *jobs;       /* [n_jobs] */
    DnNicModel nic;          /* of the machine */
    gboolean counts;         /* its NICs do */
    DnHostNoise *noise;      /* [n_jobs] */
    DnAwareRule *aware;      /* [n_jobs] */
    guint8 *coarse;          /* [n_jobs] */
    guint32 *node_of;        /* [endpoints] */
    DnReplay *replay;
    DnCauses *causes;           /* of the probe; or NULL */
    DnParams *options;          /* of the engine; NULL: it has none */
    DnMeasureSchedule schedule; /* of the attempt at hand, with `measure` */
    guint64 hops_before;        /* of the attempts before */
    gboolean (*beat)(void *data, gint64 now_ps, guint64 events, guint64 packet_hops);
    void *beat_data;
} Setup;

static void setup_clear(Setup *setup)
{
    dn_causes_free(setup->causes);
    dn_replay_free(setup->replay);
    for (guint j = 0; j < setup->scenario->n_jobs; j++) {
        g_free(setup->placements[j].endpoints);
        dn_program_free(setup->programs[j]);
    }
    g_free(setup->placements);
    g_free(setup->programs);
    g_free(setup->jobs);
    g_free(setup->noise);
    g_free(setup->aware);
    g_free(setup->coarse);
    g_free(setup->node_of);
    if (setup->population != NULL) {
        g_array_unref(setup->population);
        g_free(setup->whole.jobs);
    }
    dn_params_free(setup->options);
    dn_simulation_free(setup->simulation);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Setup, setup_clear)

/* ---- what is simulated ---- */

static gboolean find_engine(const DnScenario *scenario, const DnEngineType **type, GError **error)
{
    *type = dn_engine_find(scenario->engine);
    if (*type)
        return TRUE;
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (guint i = 0; dn_engine_types[i]; i++)
        g_ptr_array_add(names, (gpointer)dn_engine_types[i]->name);
    g_ptr_array_add(names, NULL);
    g_autofree char *shown = dn_quote(scenario->engine);
    g_autofree char *tail =
        dn_suggest(scenario->engine, (const char *const *)names->pdata, "known");
    const DnConfigNode *at = dn_config_get(scenario->root, "engine");
    dn_config_error(at ? at : scenario->root, DN_ERROR_UNKNOWN, error, "unknown engine %s%s", shown,
                    tail);
    return FALSE;
}

/* Each engine's mapping is checked, whichever runs: `darner compare` runs them all. */
static gboolean read_options(Setup *setup, GError **error)
{
    const DnScenario *scenario = setup->scenario;
    for (guint i = 0; dn_engine_types[i]; i++) {
        const DnEngineType *type = dn_engine_types[i];
        if (!type->params)
            continue;
        g_autoptr(DnParams) options =
            dn_params_read(dn_config_get(scenario->root, type->name), type->params, NULL, error);
        if (!options)
            return FALSE;
        if (type == setup->simulation->engine_type)
            setup->options = g_steal_pointer(&options);
    }
    return TRUE;
}

static gboolean build_machine(Setup *setup, DnFabric **kept, GError **error)
{
    const DnScenario *scenario = setup->scenario;
    DnSimulation *simulation = setup->simulation;
    if (!find_engine(scenario, &simulation->engine_type, error) || !read_options(setup, error))
        return FALSE;
    simulation->fabric = dn_fabric_get(kept, scenario, simulation->engine_type, error);
    if (simulation->fabric == NULL)
        return FALSE;
    simulation->machine = simulation->fabric->machine;
    simulation->router = simulation->fabric->router;
    simulation->packet_bytes = scenario->packet_bytes > 0
                                   ? scenario->packet_bytes
                                   : simulation->machine->hardware.packet_bytes;
    setup->counts =
        dn_nic_model_init(&setup->nic, &simulation->machine->hardware, simulation->packet_bytes);
    return TRUE;
}

/* ---- jobs ---- */

static gboolean check_lane(Setup *setup, const DnScenarioJob *job, GError **error)
{
    guint32 levels = setup->simulation->machine->hardware.n_levels;
    if (job->service_level < levels)
        return TRUE;
    dn_config_error(dn_config_get(job->node, "service_level"), DN_ERROR_RANGE, error,
                    "service level %u; this machine keeps %u apart, 0 to %u", job->service_level,
                    levels, levels - 1);
    return FALSE;
}

static gboolean check_limits(Setup *setup, guint j, GError **error)
{
    const DnScenarioJob *job = &setup->scenario->jobs[j];
    const DnConfigNode *at = dn_config_get(job->node, "ranks");
    guint32 ranks = setup->placements[j].ranks;
    if (ranks <= DN_REPLAY_MAX_RANKS)
        return TRUE;
    dn_config_error(at ? at : job->node, DN_ERROR_RANGE, error, "%u ranks; a job has at most %u",
                    ranks, DN_REPLAY_MAX_RANKS);
    return FALSE;
}

/* Placed, but another job is to run alone. */
static gboolean is_silent(const DnScenario *scenario, guint j)
{
    return scenario->only != 0 && scenario->only != j + 1;
}

static gboolean read_mode(Setup *setup, guint j, GError **error)
{
    const DnConfigNode *mode = setup->scenario->jobs[j].routing_mode;
    const DnSimulation *simulation = setup->simulation;
    if (mode == NULL)
        return TRUE;
    if (mode->kind == DN_CONFIG_LIST)
        return dn_mode_rules_read(mode, simulation->router, &setup->jobs[j].modes, error);
    if (mode->kind != DN_CONFIG_MAP)
        return dn_router_find_mode(simulation->router, mode, &setup->jobs[j].mode, error);
    setup->jobs[j].aware = &setup->aware[j];
    return dn_aware_read(mode, simulation->router, setup->programs[j]->type->name,
                         simulation->packet_bytes, &setup->aware[j], error);
}

static gboolean read_noise(Setup *setup, guint j, guint64 seed, GError **error)
{
    const DnConfigNode *noise = setup->scenario->jobs[j].noise;
    if (noise == NULL)
        return TRUE;
    setup->jobs[j].noise = &setup->noise[j];
    if (!dn_host_noise_read(noise, &setup->noise[j], error))
        return FALSE;
    setup->noise[j].seed = seed;
    return TRUE;
}

/* Each job's draws are its own: two equal jobs do not send in step. */
static gboolean build_job(Setup *setup, guint j, GError **error)
{
    const DnScenarioJob *job = &setup->scenario->jobs[j];
    const DnPlacement *placement = &setup->placements[j];
    const DnHardware *hardware = &setup->simulation->machine->hardware;
    guint64 seed = dn_draw_key(setup->scenario->seed, DN_DRAW_WORKLOAD, j);
    if (!check_lane(setup, job, error) || !check_limits(setup, j, error))
        return FALSE;
    guint32 iterations = job->background ? G_MAXINT32 : job->iterations;
    setup->programs[j] = dn_program_new(job->workload, placement->ranks, iterations, seed, error);
    if (!setup->programs[j])
        return FALSE;
    setup->jobs[j] =
        (DnReplayJob){.name = job->name,
                      .program = setup->programs[j],
                      .endpoints = placement->endpoints,
                      .node_of = setup->node_of,
                      .host_of = setup->simulation->machine->graph->endpoint_host,
                      .lane = hardware->level_lane[job->service_level],
                      .mode = dn_mode_default(setup->simulation->router, setup->scenario->routing,
                                              setup->programs[j]->type->name),
                      .start_ps = job->start_ps,
                      .background = job->background,
                      .silent = is_silent(setup->scenario, j),
                      .instant = setup->scenario->ideal & DN_IDEAL_COMPUTE,
                      .nic = setup->counts && !job->background ? &setup->nic : NULL};
    if (!read_mode(setup, j, error) || !read_noise(setup, j, seed, error))
        return FALSE;
    DnMechanism *mechanism = &setup->jobs[j].mechanism;
    if (!dn_mechanism_read(job->mechanism, setup->simulation->machine->mechanisms, mechanism,
                           error))
        return FALSE;
    dn_mechanism_keep(mechanism, setup->programs[j]->protocol);
    dn_idealise_mechanism(mechanism, setup->scenario->ideal);
    dn_mechanism_peers(mechanism, setup->programs[j]->ranks);
    return dn_check_hosts(mechanism, placement, setup->simulation->router, job->mechanism, error);
}

static gboolean check_sharing(Setup *setup, GError **error)
{
    guint32 endpoints = setup->simulation->machine->graph->size.endpoints;
    g_autofree guint32 *ranks = g_new0(guint32, endpoints);
    for (guint j = 0; j < setup->scenario->n_jobs; j++)
        for (guint32 r = 0; r < setup->placements[j].ranks; r++)
            if (++ranks[setup->placements[j].endpoints[r]] > DN_REPLAY_MAX_SHARING) {
                dn_config_error(setup->scenario->jobs[j].node, DN_ERROR_RANGE, error,
                                "endpoint %u is listed by more than %u jobs",
                                setup->placements[j].endpoints[r], DN_REPLAY_MAX_SHARING);
                return FALSE;
            }
    return TRUE;
}

static gboolean check_memory(Setup *setup, GError **error)
{
    const DnScenario *scenario = setup->scenario;
    const DnGraphSize *size = &setup->simulation->machine->graph->size;
    guint64 ranks = 0, iterations = 0;
    for (guint j = 0; j < scenario->n_jobs; j++) {
        ranks += setup->placements[j].ranks;
        iterations += scenario->jobs[j].iterations;
    }
    guint64 need = dn_graph_memory_bytes(size) +
                   dn_replay_memory_bytes(ranks, iterations, size->endpoints + size->hosts);
    if (scenario->max_memory_bytes == 0 || need <= (guint64)scenario->max_memory_bytes)
        return TRUE;
    char needs[DN_UNIT_BUF], allowed[DN_UNIT_BUF];
    dn_config_error(scenario->root, DN_ERROR_MEMORY, error,
                    "machine and %" G_GUINT64_FORMAT " ranks take at least %s; packet.max_memory "
                    "allows %s",
                    ranks, dn_format_bytes((gint64)need, needs),
                    dn_format_bytes(scenario->max_memory_bytes, allowed));
    return FALSE;
}

/* Open-loop jobs send until the clock stops. */
static gboolean check_measure(Setup *setup, GError **error)
{
    const DnScenario *scenario = setup->scenario;
    guint open = 0;
    if (scenario->measure.node == NULL)
        return TRUE;
    if (scenario->slowdown) {
        dn_config_error(scenario->measure.node, DN_ERROR_RANGE, error,
                        "measure: a steady state has no end; allowed: `measure` or `slowdown`, "
                        "not both");
        return FALSE;
    }
    for (guint j = 0; j < scenario->n_jobs; j++) {
        setup->programs[j]->endless = setup->programs[j]->offered_bps > 0;
        open += setup->programs[j]->endless;
    }
    if (open > 0)
        return TRUE;
    dn_config_error(scenario->measure.node, DN_ERROR_RANGE, error,
                    "measure: no job has a steady state; allowed with workloads that have a "
                    "`load`: uniform, permutation");
    return FALSE;
}

/* NULL: no job's packets stand for several. Whoever looks sees packets. */
static guint8 *coarse_of(const DnScenario *scenario, GPtrArray *warnings)
{
    g_autofree guint8 *coarse = g_new(guint8, scenario->n_jobs);
    guint8 most = 1;
    for (guint j = 0; j < scenario->n_jobs; j++) {
        coarse[j] = scenario->jobs[j].coarse;
        most = MAX(most, coarse[j]);
    }
    if (most > 1 && scenario->probe != NULL)
        g_ptr_array_add(warnings, g_strdup("coarse packets go one by one where they are looked at: "
                                           "times are not quite those of a plain run"));
    return most > 1 && scenario->probe == NULL ? g_steal_pointer(&coarse) : NULL;
}

static guint32 *nodes_of(const DnGraph *graph)
{
    guint32 *node_of = g_new(guint32, graph->size.endpoints);
    for (guint32 e = 0; e < graph->size.endpoints; e++)
        node_of[e] = graph->vertices[graph->endpoints[e]].node;
    return node_of;
}

static void make_room(Setup *setup, guint n_jobs)
{
    setup->placements = g_renew(DnPlacement, setup->placements, n_jobs);
    setup->programs = g_renew(DnProgram *, setup->programs, n_jobs);
    setup->jobs = g_renew(DnReplayJob, setup->jobs, n_jobs);
    setup->noise = g_renew(DnHostNoise, setup->noise, n_jobs);
    setup->aware = g_renew(DnAwareRule, setup->aware, n_jobs);
    for (guint j = setup->own_jobs; j < n_jobs; j++) {
        setup->placements[j] = (DnPlacement){0};
        setup->programs[j] = NULL;
    }
}

/* From here on the scenario has the drawn jobs, too. */
static gboolean add_population(Setup *setup, GError **error)
{
    const DnScenario *own = setup->scenario;
    if (own->background == NULL)
        return TRUE;
    setup->population = dn_population_draw(own, setup->simulation->machine->graph,
                                           setup->placements, &setup->simulation->population,
                                           error);
    if (setup->population == NULL)
        return FALSE;
    guint n_jobs = own->n_jobs + setup->population->len;
    if (n_jobs > G_MAXUINT16) {
        dn_config_error(own->background, DN_ERROR_RANGE, error,
                        "background: %u jobs were drawn; at most %u run together",
                        setup->population->len, G_MAXUINT16 - own->n_jobs);
        return FALSE;
    }
    make_room(setup, n_jobs);
    setup->whole = *own;
    setup->whole.jobs = g_new0(DnScenarioJob, n_jobs);
    setup->whole.n_jobs = n_jobs;
    memcpy(setup->whole.jobs, own->jobs, own->n_jobs * sizeof *own->jobs);
    for (guint i = 0; i < setup->population->len; i++) {
        DnDrawnJob *drawn = &g_array_index(setup->population, DnDrawnJob, i);
        setup->whole.jobs[own->n_jobs + i] = drawn->job;
        setup->placements[own->n_jobs + i] = drawn->placement;
        drawn->placement.endpoints = NULL;
    }
    setup->scenario = &setup->whole;
    return TRUE;
}

static gboolean build_jobs(Setup *setup, GError **error)
{
    const DnGraph *graph = setup->simulation->machine->graph;
    setup->node_of = nodes_of(graph);
    if (!dn_place_jobs(setup->scenario, graph, setup->placements, error) ||
        !add_population(setup, error) || !check_sharing(setup, error) ||
        !check_memory(setup, error))
        return FALSE;
    const DnScenario *scenario = setup->scenario;
    setup->coarse = coarse_of(scenario, setup->simulation->warnings);
    for (guint j = 0; j < scenario->n_jobs; j++)
        if (!build_job(setup, j, error))
            return FALSE;
    if (!dn_config_check_consumed(scenario->root, NULL, error))
        return FALSE;
    return check_measure(setup, error);
}

/* ---- the run ---- */

static void observe_message(void *data, const DnMessage *message, gint64 sent_ps,
                            gint64 delivered_ps)
{
    const Setup *setup = data;
    dn_replay_observe(setup->replay, message, sent_ps, delivered_ps);
}

static gboolean observe_beat(void *data, gint64 now_ps, guint64 events, guint64 packet_hops)
{
    const Setup *setup = data;
    return setup->beat(setup->beat_data, now_ps, events, setup->hops_before + packet_hops);
}

/* Bytes on their way between a packet's start and the return of its credit: over the wire and back
 * with the ports' logic at either end (as engine/packet/setup.c takes it), through the switch, and
 * the packet itself. */
static gint64 round_trip_bytes(const Setup *setup, guint32 l)
{
    const DnMachine *machine = setup->simulation->machine;
    const DnGraph *graph = machine->graph;
    const DnLink *link = &graph->links[l];
    const DnLinkClass *class_ = &graph->classes[link->link_class];
    gint64 round_trip_ps = 2 * class_->latency_ps + graph->vertices[link->src].latency_ps / 2 +
                           graph->vertices[link->dst].latency_ps;
    double bps = (double)dn_link_bandwidth_bps(graph, l) * class_->efficiency;
    return (gint64)((double)round_trip_ps * bps / 8e12) + setup->simulation->packet_bytes +
           machine->hardware.header_bytes;
}

/* A smaller buffer is allowed, and slows its link down. */
static void warn_buffers(Setup *setup)
{
    const DnGraph *graph = setup->simulation->machine->graph;
    g_autofree gint64 *need = g_new0(gint64, graph->n_classes + 1);
    for (guint32 l = 0; l < graph->size.links; l++)
        if (graph->vertices[graph->links[l].dst].kind == DN_VERTEX_SWITCH)
            need[graph->links[l].link_class] =
                MAX(need[graph->links[l].link_class], round_trip_bytes(setup, l));
    for (guint32 c = 0; c < graph->n_classes; c++) {
        char has[DN_UNIT_BUF], needs[DN_UNIT_BUF];
        const DnLinkClass *class_ = &graph->classes[c];
        if (class_->buffer_bytes == 0 || class_->buffer_bytes >= need[c])
            continue;
        g_ptr_array_add(
            setup->simulation->warnings,
            g_strdup_printf("links of class '%s' have %s of buffer, less than the %s of "
                            "a round trip: one packet stream cannot fill them",
                            class_->name, dn_format_bytes(class_->buffer_bytes, has),
                            dn_format_bytes(need[c], needs)));
    }
}

static void observe_way(void *data, const DnMessage *message, gint64 born_ps, gboolean arrived,
                        const DnWayPart *parts, guint n)
{
    dn_causes_way(((const Setup *)data)->causes, message, born_ps, arrived, parts, n);
}

static void observe_channel(void *data, guint32 link, guint job, gint64 from_ps, gint64 to_ps,
                            gboolean stalled)
{
    dn_timeline_link(((const Setup *)data)->scenario->probe->timeline, link, job, from_ps, to_ps,
                     stalled);
}

/* A run of one job alone is not the one that is looked at. */
static void attach_probe(Setup *setup, DnEngineRun *run)
{
    const DnProbe *probe = setup->scenario->only == 0 ? setup->scenario->probe : NULL;
    g_clear_pointer(&setup->causes, dn_causes_free);
    if (probe != NULL && probe->causes != NULL) {
        setup->causes = dn_causes_new(setup->replay, probe->causes);
        run->client = &dn_causes_client;
        run->client_data = setup->causes;
        run->observer.way = observe_way;
    }
    if (probe != NULL && probe->timeline != NULL) {
        dn_timeline_begin(probe->timeline, setup->replay,
                          setup->simulation->machine->graph->size.links);
        run->observer.channel = observe_channel;
    }
}

static gboolean run_engine(Setup *setup, GError **error)
{
    DnSimulation *simulation = setup->simulation;
    const DnScenario *scenario = setup->scenario;
    gboolean measured = scenario->measure.node != NULL;
    const DnGraphSize *size = &simulation->machine->graph->size;
    dn_replay_free(setup->replay);
    setup->replay = dn_replay_new(setup->jobs, scenario->n_jobs, size->endpoints + size->hosts);
    if (measured)
        dn_replay_measure(setup->replay, setup->schedule.warmup_ps, setup->schedule.window_ps);
    DnEngineRun run = {
        .router = simulation->router,
        .packet_bytes = simulation->packet_bytes,
        .seed = scenario->seed,
        .threads = scenario->threads,
        .n_jobs = scenario->n_jobs,
        .coarse = setup->coarse,
        .until_ps = measured ? setup->schedule.until_ps : scenario->until_ps,
        .client = &dn_replay_client,
        .client_data = setup->replay,
        .options = setup->options,
        .observer = {.data = setup,
                     .message = observe_message,
                     .beat = setup->beat ? observe_beat : NULL},
    };
    run.active = dn_replay_active(setup->replay, &run.n_active);
    setup->hops_before += simulation->engine.packet_hops;
    attach_probe(setup, &run);
    double cpu_s = simulation->engine.cpu_s;
    dn_engine_result_clear(&simulation->engine);
    GError *found = NULL;
    if (!simulation->engine_type->run(&run, &simulation->engine, &found))
        return dn_fabric_fail_at(scenario->machine, found, error);
    if (setup->causes != NULL)
        dn_causes_finish(setup->causes);
    simulation->engine.cpu_s += cpu_s;
    if (!dn_replay_stalled(setup->replay))
        return TRUE;
    g_autoptr(GString) account = g_string_new(NULL);
    guint blocked = dn_replay_client.blocked(setup->replay, account, 12);
    g_set_error(error, DN_ERROR, DN_ERROR_STALLED,
                "nothing moves but what is in the background; %u ranks are blocked:\n%s", blocked,
                account->str);
    return FALSE;
}

/* ---- steady state ---- */

static DnMeasured measured_of(const Setup *setup, guint j)
{
    DnReplayResult result;
    dn_replay_result(setup->replay, j, &result);
    DnMeasured m = dn_measure_job(setup->programs[j], &setup->schedule, result.windows);
    dn_replay_result_clear(&result);
    return m;
}

/* One attempt. *@settled: a longer one would show nothing else. */
static gboolean measure_once(Setup *setup, guint attempt, DnMeasured *before, gboolean *settled,
                             GError **error)
{
    const DnScenarioMeasure *measure = &setup->scenario->measure;
    guint n = setup->scenario->n_jobs;
    setup->schedule =
        dn_measure_schedule(measure, (const DnProgram *const *)setup->programs, n, attempt);
    if (!run_engine(setup, error))
        return FALSE;
    *settled = TRUE;
    for (guint j = 0; j < n; j++) {
        if (!setup->programs[j]->endless)
            continue;
        DnMeasured m = measured_of(setup, j);
        *settled = *settled && (dn_measure_steady(measure, &setup->schedule, &m) ||
                                (attempt > 0 && dn_measure_saturated(measure, &before[j], &m)));
        before[j] = m;
    }
    *settled = *settled || !setup->schedule.automatic;
    return TRUE;
}

static gboolean run_to_result(Setup *setup, GError **error)
{
    if (setup->scenario->measure.node == NULL)
        return run_engine(setup, error);
    g_autofree DnMeasured *before = g_new0(DnMeasured, setup->scenario->n_jobs);
    gboolean settled = FALSE;
    for (guint attempt = 0; attempt < DN_MEASURE_ATTEMPTS && !settled; attempt++)
        if (!measure_once(setup, attempt, before, &settled, error))
            return FALSE;
    return TRUE;
}

static void collect_measure(Setup *setup, guint j, const DnReplayResult *result, DnJobResult *out)
{
    const DnProgram *program = setup->programs[j];
    const DnMeasureSchedule *schedule = &setup->schedule;
    DnMeasured m = dn_measure_job(program, schedule, result->windows);
    char span[DN_UNIT_BUF], from[DN_UNIT_BUF], first[DN_UNIT_BUF], second[DN_UNIT_BUF];
    out->measured = TRUE;
    out->steady = dn_measure_steady(&setup->scenario->measure, schedule, &m);
    out->accepted_bps = m.accepted_bps;
    out->offered_load = m.offered_bps / program->rate_bps;
    out->accepted_load = m.accepted_bps / program->rate_bps;
    if (out->steady)
        return;
    const DnReplayWindow *w = result->windows;
    g_ptr_array_add(
        setup->simulation->warnings,
        g_strdup_printf("job %s is not steady: load %.4f offered, %.4f accepted; mean latency %s, "
                        "then %s, in windows of %s from %s on",
                        out->name, out->offered_load, out->accepted_load,
                        w[0].arrived == 0 ? "-" : dn_format_time((gint64)m.latency_ps[0], first),
                        w[1].arrived == 0 ? "-" : dn_format_time((gint64)m.latency_ps[1], second),
                        dn_format_time(schedule->window_ps, span),
                        dn_format_time(schedule->warmup_ps, from)));
}

/* ---- results ---- */

static void collect_job(Setup *setup, guint j)
{
    DnJobResult *out = &setup->simulation->jobs[j];
    const DnProgram *program = setup->programs[j];
    DnReplayResult result;
    dn_replay_result(setup->replay, j, &result);
    *out = (DnJobResult){
        .name = g_strdup(setup->scenario->jobs[j].name),
        .workload = program->type->name,
        .ranks = program->ranks,
        .bytes = program->bytes,
        .n_iterations = result.n_iterations,
        .iteration_ps = result.iteration_ps,
        .end_ps = result.end_ps,
        .goodput_bytes = program->type->goodput_bytes(program),
        .messages = result.messages,
        .one_sided_messages = result.one_sided_messages,
        .latency_ps = result.latency_ps,
        .n_latency = result.n_latency,
        .endpoints = g_steal_pointer(&setup->placements[j].endpoints),
        .aware = setup->jobs[j].aware != NULL,
        .done_ps = result.done_ps,
        .n_calls = result.n_calls,
        .call_ps = result.call_ps,
    };
    double moded = (double)(result.mode_bytes[0] + result.mode_bytes[1]);
    out->adaptive_share = moded > 0 ? (double)result.mode_bytes[0] / moded : 0.0;
    if (result.nic != NULL)
        out->nic = g_memdup2(result.nic, result.n_iterations * sizeof *result.nic);
    if (program->note && !setup->jobs[j].silent)
        g_ptr_array_add(setup->simulation->warnings,
                        g_strdup_printf("job %s: %s", out->name, program->note));
    if (program->endless)
        collect_measure(setup, j, &result, out);
    else if (!setup->jobs[j].background && !setup->jobs[j].silent &&
             result.n_iterations < program->iterations)
        g_ptr_array_add(
            setup->simulation->warnings,
            g_strdup_printf("job %s completed %u of %u iterations before the clock stopped",
                            out->name, result.n_iterations, program->iterations));
}

static guint64 messages_of(const Setup *setup, guint j)
{
    DnReplayResult result;
    dn_replay_result(setup->replay, j, &result);
    guint64 messages = result.messages;
    dn_replay_result_clear(&result);
    return messages;
}

static gboolean set_up(Setup *setup, DnFabric **kept, GError **error)
{
    guint n_jobs = setup->scenario->n_jobs;
    setup->simulation = g_new0(DnSimulation, 1);
    setup->simulation->warnings = g_ptr_array_new_with_free_func(g_free);
    setup->own_jobs = n_jobs;
    setup->placements = g_new0(DnPlacement, n_jobs);
    setup->programs = g_new0(DnProgram *, n_jobs);
    setup->jobs = g_new0(DnReplayJob, n_jobs);
    setup->noise = g_new0(DnHostNoise, n_jobs);
    setup->aware = g_new0(DnAwareRule, n_jobs);
    return build_machine(setup, kept, error) && build_jobs(setup, error);
}

gboolean dn_simulate_check(const DnScenario *scenario, DnFabric **kept, double *bytes,
                           GError **error)
{
    g_auto(Setup) setup = {.scenario = scenario};
    *bytes = 0.0;
    if (!set_up(&setup, kept, error))
        return FALSE;
    for (guint j = 0; j < scenario->n_jobs; j++) {
        const DnProgram *program = setup.programs[j];
        if (program->type->bytes_moved != NULL)
            *bytes += program->type->bytes_moved(program) * (double)scenario->jobs[j].iterations;
    }
    return TRUE;
}

DnSimulation *dn_simulate(const DnScenario *scenario, DnFabric **kept,
                          gboolean (*beat)(void *data, gint64 now_ps, guint64 events,
                                           guint64 packet_hops),
                          void *beat_data, GError **error)
{
    g_auto(Setup) setup = {.scenario = scenario, .beat = beat, .beat_data = beat_data};
    if (!set_up(&setup, kept, error))
        return NULL;
    if (strcmp(setup.simulation->engine_type->name, "packet") == 0)
        warn_buffers(&setup);
    if (!run_to_result(&setup, error))
        return NULL;
    setup.simulation->jobs = g_new0(DnJobResult, scenario->n_jobs);
    setup.simulation->n_jobs = scenario->n_jobs;
    for (guint j = 0; j < scenario->n_jobs; j++)
        collect_job(&setup, j);
    for (guint j = setup.own_jobs; j < setup.scenario->n_jobs; j++)
        setup.simulation->population.messages += messages_of(&setup, j);
    return g_steal_pointer(&setup.simulation);
}

void dn_simulation_free(DnSimulation *simulation)
{
    if (!simulation)
        return;
    for (guint j = 0; j < simulation->n_jobs; j++) {
        g_free(simulation->jobs[j].name);
        g_free(simulation->jobs[j].iteration_ps);
        g_free(simulation->jobs[j].end_ps);
        g_free(simulation->jobs[j].alone_ps);
        g_free(simulation->jobs[j].nic);
        g_free(simulation->jobs[j].latency_ps);
        g_free(simulation->jobs[j].endpoints);
        g_free(simulation->jobs[j].done_ps);
        g_free(simulation->jobs[j].call_ps);
    }
    g_free(simulation->jobs);
    dn_engine_result_clear(&simulation->engine);
    dn_fabric_unref(simulation->fabric);
    if (simulation->warnings)
        g_ptr_array_unref(simulation->warnings);
    g_free(simulation);
}
