/* flow_engine.c - the flow engine: messages as fluids that share links max-min fairly.
 *
 * A message takes latency + wire bytes / share: its transfer starts when it is sent, shares every
 * link of its paths with what is under way there, and is delivered one path latency after its last
 * byte left. Capacity: bandwidth * width * efficiency of a link; wire bytes: payload plus a header
 * a packet, so small messages pay for headers as they do in the packet engine.
 * A source has at most `window` transfers under way, which cost memory; the others wait in order.
 * Sources that send in the same order then all wait for the same links (an alltoall on 216 hosts of
 * a HyperX took 3.8 times as long with 18 at once), so each may send to every other at once while
 * all these are within MAX_IN_FLIGHT. More, and a run of a given length, where sources may be
 * overloaded, have MAX_WAITING in all, LEAST_WINDOW each, and a warning where messages waited.
 * Equal transfers drift apart where their links differ, and each end alone would change rates: the
 * more ranks, the more often and the dearer. So with more than MOST_EXACT endpoints a transfer may
 * end early or late by half a percent of its own time (`grain`), with others, and what starts
 * neither at such an end nor on a grid of at most a percent of the mean time waits for its next
 * point. With more than MANY_EACH transfers of each endpoint under way it is two percent. With at
 * most FEW_EACH it saves nothing, and would keep ranks in step that drift apart (an alltoall in
 * pairs on 288 hosts of a torus: 3.0 ms in place of 5.9): there is none. Alltoalls against exact
 * ones: 140 hosts of a dragonfly 0.8 % later by one percent, 0.5 % by two; 144 of a fat tree, mean
 * of five seeds, 0.1 % sooner and 0.2 % later, where seeds differ by 0.5 % (one draw by 1.6 %).
 * Rates are those of SimGrid's model CM02 without latencies: max_min.c finds them in this process
 * (`solver: built_in`), or SimGrid does in another (`solver: simgrid`), 20 to 40 times dearer.
 * An overloaded link serves all messages under way at equal rates: they arrive in waves, each as
 * long as the link takes for `window` messages of every source. A shorter measured window of fixed
 * length counts a part of one or none; the automatic length doubles until it has whole ones.
 * LIMITATIONS: no buffers but that of a source (source_buffer.c), no lanes, arbitration or credits:
 * no congestion trees, no victim flows; all messages under way share evenly at every moment. No
 * responses, no congestion control, which lets messages to idle endpoints pass others: alltoalls of
 * 8 MiB by MPI, whose reads wait in adapters' queues, on 3 to 16 nodes of LUMI, one die each, take
 * 4 to 26 % longer than by packets (17 % less to 8 % more than by packets without). One thread. */
#include <math.h>

#include "base/cpu_clock.h"
#include "base/memory.h"
#include "engine/flow/flow.h"

#define AUTO_PATHS 8
#define MOST_EXACT 128 /* active endpoints */
#define DEFAULT_GRAIN 0.01
#define MANY_EACH 8 /* transfers of an endpoint under way, from which the grain is so much wider: */
#define WIDER 2
#define FEW_EACH 2
#define MEAN_OVER 256         /* transfers */
#define MAX_IN_FLIGHT 4194304 /* half a kilobyte each */
#define MAX_WAITING 4096
#define LEAST_WINDOW 16

#define PROGRESS_US 200000

struct DnContext {
    const DnContextOps *ops;
    DnFlow *flow;
    guint32 endpoint;
};

static const char *const SOLVERS[] = {"built_in", "simgrid", NULL};

static const DnParamSpec flow_params[] = {
    {"subflows", DN_PARAM_INT, "0", 0, DN_FLOW_MAX_PATHS, NULL,
     "paths a message is split over; 0: as many as routing has, at most 8"},
    {"window", DN_PARAM_INT, "", 0, 1 << 20, NULL,
     "messages of one source under way; 0: no limit; those of an overloaded link arrive in waves: "
     "measure it by automatic windows, or with 1"},
    {"grain", DN_PARAM_REAL, "", 0, 0.1, NULL,
     "ends within this share of a transfer's time, and starts of the mean one's, fall together; 0: "
     "exact"},
    {"solver", DN_PARAM_CHOICE, "built_in", 0, 0, SOLVERS,
     "built_in: max-min rates, where something changed; simgrid: the same by SimGrid, dearer, in a "
     "process of its own"},
    {"max_memory", DN_PARAM_BYTES, "", 1 << 20, 0x1p60, NULL,
     "of SimGrid's process; default: 80 % of what the host or its cgroup has"},
    {0},
};

/* ---- the context ---- */

static gint64 context_now(const DnContext *context)
{
    return context->flow->now_ps;
}

static void context_node_timer(DnContext *context, guint32 endpoint, gint64 when, guint64 cookie)
{
    g_assert(when >= context->flow->now_ps);
    dn_flow_events_add(&context->flow->events, when, DN_FLOW_TIMER, endpoint, cookie);
}

static void context_timer(DnContext *context, gint64 when, guint64 cookie)
{
    context_node_timer(context, context->endpoint, when, cookie);
}

static void context_send(DnContext *context, const DnMessage *m)
{
    DnFlow *flow = context->flow;
    g_assert(m->bytes >= 0 && m->src == context->endpoint);
    guint32 id = dn_flow_message_take(flow);
    DnFlowMessage *message = &flow->messages[id];
    gint64 packets = m->bytes <= flow->packet_bytes
                         ? 1
                         : (m->bytes + flow->packet_bytes - 1) / flow->packet_bytes;
    message->m = *m;
    message->born_ps = flow->now_ps;
    message->packets = (guint32)MIN(packets, G_MAXUINT32);
    message->rail = dn_engine_choose_rail(flow->run->router, m, &flow->sources[m->src].next_rail);
    message->admitted = FALSE;
    message->passed = FALSE;
    message->n_links = 0;
    if (m->src == m->dst)
        dn_flow_message_send_local(flow, id, m);
    else
        dn_flow_message_open(flow, id);
}

static const DnContextOps context_ops = {.now = context_now,
                                         .send = context_send,
                                         .timer = context_timer,
                                         .node_timer = context_node_timer};

/* ---- the loop ---- */

static void flow_engine_deliver(DnFlow *flow, DnContext *context, guint32 id)
{
    const DnEngineRun *run = flow->run;
    DnMessage m = flow->messages[id].m;
    gint64 born = flow->messages[id].born_ps;
    flow->result->messages++;
    flow->result->packets += flow->messages[id].packets;
    flow->result->payload_bytes += (guint64)m.bytes;
    flow->result->packet_latency_ps_sum += (gint64)flow->messages[id].packets *
                                           flow->messages[id].latency_ps;
    dn_flow_message_give(flow, id);
    if (run->observer.message != NULL)
        run->observer.message(run->observer.data, &m, born, flow->now_ps);
    run->client->delivered(run->client_data, context, m.dst, &m);
}

static void flow_engine_serve(DnFlow *flow, const DnFlowEvent *event)
{
    const DnEngineRun *run = flow->run;
    DnContext context = {&context_ops, flow, event->endpoint};
    flow->result->events++;
    switch (event->kind) {
    case DN_FLOW_TIMER:
        run->client->timer(run->client_data, &context, event->endpoint, event->value);
        return;
    case DN_FLOW_SENT:
        run->client->sent(run->client_data, &context, event->endpoint, event->value);
        return;
    case DN_FLOW_DELIVERED:
        flow_engine_deliver(flow, &context, (guint32)event->value);
        return;
    case DN_FLOW_START:
        dn_flow_message_start(flow, (guint32)event->value);
        return;
    case DN_FLOW_LEFT:
        dn_flow_message_left(flow, (guint32)event->value);
        return;
    }
    g_assert_not_reached();
}

/* FALSE: the observer wants the run to stop. */
static gboolean flow_engine_patience(void *data)
{
    DnFlow *flow = data;
    const DnObserver *observer = &flow->run->observer;
    if (flow->stopped || observer->progress == NULL)
        return !flow->stopped;
    gint64 now_us = g_get_monotonic_time();
    if (now_us - flow->last_progress_us < PROGRESS_US)
        return TRUE;
    flow->last_progress_us = now_us;
    flow->stopped = !observer->progress(observer->data, flow->now_ps, flow->result->events,
                                        flow->result->packet_hops);
    return !flow->stopped;
}

#define EVENTS_A_STEP 4 /* between two steps of prefetching */

/* Brings closer what the next events of endpoints will look at. */
static void prefetch_ahead(const DnFlow *flow)
{
    const DnClient *client = flow->run->client;
    const DnFlowEvent *event = flow->events.run.at + flow->events.head + EVENTS_A_STEP - 1;
    guint32 sorted = flow->events.run.n - flow->events.head;
    guint32 steps = MIN(DN_PREFETCH_STEPS, sorted / EVENTS_A_STEP);
    for (guint step = 0; step < steps; step++, event += EVENTS_A_STEP)
        if (event->kind <= DN_FLOW_DELIVERED)
            client->prefetch(flow->run->client_data, event->endpoint, step);
}

/* All events of this instant, those they make included. */
static gboolean serve_instant(DnFlow *flow, GError **error)
{
    const DnEngineRun *run = flow->run;
    gboolean prefetches = run->client->prefetch != NULL && run->n_active >= DN_PREFETCH_FROM;
    for (guint n = 1; dn_flow_events_next_ps(&flow->events) <= flow->now_ps; n++) {
        DnFlowEvent event = dn_flow_events_take(&flow->events);
        if (prefetches)
            prefetch_ahead(flow);
        flow_engine_serve(flow, &event);
        if (n % 4096 == 0 && !flow_engine_patience(flow))
            break;
        if (run->max_events > 0 && flow->result->events > run->max_events) {
            g_set_error(error, DN_ERROR, DN_ERROR_STALLED, "more than %" G_GUINT64_FORMAT " events",
                        run->max_events);
            return FALSE;
        }
    }
    if (flow_engine_patience(flow))
        return TRUE;
    g_set_error_literal(error, DN_ERROR, DN_ERROR_INTERRUPTED, "interrupted");
    return FALSE;
}

static gboolean flow_engine_finished(const DnFlow *flow)
{
    const DnClient *client = flow->run->client;
    gint64 work[DN_AWAITED];
    return client->awaits != NULL && client->awaits(flow->run->client_data, work) &&
           dn_awaited_done(work);
}

/* Advances to the time at which only the solver knows what comes next; nothing else happens before
 * @until_ps. FALSE: the run is over, or + error. */
static gboolean go_on(DnFlow *flow, gint64 *until_ps, GError **error)
{
    gint64 stop_ps = flow->run->until_ps > 0 ? flow->run->until_ps : G_MAXINT64;
    while (flow->now_ps < stop_ps) {
        if (flow->now_ps >= DN_RUN_MOST_PS) {
            dn_engine_set_too_long(error);
            return FALSE;
        }
        if (!serve_instant(flow, error) || flow_engine_finished(flow))
            return FALSE;
        gint64 next_ps = MIN(dn_flow_events_next_ps(&flow->events), stop_ps);
        *until_ps = MIN(next_ps, DN_RUN_MOST_PS);
        if (dn_flow_transfers_in_flight(flow) > 0)
            return TRUE;
        if (next_ps == G_MAXINT64)
            return FALSE;
        flow->now_ps = *until_ps;
    }
    return FALSE;
}

/* The grain follows the mean time of transfers in steps of a fourth root of two, so that it seldom
 * changes. */
static void follow_mean(DnFlow *flow, const DnFlowMessage *message)
{
    double took_ps = (double)(flow->now_ps - message->begun_ps);
    double share = flow->grain.share;
    guint32 in_flight = dn_flow_transfers_in_flight(flow), ranks = flow->run->n_active;
    if (flow->grain.widens)
        share *= in_flight > MANY_EACH * ranks ? WIDER : in_flight > FEW_EACH * ranks;
    double over = flow->grain.mean_ps > 0.0 ? MEAN_OVER : 1;
    flow->grain.mean_ps += (took_ps - flow->grain.mean_ps) / over;
    gint64 resolution_ps = 0;
    if (share * flow->grain.mean_ps >= 1.0)
        resolution_ps = llround(exp2(floor(4.0 * log2(share * flow->grain.mean_ps)) / 4.0));
    if (resolution_ps == flow->grain.resolution_ps)
        return;
    flow->grain.resolution_ps = resolution_ps;
    dn_flow_transfers_tolerate(flow, share, resolution_ps);
}

static void flow_engine_absorb(DnFlow *flow, gint64 now_ps, const guint32 *ended, guint32 n)
{
    gint64 stop_ps = flow->run->until_ps > 0 ? flow->run->until_ps : G_MAXINT64;
    flow->now_ps = now_ps;
    if (n > 0)
        flow->grain.ended_ps = now_ps;
    if (flow->solver != NULL)
        dn_solver_ended(flow->solver, n);
    for (guint32 i = 0; i < n && now_ps < stop_ps; i++) {
        if (flow->grain.share > 0.0)
            follow_mean(flow, &flow->messages[ended[i]]);
        dn_flow_message_left(flow, ended[i]);
    }
}

static void start_ranks(DnFlow *flow)
{
    const DnEngineRun *run = flow->run;
    for (guint32 i = 0; i < run->n_active; i++) {
        DnContext context = {&context_ops, flow, run->active[i]};
        run->client->start(run->client_data, &context, run->active[i]);
    }
}

/* Advances to the time when the next transfers end, at most @until_ps; they are in flow->ended. */
static gboolean transfers_advance(DnFlow *flow, gint64 until_ps, gint64 *now_ps, GError **error)
{
    if (flow->solver != NULL)
        return dn_solver_follow(flow->solver, now_ps, flow->ended, flow_engine_patience, flow,
                                error);
    *now_ps = dn_max_min_advance(flow->max_min, until_ps, flow->ended);
    return TRUE;
}

static gboolean run_to_end(DnFlow *flow, GError **error)
{
    GError *problem = NULL;
    gint64 until_ps, now_ps;
    start_ranks(flow);
    while (go_on(flow, &until_ps, &problem) && transfers_advance(flow, until_ps, &now_ps, &problem))
        flow_engine_absorb(flow, now_ps, (const guint32 *)(const void *)flow->ended->data,
                           flow->ended->len);
    if (problem != NULL)
        g_propagate_error(error, problem);
    return problem == NULL;
}

/* The child's half: nobody watches it. An error ends it like the end of the run, since the parent
 * meets the same. */
static gboolean lead_on(void *data, gint64 *until_ps)
{
    DnFlow *flow = data;
    if (flow->run != &flow->unwatched) {
        flow->unwatched = *flow->run;
        flow->unwatched.observer = (DnObserver){0};
        flow->run = &flow->unwatched;
        start_ranks(flow);
    }
    return go_on(flow, until_ps, NULL);
}

static void lead_absorb(void *data, gint64 now_ps, const guint32 *ended, guint32 n)
{
    flow_engine_absorb(data, now_ps, ended, n);
}

/* ---- beginning and end ---- */

static void set_capacities(DnFlow *flow)
{
    const DnMachine *machine = flow->run->router->machine;
    for (guint32 l = 0; l < machine->graph->size.links; l++)
        flow->capacity[l] = dn_machine_link_bps(machine, l) / 8e6;
}

/* The links that transfers share: the machine's, and the windows of its NICs. */
static gboolean sharing_init(DnFlow *flow, const DnFlowOptions *options, GError **error)
{
    const DnGraph *g = flow->graph;
    guint32 links = dn_flow_window_init(flow) ? 2 * g->size.links : g->size.links;
    g_autofree double *parts = g_new(double, links + 1);
    for (guint32 l = 0; l < links; l++)
        parts[l] = (l < g->size.links ? flow->capacity[l] : flow->nic_window.capacity) *
                   DN_FLOW_PARTS;
    if (!options->simgrid) {
        flow->max_min = dn_max_min_new(parts, links);
        return TRUE;
    }
    DnSolverRun lead = {flow, lead_on, lead_absorb, &flow->result->events};
    flow->solver = dn_solver_new();
    return dn_solver_start(flow->solver, parts, links, options->max_memory_bytes, &lead, error);
}

static gboolean flow_init(DnFlow *flow, const DnEngineRun *run, const DnFlowOptions *options,
                          DnEngineResult *result, GError **error)
{
    const DnGraph *g = run->router->machine->graph;
    *flow = (DnFlow){.run = run, .graph = g, .result = result, .n_messages = 1};
    flow->packet_bytes = MAX(1, run->packet_bytes);
    flow->draw_key = dn_draw_key(run->seed, DN_DRAW_ROUTE, 0);
    flow->last_progress_us = g_get_monotonic_time();
    flow->paths = options->paths ? options->paths : dn_flow_count_paths(run, options->max_paths);
    flow->window = options->window;
    flow->grain.share = options->grain;
    flow->grain.widens = options->grain < 0.0;
    if (flow->grain.share < 0.0)
        flow->grain.share = run->n_active > MOST_EXACT ? DEFAULT_GRAIN : 0.0;
    flow->message_gap_ps = dn_engine_message_gap_ps(&run->router->machine->hardware);
    flow->messages_capacity = 64;
    flow->messages = g_new0(DnFlowMessage, flow->messages_capacity);
    flow->sources = g_new0(DnFlowSource, g->size.endpoints + g->size.hosts + 1);
    flow->first = g_new0(DnFlowFirst, g->size.links + 1);
    flow->capacity = g_new0(double, g->size.links + 1);
    flow->load = g_new0(DnFlowLoad, g->size.links + 1);
    flow->ended = g_array_new(FALSE, FALSE, sizeof(guint32));
    flow->nic_window.posted = g_array_new(FALSE, FALSE, sizeof(guint32));
    result->links = g_new0(DnLinkCounters, g->size.links + 1);
    result->nics = g_new0(DnNicCounters, g->size.terminals + 1);
    result->lanes = 1;
    set_capacities(flow);
    if (options->alone) {
        flow->alone = TRUE;
        dn_flow_alone_init(flow);
        return TRUE;
    }
    return sharing_init(flow, options, error);
}

static void flow_clear(DnFlow *flow)
{
    dn_solver_free(flow->solver);
    dn_max_min_free(flow->max_min);
    dn_flow_alone_clear(flow);
    for (guint32 i = 0; i < flow->messages_capacity; i++)
        g_free(flow->messages[i].links);
    g_free(flow->messages);
    dn_flow_events_clear(&flow->events);
    g_free(flow->sources);
    g_free(flow->first);
    g_free(flow->capacity);
    g_free(flow->load);
    g_array_unref(flow->ended);
    g_array_unref(flow->nic_window.posted);
}

/* Called when nothing moves any more: every rank is done, or the run stalled. */
static gboolean all_done(const DnFlow *flow, GError **error)
{
    const DnEngineRun *run = flow->run;
    if (run->until_ps > 0 || flow_engine_finished(flow) || run->client->blocked == NULL)
        return TRUE;
    g_autoptr(GString) account = g_string_new(NULL);
    guint n = run->client->blocked(run->client_data, account, 12);
    if (n > 0)
        g_set_error(error, DN_ERROR, DN_ERROR_STALLED, "nothing moves; %u ranks are blocked:\n%s",
                    n, account->str);
    return n == 0;
}

gboolean dn_flow_run(const DnEngineRun *run, const DnFlowOptions *options, DnEngineResult *result,
                     GError **error)
{
    DnFlow flow;
    *result = (DnEngineResult){0};
    double cpu = dn_cpu_clock_s();
    gboolean ok = flow_init(&flow, run, options, result, error) && run_to_end(&flow, error) &&
                  all_done(&flow, error);
    result->end_ps = flow.now_ps;
    if (ok && flow.solver != NULL)
        result->cpu_s = dn_cpu_clock_s() - cpu + dn_solver_cpu_s(flow.solver);
    else if (ok)
        result->cpu_s = dn_cpu_clock_s() - cpu;
    if (ok && options->alone) {
        gboolean cut = run->until_ps > 0 || flow_engine_finished(&flow);
        gint64 end_ps = dn_flow_alone_end_ps(&flow, cut ? flow.now_ps : G_MAXINT64);
        result->end_ps = MAX(result->end_ps, end_ps);
    }
    if (!ok)
        dn_engine_result_clear(result);
    flow_clear(&flow);
    return ok;
}

static guint auto_window(const DnEngineRun *run)
{
    guint64 endpoints = MAX(1, run->n_active);
    gboolean all = run->until_ps == 0 && endpoints * endpoints <= MAX_IN_FLIGHT;
    return (guint)MAX(all ? endpoints : LEAST_WINDOW, MAX_WAITING / endpoints);
}

static gboolean flow_run(const DnEngineRun *run, DnEngineResult *result, GError **error)
{
    g_autoptr(DnParams) defaults = NULL;
    const DnParams *params = run->options;
    if (params == NULL) {
        defaults = dn_params_read(NULL, flow_params, NULL, NULL);
        params = defaults;
    }
    gboolean named = dn_params_has(params, "window");
    DnFlowOptions options = {
        .paths = (guint)dn_params_int(params, "subflows"),
        .max_paths = AUTO_PATHS,
        .window = named ? (guint)dn_params_int(params, "window") : auto_window(run),
        .simgrid = dn_params_int(params, "solver") == 1,
        .grain = dn_params_has(params, "grain") ? dn_params_real(params, "grain") : -1.0,
        .max_memory_bytes = (gint64)dn_memory_limit((guint64)dn_params_int(params, "max_memory")),
    };
    gboolean ok = dn_flow_run(run, &options, result, error);
    result->window = named ? 0 : options.window;
    return ok;
}

extern const DnEngineType dn_engine_flow;
const DnEngineType dn_engine_flow = {
    .name = "flow",
    .help = "messages share links max-min fairly",
    .least_latency_ps = 1,
    .limits =
        "no lanes, buffers, congestion trees, responses, congestion control, so that messages "
        "that wait for each other, as reads in queues do, end at other times (alltoalls on 3 "
        "to 16 nodes of LUMI 4 to 26 % later); messages share links max-min fairly on paths "
        "chosen when they start; above 128 ranks starts and ends within 1 % of a transfer's "
        "time (2 % with many under way, 0 with one or two of a rank) fall together",
    .params = flow_params,
    .run = flow_run,
};
