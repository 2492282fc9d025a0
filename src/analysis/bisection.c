/* bisection.c - see bisection.h. */
#include "analysis/bisection.h"

#include <math.h>
#include <metis.h>
#include <string.h>

#define MOST_TRIED 20 /* 2^19 halvings */

static double cut_of(const DnNet *net, const guint8 *side)
{
    double cut = 0;
    for (guint32 a = 0; a < net->n_arcs; a++)
        if (side[net->from[a]] == 0 && side[net->to[a]] == 1)
            cut += net->capacity_bps[a];
    return cut;
}

static void try_all(const DnNet *net, const double *weight, double total, DnBisection *out)
{
    g_autofree guint8 *side = g_new0(guint8, net->n);
    double least_off = INFINITY;
    out->cut_bps = INFINITY;
    for (guint32 mask = 0; mask < 1u << (net->n - 1); mask++) {
        double one = 0;
        for (guint32 v = 0; v < net->n; v++) {
            side[v] = v > 0 && (mask >> (v - 1) & 1);
            one += side[v] ? weight[v] : 0;
        }
        double off = fabs(2 * one - total), cut = cut_of(net, side);
        if (off > least_off || (off == least_off && cut >= out->cut_bps))
            continue;
        least_off = off;
        out->cut_bps = cut;
        out->parts[0] = total - one;
        out->parts[1] = one;
    }
    out->exact = TRUE;
}

/* METIS wants whole numbers: capacities in 1/1000 of the largest. */
static void run_metis(const DnNet *net, const double *weight, double total, DnBisection *out)
{
    idx_t n = (idx_t)net->n, constraints = 1, parts = 2, cut, options[METIS_NOPTIONS];
    g_autofree idx_t *first = g_new(idx_t, net->n + 1);
    g_autofree idx_t *to = g_new(idx_t, net->n_arcs + 1);
    g_autofree idx_t *arc_weight = g_new(idx_t, net->n_arcs + 1);
    g_autofree idx_t *vertex_weight = g_new(idx_t, net->n);
    g_autofree idx_t *part = g_new0(idx_t, net->n);
    g_autofree guint8 *side = g_new(guint8, net->n);
    double largest = 0;
    for (guint32 a = 0; a < net->n_arcs; a++)
        largest = fmax(largest, net->capacity_bps[a]);
    for (guint32 v = 0; v <= net->n; v++)
        first[v] = (idx_t)net->first[v];
    for (guint32 a = 0; a < net->n_arcs; a++) {
        to[a] = (idx_t)net->to[a];
        arc_weight[a] = (idx_t)fmax(1, round(1000 * net->capacity_bps[a] / largest));
    }
    for (guint32 v = 0; v < net->n; v++)
        vertex_weight[v] = (idx_t)weight[v];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    options[METIS_OPTION_NCUTS] = 4;
    options[METIS_OPTION_UFACTOR] = 1; /* at most 0.1 % uneven */
    int status = METIS_PartGraphRecursive(&n, &constraints, first, to, vertex_weight, NULL,
                                          arc_weight, &parts, NULL, NULL, options, &cut, part);
    g_assert(status == METIS_OK);
    for (guint32 v = 0; v < net->n; v++) {
        side[v] = part[v] != 0;
        out->parts[1] += side[v] ? weight[v] : 0;
    }
    out->parts[0] = total - out->parts[1];
    out->cut_bps = cut_of(net, side);
}

gboolean dn_bisect(const DnNet *net, const double *weight, DnBisection *out)
{
    guint32 weighted = 0;
    double total = 0;
    *out = (DnBisection){.formula_bps = NAN};
    for (guint32 v = 0; v < net->n; v++) {
        weighted += weight[v] > 0;
        total += weight[v];
    }
    if (weighted < 2)
        return FALSE;
    if (net->n <= MOST_TRIED)
        try_all(net, weight, total, out);
    else
        run_metis(net, weight, total, out);
    return TRUE;
}

/* ---- closed forms, for whole fabrics with endpoints spread evenly ---- */

static double class_bps(const DnMachine *m, const char *name)
{
    for (guint32 c = 0; c < m->graph->n_classes; c++)
        if (strcmp(m->graph->classes[c].name, name) == 0)
            return (double)m->graph->classes[c].bandwidth_bps;
    return NAN;
}

/* Dally, IEEE Trans. Computers 39(6), 1990: across the longest even dimension, 2 N / k links with
 * wrap, N / k without. */
static void torus_formula(const DnMachine *m, DnBisection *out)
{
    guint n, n_wrap = 0;
    const gint64 *dims = dn_params_list(m->params, "dims", &n);
    const gint64 *wrap =
        dn_params_has(m->params, "wrap") ? dn_params_list(m->params, "wrap", &n_wrap) : NULL;
    double switches = m->graph->size.switches, least = INFINITY;
    for (guint d = 0; d < n; d++) {
        gboolean wraps = dims[d] > 2 && (n_wrap == 0 || wrap[d] != 0);
        if (dims[d] % 2 == 0)
            least = fmin(least, switches / (double)dims[d] * (wraps ? 2 : 1));
    }
    if (isinf(least))
        return;
    double links = least * (double)dn_params_int(m->params, "parallel_links");
    out->formula_bps = links * class_bps(m, "link");
    g_snprintf(out->formula, sizeof out->formula,
               "torus: %g links across the middle of a dimension (Dally 1990)", links);
}

/* Half of the groups against the other half: (g / 2)^2 pairs of groups, each with its links. */
static void groups_formula(const DnMachine *m, DnBisection *out)
{
    double groups = m->graph->size.groups, links = 0;
    if (m->graph->size.groups % 2 != 0)
        return;
    for (guint32 l = 0; l < m->graph->size.links; l++) {
        const DnLink *k = &m->graph->links[l];
        if (MAX(k->src, k->dst) < m->graph->size.switches &&
            m->graph->vertices[k->src].group != m->graph->vertices[k->dst].group)
            links += k->width;
    }
    double per_pair = links / (groups * (groups - 1));
    out->formula_bps = groups * groups / 4 * per_pair * class_bps(m, "global");
    g_snprintf(out->formula, sizeof out->formula,
               "halves of whole groups: (%g/2)^2 pairs of groups, %g links each", groups, per_pair);
}

static void mesh_formula(const DnMachine *m, DnBisection *out)
{
    double n = m->graph->size.switches;
    if (m->graph->size.switches % 2 != 0)
        return;
    double links = 0;
    for (guint32 l = 0; l < m->graph->size.links; l++)
        if (MAX(m->graph->links[l].src, m->graph->links[l].dst) < m->graph->size.switches)
            links += m->graph->links[l].width;
    links *= n * n / 4 / (n * (n - 1));
    out->formula_bps = links * class_bps(m, "link");
    g_snprintf(out->formula, sizeof out->formula, "complete graph: (n/2)^2 pairs, %g links", links);
}

gboolean dn_bisect_fabric(const DnMachine *m, DnBisection *out)
{
    g_autoptr(DnNet) net = dn_net_fabric(m->graph);
    *out = (DnBisection){.formula_bps = NAN};
    if (net == NULL)
        return FALSE;
    g_autofree double *weight = g_new0(double, net->n);
    guint32 planes = MAX(1, m->graph->size.planes);
    for (guint32 e = 0; e < m->graph->size.endpoints; e++) {
        guint32 at = m->graph->terminal_switch[m->graph->endpoint_terminal[e]];
        weight[at] += at % planes == 0; /* nodes are halved, not planes: one stands for all */
    }
    if (!dn_bisect(net, weight, out))
        return FALSE;
    out->cut_bps *= planes;
    out->parts[0] *= planes;
    out->parts[1] *= planes;
    if (m->graph->size.nodes < m->whole_nodes || m->type == NULL || m->failed_cables > 0)
        return TRUE; /* a part of a machine: no closed form */
    if (m->type->shape == DN_SHAPE_TORUS)
        torus_formula(m, out);
    else if (m->type->shape == DN_SHAPE_GROUPS && m->graph->size.groups > 1)
        groups_formula(m, out);
    else if (m->type->shape == DN_SHAPE_COMPLETE)
        mesh_formula(m, out);
    return TRUE;
}
