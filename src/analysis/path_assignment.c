/* path_assignment.c - the best single shortest path for each pair (dn_route_best).
 *
 * Finding the least index is NP-hard in general (R. Saad, "Complexity of the forwarding index
 * problem", SIAM J. Discrete Math. 6(3), 1993), so: local search (move one pair to another of its
 * shortest paths while that evens the loads; again from the best found with some pairs moved at
 * random) and, for how good that is, the linear relaxation by GLPK. Whole paths give an arc of
 * width w a load per link of k / w, so the bound is the least such value that is no smaller than
 * the relaxation.
 * LIMITATIONS: shortest paths only; a longer path can be better still (the throughput bound
 * knows them). */
#include "analysis/forwarding_index.h"
#include "base/rng.h"

#include <glpk.h>
#include <math.h>
#include <string.h>

#define ROUNDS 500

typedef struct {
    guint32 first, n, chosen; /* paths first .. first + n - 1 */
} Pair;

typedef struct {
    const DnNet *net;
    GArray *pairs;      /* Pair */
    GArray *path_first; /* guint32: into arcs; one more than paths */
    GArray *arcs;       /* guint32 */
    guint max_paths;
    guint32 *distance, *order, *walk; /* scratch; distance to the target */
} Assignment;

static guint n_paths(const Assignment *x)
{
    return x->path_first->len - 1;
}

/* All shortest paths from @u, @depth arcs in the walk so far, to the vertex distances lead to. */
static gboolean add_paths(Assignment *x, guint32 u, guint depth)
{
    if (x->distance[u] == 0) {
        g_array_append_vals(x->arcs, x->walk, depth);
        g_array_append_val(x->path_first, x->arcs->len);
        return n_paths(x) <= x->max_paths;
    }
    for (guint32 a = x->net->first[u]; a < x->net->first[u + 1]; a++) {
        guint32 v = x->net->to[a];
        if (x->distance[v] + 1 != x->distance[u] || (x->distance[v] > 0 && !x->net->transit[v]))
            continue;
        x->walk[depth] = a;
        if (!add_paths(x, v, depth + 1))
            return FALSE;
    }
    return TRUE;
}

static gboolean list_paths(Assignment *x, const double *demand)
{
    guint32 n = x->net->n;
    for (guint32 t = 0; t < n; t++) {
        dn_net_search(x->net, t, x->distance, x->order); /* cables go both ways */
        for (guint32 s = 0; s < n; s++) {
            if (s == t || demand[(gsize)s * n + t] <= 0)
                continue;
            g_assert(demand[(gsize)s * n + t] == 1);
            Pair pair = {n_paths(x), 0, 0};
            if (!add_paths(x, s, 0))
                return FALSE;
            pair.n = n_paths(x) - pair.first;
            g_array_append_val(x->pairs, pair);
        }
    }
    return TRUE;
}

static void add_path(const Assignment *x, guint32 path, double amount, double *load)
{
    guint32 end = g_array_index(x->path_first, guint32, path + 1);
    for (guint32 i = g_array_index(x->path_first, guint32, path); i < end; i++)
        load[g_array_index(x->arcs, guint32, i)] += amount;
}

/* Smooth stand-in for the ordered loads: the eighth powers of loads per link. */
static double cost_of(const Assignment *x, guint32 path, const double *load)
{
    double cost = 0;
    guint32 end = g_array_index(x->path_first, guint32, path + 1);
    for (guint32 i = g_array_index(x->path_first, guint32, path); i < end; i++) {
        guint32 a = g_array_index(x->arcs, guint32, i);
        double w = x->net->width[a];
        cost += pow((load[a] + 1) / w, 8) - pow(load[a] / w, 8);
    }
    return cost;
}

static gboolean improve_pair(const Assignment *x, Pair *pair, double *load)
{
    add_path(x, pair->first + pair->chosen, -1, load);
    guint32 best = pair->chosen;
    double least = cost_of(x, pair->first + best, load);
    for (guint32 i = 0; i < pair->n; i++) {
        double cost = cost_of(x, pair->first + i, load);
        if (cost < least * (1 - 1e-12)) {
            least = cost;
            best = i;
        }
    }
    gboolean moved = best != pair->chosen;
    pair->chosen = best;
    add_path(x, pair->first + best, 1, load);
    return moved;
}

static void path_assignment_descend(const Assignment *x, double *load)
{
    memset(load, 0, x->net->n_arcs * sizeof *load);
    for (guint i = 0; i < x->pairs->len; i++) {
        const Pair *pair = &g_array_index(x->pairs, Pair, i);
        add_path(x, pair->first + pair->chosen, 1, load);
    }
    gboolean moved = TRUE;
    for (guint round = 0; moved && round < 1000; round++) {
        moved = FALSE;
        for (guint i = 0; i < x->pairs->len; i++)
            moved |= improve_pair(x, &g_array_index(x->pairs, Pair, i), load);
    }
}

/* Descends from the first paths, then again and again from the best so far with some pairs moved
 * at random, until @bound is reached. */
static double path_assignment_search(const Assignment *x, double bound, double *load)
{
    guint n = x->pairs->len;
    guint64 key = dn_draw_key(0, DN_DRAW_ROUTE, n), draws = 0;
    g_autofree guint32 *kept = g_new0(guint32, n + 1);
    g_autofree double *trial = g_new(double, x->net->n_arcs + 1);
    double best = INFINITY;
    for (guint round = 0; round < ROUNDS && best > bound * (1 + 1e-9); round++) {
        for (guint i = 0; i < n; i++) {
            Pair *pair = &g_array_index(x->pairs, Pair, i);
            guint64 draw = dn_draw(key, draws++);
            pair->chosen = round == 0 || draw % 8 != 0 ? kept[i] : dn_draw_below(draw, pair->n);
        }
        path_assignment_descend(x, trial);
        double found = dn_index_of(x->net, trial).per_link;
        if (found > best * (1 + 1e-9))
            continue;
        best = found;
        memcpy(load, trial, x->net->n_arcs * sizeof *load);
        for (guint i = 0; i < n; i++)
            kept[i] = g_array_index(x->pairs, Pair, i).chosen;
    }
    return best;
}

/* Column of path p: its pair's row, and the rows of its arcs. Column 1 is the index itself. */
static void add_columns(const Assignment *x, glp_prob *lp)
{
    int n_pairs = (int)x->pairs->len, first = glp_add_cols(lp, (int)n_paths(x));
    g_autofree int *rows = g_new(int, x->net->n + 2);
    g_autofree double *values = g_new(double, x->net->n + 2);
    for (guint i = 0; i < x->pairs->len; i++) {
        const Pair *pair = &g_array_index(x->pairs, Pair, i);
        for (guint32 p = pair->first; p < pair->first + pair->n; p++) {
            int k = 1;
            rows[k] = (int)i + 1;
            values[k++] = 1;
            guint32 end = g_array_index(x->path_first, guint32, p + 1);
            for (guint32 j = g_array_index(x->path_first, guint32, p); j < end; j++) {
                rows[k] = n_pairs + 1 + (int)g_array_index(x->arcs, guint32, j);
                values[k++] = 1;
            }
            glp_set_col_bnds(lp, first + (int)p, GLP_LO, 0, 0);
            glp_set_mat_col(lp, first + (int)p, k - 1, rows, values);
        }
    }
}

/* Least index when paths may be split. */
static double path_assignment_relaxation(const Assignment *x)
{
    const DnNet *net = x->net;
    int n_pairs = (int)x->pairs->len, n_arcs = (int)net->n_arcs;
    glp_prob *lp = glp_create_prob();
    glp_add_rows(lp, n_pairs + n_arcs);
    g_autofree int *rows = g_new(int, n_arcs + 1);
    g_autofree double *values = g_new(double, n_arcs + 1);
    for (int i = 1; i <= n_pairs; i++)
        glp_set_row_bnds(lp, i, GLP_FX, 1, 1);
    for (int a = 0; a < n_arcs; a++) {
        glp_set_row_bnds(lp, n_pairs + 1 + a, GLP_UP, 0, 0);
        rows[a + 1] = n_pairs + 1 + a;
        values[a + 1] = -net->width[a];
    }
    glp_add_cols(lp, 1);
    glp_set_col_bnds(lp, 1, GLP_LO, 0, 0);
    glp_set_obj_coef(lp, 1, 1);
    glp_set_mat_col(lp, 1, n_arcs, rows, values);
    add_columns(x, lp);
    glp_smcp control;
    glp_init_smcp(&control);
    control.msg_lev = GLP_MSG_OFF;
    control.presolve = GLP_ON;
    gboolean solved = glp_simplex(lp, &control) == 0 && glp_get_status(lp) == GLP_OPT;
    double value = solved ? glp_get_obj_val(lp) : 0;
    glp_delete_prob(lp);
    return value;
}

/* The least k / w, k whole and w a width in the net, that is >= @value. */
static double round_up(const DnNet *net, double value)
{
    double least = INFINITY;
    for (guint32 a = 0; a < net->n_arcs; a++)
        least = fmin(least, ceil(value * net->width[a] - 1e-6) / net->width[a]);
    return least;
}

gboolean dn_route_best(const DnNet *net, const double *demand, guint max_paths, double *load,
                       DnBestPaths *best)
{
    const guint32 zero = 0;
    Assignment x = {.net = net,
                    .pairs = g_array_new(FALSE, FALSE, sizeof(Pair)),
                    .path_first = g_array_new(FALSE, FALSE, sizeof(guint32)),
                    .arcs = g_array_new(FALSE, FALSE, sizeof(guint32)),
                    .max_paths = max_paths,
                    .distance = g_new(guint32, net->n + 1),
                    .order = g_new(guint32, net->n + 1),
                    .walk = g_new(guint32, net->n + 1)};
    g_array_append_val(x.path_first, zero);
    gboolean listed = list_paths(&x, demand);
    if (listed) {
        best->bound = round_up(net, path_assignment_relaxation(&x));
        best->per_link = path_assignment_search(&x, best->bound, load);
    }
    g_array_unref(x.pairs);
    g_array_unref(x.path_first);
    g_array_unref(x.arcs);
    g_free(x.distance);
    g_free(x.order);
    g_free(x.walk);
    return listed;
}
