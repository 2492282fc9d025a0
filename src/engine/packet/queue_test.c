/* queue_test.c - queues by age against sorting. */
#include "engine/packet/queue.h"

#define N 500

/* Storage for packets 1..N, one port and its queue. */
typedef struct {
    DnPacket packets[N + 1];
    DnPort *port;
    DnQueue *queue;
    DnPacketEngine engine;
} Bench;

/* @after: where packets keep their second sibling. */
static Bench *bench_new(DnHeapAfter after)
{
    Bench *b = g_new0(Bench, 1);
    b->port = g_aligned_alloc0(2, 64, 64);
    b->engine.net.ports.base = (guint8 *)b->port;
    b->engine.net.ports.queues = (guint8 *)b->port + 64;
    b->engine.net.packets.base = b->packets;
    b->engine.features.heap_after = after;
    b->engine.net.queues = 1;
    b->engine.net.sizes.first_wire_bytes = G_MAXINT32;
    b->queue = dn_port_queues(&b->engine, b->port);
    return b;
}

static void bench_free(Bench *b)
{
    g_assert_cmpuint(b->port->mask, ==, 0);
    g_aligned_free(b->port);
    g_free(b);
}

static guint32 queue_take(Bench *b)
{
    guint32 id = b->queue->head;
    g_assert_cmpint(b->queue->head_bytes, ==, b->packets[id].wire_bytes);
    DnHeapAfter after = b->engine.features.heap_after;
    g_assert_true(after == DN_AFTER_APART || b->packets[id].feedback == ~id);
    g_assert_true(after == DN_AFTER_IN_TAIL || b->packets[id].tail_ps == -(gint64)id);
    dn_queue_drop_head(&b->engine, b->port, 0);
    return id;
}

static void queue_add(Bench *b, guint32 id, gint64 birth_ps)
{
    b->packets[id].birth_ps = birth_ps;
    b->packets[id].wire_bytes = id;
    b->packets[id].feedback = ~id;
    b->packets[id].tail_ps = -(gint64)id;
    dn_queue_add(&b->engine, b->port, 0, id);
}

/* Whatever comes and goes, what leaves is the oldest of what is there. */
static void check_oldest_first(DnHeapAfter after)
{
    Bench *b = bench_new(after);
    guint64 key = dn_draw_key(1, DN_DRAW_TEST, 2);
    gboolean in[N + 1] = {FALSE};
    guint32 made = 0, waiting = 0;
    for (guint step = 0; made < N || waiting > 0; step++) {
        g_assert_cmpuint(dn_queue_count(&b->engine, b->port), ==, waiting);
        guint64 draw = dn_draw(key, step);
        if (made < N && (waiting == 0 || dn_draw_below(draw, 5) < 3)) {
            made++;
            queue_add(b, made, dn_draw_below(dn_mix64(draw), 200));
            in[made] = TRUE;
            waiting++;
            continue;
        }
        guint32 id = queue_take(b);
        g_assert_true(in[id]);
        in[id] = FALSE;
        waiting--;
        for (guint32 i = 1; i <= made; i++)
            g_assert_true(!in[i] || b->packets[i].birth_ps >= b->packets[id].birth_ps);
    }
    bench_free(b);
}

static void test_oldest_first(void)
{
    check_oldest_first(DN_AFTER_APART);
    check_oldest_first(DN_AFTER_IN_TAIL);
    check_oldest_first(DN_AFTER_NOWHERE);
}

/* The same calls with other ids, or with the second sibling elsewhere: the same order, also of
 * those equally old. */
static void check_ids_do_not_show(DnHeapAfter after)
{
    Bench *b[2] = {bench_new(DN_AFTER_APART), bench_new(after)};
    for (guint32 i = 1; i <= N; i++) {
        gint64 birth = i * 7 % 13;
        queue_add(b[0], i, birth);
        queue_add(b[1], N + 1 - i, birth);
        if (i % 3 == 0)
            g_assert_cmpuint(queue_take(b[0]), ==, N + 1 - queue_take(b[1]));
    }
    while (b[0]->port->mask != 0)
        g_assert_cmpuint(queue_take(b[0]), ==, N + 1 - queue_take(b[1]));
    bench_free(b[0]);
    bench_free(b[1]);
}

static void test_ids_do_not_show(void)
{
    check_ids_do_not_show(DN_AFTER_IN_TAIL);
    check_ids_do_not_show(DN_AFTER_NOWHERE);
}

/* One from the middle: the others keep their order. */
static void test_take_any(void)
{
    Bench *b = bench_new(DN_AFTER_APART);
    for (guint32 i = 1; i <= 20; i++)
        queue_add(b, i, 100 - i);
    dn_queue_take(&b->engine, b->port, 0, 13);
    for (guint32 i = 20; i > 0; i--)
        if (i != 13)
            g_assert_cmpuint(queue_take(b), ==, i);
    bench_free(b);
}

/* Bytes beyond 32 bits, as several inputs with large buffers leave at one output, come and go. */
static void test_many_bytes(void)
{
    Bench *b = bench_new(DN_AFTER_APART);
    DnPortCold cold = {0};
    b->engine.net.cold = &cold;
    b->engine.net.ports.shift = 6;
    const guint32 each = 3u << 30;
    for (gint64 i = 1; i <= 5; i++) {
        dn_port_queued_add(&b->engine, b->port, each);
        g_assert_cmpint(dn_port_queued(&b->engine, b->port), ==, i * each);
    }
    for (gint64 i = 4; i >= 0; i--) {
        dn_port_queued_take(&b->engine, b->port, each);
        g_assert_cmpint(dn_port_queued(&b->engine, b->port), ==, i * each);
        g_assert_cmpuint(b->port->many, ==, i > 1);
    }
    bench_free(b);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/queue/oldest-first", test_oldest_first);
    g_test_add_func("/queue/ids-do-not-show", test_ids_do_not_show);
    g_test_add_func("/queue/take-any", test_take_any);
    g_test_add_func("/queue/many-bytes", test_many_bytes);
    return g_test_run();
}
