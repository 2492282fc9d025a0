/* rng_test.c - the draws against the published generator, and their statistics at fixed seeds.
 *
 * The seeds are fixed, so each statistic is one number; its bound is the 99.9 % point of what true
 * randomness gives, so that a broken mixer fails by orders of magnitude. */
#include "base/rng.h"

#include <math.h>

/* A stream with key k is SplitMix64 seeded with k: mix(k + (n + 1) * gamma). Known answers for the
 * seed 1234567: https://rosettacode.org/wiki/Pseudo-random_numbers/Splitmix64 */
static void test_known_answers(void)
{
    static const guint64 EXPECTED[] = {
        G_GUINT64_CONSTANT(6457827717110365317), G_GUINT64_CONSTANT(3203168211198807973),
        G_GUINT64_CONSTANT(9817491932198370423), G_GUINT64_CONSTANT(4593380528125082431),
        G_GUINT64_CONSTANT(16408922859458223821)};
    for (guint n = 0; n < G_N_ELEMENTS(EXPECTED); n++)
        g_assert_cmpuint(dn_draw(1234567, n), ==, EXPECTED[n]);
    g_assert_cmpuint(dn_mix64(0), ==, 0); /* every step of the mixer keeps 0 */
}

static double chi_square(const guint64 *counts, guint bins, guint64 total)
{
    double expected = (double)total / bins, sum = 0;
    for (guint i = 0; i < bins; i++)
        sum += pow((double)counts[i] - expected, 2) / expected;
    return sum;
}

enum { BINS = 16, DRAWS = 1 << 16 };
/* Chi-square with 15 degrees of freedom: 99.9 % below 37.70, 0.1 % below 3.48. Too even is as
 * suspicious as too uneven. */
static void assert_uniform(const guint64 *counts, guint64 total)
{
    double x = chi_square(counts, BINS, total);
    g_assert_cmpfloat(x, <, 37.70);
    g_assert_cmpfloat(x, >, 3.48);
}

static void test_uniform(void)
{
    guint64 high[BINS] = {0}, low[BINS] = {0}, unit[BINS] = {0};
    guint64 key = dn_draw_key(42, DN_DRAW_TEST, 7);
    for (guint64 n = 0; n < DRAWS; n++) {
        guint64 bits = dn_draw(key, n);
        high[dn_draw_below(bits, BINS)]++;
        low[bits % BINS]++;
        unit[(guint)ceil(dn_draw_unit(bits) * BINS) - 1]++;
    }
    assert_uniform(high, DRAWS);
    assert_uniform(low, DRAWS);
    assert_uniform(unit, DRAWS);
}

/* The first draw of many entities is as uniform as many draws of one: entities differ by small
 * numbers, and that must not show. Likewise seeds and purposes. */
static void test_streams_differ(void)
{
    guint64 entities[BINS] = {0}, seeds[BINS] = {0};
    for (guint64 i = 0; i < DRAWS; i++) {
        entities[dn_draw_below(dn_draw(dn_draw_key(1, DN_DRAW_ROUTE, i), 0), BINS)]++;
        seeds[dn_draw_below(dn_draw(dn_draw_key(i, DN_DRAW_ROUTE, 1), 0), BINS)]++;
    }
    assert_uniform(entities, DRAWS);
    assert_uniform(seeds, DRAWS);
    g_assert_cmpuint(dn_draw_key(1, DN_DRAW_ROUTE, 1), !=, dn_draw_key(1, DN_DRAW_NOISE, 1));
}

/* Pairs (draw n of entity i, draw n of entity i + 1) fill a 4 x 4 grid evenly: independent, not
 * only each uniform. Neighbouring draws of one entity likewise. */
static void test_independent(void)
{
    guint64 across[BINS] = {0}, along[BINS] = {0};
    guint64 a = dn_draw_key(3, DN_DRAW_WORKLOAD, 100), b = dn_draw_key(3, DN_DRAW_WORKLOAD, 101);
    for (guint64 n = 0; n < DRAWS; n++) {
        guint32 x = dn_draw_below(dn_draw(a, n), 4);
        across[x * 4 + dn_draw_below(dn_draw(b, n), 4)]++;
        along[dn_draw_below(dn_draw(a, 2 * n), 4) * 4 + dn_draw_below(dn_draw(a, 2 * n + 1), 4)]++;
    }
    assert_uniform(across, DRAWS);
    assert_uniform(along, DRAWS);
}

/* One bit of the input flips half of the output: mean 32 of 64, standard error
 * sqrt(64 / 4 / 4096) = 0.0625; five of them are allowed. */
static void test_avalanche(void)
{
    enum { SAMPLES = 64 };
    guint64 flips = 0;
    for (guint64 i = 0; i < SAMPLES; i++) {
        guint64 x = dn_draw(99, i);
        for (guint bit = 0; bit < 64; bit++)
            flips += (guint64)__builtin_popcountll(dn_mix64(x) ^
                                                   dn_mix64(x ^ G_GUINT64_CONSTANT(1) << bit));
    }
    g_assert_cmpfloat_with_epsilon((double)flips / (SAMPLES * 64), 32, 5 * 0.0625);
}

static void test_ends(void)
{
    g_assert_cmpuint(dn_draw_below(0, 10), ==, 0);
    g_assert_cmpuint(dn_draw_below(G_MAXUINT64, 10), ==, 9);
    g_assert_cmpuint(dn_draw_below(G_MAXUINT64, 1), ==, 0);
    g_assert_cmpuint(dn_draw_below(G_MAXUINT64, G_MAXUINT32), ==, G_MAXUINT32 - 1);
    g_assert_cmpfloat(dn_draw_unit(0), >, 0); /* its logarithm is finite */
    g_assert_cmpfloat(dn_draw_unit(G_MAXUINT64), ==, 1);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/rng/known-answers", test_known_answers);
    g_test_add_func("/rng/uniform", test_uniform);
    g_test_add_func("/rng/streams-differ", test_streams_differ);
    g_test_add_func("/rng/independent", test_independent);
    g_test_add_func("/rng/avalanche", test_avalanche);
    g_test_add_func("/rng/ends", test_ends);
    return g_test_run();
}
