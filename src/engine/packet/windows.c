/* windows.c - Lookahead windows run in order, each partition on a thread of its own.
 *
 * Conservative synchronisation (Chandy & Misra, IEEE Trans. Softw. Eng. SE-5(5), 1979) with windows
 * of one lookahead: an event from one domain to another cannot be due before the next window, so
 * partitions synchronise twice a window, to agree on the next one and to exchange events. */
#include "base/units.h"
#include "engine/packet/core.h"

static void start_endpoints(DnPacketEngine *e)
{
    for (guint32 i = 0; i < e->run->n_active; i++) {
        guint32 endpoint = e->run->active[i];
        guint32 state = e->net.state_of[e->graph->endpoints[endpoint]];
        guint32 domain = dn_domain_of(e, state);
        DnPartition *partition = &e->threads.partitions[e->threads.partition_of[domain]];
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

/* FALSE: the observer wants to stop. */
static gboolean windows_progress(DnPacketEngine *e, gint64 now_ps)
{
    const DnObserver *observer = &e->run->observer;
    if (observer->progress == NULL || e->end.progress_counter++ % 16 != 0)
        return TRUE;
    gint64 us = g_get_monotonic_time();
    if (us - e->end.last_progress_us < 200000)
        return TRUE;
    e->end.last_progress_us = us;
    guint64 hops, events = dn_count_events(e, &hops);
    return observer->progress(observer->data, now_ps, events, hops);
}

/* What is in flight has no end, or the limit is too low for it: the message says how to tell. */
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

/* Between two windows, by the first thread while the others wait: is there a reason to stop? */
static void check_after_window(DnPacketEngine *e, gint64 now_ps)
{
    guint64 hops;
    guint64 limit = e->run->max_events;
    for (guint i = 0; i < e->threads.n_partitions; i++)
        if (e->threads.partitions[i].wheel.exhausted)
            e->end.out_of = "events";
    if (e->end.out_of != NULL)
        out_of_memory(e);
    else if (e->end.time_stands_still || (limit > 0 && dn_count_events(e, &hops) > limit))
        dn_watchdog_report(e, &e->end.error);
    else if (!windows_progress(e, now_ps))
        g_set_error(&e->end.error, DN_ERROR, DN_ERROR_INTERRUPTED, "interrupted");
    const DnClient *client = e->run->client;
    e->end.finished = client->finished != NULL && client->finished(e->run->client_data);
    e->end.stop = e->end.error != NULL || e->end.finished;
}

static gint64 earliest_slot(const DnPacketEngine *e)
{
    gint64 slot = G_MAXINT64;
    for (guint i = 0; i < e->threads.n_partitions; i++)
        slot = MIN(slot, e->threads.partitions[i].next_slot);
    return slot;
}

/* Slots that begin before @until_ps. */
static gint64 slots_until(const DnPartition *partition, gint64 until_ps)
{
    return until_ps <= 0 ? G_MAXINT64 : ((until_ps - 1) >> partition->wheel.shift) + 1;
}

/* Runs one thread: all threads serve a window, then all take in the remote events of the others. */
static gpointer run_partition(gpointer data)
{
    DnPartition *partition = data;
    DnPacketEngine *e = partition->engine;
    gint64 last = slots_until(partition, e->run->until_ps);
    for (;;) {
        partition->next_slot = dn_wheel_next_slot(&partition->wheel);
        dn_barrier_wait(&e->threads.barrier);
        gint64 first = earliest_slot(e);
        if (e->end.stop || first >= last)
            break;
        dn_wheel_move_to(&partition->wheel, first,
                         (guint32)MIN(last - first, e->threads.lookahead_slots));
        dn_lookahead_window_serve(partition);
        dn_barrier_wait(&e->threads.barrier);
        dn_partition_receive(partition);
        if (partition->index == 0)
            check_after_window(e, first << partition->wheel.shift);
    }
    return NULL;
}

gboolean dn_lookahead_windows_run(DnPacketEngine *e, GError **error)
{
    start_endpoints(e);
    g_autofree GThread **threads = g_new0(GThread *, e->threads.n_partitions);
    for (guint i = 1; i < e->threads.n_partitions; i++)
        threads[i] = g_thread_new("darner-part", run_partition, &e->threads.partitions[i]);
    run_partition(&e->threads.partitions[0]);
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
