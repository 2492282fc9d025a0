/* tag_matching_test.c - matching against a plain list searched from the front; samplers. */
#include "runtime/tag_matching.h"

#include "base/rng.h"
#include "runtime/message_ordering.h"
#include "runtime/sampler.h"
#include "workload/program.h"

static guint32 matching_add(DnMatch *match, DnRecordPool *pool, guint32 peer, guint32 tag,
                            gint64 value)
{
    guint32 record = dn_record_keep(pool, (DnRecord){.kind = DN_RECORD_UNEXPECTED,
                                                     .peer = peer,
                                                     .tag = tag,
                                                     .unexpected.arrived_ps = value});
    dn_match_add(match, pool, record);
    return record;
}

static gint64 matching_take(DnMatch *match, DnRecordPool *pool, guint32 peer, guint32 tag)
{
    guint32 record = dn_match_take(match, pool, peer, tag);
    if (record == 0)
        return -1;
    gint64 value = dn_record_at(pool, record, DN_RECORD_UNEXPECTED)->unexpected.arrived_ps;
    dn_record_give(pool, record);
    return value;
}

/* MPI 4.0, section 3.5: receives posted first match first; a wildcard does not jump the queue. */
static void test_order(void)
{
    DnMatch match = {0};
    DnRecordPool pool = {0};
    matching_add(&match, &pool, 7, 1, 10);
    matching_add(&match, &pool, DN_ANY, DN_ANY, 11);
    matching_add(&match, &pool, 7, DN_ANY, 12);
    matching_add(&match, &pool, 7, 1, 13);
    g_assert_cmpint(matching_take(&match, &pool, 3, 9), ==, 11); /* only the wildcard agrees */
    g_assert_cmpint(matching_take(&match, &pool, 3, 9), ==, -1);
    g_assert_cmpint(matching_take(&match, &pool, 7, 2), ==, 12);
    g_assert_cmpint(matching_take(&match, &pool, 7, 1), ==, 10);
    g_assert_cmpint(matching_take(&match, &pool, 7, 1), ==, 13);
    g_assert_cmpint(matching_take(&match, &pool, DN_ANY, DN_ANY), ==, -1);
    dn_match_clear(&match);
    dn_record_pool_clear(&pool);
}

typedef struct {
    guint32 peer, tag;
    gint64 value;
} Plain;

static gint64 take_plain(GArray *list, guint32 peer, guint32 tag)
{
    for (guint i = 0; i < list->len; i++) {
        Plain p = g_array_index(list, Plain, i);
        if ((p.peer == peer || p.peer == DN_ANY || peer == DN_ANY) &&
            (p.tag == tag || p.tag == DN_ANY || tag == DN_ANY)) {
            g_array_remove_index(list, i);
            return p.value;
        }
    }
    return -1;
}

/* 20,000 random additions and removals, wildcards on both sides, against the list. The sequence
 * number starts short of 2^32, so it wraps on the way. */
static void test_against_list(void)
{
    DnMatch match = {.sequence = G_MAXUINT32 - 500};
    DnRecordPool pool = {0};
    g_autoptr(GArray) list = g_array_new(FALSE, FALSE, sizeof(Plain));
    guint64 key = dn_draw_key(1, DN_DRAW_TEST, 0);
    guint taken = 0;
    for (guint i = 0; i < 20000; i++) {
        guint64 bits = dn_draw(key, i);
        guint32 peer = bits % 16 == 0 ? DN_ANY : (bits >> 8) % 50;
        guint32 tag = bits / 16 % 16 == 0 ? DN_ANY : (bits >> 24) % 3;
        /* the first half grows, the second shrinks */
        if ((bits >> 40) % 8 < (i < 10000 ? 6u : 2u)) {
            Plain p = {peer, tag, i};
            g_array_append_val(list, p);
            matching_add(&match, &pool, peer, tag, i);
        } else {
            gint64 expected = take_plain(list, peer, tag);
            g_assert_cmpint(matching_take(&match, &pool, peer, tag), ==, expected);
            taken += expected >= 0;
        }
    }
    g_assert_cmpuint(taken, >, 5000);
    for (guint i = list->len; i > 0; i--)
        g_assert_cmpint(matching_take(&match, &pool, DN_ANY, DN_ANY), ==,
                        take_plain(list, DN_ANY, DN_ANY));
    g_assert_cmpint(matching_take(&match, &pool, DN_ANY, DN_ANY), ==, -1);
    g_assert_cmpuint(match.count, ==, 0);
    dn_match_clear(&match);
    dn_record_pool_clear(&pool);
}

/* 4,096 sources outstanding: no chain is long. The multiplier spreads consecutive ranks, and
 * ranks that are multiples of 64, almost evenly; 16 in a chain would be eight times the mean. */
static void test_spread(void)
{
    for (guint32 stride = 1; stride <= 64; stride *= 8) {
        DnMatch match = {0};
        DnRecordPool pool = {0};
        for (guint32 i = 0; i < 4096; i++)
            matching_add(&match, &pool, i * stride, 0, i);
        g_assert_cmpuint(match.bits, >=, 11);
        for (guint32 b = 0; b < 1u << match.bits; b++) {
            guint length = 0;
            for (guint32 r = match.buckets[b].head; r != 0; r = pool.items[r].next)
                length++;
            g_assert_cmpuint(length, <=, 16);
        }
        dn_match_clear(&match);
        dn_record_pool_clear(&pool);
    }
}

/* After any number of values: those numbered 0, s, 2s, ... with the least s = 2^k that fits. */
static void test_sampler(void)
{
    const guint32 capacities[] = {2, 3, 7, 8, 16};
    for (guint c = 0; c < G_N_ELEMENTS(capacities); c++) {
        DnSampler sampler = {.capacity = capacities[c]};
        for (gint64 v = 0; v < 1000; v++) {
            dn_sampler_add(&sampler, v);
            guint32 stride = 1u << sampler.shift;
            g_assert_cmpuint(sampler.n, <=, capacities[c]);
            g_assert_cmpuint(sampler.n, ==, (guint64)v / stride + 1);
            if (stride > 1)
                g_assert_cmpuint((guint64)v / (stride / 2) + 1, >, capacities[c]);
            for (guint32 i = 0; i < sampler.n; i++)
                g_assert_cmpint(sampler.values[i], ==, (gint64)i * stride);
        }
        gint64 out[16];
        guint32 n = dn_sampler_read(&sampler, sampler.shift + 1, out);
        g_assert_cmpuint(n, ==, (sampler.n + 1) / 2);
        g_assert_cmpint(out[n - 1], ==, (gint64)(n - 1) << (sampler.shift + 1));
        dn_sampler_clear(&sampler);
    }
}

/* On channels numbers are of one channel, and differ from those of the pair; beyond 2^20 they begin
 * anew. 2^21 ranks
 * have as many channels as there are numbers for pairs. */
static void test_channel_numbers(void)
{
    DnOrder order = {.ranks = 4, .channels = 3};
    guint32 plain = dn_order_send(&order, 1), first = dn_order_send_on(&order, 1, 2);
    guint32 other = dn_order_send_on(&order, 1, 0), second = dn_order_send_on(&order, 1, 2);
    g_assert_cmpuint(plain, ==, 0);
    g_assert_cmpuint(second, ==, dn_order_next(first));
    g_assert_false(dn_order_arrive(&order, 1, second));
    g_assert_true(dn_order_arrive(&order, 1, other));
    g_assert_true(dn_order_arrive(&order, 1, plain));
    g_assert_true(dn_order_arrive(&order, 1, first));
    g_assert_false(dn_order_arrive(&order, 1, first));
    g_assert_true(dn_order_arrive(&order, 1, second));
    guint32 number = second;
    for (guint32 i = 2; i < (1 << 20) + 3; i++) {
        number = dn_order_next(number);
        g_assert_cmpuint(dn_order_send_on(&order, 1, 2), ==, number);
        g_assert_true(dn_order_arrive(&order, 1, number));
    }
    g_assert_cmpuint(number, ==, dn_order_next(second));
    dn_order_clear(&order);
    g_assert_cmpuint(dn_order_channels(1 << 21, 4096), ==, 1022);
    g_assert_cmpuint(dn_order_channels(8, 4096), ==, DN_ORDER_MOST_CHANNELS);
    g_assert_cmpuint(dn_order_channels(8, 25), ==, 25);
}

/* 300 peers, numbers per peer whatever the table holds (hash up to an eighth of 1,000, then plain):
 * three rounds count 0, 1, 2; an early number is refused and its turn comes later. Counters of one
 * byte become two and four when one of them needs it, and all keep their values. */
static void test_numbers(void)
{
    DnOrder order = {.ranks = 1000};
    for (guint32 round = 0; round < 3; round++)
        for (guint32 peer = 0; peer < 300; peer++) {
            guint32 who = peer * 7 % 1000;
            g_assert_cmpuint(dn_order_send(&order, who), ==, round);
            g_assert_false(dn_order_arrive(&order, who, round + 1));
            g_assert_true(dn_order_arrive(&order, who, round));
        }
    g_assert_nonnull(order.dense);
    g_assert_cmpuint(order.width, ==, 1);
    for (guint32 round = 3; round < 70000; round++) {
        g_assert_cmpuint(dn_order_send(&order, 7), ==, round);
        if (round < 300) {
            g_assert_false(dn_order_arrive(&order, 14, round + 1));
            g_assert_true(dn_order_arrive(&order, 14, round));
        }
        g_assert_cmpuint(order.width, ==, round < 255 ? 1 : round < 65535 ? 2 : 4);
    }
    g_assert_true(dn_order_arrive(&order, 14, 300));
    g_assert_true(dn_order_arrive(&order, 7, 3));
    g_assert_cmpuint(dn_order_send(&order, 21), ==, 3);
    dn_order_clear(&order);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/match/order", test_order);
    g_test_add_func("/match/against-list", test_against_list);
    g_test_add_func("/match/spread", test_spread);
    g_test_add_func("/match/sampler", test_sampler);
    g_test_add_func("/match/numbers", test_numbers);
    g_test_add_func("/match/numbers/channels", test_channel_numbers);
    return g_test_run();
}
