/* bcast_binomial.c - broadcast down a binomial tree, in pieces of `segment` if given. */
#include "workload/collective.h"

/* Open MPI's (coll_base_topo.c, build_bmtree): the highest bit cleared is the parent, the nearest
 * child comes first. */
static void high_tree(const DnCollCall *call, guint32 me, DnTree *tree)
{
    guint32 n = call->n, v = (me + n - call->root) % n;
    guint32 above = v > 0 ? v - (1u << dn_log2_floor(v)) : 0;
    *tree = (DnTree){.parent = v == 0 ? DN_ANY : (above + call->root) % n};
    for (guint64 far = v == 0 ? 1 : (guint64)2 << dn_log2_floor(v); v + far < n; far *= 2)
        tree->child[tree->n_children++] = (guint32)((v + far + call->root) % n);
}

static gboolean binomial_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                               DnRound *r)
{
    DnTree tree;
    if (call->style == DN_STYLE_OMPI)
        high_tree(call, me, &tree);
    else
        dn_tree_binomial(call->n, call->root, me, &tree);
    return dn_tree_down(&tree, dn_whole(call), call->segment, k, 0, DN_ANY, r);
}

const DnCollAlgorithm dn_coll_bcast_binomial = {
    .kind = DN_COLL_BCAST,
    .name = "binomial",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_bcast.c, intra_binomial",
    .round = binomial_round,
};
