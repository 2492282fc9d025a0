/* rings.c - packing directed Hamiltonian rings (rings.h).
 *
 * Every ring through vertex 0 is listed by backtracking; which of them to take, and how often, is
 * an integer program with a row for each arc. Its linear relaxation bounds every packing. */
#include "analysis/rings.h"

#include <glpk.h>
#include <math.h>
#include <string.h>

typedef struct {
    const DnNet *net;
    guint32 n, max_rings;
    GArray *arcs;    /* guint32: n arcs a ring */
    guint32 *walk;   /* [n] arcs so far */
    guint8 *visited; /* [n] */
    gint64 until;    /* g_get_monotonic_time() */
    gboolean all;    /* nothing was cut off */
} Listing;

/* Extends the walk that has taken @depth arcs and stands at @u; FALSE: enough. */
static gboolean rings_extend(Listing *x, guint32 u, guint32 depth)
{
    for (guint32 a = x->net->first[u]; a < x->net->first[u + 1]; a++) {
        guint32 v = x->net->to[a];
        x->walk[depth] = a;
        if (depth + 1 == x->n && v == 0) {
            if (x->arcs->len / x->n == x->max_rings || g_get_monotonic_time() > x->until) {
                x->all = FALSE;
                return FALSE;
            }
            g_array_append_vals(x->arcs, x->walk, x->n);
        }
        if (x->visited[v])
            continue;
        x->visited[v] = 1;
        gboolean more = rings_extend(x, v, depth + 1);
        x->visited[v] = 0;
        if (!more)
            return FALSE;
    }
    return TRUE;
}

static glp_prob *program_new(const Listing *x)
{
    guint32 rings = x->arcs->len / x->n;
    glp_prob *lp = glp_create_prob();
    g_autofree int *rows = g_new(int, x->n + 1);
    g_autofree double *ones = g_new(double, x->n + 1);
    glp_set_obj_dir(lp, GLP_MAX);
    glp_add_rows(lp, (int)x->net->n_arcs);
    for (guint32 a = 0; a < x->net->n_arcs; a++)
        glp_set_row_bnds(lp, (int)a + 1, GLP_UP, 0, x->net->width[a]);
    glp_add_cols(lp, (int)rings);
    for (guint32 r = 0; r < rings; r++) {
        for (guint32 i = 0; i < x->n; i++) {
            rows[i + 1] = (int)g_array_index(x->arcs, guint32, r * x->n + i) + 1;
            ones[i + 1] = 1;
        }
        glp_set_mat_col(lp, (int)r + 1, (int)x->n, rows, ones);
        glp_set_obj_coef(lp, (int)r + 1, 1);
        glp_set_col_bnds(lp, (int)r + 1, GLP_LO, 0, 0);
        glp_set_col_kind(lp, (int)r + 1, GLP_IV);
    }
    return lp;
}

/* Returns how often each ring is taken; @relaxed: the value of the linear relaxation. */
static int *rings_solve(const Listing *x, double seconds, double *relaxed)
{
    guint32 rings = x->arcs->len / x->n;
    glp_prob *lp = program_new(x);
    glp_smcp simplex;
    glp_iocp integer;
    int *times = g_new0(int, rings + 1);
    glp_init_smcp(&simplex);
    simplex.msg_lev = GLP_MSG_OFF;
    simplex.tm_lim = (int)(seconds * 1000) + 1;
    glp_init_iocp(&integer);
    integer.msg_lev = GLP_MSG_OFF;
    integer.tm_lim = (int)(seconds * 1000) + 1;
    *relaxed = INFINITY;
    if (glp_simplex(lp, &simplex) == 0 && glp_get_status(lp) == GLP_OPT) {
        *relaxed = glp_get_obj_val(lp);
        glp_intopt(lp, &integer);
        int status = glp_mip_status(lp);
        for (guint32 r = 0; r < rings && (status == GLP_OPT || status == GLP_FEAS); r++)
            times[r] = (int)lround(glp_mip_col_val(lp, (int)r + 1));
        if (status == GLP_OPT)
            *relaxed = glp_mip_obj_val(lp);
    }
    glp_delete_prob(lp);
    return times;
}

/* Rings one after another as long as they fit: what remains when the program ran out of time. */
static void take_greedily(const Listing *x, int *times, guint32 rings)
{
    g_autofree double *left = g_memdup2(x->net->width, x->net->n_arcs * sizeof *left);
    for (guint32 r = 0; r < rings; r++)
        for (gboolean fits = TRUE; fits;) {
            for (guint32 i = 0; i < x->n && fits; i++)
                fits = left[g_array_index(x->arcs, guint32, r * x->n + i)] >= 1;
            for (guint32 i = 0; i < x->n && fits; i++)
                left[g_array_index(x->arcs, guint32, r * x->n + i)] -= 1;
            times[r] += fits;
        }
}

static void rings_take(const Listing *x, const int *times, DnRings *out)
{
    guint32 rings = x->arcs->len / x->n, k = 0;
    for (guint32 r = 0; r < rings; r++)
        out->count += (guint32)times[r];
    out->rings = g_new(guint32, (gsize)out->count * x->n + 1);
    for (guint32 r = 0; r < rings; r++)
        for (int copy = 0; copy < times[r]; copy++)
            for (guint32 i = 0; i < x->n; i++) {
                guint32 a = g_array_index(x->arcs, guint32, r * x->n + i);
                out->rings[k++] = x->net->from[a];
                out->least_bps = MIN(out->least_bps, x->net->capacity_bps[a] / x->net->width[a]);
            }
}

/* A ring leaves every vertex once. */
static guint32 least_degree(const DnNet *net)
{
    double least = INFINITY;
    for (guint32 v = 0; v < net->n; v++) {
        double degree = 0;
        for (guint32 a = net->first[v]; a < net->first[v + 1]; a++)
            degree += net->width[a];
        least = MIN(least, degree);
    }
    return (guint32)least;
}

DnRings *dn_rings_pack(const DnNet *net, const DnGraph *graph, guint32 max_rings, double seconds)
{
    guint32 endpoints;
    g_autofree guint8 *is G_GNUC_UNUSED = dn_net_endpoints(net, graph, &endpoints);
    if (endpoints != net->n || net->n < 2)
        return NULL;
    Listing x = {.net = net,
                 .n = net->n,
                 .max_rings = max_rings,
                 .arcs = g_array_new(FALSE, FALSE, sizeof(guint32)),
                 .walk = g_new(guint32, net->n + 1),
                 .visited = g_new0(guint8, net->n),
                 .until = g_get_monotonic_time() + (gint64)(seconds * 1e6),
                 .all = TRUE};
    x.visited[0] = 1;
    rings_extend(&x, 0, 0);
    double relaxed = 0;
    guint32 rings = x.arcs->len / x.n, taken = 0;
    g_autofree int *times = rings > 0 ? rings_solve(&x, seconds, &relaxed) : g_new0(int, 1);
    for (guint32 r = 0; r < rings; r++)
        taken += (guint32)times[r];
    if (taken == 0)
        take_greedily(&x, times, rings);
    DnRings *out = g_new0(DnRings, 1);
    *out = (DnRings){.n = x.n, .least_bps = INFINITY, .complete = x.all};
    rings_take(&x, times, out);
    double most = least_degree(net);
    out->most = (guint32)(x.all ? MIN(floor(relaxed + 1e-6), most) : most);
    g_array_unref(x.arcs);
    g_free(x.walk);
    g_free(x.visited);
    return out;
}

void dn_rings_free(DnRings *rings)
{
    if (rings == NULL)
        return;
    g_free(rings->rings);
    g_free(rings);
}
