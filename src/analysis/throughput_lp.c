/* throughput_lp.c - maximum concurrent flow as a linear program (throughput.h).
 *
 * Columns: r, and the flow f[s][a] of all demand from source s over arc a; none for arcs out of a
 * vertex that forwards nothing, but for its own. Rows: for each source and other vertex v, what
 * flows in less what flows out is r * demand[s][v]; for each arc, the sum of flows is at most its
 * capacity. Scaled so that the largest capacity and the largest demand are 1. */
#include "analysis/throughput.h"

#include <glpk.h>

typedef struct {
    const DnNet *net;
    const double *demand;
    guint32 *sources, n_sources;
    double scale;  /* bit/s of 1 */
    double amount; /* demand of 1 */
} Program;

static void find_sources(Program *x)
{
    guint32 n = x->net->n;
    x->sources = g_new(guint32, n + 1);
    for (guint32 s = 0; s < n; s++) {
        double out = 0;
        for (guint32 t = 0; t < n; t++)
            if (t != s) {
                out += x->demand[(gsize)s * n + t];
                x->amount = MAX(x->amount, x->demand[(gsize)s * n + t]);
            }
        if (out > 0)
            x->sources[x->n_sources++] = s;
    }
    for (guint32 a = 0; a < x->net->n_arcs; a++)
        x->scale = MAX(x->scale, x->net->capacity_bps[a]);
}

/* Row of conservation at @v for the @i-th source; rows of arcs come first. */
static int balance_row(const Program *x, guint32 i, guint32 v)
{
    return (int)(x->net->n_arcs + i * x->net->n + v) + 1;
}

static void add_rows(const Program *x, glp_prob *lp)
{
    const DnNet *net = x->net;
    glp_add_rows(lp, (int)(net->n_arcs + x->n_sources * net->n));
    for (guint32 a = 0; a < net->n_arcs; a++)
        glp_set_row_bnds(lp, (int)a + 1, GLP_UP, 0, net->capacity_bps[a] / x->scale);
    for (guint32 i = 0; i < x->n_sources; i++)
        for (guint32 v = 0; v < net->n; v++) /* the source's own row follows from the others */
            glp_set_row_bnds(lp, balance_row(x, i, v), v == x->sources[i] ? GLP_FR : GLP_FX, 0, 0);
}

static void add_rate_column(const Program *x, glp_prob *lp)
{
    guint32 n = x->net->n;
    g_autofree int *rows = g_new(int, (gsize)x->n_sources *n + 1);
    g_autofree double *values = g_new(double, (gsize)x->n_sources *n + 1);
    int k = 0;
    for (guint32 i = 0; i < x->n_sources; i++)
        for (guint32 v = 0; v < n; v++) {
            double d = x->demand[(gsize)x->sources[i] * n + v];
            if (v == x->sources[i] || d <= 0)
                continue;
            rows[++k] = balance_row(x, i, v);
            values[k] = -d / x->amount;
        }
    glp_add_cols(lp, 1);
    glp_set_col_bnds(lp, 1, GLP_LO, 0, 0);
    glp_set_obj_coef(lp, 1, 1);
    glp_set_mat_col(lp, 1, k, rows, values);
}

static void add_flow_columns(const Program *x, glp_prob *lp)
{
    for (guint32 i = 0; i < x->n_sources; i++)
        for (guint32 a = 0; a < x->net->n_arcs; a++) {
            guint32 u = x->net->from[a], v = x->net->to[a];
            if (v == x->sources[i] || (u != x->sources[i] && !x->net->transit[u]))
                continue;
            int rows[] = {0, (int)a + 1, balance_row(x, i, v), balance_row(x, i, u)};
            double values[] = {0, 1, 1, -1};
            int c = glp_add_cols(lp, 1);
            glp_set_col_bnds(lp, c, GLP_LO, 0, 0);
            glp_set_mat_col(lp, c, 3, rows, values);
        }
}

gboolean dn_throughput_exact(const DnNet *net, const double *demand, guint max_columns,
                             DnThroughput *out)
{
    Program x = {.net = net, .demand = demand};
    find_sources(&x);
    if ((guint64)x.n_sources * net->n_arcs > max_columns || x.n_sources == 0) {
        g_free(x.sources);
        return FALSE;
    }
    glp_prob *lp = glp_create_prob();
    glp_smcp control;
    glp_set_obj_dir(lp, GLP_MAX);
    add_rows(&x, lp);
    add_rate_column(&x, lp);
    add_flow_columns(&x, lp);
    glp_init_smcp(&control);
    control.msg_lev = GLP_MSG_OFF;
    control.presolve = GLP_ON;
    gboolean solved = glp_simplex(lp, &control) == 0 && glp_get_status(lp) == GLP_OPT;
    if (solved) {
        double rate = glp_get_obj_val(lp) * x.scale / x.amount;
        *out = (DnThroughput){rate, rate, TRUE, 0};
    }
    glp_delete_prob(lp);
    g_free(x.sources);
    return solved;
}
