/* allreduce_nonoverlapping.c - reduce to rank 0, then broadcast from it.
 *
 * Binomial trees, both in pieces of `segment`, if given; Open MPI's are those that it chooses for
 * this size. */
#include "workload/select.h"

static void nonoverlapping_part(const DnCollCall *call, DnCollKind kind, DnCollCall *out)
{
    DnSelection selection;
    *out = *call;
    out->root = 0;
    dn_select_ompi(out, kind, &selection);
    dn_selection_apply(&selection, kind, FALSE, out);
}

static gboolean as_chosen(const DnCollCall *call, guint32 me, guint64 k, DnRound *r)
{
    DnCollCall reduce, bcast;
    nonoverlapping_part(call, DN_COLL_REDUCE, &reduce);
    guint64 first = dn_coll_rounds(&reduce, me);
    if (k < first)
        return reduce.algorithm->round(&reduce, me, 0, k, r);
    nonoverlapping_part(call, DN_COLL_BCAST, &bcast);
    r->tag = 3000000;
    return bcast.algorithm->round(&bcast, me, 0, k - first, r);
}

static gboolean nonoverlapping_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                                     DnRound *r)
{
    DnTree tree;
    if (call->style == DN_STYLE_OMPI)
        return as_chosen(call, me, k, r);
    dn_tree_binomial(call->n, 0, me, &tree);
    return dn_tree_up_down(&tree, dn_whole(call), call->segment, 0, k, r);
}

const DnCollAlgorithm dn_coll_allreduce_nonoverlapping = {
    .kind = DN_COLL_ALLREDUCE,
    .name = "nonoverlapping",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_allreduce.c, intra_nonoverlapping",
    .round = nonoverlapping_round,
    .ordered = TRUE,
};
