/* bcast_binary_tree.c - broadcast down a binary tree, in pieces of `segment`. */
#include "workload/collective.h"

static gboolean binary_tree_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                                  DnRound *r)
{
    DnTree tree;
    if (call->style == DN_STYLE_OMPI)
        dn_tree_levels(call->n, call->root, 2, me, &tree);
    else
        dn_tree_kary(call->n, call->root, 2, me, &tree);
    return dn_tree_down(&tree, dn_whole(call), call->segment, k, 0, DN_ANY, r);
}

const DnCollAlgorithm dn_coll_bcast_binary_tree = {
    .kind = DN_COLL_BCAST,
    .name = "binary_tree",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_bcast.c",
    .round = binary_tree_round,
};
