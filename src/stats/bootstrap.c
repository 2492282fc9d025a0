/* bootstrap.c - resamples are counted over the sorted sample, so none is sorted again. */
#include "stats/bootstrap.h"
#include "base/rng.h"
#include "stats/sort.h"
#include <gsl/gsl_sort.h>
#include <math.h>
#include <string.h>

#define MOST_DRAWS 2e7 /* values drawn of a large sample: fewer resamples, but no fewer than */
#define LEAST_RESAMPLES 200

/* A sample prepared for resampling: its values sorted, and of which unit each is. */
typedef struct {
    gsize n, n_units;
    double *sorted;  /* [n] */
    guint32 *unit;   /* [n] of sorted[i] */
    guint32 *counts; /* [n_units] how often each is in the resample at hand */
    double *drawn;   /* [capacity] that resample, sorted */
    gsize capacity, n_drawn;
} Resampler;

static void resampler_init(Resampler *r, const DnSample *sample)
{
    gboolean grouped = sample->n_groups > 1;
    *r = (Resampler){.n = sample->n, .n_units = grouped ? sample->n_groups : sample->n};
    g_autofree gsize *order = g_new(gsize, sample->n);
    g_autofree guint32 *unit = g_new(guint32, sample->n);
    for (gsize i = 0, g = 0, left = grouped ? sample->group_n[0] : 0; i < sample->n; i++) {
        while (grouped && left == 0)
            left = sample->group_n[++g];
        left -= grouped;
        unit[i] = (guint32)(grouped ? g : i);
    }
    gsl_sort_index(order, sample->values, 1, sample->n);
    r->sorted = g_new(double, sample->n);
    r->unit = g_new(guint32, sample->n);
    for (gsize i = 0; i < sample->n; i++) {
        r->sorted[i] = sample->values[order[i]];
        r->unit[i] = unit[order[i]];
    }
    r->counts = g_new(guint32, r->n_units);
}

static void resampler_clear(Resampler *r)
{
    g_free(r->sorted);
    g_free(r->unit);
    g_free(r->counts);
    g_free(r->drawn);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Resampler, resampler_clear)

/* The values of the units as often as they were drawn. */
static void resampler_fill(Resampler *r)
{
    gsize n = 0;
    for (gsize i = 0; i < r->n; i++)
        n += r->counts[r->unit[i]];
    if (n > r->capacity) {
        r->capacity = n;
        r->drawn = g_renew(double, r->drawn, n);
    }
    r->n_drawn = 0;
    for (gsize i = 0; i < r->n; i++)
        for (guint32 c = 0; c < r->counts[r->unit[i]]; c++)
            r->drawn[r->n_drawn++] = r->sorted[i];
}

/* Resample @b of stream @stream: as many units as there are, each any of them. */
static void resampler_draw(Resampler *r, guint stream, guint b)
{
    guint64 key = dn_draw_key(stream, DN_DRAW_BOOTSTRAP, b);
    memset(r->counts, 0, r->n_units * sizeof *r->counts);
    for (gsize i = 0; i < r->n_units; i++)
        r->counts[dn_draw_below(dn_draw(key, i), (guint32)r->n_units)]++;
    resampler_fill(r);
}

static guint resamples_of(gsize n)
{
    double most = MOST_DRAWS / (double)MAX(n, 1);
    return (guint)CLAMP(most, LEAST_RESAMPLES, DN_BOOTSTRAP_RESAMPLES);
}

static gboolean is_enough(const DnSample *sample)
{
    return sample->n >= DN_BOOTSTRAP_LEAST &&
           (sample->n_groups <= 1 || sample->n_groups >= DN_BOOTSTRAP_LEAST);
}

/* The 2.5th and 97.5th percentile of @values, which is sorted; NAN where one of them is. */
static void percentile_interval(double *values, gsize n, double *low, double *high)
{
    *low = *high = NAN;
    for (gsize i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return;
    dn_doubles_sort(values, n);
    *low = dn_quantile_sorted(values, n, 0.025);
    *high = dn_quantile_sorted(values, n, 0.975);
}

static double *summary_member(DnSummary *summary, const DnSummaryField *field)
{
    return (double *)(void *)((char *)summary + field->offset);
}

gboolean dn_bootstrap_summary(const DnSample *sample, DnSummary *low, DnSummary *high)
{
    *low = *high = dn_summary(NULL, 0);
    if (!is_enough(sample))
        return FALSE;
    g_auto(Resampler) r = {0};
    resampler_init(&r, sample);
    guint n = resamples_of(sample->n);
    g_autofree DnSummary *drawn = g_new(DnSummary, n);
    g_autofree double *values = g_new(double, n);
    for (guint b = 0; b < n; b++) {
        resampler_draw(&r, 0, b);
        drawn[b] = r.n_drawn > 0 ? dn_summary_sorted(r.drawn, r.n_drawn) : dn_summary(NULL, 0);
    }
    for (const DnSummaryField *f = dn_summary_fields; f->name != NULL; f++) {
        if (f->whole)
            continue;
        for (guint b = 0; b < n; b++)
            values[b] = dn_summary_value(&drawn[b], f);
        percentile_interval(values, n, summary_member(low, f), summary_member(high, f));
    }
    return TRUE;
}

static double median_drawn(const Resampler *r)
{
    return r->n_drawn > 0 ? dn_quantile_sorted(r->drawn, r->n_drawn, 0.5) : NAN;
}

/* Draws the units of @b that @a has drawn. */
static void resampler_follow(Resampler *b, const Resampler *a)
{
    memcpy(b->counts, a->counts, MIN(a->n_units, b->n_units) * sizeof *b->counts);
    resampler_fill(b);
}

static DnEstimate bootstrap_compare(const DnSample *a, const DnSample *b, gboolean paired,
                                    gboolean ratio)
{
    DnEstimate e = {.estimate = NAN, .low = NAN, .high = NAN};
    if (a->n == 0 || b->n == 0)
        return e;
    g_assert(!paired || a->n_groups == b->n_groups);
    double from = dn_summary(a->values, a->n).median, to = dn_summary(b->values, b->n).median;
    e.estimate = ratio ? to / from : to - from;
    if (!is_enough(a) || !is_enough(b))
        return e;
    g_auto(Resampler) x = {0}, y = {0};
    resampler_init(&x, a);
    resampler_init(&y, b);
    guint n = resamples_of(a->n + b->n);
    g_autofree double *values = g_new(double, n);
    for (guint i = 0; i < n; i++) {
        resampler_draw(&x, 1, i);
        if (paired && a->n_groups > 1)
            resampler_follow(&y, &x);
        else
            resampler_draw(&y, 2, i);
        values[i] = ratio ? median_drawn(&y) / median_drawn(&x)
                          : median_drawn(&y) - median_drawn(&x);
    }
    percentile_interval(values, n, &e.low, &e.high);
    return e;
}

DnEstimate dn_bootstrap_difference(const DnSample *a, const DnSample *b, gboolean paired)
{
    return bootstrap_compare(a, b, paired, FALSE);
}

DnEstimate dn_bootstrap_ratio(const DnSample *a, const DnSample *b, gboolean paired)
{
    return bootstrap_compare(a, b, paired, TRUE);
}

double *dn_sample_units(const DnSample *sample, gsize *n)
{
    if (sample->n_groups <= 1) {
        *n = sample->n;
        return g_memdup2(sample->values, MAX(sample->n, 1) * sizeof *sample->values);
    }
    double *units = g_new(double, sample->n_groups);
    *n = 0;
    for (gsize g = 0, first = 0; g < sample->n_groups; first += sample->group_n[g++])
        if (sample->group_n[g] > 0)
            units[(*n)++] = dn_summary(sample->values + first, sample->group_n[g]).median;
    return units;
}
