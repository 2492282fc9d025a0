/* event_sort_test.c - a batch against a plain stable sort by (time, port), or by vertex before, or
 * with the events of the first vertices, the switches, before those of others. */
#include "engine/packet/core.h"
#include "engine/packet/event_rank.h"

#define VERTICES 24
#define SWITCHES 7

typedef enum { BY_TIME, BY_VERTEX, SWITCHES_FIRST, ORDERS } Order;

/* A number for the vertices whose events are together. */
static guint place_of(const DnEvent *event, Order order)
{
    guint slot = dn_event_slot(event);
    return order == BY_VERTEX ? slot : order == SWITCHES_FIRST && slot >= SWITCHES;
}

static gboolean is_before(const DnEvent *a, const DnEvent *b, Order order)
{
    guint x = place_of(a, order), y = place_of(b, order);
    return x != y ? x < y : dn_event_key(a) < dn_event_key(b);
}

/* The order wanted: (time, port, order of adding), by the definition, one comparison at a time. */
static void check_order(const DnBatch *batch, const DnEvent *added, guint n, Order order)
{
    g_assert_cmpuint(batch->n, ==, n);
    g_autofree gboolean *used = g_new0(gboolean, n);
    for (guint i = 0; i < n; i++) {
        guint least = n;
        for (guint k = 0; k < n; k++)
            if (!used[k] && (least == n || is_before(&added[k], &added[least], order)))
                least = k;
        used[least] = TRUE;
        g_assert_cmpuint(batch->events[i].a, ==, added[least].a);
        g_assert_cmpuint(batch->events[i].offset_ps, ==, added[least].offset_ps);
    }
}

/* @n events of one window of 2^@shift ps: times below @times, so that few times mean many ties; up
 * to @rank_most by rank. */
static void sort_once(guint shift, guint n, guint times, Order order, guint rank_most, guint64 seed)
{
    DnWheel wheel;
    DnSort sort = {.rank_most = rank_most,
                   .of_vertex = order == BY_VERTEX ? g_new(guint32, VERTICES) : NULL,
                   .switches = order == SWITCHES_FIRST ? g_new0(guint32, 3) : NULL};
    DnBatch batch = {0};
    guint of_switches = 0;
    if (sort.switches != NULL)
        sort.switches[1] = SWITCHES;
    g_assert_true(dn_wheel_init(&wheel, 3, shift, 16, NULL));
    g_autofree DnEvent *added = g_new(DnEvent, n);
    for (guint i = 0; i < n; i++) {
        guint64 bits = dn_draw(seed, i);
        DnEventKind kind = bits % 3 == 0 ? DN_EVENT_WAKE : DN_EVENT_CREDIT;
        added[i] = dn_event(kind, 0, (bits >> 16) % VERTICES, i, (guint32)(bits >> 8) % 5);
        added[i].offset_ps = dn_draw_below(bits, times) * ((1u << shift) / times);
        dn_wheel_add(&wheel, 1, added[i].offset_ps, added[i]);
        of_switches += dn_event_slot(&added[i]) < SWITCHES;
    }
    dn_wheel_move_to(&wheel, 0, 1);
    DnWorkItem item = dn_wheel_next_work_item(&wheel, (DnWorkItem){0, 0});
    g_assert_cmpuint(item.domain, ==, 1);
    dn_batch_load(&sort, &wheel, item, VERTICES, &batch);
    g_assert_cmpint(batch.by_vertex, ==, order == BY_VERTEX && n >= VERTICES / 8);
    gboolean parts = order == SWITCHES_FIRST && n > 8; /* fewer stay together */
    g_assert_cmpuint(batch.first, ==, parts ? of_switches : n);
    check_order(&batch, added, n, batch.by_vertex || parts ? order : BY_TIME);
    g_assert_cmpuint(dn_wheel_next_work_item(&wheel, (DnWorkItem){0, 0}).domain, ==, DN_NONE);
    dn_batch_clear(&batch);
    dn_sort_clear(&sort);
    dn_wheel_clear(&wheel);
}

static void test_order(void)
{
    guint64 key = dn_draw_key(1, DN_DRAW_TEST, 0), n = 0;
    static const guint sizes[] = {1,  2,  7,  8,  9,  15,  16,  17,  31,  32,  33,
                                  63, 64, 65, 96, 97, 112, 192, 193, 255, 256, 1500};
    static const guint shifts[] = {4, 10, 15, 16, 17, 18, 30};
    for (guint s = 0; s < G_N_ELEMENTS(shifts); s++)
        for (guint i = 0; i < ORDERS * G_N_ELEMENTS(sizes); i++) {
            guint of = sizes[i / ORDERS];
            Order order = i % ORDERS;
            for (guint ranked = 0; ranked < 2; ranked++) {
                guint most = ranked ? dn_rank_most() : 0;
                sort_once(shifts[s], of, 1u << MIN(shifts[s], 16), order, most, dn_draw(key, n++));
                sort_once(shifts[s], of, 3, order, most, dn_draw(key, n++));
                sort_once(shifts[s], of, 1, order, most, dn_draw(key, n++)); /* one instant */
            }
        }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/event-sort/order", test_order);
    return g_test_run();
}
