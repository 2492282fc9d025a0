/* reduce_binomial.c - reduction up a binomial tree, in pieces of `segment` if given.
 *
 * Of an operation that does not commute the tree's root is rank 0, which sends the result to the
 * root. */
#include "workload/collective.h"

static gboolean binomial_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                               DnRound *r)
{
    DnTree tree;
    if (call->form & DN_COLL_ORDERED) {
        dn_tree_binomial(call->n, 0, me, &tree);
        tree.blocking = dn_coll_is_mpich(call);
        return dn_tree_up_to_root(call, &tree, me, 0, k, r);
    }
    dn_tree_binomial(call->n, call->root, me, &tree);
    tree.blocking = dn_coll_is_mpich(call);
    return dn_tree_up(&tree, dn_whole(call), call->segment, 0, k, 0, DN_ANY, r);
}

const DnCollAlgorithm dn_coll_reduce_binomial = {
    .kind = DN_COLL_REDUCE,
    .name = "binomial",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_reduce.c, intra_binomial; MPICH, "
              "reduce_intra_binomial.c",
    .round = binomial_round,
    .copy_first = DN_COLL_COPY_MPICH_BUFFER,
    .ordered = TRUE,
};
