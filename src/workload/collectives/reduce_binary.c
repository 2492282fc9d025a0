/* reduce_binary.c - reduction up a binary tree, in pieces of `segment`. */
#include "workload/collective.h"

static gboolean binary_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                             DnRound *r)
{
    DnTree tree;
    if (call->style == DN_STYLE_OMPI)
        dn_tree_levels(call->n, call->root, 2, me, &tree);
    else
        dn_tree_kary(call->n, call->root, 2, me, &tree);
    return dn_tree_up(&tree, dn_whole(call), call->segment, 0, k, 0, DN_ANY, r);
}

const DnCollAlgorithm dn_coll_reduce_binary = {
    .kind = DN_COLL_REDUCE,
    .name = "binary",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_reduce.c",
    .round = binary_round,
};
