/* setup.c - see setup.h. */
#include "experiment/setup.h"

#include "base/memory.h"
#include "base/rate.h"
#include "base/registry.h"
#include "base/rng.h"
#include "base/units.h"
#include "experiment/background_result.h"
#include "experiment/default_warnings.h"
#include "experiment/endpoint_tables.h"
#include "experiment/job_mechanism.h"
#include "experiment/what_if.h"
#include "runtime/mode_rules.h"
#include "topology/hop_latency.h"

#include <string.h>

void dn_setup_clear(DnSetup *setup)
{
    dn_critical_path_free(setup->critical_path);
    dn_replay_free(setup->replay);
    for (guint j = 0; j < setup->resolved.n_jobs; j++) {
        g_free(setup->placements[j].endpoints);
        dn_program_free(setup->programs[j]);
        dn_nccl_machine_clear(&setup->coll[j]);
    }
    g_clear_pointer(&setup->of_call, g_ptr_array_unref);
    g_free(setup->coll);
    g_free(setup->placements);
    g_free(setup->programs);
    g_free(setup->jobs);
    g_free(setup->noise);
    g_free(setup->app_aware);
    g_free(setup->aggregation);
    g_free(setup->node_of);
    g_free(setup->nic_address);
    g_free(setup->adapter_of);
    g_free(setup->cpu_of);
    g_free(setup->resolved.jobs);
    g_clear_pointer(&setup->background_metrics, g_array_unref);
    dn_params_free(setup->parameters);
    dn_run_result_free(setup->result);
}

/* ---- engine, machine and traffic ---- */

static gboolean find_engine(const DnSetup *setup, const DnEngineType **type, GError **error)
{
    const DnRunSpec *spec = setup->spec;
    *type = dn_engine_find(spec->engine);
    if (*type)
        return TRUE;
    g_autofree char *unknown = dn_registry_unknown(dn_engine_types, spec->engine);
    const DnConfigNode *at = setup->options.engine != NULL ? NULL : spec->root;
    const DnConfigNode *key = at != NULL ? dn_config_get(at, "engine") : NULL;
    dn_config_error(key != NULL ? key : at, DN_ERROR_UNKNOWN, error, "unknown engine %s", unknown);
    return FALSE;
}

/* Each engine's mapping is checked, whichever runs: `darner compare` runs them all. */
static gboolean read_options(DnSetup *setup, GError **error)
{
    for (guint i = 0; dn_engine_types[i]; i++) {
        const DnEngineType *type = dn_engine_types[i];
        if (!type->params)
            continue;
        g_autoptr(DnParams) options =
            dn_params_read(dn_config_get(setup->spec->root, type->name), type->params, NULL, error);
        if (!options)
            return FALSE;
        if (type == setup->result->engine_type)
            setup->parameters = g_steal_pointer(&options);
    }
    return TRUE;
}

/* FALSE: the run's engine, or what is looked at, needs one process. */
static gboolean check_processes(const DnSetup *setup, GError **error)
{
    const DnProcesses *processes = setup->options.processes;
    const DnEngineType *type = setup->result->engine_type;
    const DnRouter *router = setup->result->router;
    if (processes == NULL)
        return TRUE;
    if (!type->divides)
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    "engine %s runs in one process, not in %u; allowed over MPI: packet",
                    type->name, processes->n);
    else if (router->type->omniscient)
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    "routing %s looks at queues anywhere, so it runs in one process, not in %u",
                    router->type->name, processes->n);
    else if (setup->options.observer != NULL)
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    "a timeline, or why a run takes its time, is recorded in one process, not in "
                    "%u",
                    processes->n);
    else
        return TRUE;
    return FALSE;
}

static gboolean build_machine(DnSetup *setup, DnNetworkCache *cache, GError **error)
{
    const DnRunSpec *spec = setup->spec;
    DnRunResult *result = setup->result;
    if (!find_engine(setup, &result->engine_type, error) || !read_options(setup, error))
        return FALSE;
    result->network =
        dn_network_cache_get(cache, spec, result->engine_type, &setup->options.what_if, error);
    if (result->network == NULL)
        return FALSE;
    result->machine = result->network->machine;
    result->router = result->network->router;
    if (!check_processes(setup, error))
        return FALSE;
    result->threads = spec->threads;
    result->packet_bytes = spec->packet_bytes > 0 ? spec->packet_bytes
                                                  : result->machine->hardware.packet_bytes;
    setup->counts =
        dn_nic_model_init(&setup->nic, &result->machine->hardware, result->packet_bytes);
    return TRUE;
}

/* ---- jobs ---- */

static gboolean check_lane(DnSetup *setup, const DnJobSpec *job, GError **error)
{
    guint32 levels = setup->result->machine->hardware.n_levels;
    if (job->service_level < levels)
        return TRUE;
    dn_config_error(dn_job_place(job, "service_level"), DN_ERROR_RANGE, error,
                    "service level %u; this machine keeps %u apart, 0 to %u", job->service_level,
                    levels, levels - 1);
    return FALSE;
}

static gboolean check_limits(DnSetup *setup, guint j, GError **error)
{
    const DnJobSpec *job = &setup->spec->jobs[j];
    guint32 ranks = setup->placements[j].ranks;
    if (ranks <= DN_REPLAY_MAX_RANKS)
        return TRUE;
    dn_config_error(dn_job_place(job, "ranks"), DN_ERROR_RANGE, error,
                    "%u ranks; a job has at most %u", ranks, DN_REPLAY_MAX_RANKS);
    return FALSE;
}

/* Placed, but another job is to run alone. */
static gboolean is_muted(const DnSetup *setup, guint j)
{
    return setup->options.isolated_job != 0 && setup->options.isolated_job != j + 1;
}

/* Reads are answered, and need an engine that has answers; a muted job reads nothing. */
static gboolean check_reads(DnSetup *setup, guint j, GError **error)
{
    gboolean answers = setup->result->machine->hardware.window_packets > 0;
    if (is_muted(setup, j) || !setup->programs[j]->reads ||
        (answers && setup->result->engine_type->reads))
        return TRUE;
    dn_config_error(setup->spec->jobs[j].workload, DN_ERROR_RANGE, error,
                    "it reads remote memory; only engine packet simulates that, on machines whose "
                    "NICs answer (hardware.window)");
    return FALSE;
}

static gboolean read_mode(DnSetup *setup, guint j, GError **error)
{
    const DnConfigNode *mode = setup->spec->jobs[j].routing_mode;
    const DnRunResult *result = setup->result;
    if (mode == NULL)
        return TRUE;
    if (mode->kind == DN_CONFIG_LIST && dn_mode_turns_are(mode)) {
        const DnConfigNode *aware;
        if (!dn_mode_turns_read(mode, result->router, &setup->jobs[j].turns, &aware, error))
            return FALSE;
        if (aware == NULL)
            return TRUE;
        mode = aware;
    }
    if (mode->kind == DN_CONFIG_LIST)
        return dn_mode_rules_read(mode, result->router, &setup->jobs[j].modes, error);
    if (mode->kind != DN_CONFIG_MAP)
        return dn_router_find_mode(result->router, mode, &setup->jobs[j].mode, error);
    setup->jobs[j].app_aware = &setup->app_aware[j];
    return dn_app_aware_read(mode, result->router, setup->programs[j]->type->name,
                             result->packet_bytes, &setup->app_aware[j], error);
}

static gboolean read_noise(DnSetup *setup, guint j, guint64 seed, GError **error)
{
    const DnConfigNode *noise = setup->spec->jobs[j].noise;
    if (noise == NULL)
        return TRUE;
    setup->jobs[j].noise = &setup->noise[j];
    gboolean well = dn_host_noise_read(noise, &setup->noise[j], error);
    setup->noise[j].seed = seed;
    return well;
}

/* Each job's draws are its own: two equal jobs do not send in step. */
static gboolean build_job(DnSetup *setup, guint j, GError **error)
{
    const DnJobSpec *job = &setup->spec->jobs[j];
    const DnPlacement *placement = &setup->placements[j];
    const DnHardware *hardware = &setup->result->machine->hardware;
    gboolean engine_reads = setup->result->engine_type->reads;
    guint64 seed = dn_draw_key(setup->spec->seed, DN_DRAW_WORKLOAD, j);
    if (!check_lane(setup, job, error) || !check_limits(setup, j, error))
        return FALSE;
    guint32 iterations = job->background ? G_MAXINT32 : job->iterations;
    const DnConfigNode *workload = dn_network_cache_workload(setup->cache, job->workload, error);
    if (workload == NULL)
        return FALSE;
    if (!dn_job_machine_place(setup->result->machine, job, placement, &setup->coll[j], error))
        return FALSE;
    setup->programs[j] =
        dn_program_new_on(workload, &setup->coll[j], placement->ranks, iterations, seed, error);
    if (!setup->programs[j] || !check_reads(setup, j, error))
        return FALSE;
    if (j < setup->own_jobs) {
        dn_warn_idle_library(setup->result, job->name, setup->programs[j], workload);
        dn_warn_rank_order(setup->result, job->name, setup->programs[j], &setup->coll[j]);
        dn_warn_one_adapter(setup->result, job->name, setup->programs[j], &setup->coll[j],
                            placement);
    }
    if (j < setup->own_jobs && !job->background)
        dn_warn_overlap(setup->result, job->name, setup->programs[j]);
    setup->jobs[j] = (DnReplayJob){
        .name = job->name,
        .program = setup->programs[j],
        .endpoints = placement->endpoints,
        .node_of = setup->node_of,
        .nic_address = setup->nic_address,
        .adapter_of = setup->adapter_of,
        .cpu_of = setup->cpu_of,
        .host_of = setup->result->machine->graph->endpoint_host,
        .lane = hardware->level_lane[job->service_level],
        .mode = dn_mode_default(setup->result->router, setup->spec->routing,
                                setup->programs[j]->type->name),
        .start_ps = job->start_ps,
        .burst = job->burst,
        .pause_ps = job->pause_ps,
        .background = job->background,
        .muted = is_muted(setup, j),
        .gets = engine_reads && hardware->window_packets > 0,
        .request_bytes = !engine_reads && hardware->window_packets > 0 ? hardware->response_bytes
                                                                       : 0,
        .instant = setup->options.what_if.unlimited & DN_WHAT_IF_COMPUTE,
        .nic = setup->counts && !job->background ? &setup->nic : NULL};
    if (!read_mode(setup, j, error) || !read_noise(setup, j, seed, error))
        return FALSE;
    return dn_job_mechanisms_read(setup, j, error);
}

static gboolean check_sharing(DnSetup *setup, GError **error)
{
    guint32 endpoints = setup->result->machine->graph->size.endpoints;
    g_autofree guint32 *ranks = g_new0(guint32, endpoints);
    for (guint j = 0; j < setup->spec->n_jobs; j++)
        for (guint32 r = 0; r < setup->placements[j].ranks; r++)
            if (++ranks[setup->placements[j].endpoints[r]] > DN_REPLAY_MAX_SHARING) {
                dn_config_error(setup->spec->jobs[j].node, DN_ERROR_RANGE, error,
                                "endpoint %u is listed by more than %u jobs",
                                setup->placements[j].endpoints[r], DN_REPLAY_MAX_SHARING);
                return FALSE;
            }
    return TRUE;
}

static gboolean check_memory(DnSetup *setup, GError **error)
{
    const DnRunSpec *spec = setup->spec;
    const DnGraphSize *size = &setup->result->machine->graph->size;
    guint64 ranks = 0, iterations = 0;
    for (guint j = 0; j < spec->n_jobs; j++) {
        ranks += setup->placements[j].ranks;
        iterations += spec->jobs[j].iterations;
    }
    const DnEngineType *engine = setup->result->engine_type;
    guint64 limit = dn_memory_limit((guint64)spec->max_memory_bytes);
    guint64 need = dn_graph_memory_bytes(size) +
                   dn_router_memory_bytes(setup->result->machine->type, size) +
                   (engine->memory_bytes != NULL ? engine->memory_bytes(size) : 0) +
                   dn_replay_memory_bytes(ranks, iterations, size->endpoints + size->hosts);
    setup->need_bytes = need;
    setup->growth_bytes = limit - MIN(need, limit - 1);
    if (need <= limit)
        return TRUE;
    char needs[DN_UNIT_BUF];
    g_autofree char *text = dn_memory_limit_text((guint64)spec->max_memory_bytes);
    dn_config_error(spec->root, DN_ERROR_MEMORY, error,
                    "machine, routing, engine and %" G_GUINT64_FORMAT " ranks take at least %s; %s",
                    ranks, dn_format_bytes((gint64)need, needs), text);
    return FALSE;
}

/* Open-loop jobs send until the clock stops. */
static gboolean check_measure(DnSetup *setup, GError **error)
{
    const DnRunSpec *spec = setup->spec;
    guint open = 0;
    if (spec->measure.node == NULL)
        return TRUE;
    if (spec->slowdown) {
        dn_config_error(spec->measure.node, DN_ERROR_RANGE, error,
                        "measure: a steady state has no end; allowed: `measure` or `slowdown`, "
                        "not both");
        return FALSE;
    }
    for (guint j = 0; j < spec->n_jobs; j++) {
        setup->programs[j]->endless = setup->programs[j]->offered_bps > 0;
        open += setup->programs[j]->endless;
    }
    if (open > 0)
        return TRUE;
    dn_config_error(spec->measure.node, DN_ERROR_RANGE, error,
                    "measure: no job has a steady state; allowed with workloads that have a "
                    "`load`: uniform, permutation");
    return FALSE;
}

/* NULL: no job's packets stand for several. */
static guint8 *aggregation_of(const DnSetup *setup)
{
    const DnRunSpec *spec = setup->spec;
    g_autofree guint8 *aggregation = g_new(guint8, spec->n_jobs);
    guint8 most = 1;
    for (guint j = 0; j < spec->n_jobs; j++) {
        aggregation[j] = spec->jobs[j].aggregation;
        most = MAX(most, aggregation[j]);
    }
    return most > 1 ? g_steal_pointer(&aggregation) : NULL;
}

static void allocate_jobs(DnSetup *setup, guint n_jobs)
{
    setup->placements = g_renew(DnPlacement, setup->placements, n_jobs);
    setup->programs = g_renew(DnProgram *, setup->programs, n_jobs);
    setup->jobs = g_renew(DnReplayJob, setup->jobs, n_jobs);
    setup->coll = g_renew(DnCollMachine, setup->coll, n_jobs);
    setup->noise = g_renew(DnHostNoise, setup->noise, n_jobs);
    setup->app_aware = g_renew(DnAppAwareRule, setup->app_aware, n_jobs);
    for (guint j = setup->own_jobs; j < n_jobs; j++) {
        setup->placements[j] = (DnPlacement){0};
        setup->programs[j] = NULL;
        setup->coll[j] = (DnCollMachine){0};
    }
}

/* Adds the drawn jobs to the setup's specification. */
static gboolean add_background_jobs(DnSetup *setup, GError **error)
{
    const DnRunSpec *own = setup->spec;
    if (own->background == NULL)
        return TRUE;
    setup->background_metrics =
        dn_background_jobs_draw(own, setup->result->machine->graph, setup->placements,
                                &setup->result->background_metrics, setup->result->warnings, error);
    if (setup->background_metrics == NULL)
        return FALSE;
    guint n_jobs = own->n_jobs + setup->background_metrics->len;
    if (n_jobs > G_MAXUINT16) {
        dn_config_error(own->background, DN_ERROR_RANGE, error,
                        "background: %u jobs were drawn; at most %u run together",
                        setup->background_metrics->len, G_MAXUINT16 - own->n_jobs);
        return FALSE;
    }
    allocate_jobs(setup, n_jobs);
    setup->resolved.jobs = g_renew(DnJobSpec, setup->resolved.jobs, n_jobs);
    setup->resolved.n_jobs = n_jobs;
    for (guint i = 0; i < setup->background_metrics->len; i++) {
        DnDrawnJob *drawn = &g_array_index(setup->background_metrics, DnDrawnJob, i);
        setup->resolved.jobs[setup->own_jobs + i] = drawn->job;
        setup->placements[setup->own_jobs + i] = drawn->placement;
        drawn->placement.endpoints = NULL;
    }
    return TRUE;
}

static gboolean build_jobs(DnSetup *setup, GError **error)
{
    const DnGraph *graph = setup->result->machine->graph;
    setup->node_of = dn_endpoint_nodes(graph);
    setup->nic_address = dn_endpoint_nic_addresses(graph);
    setup->adapter_of = dn_endpoint_adapters(graph);
    setup->cpu_of = dn_endpoint_cpus(graph);
    if (!dn_place_jobs(setup->spec, graph, setup->placements, error) ||
        !add_background_jobs(setup, error) || !check_sharing(setup, error) ||
        !check_memory(setup, error))
        return FALSE;
    const DnRunSpec *spec = setup->spec;
    setup->aggregation = aggregation_of(setup);
    for (guint j = 0; j < spec->n_jobs; j++)
        if (!build_job(setup, j, error))
            return FALSE;
    if (!dn_config_check_consumed(spec->root, NULL, error))
        return FALSE;
    dn_background_warn_keys(setup);
    return check_measure(setup, error);
}

static void setup_resolve(DnSetup *setup, const DnRunSpec *spec, const DnRunOptions *options)
{
    if (options != NULL)
        setup->options = *options;
    setup->resolved = *spec;
    setup->spec = &setup->resolved;
    setup->resolved.jobs = g_memdup2(spec->jobs, spec->n_jobs * sizeof *spec->jobs);
    if (setup->options.engine != NULL)
        setup->resolved.engine = (char *)setup->options.engine;
    if (setup->options.threads > 0)
        setup->resolved.threads = setup->options.threads;
    for (guint j = 0; setup->options.iterations != NULL && j < spec->n_jobs; j++)
        setup->resolved.jobs[j].iterations = setup->options.iterations[j];
}

gboolean dn_setup(DnSetup *setup, const DnRunSpec *spec, const DnRunOptions *options,
                  DnNetworkCache *cache, GError **error)
{
    guint n_jobs = spec->n_jobs;
    setup_resolve(setup, spec, options);
    setup->cache = cache;
    setup->result = g_new0(DnRunResult, 1);
    setup->result->warnings = g_ptr_array_new_with_free_func(g_free);
    setup->of_call = g_ptr_array_new_with_free_func(g_free);
    setup->own_jobs = n_jobs;
    setup->placements = g_new0(DnPlacement, n_jobs);
    setup->programs = g_new0(DnProgram *, n_jobs);
    setup->jobs = g_new0(DnReplayJob, n_jobs);
    setup->coll = g_new0(DnCollMachine, n_jobs);
    setup->noise = g_new0(DnHostNoise, n_jobs);
    setup->app_aware = g_new0(DnAppAwareRule, n_jobs);
    return build_machine(setup, cache, error) && build_jobs(setup, error);
}

/* Returns the bytes in flight from a packet's start until its credit is back. */
static gint64 round_trip_bytes(const DnMachine *m, guint32 l)
{
    gint64 round_trip_ps = dn_hop_latency_ps(m->graph, l) + dn_hop_credit_ps(m->graph, l);
    return (gint64)dn_rate_bytes((double)round_trip_ps, dn_machine_link_bps(m, l));
}

/* Warns of buffers below a round trip and a packet: allowed, but they slow their link down. */
void dn_setup_warn_buffers(DnSetup *setup)
{
    const DnMachine *m = setup->result->machine;
    const DnGraph *graph = m->graph;
    gint64 packet = m->hardware.header_bytes;
    packet += dn_engine_part_bytes(m, setup->result->packet_bytes, setup->aggregation,
                                   setup->spec->n_jobs);
    g_autofree gint64 *need = g_new0(gint64, graph->n_classes + 1);
    for (guint32 l = 0; l < graph->size.links; l++) {
        gint64 *of_class = &need[graph->links[l].link_class];
        if (graph->vertices[graph->links[l].dst].kind == DN_VERTEX_SWITCH)
            *of_class = MAX(*of_class, round_trip_bytes(m, l) + packet);
    }
    for (guint32 c = 0; c < graph->n_classes; c++) {
        char has[DN_UNIT_BUF], needs[DN_UNIT_BUF];
        const DnLinkClass *class_ = &graph->classes[c];
        gint64 buffer = class_->buffer_bytes + class_->shared_buffer_bytes;
        if (class_->buffer_bytes > 0 && buffer < need[c])
            g_ptr_array_add(
                setup->result->warnings,
                g_strdup_printf("links of class '%s' have %s of buffer, less than the %s of a "
                                "round trip: one packet stream cannot fill them",
                                class_->name, dn_format_bytes(buffer, has),
                                dn_format_bytes(need[c], needs)));
    }
}
