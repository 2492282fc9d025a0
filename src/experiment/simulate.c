/* simulate.c - see simulate.h.
 *
 * Latency samples: from when the engine gets a message (after issue, serial wait and start-up) to
 * its last byte at the destination, queue of the source included. About a million a job at most. */
#include "experiment/simulate.h"

#include "base/interrupt.h"
#include "base/shared_arrays.h"
#include "base/units.h"
#include "experiment/background_result.h"
#include "experiment/default_warnings.h"
#include "experiment/expected_hops.h"
#include "experiment/job_times.h"
#include "experiment/setup.h"
#include "trace/trace.h"

#include <string.h>

/* ---- the run ---- */

static void observe_message(void *data, const DnMessage *message, gint64 sent_ps,
                            gint64 delivered_ps)
{
    const DnSetup *setup = data;
    dn_replay_observe(setup->replay, message, sent_ps, delivered_ps);
    if (setup->timeline != NULL)
        dn_timeline_message(setup->timeline, setup->replay, message, sent_ps, delivered_ps);
}

/* TRUE: each job stays inside a node. */
static gboolean all_inside(const DnSetup *setup)
{
    for (guint j = 0; j < setup->own_jobs; j++) {
        const DnReplayJob *job = &setup->jobs[j];
        for (guint32 r = 1; r < job->program->ranks; r++)
            if (setup->node_of[job->endpoints[r]] != setup->node_of[job->endpoints[0]])
                return FALSE;
    }
    return TRUE;
}

/* Packets between neighbours have no hops: in a run without others, events count in their place, as
 * in dn_expected_hops(). */
static gboolean observe_progress(void *data, gint64 now_ps, guint64 events, guint64 packet_hops)
{
    const DnSetup *setup = data;
    const DnRunProgress *progress = &setup->options.progress;
    if (packet_hops == 0 && dn_engine_queues(setup->result->engine_type->name) && all_inside(setup))
        packet_hops = events / DN_DIRECT_EVENTS;
    return progress->call(progress->data, now_ps, events, setup->hops_before + packet_hops);
}

static void observe_delays(void *data, const DnMessage *message, gint64 born_ps, gboolean arrived,
                           const DnDelaySpan *spans, guint n)
{
    dn_critical_path_delays(((const DnSetup *)data)->critical_path, message, born_ps, arrived,
                            spans, n);
}

static void observe_channel(void *data, guint32 link, guint job, gint64 from_ps, gint64 to_ps,
                            gboolean stalled)
{
    dn_timeline_link(((const DnSetup *)data)->timeline, link, job, from_ps, to_ps, stalled);
}

/* Attaches the observer, except to the run of an isolated job, which is not to be observed. */
static void attach_observer(DnSetup *setup, DnEngineRun *run)
{
    const DnRunObserver *observer = setup->options.isolated_job == 0 ? setup->options.observer
                                                                     : NULL;
    g_clear_pointer(&setup->critical_path, dn_critical_path_free);
    setup->timeline = observer != NULL ? observer->timeline : NULL;
    if (observer != NULL && observer->critical_path != NULL) {
        setup->critical_path = dn_critical_path_new(setup->replay, observer->critical_path);
        run->client = &dn_critical_path_client;
        run->client_data = setup->critical_path;
        run->observer.delays = observe_delays;
    }
    if (setup->timeline != NULL) {
        dn_timeline_begin(setup->timeline, setup->replay,
                          setup->result->machine->graph->size.links);
        if (setup->timeline->parts & DN_TIMELINE_LINKS)
            run->observer.channel = observe_channel;
    }
}

/* Error: ranks of this process are blocked behind a background that goes on without end. */
static void report_stalled(DnSetup *setup, GError **problem)
{
    const DnProcesses *processes = setup->options.processes;
    g_autoptr(GString) account = g_string_new(NULL);
    guint here = dn_replay_client.blocked(setup->replay, account, 12);
    gint64 all = here;
    if (processes != NULL)
        processes->sum(&all, 1);
    if (here > 0 && *problem == NULL)
        g_set_error(problem, DN_ERROR, DN_ERROR_STALLED,
                    "nothing moves but what is in the background; %" G_GINT64_FORMAT
                    " ranks are blocked:\n%s",
                    all, account->str);
}

/* Called by all processes after the engine: a fault of one's ranks becomes the error of all. */
static gboolean check_ranks(DnSetup *setup, GError **error)
{
    const DnProcesses *processes = setup->options.processes;
    guint job = 0;
    g_autofree char *fault = dn_replay_fault(setup->replay, &job);
    GError *problem = NULL;
    if (fault != NULL && dn_interrupt_check(&problem))
        dn_config_error(dn_job_place(&setup->spec->jobs[job], "workload"), DN_ERROR_STALLED,
                        &problem, "%s", fault);
    if (dn_replay_stalled(setup->replay))
        report_stalled(setup, &problem);
    if (processes == NULL ? problem == NULL : dn_processes_agree(processes, &problem))
        return TRUE;
    g_propagate_error(error, problem);
    return FALSE;
}

static gboolean run_engine(DnSetup *setup, GError **error)
{
    DnRunResult *result = setup->result;
    const DnRunSpec *spec = setup->spec;
    gboolean measured = spec->measure.node != NULL;
    const DnGraphSize *size = &result->machine->graph->size;
    dn_replay_free(setup->replay);
    setup->replay = dn_replay_new(setup->jobs, spec->n_jobs, size->endpoints + size->hosts);
    if (measured)
        dn_replay_measure(setup->replay, setup->schedule.warmup_ps, setup->schedule.window_ps);
    DnEngineRun run = {
        .router = result->router,
        .packet_bytes = result->packet_bytes,
        .seed = spec->seed,
        .threads = spec->threads,
        .max_memory_bytes = setup->growth_bytes,
        .n_jobs = spec->n_jobs,
        .aggregation = setup->aggregation,
        .until_ps = measured ? setup->schedule.until_ps : spec->until_ps,
        .message_ps = setup->options.message_ps,
        .message_latency = setup->options.message_latency,
        .client = &dn_replay_client,
        .client_data = setup->replay,
        .options = setup->parameters,
        .processes = setup->options.processes,
        .observer = {.data = setup,
                     .message = observe_message,
                     .progress = setup->options.progress.call != NULL ? observe_progress : NULL},
    };
    run.active = dn_replay_active(setup->replay, &run.n_active);
    run.active_jobs = dn_replay_active_jobs(setup->replay);
    setup->hops_before += result->engine.packet_hops;
    for (guint j = 0; j < spec->n_jobs; j++)
        run.reads_nics |= setup->jobs[j].app_aware != NULL || setup->jobs[j].nic != NULL;
    run.shares_nodes = dn_replay_shares_nodes(setup->replay);
    attach_observer(setup, &run);
    if (run.processes != NULL)
        dn_arrays_share(run.processes);
    double cpu_s = result->engine.cpu_s;
    dn_engine_result_clear(&result->engine);
    GError *found = NULL;
    if (!result->engine_type->run(&run, &result->engine, &found))
        return dn_network_fail_at(spec->machine, found, error);
    if (setup->critical_path != NULL)
        dn_critical_path_finish(setup->critical_path);
    result->engine.cpu_s += cpu_s;
    if (run.processes != NULL)
        dn_replay_combine(setup->replay, run.processes);
    return check_ranks(setup, error);
}

/* ---- steady state ---- */

static DnMeasured measured_of(const DnSetup *setup, guint j)
{
    DnReplayResult result;
    dn_replay_result(setup->replay, j, &result);
    DnMeasured m = dn_measure_job(setup->programs[j], &setup->schedule, result.windows);
    dn_replay_result_clear(&result);
    return m;
}

/* Makes one attempt at a steady state. *@converged: a longer one would show nothing else. */
static gboolean measure_once(DnSetup *setup, guint attempt, DnMeasured *before, gboolean *converged,
                             GError **error)
{
    const DnMeasureSpec *measure = &setup->spec->measure;
    guint n = setup->spec->n_jobs;
    setup->schedule =
        dn_measure_schedule(measure, (const DnProgram *const *)setup->programs, n, attempt);
    if (!run_engine(setup, error))
        return FALSE;
    *converged = TRUE;
    for (guint j = 0; j < n; j++) {
        if (!setup->programs[j]->endless)
            continue;
        DnMeasured m = measured_of(setup, j);
        *converged = *converged && (dn_measure_steady(measure, &setup->schedule, &m) ||
                                    (attempt > 0 && dn_measure_saturated(measure, &before[j], &m)));
        before[j] = m;
    }
    *converged = *converged || !setup->schedule.automatic;
    return TRUE;
}

static gboolean run_to_result(DnSetup *setup, GError **error)
{
    if (setup->spec->measure.node == NULL)
        return run_engine(setup, error);
    g_autofree DnMeasured *before = g_new0(DnMeasured, setup->spec->n_jobs);
    gboolean converged = FALSE;
    for (guint attempt = 0; attempt < DN_MEASURE_ATTEMPTS && !converged; attempt++)
        if (!measure_once(setup, attempt, before, &converged, error))
            return FALSE;
    return TRUE;
}

static void collect_measure(DnSetup *setup, guint j, const DnReplayResult *result, DnJobResult *out)
{
    const DnProgram *program = setup->programs[j];
    const DnMeasureSchedule *schedule = &setup->schedule;
    DnMeasured m = dn_measure_job(program, schedule, result->windows);
    char span[DN_UNIT_BUF], from[DN_UNIT_BUF], first[DN_UNIT_BUF], second[DN_UNIT_BUF];
    out->load.measured = TRUE;
    out->load.steady = dn_measure_steady(&setup->spec->measure, schedule, &m);
    out->load.accepted_bps = m.accepted_bps;
    out->load.offered = m.offered_bps / program->rate_bps;
    out->load.accepted = m.accepted_bps / program->rate_bps;
    if (out->load.steady)
        return;
    const DnMeasureWindow *w = result->windows;
    g_ptr_array_add(
        setup->result->warnings,
        g_strdup_printf("job %s is not steady: load %.4f offered, %.4f accepted; mean latency %s, "
                        "then %s, in windows of %s from %s on",
                        out->name, out->load.offered, out->load.accepted,
                        w[0].arrived == 0 ? "-" : dn_format_time((gint64)m.latency_ps[0], first),
                        w[1].arrived == 0 ? "-" : dn_format_time((gint64)m.latency_ps[1], second),
                        dn_format_time(schedule->window_ps, span),
                        dn_format_time(schedule->warmup_ps, from)));
}

/* ---- results ---- */

/* Collects the messages that no receive took, of a job that went to its end. */
static void collect_unreceived(DnSetup *setup, const DnReplayResult *result, DnJobResult *out)
{
    if (result->unreceived == 0)
        return;
    out->trace.unreceived =
        g_strdup_printf("messages of job %s that no receive takes: %" G_GUINT64_FORMAT
                        "; the first is of rank %u to rank %u, tag %u",
                        out->name, result->unreceived, result->unreceived_from,
                        result->unreceived_by, result->unreceived_tag);
    g_ptr_array_add(setup->result->warnings, g_strdup(out->trace.unreceived));
}

static void collect_flows(const DnProgram *program, const DnReplayResult *result, DnJobResult *out)
{
    guint32 n = result->n_iterations * program->n_flows;
    out->flows = (DnFlowTimes){.n = program->n_flows,
                               .n_times = n,
                               .times = g_memdup2(result->flows, n * sizeof *result->flows)};
}

static void collect_job(DnSetup *setup, guint j)
{
    DnJobResult *out = &setup->result->jobs[j];
    const DnProgram *program = setup->programs[j];
    DnReplayResult result;
    dn_replay_result(setup->replay, j, &result);
    *out = (DnJobResult){
        .name = g_strdup(setup->spec->jobs[j].name),
        .workload = program->type->name,
        .chosen = g_strdup(program->chosen),
        .note = g_strdup(program->note),
        .mechanism = g_memdup2(&setup->jobs[j].mechanism, sizeof(DnMechanism)),
        .ranks = program->ranks,
        .communicator_ranks = program->communicator_ranks,
        .bytes = program->bytes,
        .iterations = setup->spec->jobs[j].iterations,
        .n_iterations = result.n_iterations,
        .iteration_ps = result.iteration_ps,
        .end_ps = result.end_ps,
        .start_ps = setup->spec->jobs[j].start_ps,
        .left_out = result.left_out,
        .goodput_bytes = program->type->goodput_bytes(program),
        .after_barrier = program->after_barrier,
        .messages = result.messages,
        .one_sided_messages = result.one_sided_messages,
        .latency_ps = result.latency_ps,
        .n_latency = result.n_latency,
        .endpoints = g_steal_pointer(&setup->placements[j].endpoints),
        .app_aware = setup->jobs[j].app_aware != NULL,
        .done_ps = result.done_ps,
        .trace = {.n_calls = result.n_calls,
                  .call_ps = result.call_ps,
                  .algorithms = dn_trace_algorithms(program)},
        .load = {.intended_bps = program->offered_bps, .arrived_bytes = result.arrived_bytes},
    };
    dn_graph_times(program, out);
    if (!setup->jobs[j].background && result.n_iterations == program->iterations)
        collect_unreceived(setup, &result, out);
    double moded = (double)(result.mode_bytes[0] + result.mode_bytes[1]);
    out->adaptive_share = moded > 0 ? (double)result.mode_bytes[0] / moded : 0.0;
    if (result.flows != NULL)
        collect_flows(program, &result, out);
    if (result.nic != NULL)
        out->nic = g_memdup2(result.nic, result.n_iterations * sizeof *result.nic);
    if (program->endless)
        collect_measure(setup, j, &result, out);
    else if (!setup->jobs[j].background && !setup->jobs[j].muted &&
             result.n_iterations < program->iterations)
        g_ptr_array_add(
            setup->result->warnings,
            g_strdup_printf("job %s completed %u of %u iterations before the clock stopped",
                            out->name, result.n_iterations, program->iterations));
}

/* TRUE: both ends are switches, in different groups. */
static gboolean leaves_group(const DnGraph *graph, guint32 link)
{
    const DnVertex *a = &graph->vertices[graph->links[link].src];
    const DnVertex *b = &graph->vertices[graph->links[link].dst];
    return a->kind == DN_VERTEX_SWITCH && b->kind == DN_VERTEX_SWITCH && a->group != b->group;
}

/* Warns when no message left its group, on a machine in groups: a comparison of links between
 * groups needs that. */
static void warn_one_group(const DnSetup *setup)
{
    const DnGraph *graph = setup->result->machine->graph;
    const DnLinkCounters *links = setup->result->engine.links;
    gboolean between = FALSE, used = FALSE, fabric = FALSE;
    if (graph->size.groups < 2 || links == NULL)
        return;
    for (guint32 l = 0; l < graph->size.links; l++) {
        gboolean leaves = leaves_group(graph, l);
        between |= leaves;
        used |= leaves && links[l].bytes > 0;
        fabric |= links[l].bytes > 0 &&
                  graph->vertices[graph->links[l].src].kind == DN_VERTEX_SWITCH;
    }
    if (between && fabric && !used)
        g_ptr_array_add(setup->result->warnings,
                        g_strdup("no message left its group: links between groups are unused, and "
                                 "nothing that concerns them can change this run; `placement: "
                                 "spread_group`, or more nodes, would use them"));
}

/* A link between switches that is busy for so much of a run is taken to be full. */
#define FULL 0.95

/* Warns of a full link in a run where the packets of some jobs are aggregated, of others not: what
 * each gets of it follows the buffers, which hold more of the former. */
static void warn_aggregated(const DnSetup *setup)
{
    const DnGraph *graph = setup->result->machine->graph;
    const DnEngineResult *engine = &setup->result->engine;
    guint most = 1, least = G_MAXUINT;
    for (guint j = 0; j < setup->spec->n_jobs; j++) {
        most = MAX(most, setup->spec->jobs[j].aggregation);
        least = MIN(least, MAX(1, setup->spec->jobs[j].aggregation));
    }
    if (most == least || engine->links == NULL)
        return;
    for (guint32 l = 0; l < graph->size.links; l++) {
        const DnLink *link = &graph->links[l];
        char name[160];
        if (graph->vertices[link->src].kind != DN_VERTEX_SWITCH ||
            graph->vertices[link->dst].kind != DN_VERTEX_SWITCH ||
            (double)engine->links[l].busy_ps < FULL * (double)engine->end_ps)
            continue;
        g_ptr_array_add(
            setup->result->warnings,
            g_strdup_printf("link %s is full: of a full link jobs with packet_aggregation get more "
                            "than their share, so others are slower here than beside packets of "
                            "the machine's own size; take a smaller packet_aggregation",
                            dn_link_name(graph, l, name)));
        return;
    }
}

gboolean dn_simulate_check(const DnRunSpec *spec, const DnRunOptions *options,
                           DnNetworkCache *cache, DnRunCheck *check, GError **error)
{
    g_auto(DnSetup) setup = {.spec = NULL};
    *check = (DnRunCheck){0};
    if (!dn_setup(&setup, spec, options, cache, error))
        return FALSE;
    check->network = g_steal_pointer(&setup.result->network);
    check->packet_bytes = setup.result->packet_bytes;
    check->bytes = setup.need_bytes;
    for (guint j = 0; j < setup.own_jobs && !setup.options.no_estimate; j++) {
        const DnProgram *program = setup.programs[j];
        const DnJobSpec *job = &setup.spec->jobs[j];
        double hops = dn_expected_hops(&setup.jobs[j], job->iterations, setup.result->router,
                                       check->packet_bytes, job->aggregation);
        check->hops += MAX(0, hops);
        if (hops != 0 || program->type->bytes_moved == NULL)
            continue;
        double bytes = program->type->bytes_moved(program) * job->iterations;
        check->packets += bytes / (double)check->packet_bytes / MAX(1, job->aggregation);
    }
    check->background = setup.own_jobs < setup.spec->n_jobs;
    for (guint j = 0; j < setup.own_jobs; j++)
        check->background |= setup.spec->jobs[j].background;
    return TRUE;
}

void dn_run_check_clear(DnRunCheck *check)
{
    g_clear_pointer(&check->network, dn_network_model_unref);
}

/* Whose traffic others meet, and what it is. */
static void name_drawn(const DnSetup *setup)
{
    DnRunResult *result = setup->result;
    const DnRunObserver *observer = setup->options.observer;
    gint64 when_ps =
        observer != NULL && observer->critical_path != NULL ? observer->critical_path->from_ps : 0;
    result->n_drawn = setup->spec->n_jobs - setup->own_jobs;
    result->drawn_names = g_new0(const char *, result->n_drawn + 1);
    for (guint i = 0; i < result->n_drawn; i++)
        result->drawn_names[i] = setup->spec->jobs[setup->own_jobs + i].name;
    result->patterns = g_new0(const char *, setup->spec->n_jobs + 1);
    for (guint j = 0; j < setup->spec->n_jobs; j++) {
        const DnProgram *program = setup->programs[j];
        result->patterns[j] = program->type->pattern != NULL
                                  ? program->type->pattern(program, when_ps)
                                  : program->type->name;
    }
}

DnRunResult *dn_simulate(const DnRunSpec *spec, const DnRunOptions *options, DnNetworkCache *cache,
                         GError **error)
{
    g_auto(DnSetup) setup = {.spec = NULL};
    if (!dn_setup(&setup, spec, options, cache, error))
        return NULL;
    if (setup.result->engine_type->queues)
        dn_setup_warn_buffers(&setup);
    dn_warn_parallel_switches(setup.result);
    if (!run_to_result(&setup, error))
        return NULL;
    setup.result->jobs = g_new0(DnJobResult, spec->n_jobs);
    setup.result->n_jobs = spec->n_jobs;
    setup.result->seed = spec->seed;
    setup.result->repetitions = 1;
    for (guint j = 0; j < spec->n_jobs; j++)
        collect_job(&setup, j);
    warn_aggregated(&setup);
    warn_one_group(&setup);
    name_drawn(&setup);
    dn_background_collect(&setup);
    return g_steal_pointer(&setup.result);
}

void dn_run_result_free(DnRunResult *result)
{
    if (!result)
        return;
    for (guint j = 0; j < result->n_jobs; j++) {
        g_free(result->jobs[j].name);
        g_free(result->jobs[j].mechanism);
        g_free(result->jobs[j].chosen);
        g_free(result->jobs[j].note);
        g_free(result->jobs[j].iteration_ps);
        g_free(result->jobs[j].end_ps);
        g_free(result->jobs[j].alone.time_ps);
        g_free(result->jobs[j].alone.end_ps);
        g_free(result->jobs[j].alone.per_repetition);
        g_free(result->jobs[j].per_repetition);
        g_free(result->jobs[j].nic);
        g_free(result->jobs[j].latency_ps);
        g_free(result->jobs[j].endpoints);
        g_free(result->jobs[j].done_ps);
        g_free(result->jobs[j].flows.times);
        g_free(result->jobs[j].trace.call_ps);
        g_clear_pointer(&result->jobs[j].trace.algorithms, g_array_unref);
        g_free(result->jobs[j].trace.unreceived);
    }
    g_free(result->jobs);
    g_free(result->drawn_names);
    g_free(result->patterns);
    dn_engine_result_clear(&result->engine);
    dn_network_model_unref(result->network);
    g_free(result->packet_bias.text);
    if (result->warnings)
        g_ptr_array_unref(result->warnings);
    g_free(result);
}
