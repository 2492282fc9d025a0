/* max_min_test.c - rates kept from event to event against rates found from nothing, and against the
 * definition of max-min fairness. */
#include "base/rng.h"
#include "engine/flow/max_min.h"

#include <math.h>

#define LINKS 12
#define TRANSFERS 40
#define PATH 4

typedef struct {
    double cap;
    guint32 n;
    gboolean on;
    guint32 links[PATH];
} Sent;

static double capacities[LINKS];

/* A transfer has its cap, or a link of its own that is full and on which none is faster. */
static void check_fair(DnMaxMin *system, const Sent *sent)
{
    double load[LINKS] = {0}, fastest[LINKS] = {0};
    for (guint32 t = 0; t < TRANSFERS; t++)
        for (guint32 i = 0; sent[t].on && i < sent[t].n; i++) {
            double rate = dn_max_min_rate(system, t);
            load[sent[t].links[i]] += rate;
            fastest[sent[t].links[i]] = MAX(fastest[sent[t].links[i]], rate);
        }
    for (guint l = 0; l < LINKS; l++)
        g_assert_cmpfloat(load[l], <=, capacities[l] * (1 + 1e-9));
    for (guint32 t = 0; t < TRANSFERS; t++) {
        if (!sent[t].on)
            continue;
        double rate = dn_max_min_rate(system, t);
        gboolean held = sent[t].cap > 0 && rate >= sent[t].cap * (1 - 1e-9);
        g_assert_true(sent[t].cap == 0 || rate <= sent[t].cap * (1 + 1e-9));
        for (guint32 i = 0; i < sent[t].n && !held; i++) {
            guint32 l = sent[t].links[i];
            held = load[l] >= capacities[l] * (1 - 1e-9) && rate >= fastest[l] * (1 - 1e-9);
        }
        g_assert_true(held);
    }
}

static void check_anew(DnMaxMin *system, const Sent *sent)
{
    g_autoptr(DnMaxMin) anew = dn_max_min_new(capacities, LINKS);
    for (guint32 t = 0; t < TRANSFERS; t++)
        if (sent[t].on)
            dn_max_min_add(anew, 0, t, 1e9, sent[t].cap, sent[t].links, sent[t].n, 1);
    for (guint32 t = 0; t < TRANSFERS; t++)
        if (sent[t].on)
            g_assert_cmpfloat_with_epsilon(dn_max_min_rate(system, t), dn_max_min_rate(anew, t),
                                           1e-9 * dn_max_min_rate(anew, t));
}

static void send_one(DnMaxMin *system, Sent *sent, gint64 now_ps, guint64 key, guint64 *n)
{
    guint32 id = dn_draw_below(dn_draw(key, (*n)++), TRANSFERS);
    Sent *s = &sent[id];
    if (s->on)
        return;
    s->n = 1 + dn_draw_below(dn_draw(key, (*n)++), PATH);
    for (guint32 i = 0; i < s->n; i++) /* the same link twice, now and then */
        s->links[i] = dn_draw_below(dn_draw(key, (*n)++), LINKS);
    s->cap = dn_draw_below(dn_draw(key, (*n)++), 4) == 0
                 ? 1.0 + dn_draw_below(dn_draw(key, (*n)++), 20)
                 : 0.0;
    s->on = TRUE;
    double bytes = 1 + dn_draw_below(dn_draw(key, (*n)++), 1000);
    dn_max_min_add(system, now_ps, id, bytes, s->cap, s->links, s->n, 1);
}

static void test_random(void)
{
    for (guint trial = 0; trial < 20; trial++) {
        guint64 key = dn_draw_key(trial, DN_DRAW_TEST, 0), n = 0;
        Sent sent[TRANSFERS] = {0};
        gint64 now_ps = 0;
        g_autoptr(GArray) ended = g_array_new(FALSE, FALSE, sizeof(guint32));
        for (guint l = 0; l < LINKS; l++)
            capacities[l] = 1.0 + dn_draw_below(dn_draw(key, n++), 50);
        g_autoptr(DnMaxMin) system = dn_max_min_new(capacities, LINKS);
        for (guint step = 0; step < 300; step++) {
            for (guint i = dn_draw_below(dn_draw(key, n++), 4); i > 0; i--)
                send_one(system, sent, now_ps, key, &n);
            check_fair(system, sent);
            check_anew(system, sent);
            gint64 until_ps = now_ps + dn_draw_below(dn_draw(key, n++), 60000000);
            gint64 then_ps = dn_max_min_advance(system, until_ps, ended);
            g_assert_cmpint(then_ps, >=, now_ps);
            g_assert_true(then_ps == until_ps || ended->len > 0);
            now_ps = then_ps;
            for (guint i = 0; i < ended->len; i++)
                sent[g_array_index(ended, guint32, i)].on = FALSE;
        }
    }
}

/* Three flows over links of 10 and 100: A and B share the first, so C has 95 of the second. */
static void test_known(void)
{
    static const double links[] = {10.0, 100.0};
    static const guint32 a[] = {0}, b[] = {0, 1}, c[] = {1};
    g_autoptr(DnMaxMin) system = dn_max_min_new(links, 2);
    g_autoptr(GArray) ended = g_array_new(FALSE, FALSE, sizeof(guint32));
    dn_max_min_add(system, 0, 1, 50.0, 0.0, a, 1, 1);
    dn_max_min_add(system, 0, 2, 100.0, 0.0, b, 2, 1);
    dn_max_min_add(system, 0, 3, 950.0, 0.0, c, 1, 1);
    g_assert_cmpuint(dn_max_min_in_flight(system), ==, 3);
    g_assert_cmpfloat_with_epsilon(dn_max_min_rate(system, 3), 95.0, 1e-9);
    g_assert_cmpint(dn_max_min_advance(system, 5000000, ended), ==, 5000000);
    g_assert_cmpuint(ended->len, ==, 0);
    g_assert_cmpint(dn_max_min_advance(system, G_MAXINT64, ended), ==, 10000000);
    g_assert_cmpuint(ended->len, ==, 2); /* the first and the third */
    g_assert_cmpint(dn_max_min_advance(system, G_MAXINT64, ended), ==, 15000000);
    g_assert_cmpuint(dn_max_min_in_flight(system), ==, 0);
}

/* 100 and 100.4 us end together within 2 %, as late as the shorter one may; 1 us ends by itself. */
static void test_tolerance(void)
{
    static const double links[] = {10.0, 10.0, 10.0};
    static const guint32 a[] = {0}, b[] = {1}, c[] = {2};
    for (guint apart = 0; apart < 2; apart++) { /* searched for, or a heap after the first end */
        g_autoptr(DnMaxMin) system = dn_max_min_new(links, 3);
        g_autoptr(GArray) ended = g_array_new(FALSE, FALSE, sizeof(guint32));
        dn_max_min_set_tolerance(system, 0.02);
        dn_max_min_add(system, 0, 1, 1000.0, 0.0, a, 1, 1);
        dn_max_min_add(system, 0, 2, 1004.0, 0.0, b, 1, 1);
        if (apart) {
            dn_max_min_add(system, 0, 3, 10.0, 0.0, c, 1, 1);
            g_assert_cmpint(dn_max_min_advance(system, G_MAXINT64, ended), ==, 1010000);
            g_assert_cmpuint(ended->len, ==, 1);
        }
        g_assert_cmpint(dn_max_min_advance(system, 99000000, ended), ==, 99000000);
        g_assert_cmpuint(ended->len, ==, 0);
        g_assert_cmpint(dn_max_min_advance(system, G_MAXINT64, ended), ==, 101000000);
        g_assert_cmpuint(ended->len, ==, 2);
    }
}

/* A link that counts 2^30 times for one, and 2^29 times for another, each listed once. */
static void test_weight(void)
{
    static const double links[] = {0x3p30, 1.0};
    static const guint32 a[] = {1, 0}, b[] = {0, 0};
    g_autoptr(DnMaxMin) system = dn_max_min_new(links, 2);
    dn_max_min_add(system, 0, 1, 100.0, 0.0, a, 2, 1u << 30);
    g_assert_cmpfloat(dn_max_min_rate(system, 1), ==, 1.0);
    dn_max_min_add(system, 0, 2, 100.0, 0.0, b, 2, (1u << 29) - 1);
    g_assert_cmpfloat(dn_max_min_rate(system, 2), ==, 4.0);
    g_autoptr(GArray) ended = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_assert_cmpint(dn_max_min_advance(system, G_MAXINT64, ended), ==, 25000000);
    dn_max_min_add(system, 25000000, 3, 100.0, 0.0, a + 1, 1, 1u << 30); /* 1.5 each, but for */
    g_assert_cmpfloat(dn_max_min_rate(system, 1), ==, 1.0);              /* the other's link */
    g_assert_cmpfloat(dn_max_min_rate(system, 3), ==, 2.0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/max-min/known", test_known);
    g_test_add_func("/max-min/random", test_random);
    g_test_add_func("/max-min/tolerance", test_tolerance);
    g_test_add_func("/max-min/weight", test_weight);
    return g_test_run();
}
