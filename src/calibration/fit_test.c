/* fit_test.c - parameters put into synthetic times come out again, with honest errors. */
#include "calibration/fit.h"

#include <math.h>

#include "base/rng.h"

/* Sizes 1 B .. 64 MiB in powers of two. */
#define SIZES 27

typedef struct {
    double latency_us, rate_bps, step_us, step_from, gap_us, overhead_us, noise;
} Truth;

/* A normal draw: Box & Muller. */
static double fit_normal(guint64 key, guint64 n)
{
    double u = dn_draw_unit(dn_draw(key, 2 * n)), v = dn_draw_unit(dn_draw(key, 2 * n + 1));
    return sqrt(-2.0 * log(u)) * cos(2.0 * G_PI * v);
}

static gsize make_points(const Truth *truth, guint64 seed, DnFitPoint *points)
{
    guint64 key = dn_draw_key(seed, DN_DRAW_TEST, 0);
    gsize n = 0;
    for (guint kind = 0; kind < DN_FIT_KINDS; kind++) {
        double base = kind == DN_FIT_ONE_WAY  ? truth->latency_us
                      : kind == DN_FIT_STREAM ? truth->gap_us
                                              : truth->overhead_us;
        for (guint i = 0; base > 0.0 && i < SIZES; i++) {
            double bytes = (double)(1u << i), time_us = base;
            if (kind != DN_FIT_OVERHEAD)
                time_us += bytes * 8e6 / truth->rate_bps;
            if (kind == DN_FIT_ONE_WAY && truth->step_us > 0.0 && bytes >= truth->step_from)
                time_us += truth->step_us;
            time_us *= exp(truth->noise * fit_normal(key, n));
            points[n++] = (DnFitPoint){(DnFitKind)kind, bytes, time_us};
        }
    }
    return n;
}

static void fit_near(DnFitValue found, double truth, double relative)
{
    g_assert_cmpfloat(fabs(found.value / truth - 1.0), <, relative);
}

/* Without noise the minimum is the truth itself. */
static void test_exact(void)
{
    const Truth truth = {5.0, 100e9, 2.0, 65536, 1.0, 0.4, 0.0};
    DnFitPoint points[3 * SIZES];
    gsize n = make_points(&truth, 1, points);
    g_autoptr(DnFit) fit = dn_fit_messages(points, n, TRUE, NULL);
    g_assert_nonnull(fit);
    fit_near(fit->latency_us, 5.0, 1e-6);
    fit_near(fit->rate_bps, 100e9, 1e-6);
    fit_near(fit->step_us, 2.0, 1e-6);
    fit_near(fit->gap_us, 1.0, 1e-6);
    fit_near(fit->overhead_us, 0.4, 1e-6);
    g_assert_cmpfloat(fit->step_from_bytes, ==, 65536);
    g_assert_cmpfloat(fit->step_after_bytes, ==, 32768);
    g_assert_cmpuint(fit->parameters, ==, 5);
    g_assert_cmpfloat(fit->rms, <, 1e-6);
    for (gsize i = 0; i < n; i++)
        g_assert_cmpfloat(fabs(fit->model_us[i] / points[i].time_us - 1.0), <, 1e-6);
}

/* With 3 % of noise, 200 times over: z = (found - truth) / standard error has variance 1 where the
 * errors are honest. Of 200 draws of chi-square with about 75 degrees of freedom in the variance,
 * the mean of z^2 has a standard deviation of sqrt(2 / 200) = 0.1: 0.6 to 1.4 is four of them. */
static void test_noise(void)
{
    const Truth truth = {5.0, 100e9, 2.0, 65536, 1.0, 0.4, 0.03};
    DnFitPoint points[3 * SIZES];
    double z2[4] = {0.0};
    guint right_step = 0;
    for (guint64 seed = 0; seed < 200; seed++) {
        gsize n = make_points(&truth, seed, points);
        g_autoptr(DnFit) fit = dn_fit_messages(points, n, TRUE, NULL);
        g_assert_nonnull(fit);
        right_step += fit->step_from_bytes == 65536;
        const DnFitValue found[4] = {fit->latency_us, fit->rate_bps, fit->gap_us, fit->overhead_us};
        const double real[4] = {5.0, 100e9, 1.0, 0.4};
        for (guint i = 0; i < 4; i++) {
            g_assert_cmpfloat(found[i].error / found[i].value, <, 0.02);
            z2[i] += pow((found[i].value - real[i]) / found[i].error, 2.0) / 200.0;
        }
    }
    for (guint i = 0; i < 4; i++) {
        g_assert_cmpfloat(z2[i], >, 0.6);
        g_assert_cmpfloat(z2[i], <, 1.4);
    }
    g_assert_cmpuint(right_step, >, 180);
}

/* Noise alone is not taken for a step: of 200, a few. */
static void test_no_step(void)
{
    const Truth truth = {5.0, 100e9, 0.0, 0.0, 0.0, 0.0, 0.03};
    DnFitPoint points[3 * SIZES];
    guint steps = 0;
    for (guint64 seed = 0; seed < 200; seed++) {
        gsize n = make_points(&truth, seed, points);
        g_autoptr(DnFit) fit = dn_fit_messages(points, n, TRUE, NULL);
        g_assert_nonnull(fit);
        steps += !isnan(fit->step_us.value);
    }
    g_assert_cmpuint(steps, <=, 10);
    make_points(&truth, 1, points);
    g_autoptr(DnFit) off = dn_fit_messages(points, SIZES, FALSE, NULL);
    g_assert_true(isnan(off->step_us.value) && isnan(off->step_from_bytes));
    g_assert_true(isnan(off->gap_us.value) && isnan(off->overhead_us.value));
}

/* Up to 1 KiB a rate of 100 Gb/s adds 0.08 us to 5 us of 3 % noise: no rate can be determined. */
static void test_undetermined(void)
{
    const Truth truth = {5.0, 100e9, 0.0, 0.0, 0.0, 0.0, 0.03};
    DnFitPoint points[3 * SIZES];
    make_points(&truth, 3, points);
    g_autoptr(DnFit) fit = dn_fit_messages(points, 8, TRUE, NULL); /* to 128 B: 0.01 us */
    g_assert_nonnull(fit);
    g_assert_true(isnan(fit->rate_bps.value));
    fit_near(fit->latency_us, 5.0, 0.05);
    g_assert_cmpuint(fit->parameters, ==, 1);
}

/* Up to 4 KiB 3 us and 16 Gb/s, to 256 KiB 8 us and 50 Gb/s, then 20 us and 200 Gb/s; 1 % of noise.
 * Found are the three of them, where they part and what they cost. One law stays one. */
static void test_ranges(void)
{
    static const double latency_us[] = {3, 8, 20}, gb_s[] = {16, 50, 200};
    DnFitPoint points[SIZES], plain[SIZES];
    guint64 key = dn_draw_key(5, DN_DRAW_TEST, 0);
    for (guint i = 0; i < SIZES; i++) {
        guint r = i <= 12 ? 0 : i <= 18 ? 1 : 2;
        double bytes = (double)(1u << i), noise = exp(0.01 * fit_normal(key, i));
        points[i] =
            (DnFitPoint){DN_FIT_ONE_WAY, bytes, noise * (latency_us[r] + bytes * 8e-3 / gb_s[r])};
        plain[i] = (DnFitPoint){DN_FIT_ONE_WAY, bytes, noise * (3 + bytes * 8e-3 / 16)};
    }
    gsize first[DN_FIT_RANGES];
    DnFit *fits[DN_FIT_RANGES];
    g_assert_cmpuint(dn_fit_ranges(points, SIZES, 5, first, fits, NULL), ==, 3);
    g_assert_cmpuint(first[0], ==, 0);
    g_assert_cmpuint(first[1], ==, 13);
    g_assert_cmpuint(first[2], ==, 19);
    for (guint r = 0; r < 3; r++) {
        fit_near(fits[r]->latency_us, latency_us[r], 4 * fits[r]->latency_us.error / latency_us[r]);
        fit_near(fits[r]->rate_bps, gb_s[r] * 1e9, 4 * fits[r]->rate_bps.error / (gb_s[r] * 1e9));
        g_assert_cmpfloat(fits[r]->rms, <, 0.02);
        dn_fit_free(fits[r]);
    }
    g_assert_cmpuint(dn_fit_ranges(points, SIZES, 1, first, fits, NULL), ==, 1);
    g_assert_cmpfloat(fits[0]->rms, >, 0.1);
    dn_fit_free(fits[0]);
    g_assert_cmpuint(dn_fit_ranges(plain, SIZES, 5, first, fits, NULL), ==, 1);
    dn_fit_free(fits[0]);
    g_autoptr(GError) error = NULL;
    g_assert_cmpuint(dn_fit_ranges(plain, 1, 5, first, fits, &error), ==, 0);
    g_assert_error(error, DN_ERROR, DN_ERROR_RANGE);
}

/* 1 B in 5 us and 1 MiB in 105 us: 100 us for 1,048,575 B more, 83.886 Gb/s; no residual is left
 * to say how sure. */
static void test_just_enough(void)
{
    const DnFitPoint two[] = {{DN_FIT_ONE_WAY, 1, 5.0}, {DN_FIT_ONE_WAY, 1 << 20, 105.0}};
    g_autoptr(DnFit) fit = dn_fit_messages(two, 2, TRUE, NULL);
    g_assert_nonnull(fit);
    fit_near(fit->rate_bps, 1048575 * 8e6 / 100.0, 1e-6);
    fit_near(fit->latency_us, 5.0 - 100.0 / 1048575, 1e-6);
    g_assert_true(isnan(fit->latency_us.error) && isnan(fit->rate_bps.error));
}

static void test_errors(void)
{
    const DnFitPoint one[] = {{DN_FIT_ONE_WAY, 1, 5.0}};
    g_autoptr(GError) error = NULL;
    g_assert_null(dn_fit_messages(one, 1, TRUE, &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_RANGE);
    g_assert_cmpstr(error->message, ==,
                    "messages of 1 size for 2 parameters; at least as many sizes are needed");
    g_clear_error(&error);
    g_assert_null(dn_fit_messages(one, 0, TRUE, &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_RANGE);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/fit/exact", test_exact);
    g_test_add_func("/fit/noise", test_noise);
    g_test_add_func("/fit/no_step", test_no_step);
    g_test_add_func("/fit/undetermined", test_undetermined);
    g_test_add_func("/fit/ranges", test_ranges);
    g_test_add_func("/fit/just_enough", test_just_enough);
    g_test_add_func("/fit/errors", test_errors);
    return g_test_run();
}
