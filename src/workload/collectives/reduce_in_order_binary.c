/* reduce_in_order_binary.c - reduction up the in-order binary tree, whose root is the last rank;
 * that one then sends the result to the root.
 *
 * Keeps the order of operands. */
#include "workload/collective.h"

static gboolean in_order_binary_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                                      DnRound *r)
{
    DnTree tree;
    dn_tree_in_order(call->n, me, &tree);
    return dn_tree_up_to_root(call, &tree, me, call->n - 1, k, r);
}

const DnCollAlgorithm dn_coll_reduce_in_order_binary = {
    .kind = DN_COLL_REDUCE,
    .name = "in_order_binary",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_reduce.c, intra_in_order_binary; "
              "coll_base_topo.c, build_in_order_bintree",
    .round = in_order_binary_round,
    .ordered = TRUE,
};
