/* windows.c - Lookahead windows run in order, each partition on a thread of its own.
 *
 * Conservative synchronisation (Chandy & Misra, IEEE Trans. Softw. Eng. SE-5(5), 1979) with windows
 * of one lookahead: an event from one domain to another cannot be due before the next window, so
 * partitions synchronise twice a window, to agree on the next one and to exchange events. With
 * several processes the first thread of each does both for its process in one step: the next event
 * of all is the earliest of those that are there and those that are being sent. */
#include "base/units.h"
#include "engine/packet/remote.h"

/* The sums and flags of a vote. */
enum { VOTE_EVENTS, VOTE_HOPS, VOTE_WORK };
#define VOTE_FAILED 1
#define VOTE_STANDSTILL 2
#define VOTE_INTERRUPTED 4
#define VOTE_AWAITS 8

static void start_endpoints(DnPacketEngine *e)
{
    for (guint32 i = 0; i < e->run->n_active; i++) {
        guint32 endpoint = e->run->active[i];
        guint32 state = e->net.state_of[e->graph->endpoints[endpoint]];
        guint32 domain = dn_domain_of(e, state);
        guint part = e->threads.partition_of[domain];
        if (part >= e->threads.n_partitions)
            continue;
        DnPartition *partition = &e->threads.partitions[part];
        partition->state = &e->net.states[state];
        partition->domain = domain;
        DnContext context = {&dn_packet_context, partition, endpoint};
        e->run->client->start(e->run->client_data, &context, endpoint);
    }
}

guint64 dn_count_events(const DnPacketEngine *e, guint64 *hops)
{
    guint64 events = 0;
    *hops = 0;
    for (guint i = 0; i < e->threads.n_partitions; i++) {
        events += e->threads.partitions[i].events;
        *hops += e->threads.partitions[i].hops;
    }
    return events;
}

/* Calls the observer, by the clock: windows vary from a few events to 0.1 s. FALSE: it stops. */
static gboolean windows_progress(DnPacketEngine *e, gint64 now_ps, const DnVote *vote)
{
    enum { WINDOWS = 16, EVENTS = 100000 };
    const DnObserver *observer = &e->run->observer;
    gboolean alone = e->threads.processes == NULL; /* else the clock is cheap beside an exchange */
    gint64 events = vote->sums[VOTE_EVENTS] - e->end.asked_events;
    if (observer->progress == NULL ||
        (e->end.progress_counter++ % WINDOWS != 0 && events < EVENTS && alone))
        return TRUE;
    e->end.asked_events += events;
    gint64 us = g_get_monotonic_time();
    if (us - e->end.last_progress_us < 200000)
        return TRUE;
    e->end.last_progress_us = us;
    return observer->progress(observer->data, now_ps, (guint64)vote->sums[VOTE_EVENTS],
                              (guint64)vote->sums[VOTE_HOPS]);
}

/* Sets the error of memory that is exhausted: by packets without end, or by too low a limit. */
static void out_of_memory(DnPacketEngine *e)
{
    char used[DN_UNIT_BUF], allowed[DN_UNIT_BUF];
    const DnPoolBudget *budget = &e->net.budget;
    gboolean ours = budget->limit < G_MAXSIZE && budget->used + DN_POOL_STEP > budget->limit;
    g_set_error(&e->end.error, DN_ERROR, DN_ERROR_MEMORY,
                "more %s in flight than memory holds: %s are taken, %s%s; is the load above what "
                "the network takes? lower it, bound the run, or %s",
                e->end.out_of, dn_format_bytes((gint64)budget->used, used),
                ours ? "packet.max_memory leaves " : "the system gives no more",
                ours ? dn_format_bytes((gint64)budget->limit, allowed) : "",
                ours ? "raise packet.max_memory" : "raise the limit of address space (ulimit -v)");
}

/* Returns what this process contributes to the vote. */
static DnVote window_vote(DnPacketEngine *e)
{
    const DnClient *client = e->run->client;
    DnVote vote = {.earliest = G_MAXINT64};
    guint64 hops;
    vote.sums[VOTE_EVENTS] = (gint64)dn_count_events(e, &hops);
    vote.sums[VOTE_HOPS] = (gint64)hops;
    if (client->awaits != NULL && client->awaits(e->run->client_data, &vote.sums[VOTE_WORK]))
        vote.flags |= VOTE_AWAITS;
    for (guint i = 0; i < e->threads.n_partitions; i++)
        if (e->threads.partitions[i].lost_events)
            e->end.out_of = "events";
    if (e->end.out_of != NULL)
        vote.flags |= VOTE_FAILED;
    if (e->end.time_stands_still)
        vote.flags |= VOTE_STANDSTILL;
    if (e->end.interrupted)
        vote.flags |= VOTE_INTERRUPTED;
    return vote;
}

/* Between two windows, by the first thread while the others wait: is there a reason to stop?
 * @vote: of all processes. */
static void check_after_window(DnPacketEngine *e, gint64 now_ps, const DnVote *vote)
{
    guint64 limit = e->run->max_events;
    gboolean beyond = limit > 0 && (guint64)vote->sums[VOTE_HOPS] > limit;
    gboolean heard = e->threads.processes == NULL || (vote->flags & VOTE_INTERRUPTED) != 0;
    if (!windows_progress(e, now_ps, vote))
        e->end.interrupted = TRUE;
    if (e->end.out_of != NULL)
        out_of_memory(e);
    else if (e->end.time_stands_still || beyond)
        dn_watchdog_report(e, &e->end.error);
    else if (e->end.interrupted && heard)
        g_set_error(&e->end.error, DN_ERROR, DN_ERROR_INTERRUPTED, "interrupted");
    e->end.finished = (vote->flags & VOTE_AWAITS) != 0 && dn_awaited_done(&vote->sums[VOTE_WORK]);
    e->end.stop = e->end.error != NULL || e->end.finished || (vote->flags & ~VOTE_AWAITS) != 0;
}

static gint64 earliest_slot(const DnPacketEngine *e)
{
    gint64 slot = G_MAXINT64;
    for (guint i = 0; i < e->threads.n_partitions; i++)
        slot = MIN(slot, e->threads.partitions[i].next_slot);
    return slot;
}

/* Slots that begin before the run's end, or before the longest time that a run may take. */
static gint64 slots_allowed(const DnPartition *partition)
{
    gint64 until_ps = partition->engine->run->until_ps;
    until_ps = until_ps > 0 ? MIN(until_ps, DN_RUN_MOST_PS) : DN_RUN_MOST_PS;
    return ((until_ps - 1) >> partition->wheel.shift) + 1;
}

/* No slot is served any more, though @first has events unless it is G_MAXINT64. */
static void check_time(const DnPartition *partition, gint64 first)
{
    DnPacketEngine *e = partition->engine;
    gboolean no_end = e->run->until_ps <= 0 || e->run->until_ps > DN_RUN_MOST_PS;
    if (partition->index == 0 && !e->end.stop && no_end && first < G_MAXINT64)
        dn_engine_set_too_long(&e->end.error);
}

/* Serves a window that begins with slot @first. Where one thread serves all domains they may be so
 * small that an event crosses from one to another within a window (domains.c); the thread then
 * passes through it in steps, each no longer than the smallest latency between domains. */
static void serve_window(DnPartition *partition, gint64 first, gint64 slots)
{
    gint64 end = first + slots, step = partition->engine->threads.step_slots;
    while (first < end) {
        dn_wheel_move_to(&partition->wheel, first, (guint32)MIN(end - first, step));
        dn_lookahead_window_serve(partition);
        first = end - first > step ? dn_wheel_next_slot(&partition->wheel) : end;
    }
}

/* Runs one thread: all threads serve a window, then all take in the remote events of the others. */
static gpointer run_partition(gpointer data)
{
    DnPartition *partition = data;
    DnPacketEngine *e = partition->engine;
    gint64 last = slots_allowed(partition), first;
    for (;;) {
        partition->next_slot = dn_wheel_next_slot(&partition->wheel);
        dn_barrier_wait(&e->threads.barrier);
        first = earliest_slot(e);
        if (e->end.stop || first >= last)
            break;
        serve_window(partition, first, MIN(last - first, e->threads.lookahead_slots));
        partition->lost_events = partition->wheel.exhausted;
        dn_barrier_wait(&e->threads.barrier);
        dn_partition_receive(partition); /* the others may still do so while the first one votes */
        if (partition->index == 0) {
            DnVote vote = window_vote(e);
            check_after_window(e, first << partition->wheel.shift, &vote);
        }
    }
    check_time(partition, first);
    return NULL;
}

/* Exchanges remote events with the other processes and agrees with them on the next slot. */
static void agree_among_processes(DnPacketEngine *e, gint64 now_ps, gboolean served)
{
    DnVote vote = window_vote(e);
    vote.earliest = earliest_slot(e);
    dn_remote_exchange(e, &vote);
    e->threads.agreed_slot = vote.earliest;
    if (served)
        check_after_window(e, now_ps, &vote);
}

/* As run_partition(), in one of several processes. */
static gpointer run_partition_of_process(gpointer data)
{
    DnPartition *partition = data;
    DnPacketEngine *e = partition->engine;
    gint64 last = slots_allowed(partition), first = 0;
    for (gboolean served = FALSE;; served = TRUE) {
        dn_remote_pack(partition);
        dn_partition_receive(partition);
        partition->lost_events = partition->wheel.exhausted;
        partition->next_slot = dn_wheel_next_slot(&partition->wheel);
        dn_barrier_wait(&e->threads.barrier);
        if (partition->index == 0)
            agree_among_processes(e, first << partition->wheel.shift, served);
        dn_barrier_wait(&e->threads.barrier);
        dn_remote_receive(partition);
        first = e->threads.agreed_slot;
        if (e->end.stop || first >= last)
            break;
        dn_wheel_move_to(&partition->wheel, first,
                         (guint32)MIN(last - first, e->threads.lookahead_slots));
        dn_lookahead_window_serve(partition);
        dn_barrier_wait(&e->threads.barrier);
    }
    check_time(partition, first);
    return NULL;
}

gboolean dn_lookahead_windows_run(DnPacketEngine *e, GError **error)
{
    GThreadFunc run = e->threads.processes == NULL ? run_partition : run_partition_of_process;
    start_endpoints(e);
    g_autofree GThread **threads = g_new0(GThread *, e->threads.n_partitions);
    for (guint i = 1; i < e->threads.n_partitions; i++)
        threads[i] = g_thread_new("darner-part", run, &e->threads.partitions[i]);
    run(&e->threads.partitions[0]);
    for (guint i = 1; i < e->threads.n_partitions; i++)
        g_thread_join(threads[i]);
    if (e->end.error == NULL)
        return TRUE;
    g_propagate_error(error, g_steal_pointer(&e->end.error));
    return FALSE;
}

#define ADD_SUM(type, name) sum.name += t->name;
#define ADD_LATEST(type, name) sum.name = MAX(sum.name, t->name);

DnTotals dn_totals(const DnPacketEngine *e)
{
    DnTotals sum = {0};
    for (guint i = 0; i < e->threads.n_partitions; i++) {
        const DnTotals *t = &e->threads.partitions[i].totals;
        DN_TOTALS(ADD_SUM, ADD_LATEST)
    }
    return sum;
}
