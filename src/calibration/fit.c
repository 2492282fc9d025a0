/* fit.c - see fit.h. */
#include "calibration/fit.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <gsl/gsl_sort.h>
#include <math.h>

/* Parameters; those in use stand in this order in the solver's vector. */
enum { LATENCY, GAP, OVERHEAD, STEP, US_PER_BYTE, PARAMETERS };

#define MOST_STEPS 64 /* places that are tried; of more sizes not every one */

typedef struct {
    const DnFitPoint *points;
    gsize n;
    gboolean used[PARAMETERS];
    double start[PARAMETERS]; /* logarithms */
    double step_from;         /* bytes; NAN: none */
} Problem;

typedef struct {
    double log_value[PARAMETERS], log_error[PARAMETERS];
    double chi2;
} Solution;

static guint parameters_in(const Problem *p)
{
    guint n = 0;
    for (guint i = 0; i < PARAMETERS; i++)
        n += p->used[i];
    return n;
}

/* Which parameter, besides the rate, a point's time holds. */
static guint base_of(const DnFitPoint *point)
{
    static const guint bases[DN_FIT_KINDS] = {LATENCY, GAP, OVERHEAD};
    return bases[point->kind];
}

/* The terms of @point's time, one for each parameter: 0 where it has no part. */
static double terms_of(const Problem *p, const double *values, const DnFitPoint *point,
                       double *terms)
{
    double sum = 0.0;
    for (guint i = 0; i < PARAMETERS; i++)
        terms[i] = 0.0;
    guint base = base_of(point);
    terms[base] = values[base];
    if (point->kind != DN_FIT_OVERHEAD)
        terms[US_PER_BYTE] = values[US_PER_BYTE] * point->bytes;
    if (point->kind == DN_FIT_ONE_WAY && point->bytes >= p->step_from)
        terms[STEP] = values[STEP];
    for (guint i = 0; i < PARAMETERS; i++)
        sum += terms[i];
    return sum;
}

static void values_of(const Problem *p, const gsl_vector *x, double *values)
{
    gsize at = 0;
    for (guint i = 0; i < PARAMETERS; i++)
        values[i] = p->used[i] ? exp(gsl_vector_get(x, at++)) : 0.0;
}

static int fit_residuals(const gsl_vector *x, void *data, gsl_vector *f)
{
    const Problem *p = data;
    double values[PARAMETERS], terms[PARAMETERS];
    values_of(p, x, values);
    for (gsize i = 0; i < p->n; i++) {
        double sum = terms_of(p, values, &p->points[i], terms);
        if (!(sum > 0.0) || !isfinite(sum))
            return GSL_EDOM;
        gsl_vector_set(f, i, log(sum / p->points[i].time_us));
    }
    return GSL_SUCCESS;
}

/* d ln(sum) / d ln(value) is the term's share of the sum. */
static int fit_jacobian(const gsl_vector *x, void *data, gsl_matrix *j)
{
    const Problem *p = data;
    double values[PARAMETERS], terms[PARAMETERS];
    values_of(p, x, values);
    for (gsize i = 0; i < p->n; i++) {
        double sum = terms_of(p, values, &p->points[i], terms);
        gsize at = 0;
        for (guint k = 0; k < PARAMETERS; k++)
            if (p->used[k])
                gsl_matrix_set(j, i, at++, terms[k] / sum);
    }
    return GSL_SUCCESS;
}

static void take_solution(const Problem *p, const gsl_multifit_nlinear_workspace *work,
                          Solution *out)
{
    guint k = parameters_in(p);
    gsl_matrix *covariance = gsl_matrix_alloc(k, k);
    gsl_multifit_nlinear_covar(gsl_multifit_nlinear_jac(work), 1e-12, covariance);
    const gsl_vector *f = gsl_multifit_nlinear_residual(work);
    const gsl_vector *x = gsl_multifit_nlinear_position(work);
    out->chi2 = 0.0;
    for (gsize i = 0; i < p->n; i++)
        out->chi2 += gsl_vector_get(f, i) * gsl_vector_get(f, i);
    double variance = p->n > k ? out->chi2 / (double)(p->n - k) : NAN;
    gsize at = 0;
    for (guint i = 0; i < PARAMETERS; i++) {
        out->log_value[i] = out->log_error[i] = NAN;
        if (!p->used[i])
            continue;
        out->log_value[i] = gsl_vector_get(x, at);
        double c = gsl_matrix_get(covariance, at, at);
        /* The solver gives a zero row to what has no influence. */
        out->log_error[i] = c > 0.0 ? sqrt(variance * c) : INFINITY;
        at++;
    }
    gsl_matrix_free(covariance);
}

static gboolean fit_solve(const Problem *p, Solution *out)
{
    guint k = parameters_in(p);
    gsl_multifit_nlinear_parameters how = gsl_multifit_nlinear_default_parameters();
    gsl_multifit_nlinear_workspace *work =
        gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &how, p->n, k);
    gsl_multifit_nlinear_fdf what = {
        .f = fit_residuals, .df = fit_jacobian, .n = p->n, .p = k, .params = (void *)p};
    gsl_vector *x = gsl_vector_alloc(k);
    gsize at = 0;
    for (guint i = 0; i < PARAMETERS; i++)
        if (p->used[i])
            gsl_vector_set(x, at++, p->start[i]);
    int info;
    gsl_multifit_nlinear_init(x, &what, work);
    int status = gsl_multifit_nlinear_driver(200, 1e-10, 1e-10, 0.0, NULL, NULL, &info, work);
    /* No progress at the minimum's own rounding is an end like another. */
    gboolean ended = status == GSL_SUCCESS || status == GSL_ENOPROG || status == GSL_EMAXITER;
    if (ended)
        take_solution(p, work, out);
    gsl_vector_free(x);
    gsl_multifit_nlinear_free(work);
    return ended;
}

/* Leaves out, one at a time, what the data do not determine. */
static gboolean solve_determined(Problem *p, Solution *out)
{
    while (fit_solve(p, out)) {
        guint worst = PARAMETERS;
        double error = 1.0;
        for (guint i = 0; i < PARAMETERS; i++)
            if (p->used[i] && out->log_error[i] > error) {
                worst = i;
                error = out->log_error[i];
            }
        if (worst == PARAMETERS || parameters_in(p) == 1)
            return TRUE;
        p->used[worst] = FALSE;
        if (worst == STEP)
            p->step_from = NAN;
        /* A kind of row with neither a base nor a rate has nothing left to say. */
        for (gsize i = 0; i < p->n; i++) {
            const DnFitPoint *point = &p->points[i];
            gboolean rate = p->used[US_PER_BYTE] && point->kind != DN_FIT_OVERHEAD;
            if (!p->used[base_of(point)] && !(rate && point->bytes > 0))
                return FALSE;
        }
    }
    return FALSE;
}

static void set_start(Problem *p)
{
    double least[PARAMETERS], largest = 0.0, per_byte = 1.0;
    for (guint i = 0; i < PARAMETERS; i++)
        least[i] = INFINITY;
    for (gsize i = 0; i < p->n; i++) {
        const DnFitPoint *point = &p->points[i];
        guint base = base_of(point);
        p->used[base] = TRUE;
        least[base] = MIN(least[base], point->time_us);
        if (point->kind != DN_FIT_OVERHEAD && point->bytes > largest) {
            largest = point->bytes;
            per_byte = point->time_us / point->bytes;
        }
    }
    p->used[US_PER_BYTE] = largest > 0.0;
    for (guint i = 0; i < STEP; i++)
        p->start[i] = log(isfinite(least[i]) ? least[i] * 0.9 : 1.0);
    p->start[STEP] = log((isfinite(least[LATENCY]) ? least[LATENCY] : 1.0) * 0.3);
    p->start[US_PER_BYTE] = log(per_byte);
}

/* The distinct sizes of one-way rows, ascending. (transfer full) */
static double *one_way_sizes(const Problem *p, gsize *n_sizes)
{
    double *sizes = g_new(double, p->n + 1);
    gsize n = 0, distinct = 0;
    for (gsize i = 0; i < p->n; i++)
        if (p->points[i].kind == DN_FIT_ONE_WAY)
            sizes[n++] = p->points[i].bytes;
    gsl_sort(sizes, 1, n);
    for (gsize i = 0; i < n; i++)
        if (distinct == 0 || sizes[i] > sizes[distinct - 1])
            sizes[distinct++] = sizes[i];
    *n_sizes = distinct;
    return sizes;
}

/* Two more parameters: how much, and where. */
static void look_for_step(Problem *p, Solution *best, double *after)
{
    const double needed = 6.0;
    gsize n_sizes;
    double base = best->chi2, least = base, n = (double)p->n;
    g_autofree double *sizes = one_way_sizes(p, &n_sizes);
    Problem chosen = *p;
    if (!p->used[LATENCY] || p->n < parameters_in(p) + 3)
        return;
    for (gsize i = 2; i + 2 <= n_sizes; i += 1 + n_sizes / MOST_STEPS) {
        Problem trial = *p;
        Solution found;
        trial.used[STEP] = TRUE;
        trial.step_from = sizes[i];
        if (!fit_solve(&trial, &found) || !(found.log_error[STEP] < 0.5) || found.chi2 >= least)
            continue;
        least = found.chi2;
        *best = found;
        chosen = trial;
        *after = sizes[i - 1];
    }
    /* Data without scatter at all: rounding is no evidence. */
    double gain = n * log(MAX(base, n * 1e-12) / MAX(least, n * 1e-12)) - 2.0 * log(n);
    if (isnan(chosen.step_from) || gain > needed) {
        *p = chosen;
        return;
    }
    *after = NAN;
    fit_solve(p, best);
}

static DnFitValue value_of(const Problem *p, const Solution *s, guint i)
{
    if (!p->used[i])
        return (DnFitValue){NAN, NAN};
    double value = exp(s->log_value[i]);
    return (DnFitValue){value, value * s->log_error[i]};
}

static DnFit *make_fit(const Problem *p, const Solution *s, double after)
{
    DnFit *fit = g_new0(DnFit, 1);
    double values[PARAMETERS], terms[PARAMETERS], squares = 0.0;
    for (guint i = 0; i < PARAMETERS; i++)
        values[i] = p->used[i] ? exp(s->log_value[i]) : 0.0;
    fit->latency_us = value_of(p, s, LATENCY);
    fit->gap_us = value_of(p, s, GAP);
    fit->overhead_us = value_of(p, s, OVERHEAD);
    fit->step_us = value_of(p, s, STEP);
    DnFitValue per_byte = value_of(p, s, US_PER_BYTE);
    fit->rate_bps.value = 8e6 / per_byte.value;
    fit->rate_bps.error = fit->rate_bps.value * per_byte.error / per_byte.value;
    fit->step_from_bytes = p->step_from;
    fit->step_after_bytes = isnan(p->step_from) ? NAN : after;
    fit->parameters = parameters_in(p);
    fit->n_points = p->n;
    fit->chi2 = s->chi2;
    fit->model_us = g_new(double, p->n);
    for (gsize i = 0; i < p->n; i++) {
        fit->model_us[i] = terms_of(p, values, &p->points[i], terms);
        double off = fit->model_us[i] / p->points[i].time_us - 1.0;
        squares += off * off;
        if (fabs(off) > fabs(fit->worst)) {
            fit->worst = off;
            fit->worst_point = i;
        }
    }
    fit->rms = sqrt(squares / (double)p->n);
    return fit;
}

static DnFit *fit_points(Problem *p, gboolean step, GError **error)
{
    Solution solution;
    double after = NAN;
    set_start(p);
    if (p->n == 0 || p->n < parameters_in(p)) {
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    "messages of %" G_GSIZE_FORMAT
                    " size%s for %u parameters; at least as many sizes "
                    "are needed",
                    p->n, p->n == 1 ? "" : "s", parameters_in(p));
        return NULL;
    }
    if (!solve_determined(p, &solution)) {
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    "the times determine neither a latency nor a rate");
        return NULL;
    }
    if (step)
        look_for_step(p, &solution, &after);
    return make_fit(p, &solution, after);
}

DnFit *dn_fit_messages(const DnFitPoint *points, gsize n, gboolean step, GError **error)
{
    for (gsize i = 0; i < n; i++)
        g_assert(points[i].time_us > 0.0 && points[i].bytes >= 0.0);
    Problem problem = {.points = points, .n = n, .step_from = NAN};
    gsl_error_handler_t *before = gsl_set_error_handler_off();
    DnFit *fit = fit_points(&problem, step, error);
    gsl_set_error_handler(before);
    return fit;
}

void dn_fit_free(DnFit *fit)
{
    if (fit == NULL)
        return;
    g_free(fit->model_us);
    g_free(fit);
}
