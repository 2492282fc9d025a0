/* fit_ranges.c - sizes cut into ranges with a fit each; see fit.h. */
#include <math.h>

#include "calibration/fit.h"

#define LEAST_SIZES 3
#define MOST_CUTS 32 /* places that are tried; of more sizes not every one */
#define SCATTER 3e-3

typedef struct {
    const DnFitPoint *points;
    gsize n;
    double *chi2;       /* [n * (n + 1)] of points i .. j - 1, at i * (n + 1) + j; INFINITY: none */
    guint8 *parameters; /* likewise */
} Costs;

static gsize fit_ranges_at(const Costs *c, gsize i, gsize j)
{
    return i * (c->n + 1) + j;
}

static void fill_costs(Costs *c)
{
    gsize stride = 1 + c->n / MOST_CUTS;
    c->chi2 = g_new0(double, c->n *(c->n + 1));
    c->parameters = g_new0(guint8, c->n * (c->n + 1));
    for (gsize i = 0; i < c->n; i++)
        for (gsize j = 0; j <= c->n; j++) {
            g_autoptr(DnFit) fit = NULL;
            gboolean tried = i % stride == 0 && (j % stride == 0 || j == c->n);
            if (tried && (j >= i + LEAST_SIZES || (i == 0 && j == c->n)))
                fit = dn_fit_messages(c->points + i, j - i, FALSE, NULL);
            c->chi2[fit_ranges_at(c, i, j)] = fit != NULL ? fit->chi2 : INFINITY;
            c->parameters[fit_ranges_at(c, i, j)] = fit != NULL ? (guint8)fit->parameters : 0;
        }
}

/* best[r][j]: least chi2 of points 0 .. j - 1 in r + 1 ranges; from[r][j]: where the last one
 * begins. */
typedef struct {
    double *best[DN_FIT_RANGES];
    gsize *from[DN_FIT_RANGES];
} Plan;

static void make_plan(const Costs *c, guint most, Plan *plan)
{
    for (guint r = 0; r < most; r++) {
        plan->best[r] = g_new(double, c->n + 1);
        plan->from[r] = g_new0(gsize, c->n + 1);
        for (gsize j = 0; j <= c->n; j++) {
            plan->best[r][j] = r == 0 ? c->chi2[fit_ranges_at(c, 0, j)] : INFINITY;
            for (gsize i = 1; r > 0 && i < j; i++) {
                double sum = plan->best[r - 1][i] + c->chi2[fit_ranges_at(c, i, j)];
                if (sum < plan->best[r][j]) {
                    plan->best[r][j] = sum;
                    plan->from[r][j] = i;
                }
            }
        }
    }
}

/* Fills @first with the begin of each of @ranges ranges; returns the parameters of all. */
static guint trace_back(const Costs *c, const Plan *plan, guint ranges, gsize *first)
{
    guint parameters = 0;
    gsize end = c->n;
    for (guint r = ranges; r-- > 0;) {
        first[r] = plan->from[r][end];
        parameters += c->parameters[fit_ranges_at(c, first[r], end)];
        end = first[r];
    }
    return parameters;
}

static guint choose_ranges(const Costs *c, const Plan *plan, guint most, gsize *first)
{
    double n = (double)c->n, least = INFINITY;
    guint chosen = 1;
    for (guint ranges = 1; ranges <= most; ranges++) {
        double chi2 = plan->best[ranges - 1][c->n];
        if (!isfinite(chi2))
            continue;
        guint parameters = trace_back(c, plan, ranges, first) + ranges - 1;
        double bic = n * log(chi2 / n + SCATTER * SCATTER) + parameters * log(n);
        if (bic < least) {
            least = bic;
            chosen = ranges;
        }
    }
    trace_back(c, plan, chosen, first);
    return chosen;
}

guint dn_fit_ranges(const DnFitPoint *points, gsize n, guint most, gsize first[DN_FIT_RANGES],
                    DnFit *fits[DN_FIT_RANGES], GError **error)
{
    g_assert(most >= 1 && most <= DN_FIT_RANGES);
    for (gsize i = 0; i < n; i++)
        g_assert(points[i].kind == DN_FIT_ONE_WAY &&
                 (i == 0 || points[i - 1].bytes < points[i].bytes));
    g_autoptr(DnFit) whole = dn_fit_messages(points, n, FALSE, error);
    if (whole == NULL)
        return 0;
    Costs costs = {.points = points, .n = n};
    Plan plan;
    fill_costs(&costs);
    make_plan(&costs, most, &plan);
    guint ranges = choose_ranges(&costs, &plan, most, first);
    for (guint r = 0; r < ranges; r++) {
        gsize end = r + 1 < ranges ? first[r + 1] : n;
        fits[r] = dn_fit_messages(points + first[r], end - first[r], FALSE, NULL);
        g_assert(fits[r] != NULL); /* it was fitted before */
    }
    for (guint r = 0; r < most; r++) {
        g_free(plan.best[r]);
        g_free(plan.from[r]);
    }
    g_free(costs.chi2);
    g_free(costs.parameters);
    return ranges;
}
