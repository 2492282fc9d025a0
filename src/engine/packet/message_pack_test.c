/* message_pack_test.c - runs whose waiting messages are in packs against runs without a pack. */
#include "engine/packet/message_pack.h"

#include "engine/packet/packet_bench.h"

#define MESSAGES 3000u
#define LANES                                                                                      \
    "fabric:\n  type: full_mesh\n  switches: 5\n  terminals_per_switch: 3\n"                       \
    "  links:\n    terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 8 KiB}\n"                \
    "    link: {bandwidth: 80 Gb/s, latency: 20 ns, buffer: 8 KiB}\n"                              \
    "hardware: {lanes: 2, arbitration: strict, packet: 1 KiB, header: 24 B}\n"

/* An order-free sum over all that an observer gets of each message. */
static void sum_message(void *data, const DnMessage *m, gint64 sent_ps, gint64 delivered_ps)
{
    const guint64 values[] = {m->src,
                              m->dst,
                              (guint64)m->bytes,
                              m->tag,
                              m->cookie,
                              (guint64)m->rate_bps,
                              m->job | (guint64)m->lane << 16 | (guint64)m->by_nics << 23 |
                                  (guint64)m->rail << 24,
                              m->staging,
                              m->word,
                              (guint64)sent_ps,
                              (guint64)delivered_ps};
    guint64 hash = 0;
    for (guint i = 0; i < G_N_ELEMENTS(values); i++)
        hash = dn_mix64(hash ^ values[i]);
    __atomic_add_fetch((guint64 *)data, hash, __ATOMIC_RELAXED);
}

/* What a random program sends: rows to neighbouring or random destinations, alike or not, of no
 * byte up to several packets. */
static void messages_draw(const Bench *b, guint64 seed, gboolean capped, DnMessage *messages)
{
    guint32 endpoints = b->machine->graph->size.endpoints;
    guint64 key = dn_draw_key(seed, DN_DRAW_TEST, 2);
    static const gint64 sizes[] = {0, 8, 1000, 1024, 1025, 5000};
    DnMessage m = {0};
    for (guint i = 0; i < MESSAGES; i++) {
        guint64 bits = dn_draw(key, i);
        if (bits % 8 == 0) { /* another row */
            m = (DnMessage){.src = (bits >> 8) % 3,
                            .dst = (bits >> 12) % endpoints,
                            .bytes = sizes[(bits >> 24) % G_N_ELEMENTS(sizes)],
                            .rate_bps = capped && (bits >> 28) % 8 == 0 ? 1000000000 : 0,
                            .job = (bits >> 32) % 8,
                            .lane = (bits >> 36) % 3,
                            .by_nics = bits >> 39 & 1,
                            .staging = (guint32)(bits >> 40),
                            .word = bits * 3};
        }
        m.dst = (m.dst + (bits >> 20) % 3) % endpoints;
        if (m.dst == m.src)
            m.dst = (m.dst + 1) % endpoints;
        m.word += bits >> 50 & 1;
        messages[i] = m;
    }
}

/* Runs the same messages with packs from @pack_from on; asserts what @first got, if that is set. */
static guint64 run_packed(Bench *b, const DnMessage *messages, guint32 pack_from,
                          const DnEngineResult *first)
{
    guint64 sum = 0;
    b->pack_from = pack_from;
    b->observer = (DnObserver){.data = &sum, .message = sum_message};
    bench_run(b, messages, MESSAGES, FALSE, 1024);
    if (first == NULL)
        return sum;
    g_assert_cmpint(b->result.end_ps, ==, first->end_ps);
    g_assert_cmpuint(b->result.events, ==, first->events);
    g_assert_cmpuint(b->result.packet_hops, ==, first->packet_hops);
    g_assert_cmpuint(b->result.peak_packets, ==, first->peak_packets);
    g_assert_cmpmem(b->result.links, b->machine->graph->size.links * sizeof(DnLinkCounters),
                    first->links, b->machine->graph->size.links * sizeof(DnLinkCounters));
    g_assert_cmpmem(b->result.nics, b->machine->graph->size.terminals * sizeof(DnNicCounters),
                    first->nics, b->machine->graph->size.terminals * sizeof(DnNicCounters));
    return sum;
}

/* The times of every message, all that was delivered with it, and every counter are the same,
 * whether messages are packed from the first on, from the third, as usual, or never. */
static void assert_alike(const char *machine, guint64 seed, gboolean capped)
{
    Bench b;
    bench_open(&b, machine, "algorithm: ugal_l\n");
    g_autofree DnMessage *messages = g_new(DnMessage, MESSAGES);
    messages_draw(&b, seed, capped, messages);
    guint64 sum = run_packed(&b, messages, G_MAXUINT32, NULL);
    DnEngineResult first = b.result;
    b.result = (DnEngineResult){0};
    const guint32 from[] = {1, 3, 0};
    for (guint i = 0; i < G_N_ELEMENTS(from); i++) {
        guint64 packed = run_packed(&b, messages, from[i], &first);
        g_assert_cmpuint(packed, ==, sum);
    }
    dn_engine_result_clear(&first);
    bench_close(&b);
}

static void test_alike(void)
{
    for (guint64 seed = 1; seed <= 3; seed++) {
        assert_alike(BENCH_DRAGONFLY(""), seed, FALSE);
        assert_alike(BENCH_DRAGONFLY(""), seed, TRUE);
        assert_alike(LANES, seed, FALSE);
        assert_alike(BENCH_DRAGONFLY(", window: 16"), seed, TRUE);
        assert_alike(BENCH_DRAGONFLY(", congestion_control: endpoint_throttle, window: 64"), seed,
                     FALSE);
    }
}

/* 40,000 messages of one source take 5 MB one by one, and in a pack a fortieth of that. */
static void test_memory(void)
{
    Bench b;
    bench_open(&b, BENCH_DRAGONFLY(""), NULL);
    const guint n = 40000;
    g_autofree DnMessage *messages = g_new(DnMessage, n);
    for (guint i = 0; i < n; i++)
        messages[i] = (DnMessage){.src = 0, .dst = 1 + i % 39, .bytes = 8};
    b.max_memory_bytes = 3 << 20;
    bench_run(&b, messages, n, FALSE, 1024);
    g_autoptr(GError) error = NULL;
    b.pack_from = G_MAXUINT32;
    g_assert_false(bench_try(&b, messages, n, FALSE, 1024, &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_MEMORY);
    bench_close(&b);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/pack/alike", test_alike);
    g_test_add_func("/pack/memory", test_memory);
    return g_test_run();
}
