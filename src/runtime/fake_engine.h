/* fake_engine.h - An ideal network for the tests of replay: include it in one test file each.
 *
 * Every endpoint sends and receives at `bps`; a message's last byte arrives `latency_ps` after it
 * left. Two sharing policies:
 *   alone  each message has the full rate whatever else moves
 *   fair   max-min sharing of the sources' and destinations' rates by progressive filling
 *          (Bertsekas & Gallager, "Data Networks", 2nd ed., 1992, section 6.5.2)
 * It defines dn_context_*, so no real engine may be linked into the same test. */
#pragma once
#include <string.h>

#include "base/rate.h"
#include "engine/engine.h"

typedef struct {
    gint64 when;
    guint64 order;
    enum { FAKE_TIMER, FAKE_SENT, FAKE_DELIVERED } kind;
    guint32 endpoint;
    guint64 cookie;
    DnMessage message;
    gint64 born;
} FakeEvent;

typedef struct {
    DnMessage message;
    double left, rate; /* bytes, bytes a ps */
    gint64 born;
} FakeFlow;

typedef struct {
    guint32 n_endpoints;
    gint64 latency_ps, bps;
    gboolean fair;
    void (*observe)(void *data, const DnMessage *message, gint64 sent_ps, gint64 delivered_ps);
    void *observe_data;
    /* results */
    gint64 now;
    guint64 events;
    /* own */
    GArray *heap, *flows;
    guint64 order;
} FakeEngine;

struct DnContext {
    FakeEngine *fake;
    guint32 endpoint;
};

static gboolean fake_before(const FakeEvent *a, const FakeEvent *b)
{
    return a->when < b->when || (a->when == b->when && a->order < b->order);
}

static void fake_swap(FakeEvent *a, FakeEvent *b)
{
    FakeEvent c = *a;
    *a = *b;
    *b = c;
}

static void fake_push(FakeEngine *fake, FakeEvent event)
{
    event.order = fake->order++;
    g_array_append_val(fake->heap, event);
    FakeEvent *heap = (FakeEvent *)(gpointer)fake->heap->data;
    for (guint i = fake->heap->len - 1; i > 0 && fake_before(&heap[i], &heap[(i - 1) / 2]);
         i = (i - 1) / 2)
        fake_swap(&heap[i], &heap[(i - 1) / 2]);
}

static FakeEvent fake_pop(FakeEngine *fake)
{
    FakeEvent *heap = (FakeEvent *)(gpointer)fake->heap->data;
    FakeEvent top = heap[0];
    heap[0] = heap[fake->heap->len - 1];
    g_array_set_size(fake->heap, fake->heap->len - 1);
    guint n = fake->heap->len;
    for (guint i = 0; 2 * i + 1 < n;) {
        guint child = 2 * i + 1;
        if (child + 1 < n && fake_before(&heap[child + 1], &heap[child]))
            child++;
        if (!fake_before(&heap[child], &heap[i]))
            break;
        fake_swap(&heap[child], &heap[i]);
        i = child;
    }
    return top;
}

gint64 dn_context_now(const DnContext *context)
{
    return context->fake->now;
}

gboolean dn_context_nic(const DnContext *context, DnNicCounters *counters)
{
    return FALSE;
}

void dn_context_node_timer(DnContext *context, guint32 endpoint, gint64 when, guint64 cookie)
{
    g_assert(when >= context->fake->now);
    fake_push(
        context->fake,
        (FakeEvent){.when = when, .kind = FAKE_TIMER, .endpoint = endpoint, .cookie = cookie});
}

void dn_context_timer(DnContext *context, gint64 when, guint64 cookie)
{
    dn_context_node_timer(context, context->endpoint, when, cookie);
}

static void fake_leave(FakeEngine *fake, const DnMessage *message, gint64 born, gint64 when)
{
    if (message->cookie != DN_NO_COOKIE)
        fake_push(fake, (FakeEvent){.when = when,
                                    .kind = FAKE_SENT,
                                    .endpoint = message->src,
                                    .cookie = message->cookie});
    fake_push(fake, (FakeEvent){.when = when + fake->latency_ps,
                                .kind = FAKE_DELIVERED,
                                .endpoint = message->dst,
                                .message = *message,
                                .born = born});
}

/* Progressive filling: raise all rates together; whoever meets a full end stays. */
static void fake_share(FakeEngine *fake)
{
    guint n = fake->flows->len;
    FakeFlow *flows = (FakeFlow *)(gpointer)fake->flows->data;
    g_autofree double *free_bps = g_new(double, 2 * fake->n_endpoints);
    g_autofree guint *users = g_new(guint, 2 * fake->n_endpoints);
    for (guint32 e = 0; e < 2 * fake->n_endpoints; e++)
        free_bps[e] = dn_rate_bytes(1, (double)fake->bps);
    for (guint i = 0; i < n; i++)
        flows[i].rate = -1;
    for (guint fixed = 0; fixed < n;) {
        memset(users, 0, 2 * fake->n_endpoints * sizeof *users);
        for (guint i = 0; i < n; i++) {
            users[flows[i].message.src] += flows[i].rate < 0;
            users[fake->n_endpoints + flows[i].message.dst] += flows[i].rate < 0;
        }
        guint32 tightest = 0;
        double share = G_MAXDOUBLE;
        for (guint32 e = 0; e < 2 * fake->n_endpoints; e++)
            if (users[e] > 0 && free_bps[e] / users[e] < share) {
                share = free_bps[e] / users[e];
                tightest = e;
            }
        for (guint i = 0; i < n; i++) {
            guint32 src = flows[i].message.src, dst = fake->n_endpoints + flows[i].message.dst;
            if (flows[i].rate >= 0 || (src != tightest && dst != tightest))
                continue;
            flows[i].rate = share;
            free_bps[src] -= share;
            free_bps[dst] -= share;
            fixed++;
        }
    }
}

static void fake_advance(FakeEngine *fake, gint64 to)
{
    FakeFlow *flows = (FakeFlow *)(gpointer)fake->flows->data;
    for (guint i = 0; i < fake->flows->len; i++)
        flows[i].left -= flows[i].rate * (double)(to - fake->now);
    fake->now = to;
}

void dn_context_send(DnContext *context, const DnMessage *message)
{
    FakeEngine *fake = context->fake;
    g_assert(message->src == context->endpoint && message->dst < fake->n_endpoints);
    if (!fake->fair || message->bytes == 0) {
        gint64 wire = dn_rate_time_ps((double)message->bytes, (double)fake->bps);
        fake_leave(fake, message, fake->now, fake->now + wire);
        return;
    }
    FakeFlow flow = {.message = *message, .left = (double)message->bytes, .born = fake->now};
    g_array_append_val(fake->flows, flow);
    fake_share(fake);
}

/* Returns when the first flow ends, or G_MAXINT64. */
static gint64 fake_first_end(const FakeEngine *fake, guint *which)
{
    const FakeFlow *flows = (const FakeFlow *)(gconstpointer)fake->flows->data;
    gint64 first = G_MAXINT64;
    for (guint i = 0; i < fake->flows->len; i++) {
        gint64 end = fake->now + (gint64)(MAX(0, flows[i].left) / flows[i].rate + 0.5);
        if (end < first) {
            first = end;
            *which = i;
        }
    }
    return first;
}

static void fake_dispatch(FakeEngine *fake, const DnClient *client, void *data,
                          const FakeEvent *event)
{
    DnContext context = {fake, event->endpoint};
    switch (event->kind) {
    case FAKE_TIMER:
        client->timer(data, &context, event->endpoint, event->cookie);
        return;
    case FAKE_SENT:
        client->sent(data, &context, event->endpoint, event->cookie);
        return;
    case FAKE_DELIVERED:
        if (fake->observe)
            fake->observe(fake->observe_data, &event->message, event->born, fake->now);
        client->delivered(data, &context, event->endpoint, &event->message);
    }
}

static G_GNUC_UNUSED void fake_run(FakeEngine *fake, const DnClient *client, void *data,
                                   const guint32 *active, guint32 n_active)
{
    fake->heap = g_array_new(FALSE, FALSE, sizeof(FakeEvent));
    fake->flows = g_array_new(FALSE, FALSE, sizeof(FakeFlow));
    fake->now = 0;
    for (guint32 i = 0; i < n_active; i++) {
        DnContext context = {fake, active[i]};
        client->start(data, &context, active[i]);
    }
    for (;;) {
        guint which = 0;
        gint64 end = fake_first_end(fake, &which);
        gint64 next = fake->heap->len ? g_array_index(fake->heap, FakeEvent, 0).when : G_MAXINT64;
        if (end == G_MAXINT64 && next == G_MAXINT64)
            break;
        fake_advance(fake, MIN(end, next));
        if (end < next) {
            FakeFlow flow = g_array_index(fake->flows, FakeFlow, which);
            g_array_remove_index(fake->flows, which);
            fake_share(fake);
            fake_leave(fake, &flow.message, flow.born, fake->now);
            continue;
        }
        FakeEvent event = fake_pop(fake);
        fake->events++;
        fake_dispatch(fake, client, data, &event);
    }
    g_array_free(fake->heap, TRUE);
    g_array_free(fake->flows, TRUE);
}
