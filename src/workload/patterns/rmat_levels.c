/* rmat_levels.c - see rmat_levels.h. */
#include "workload/patterns/rmat_levels.h"

#include <math.h>

#define CLASSES 41

typedef struct {
    guint n; /* classes */
    double vertices[CLASSES];
    double degree[CLASSES];
    double edges[CLASSES][CLASSES]; /* directed, from class to class */
} Classes;

static double log_factorial(double n)
{
    return lgamma(n + 1.0);
}

static double log_choose(double n, double k)
{
    return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

static double edges_between(const DnRmat *r, guint k, guint j)
{
    double s = r->scale, d = 1.0 - r->a - 2.0 * r->b, sum = 0.0;
    for (guint n11 = k + j > r->scale ? k + j - r->scale : 0; n11 <= MIN(k, j); n11++) {
        double n10 = k - n11, n01 = j - n11, n00 = s - k - j + n11;
        double count = log_factorial(s) - log_factorial(n11) - log_factorial(n10) -
                       log_factorial(n01) - log_factorial(n00);
        sum += exp(count + n00 * log(r->a) + (n10 + n01) * log(r->b) + n11 * log(d));
    }
    return 2.0 * r->edge_factor * exp2(s) * sum;
}

static void make_classes(const DnRmat *r, Classes *c)
{
    c->n = r->scale + 1;
    for (guint k = 0; k < c->n; k++) {
        c->vertices[k] = exp(log_choose(r->scale, k));
        c->degree[k] = dn_rmat_degree(r, k);
        for (guint j = 0; j < c->n; j++)
            c->edges[k][j] = edges_between(r, k, j);
    }
}

double dn_rmat_degree(const DnRmat *r, guint ones)
{
    double zero = r->a + r->b;
    return 2.0 * r->edge_factor *
           exp(r->scale * G_LN2 + (r->scale - ones) * log(zero) + ones * log(1.0 - zero));
}

/* Returns the relative deviation of a sum over vertices, each in one of many parts: sqrt(sum of
 * squares) / sum. */
static double rmat_levels_deviation(double squares, double sum)
{
    return sum > 0.0 ? MIN(1.0, sqrt(squares) / sum) : 0.0;
}

/* One level: @frontier and @open are shares of each class, in the frontier and not yet reached. */
static DnRmatLevel rmat_levels_step(const Classes *c, guint parts, double *frontier, double *open)
{
    DnRmatLevel level = {0};
    double next[CLASSES], out2 = 0.0, in2 = 0.0;
    for (guint j = 0; j < c->n; j++) {
        double lambda = 0.0;
        for (guint k = 0; k < c->n; k++)
            lambda += frontier[k] * c->edges[k][j] / c->vertices[j];
        next[j] = -expm1(-lambda);
        level.edges += frontier[j] * c->vertices[j] * c->degree[j];
        out2 += frontier[j] * c->vertices[j] * c->degree[j] * c->degree[j];
        in2 += c->vertices[j] * lambda * lambda;
        level.targets += parts * c->vertices[j] * -expm1(-lambda / parts);
    }
    for (guint j = 0; j < c->n; j++) {
        frontier[j] = open[j] * next[j];
        open[j] -= frontier[j];
        level.reached += frontier[j] * c->vertices[j];
    }
    level.out_deviation = rmat_levels_deviation(out2, level.edges);
    level.in_deviation = rmat_levels_deviation(in2, level.edges);
    return level;
}

guint dn_rmat_levels(const DnRmat *rmat, guint parts, DnRmatLevel levels[DN_RMAT_LEVELS])
{
    Classes c;
    double frontier[CLASSES] = {0}, open[CLASSES];
    make_classes(rmat, &c);
    for (guint k = 0; k < c.n; k++)
        open[k] = 1.0;
    frontier[rmat->root_ones] = 1.0 / c.vertices[rmat->root_ones];
    open[rmat->root_ones] -= frontier[rmat->root_ones];
    for (guint l = 0; l < DN_RMAT_LEVELS; l++) {
        levels[l] = rmat_levels_step(&c, parts, frontier, open);
        if (levels[l].reached < 0.5)
            return l + 1;
    }
    return DN_RMAT_LEVELS;
}
