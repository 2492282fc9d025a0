/* reduce_scatter_linear.c - binomial reduce of the whole buffer to rank 0, which sends each its
 * piece. */
#include "workload/collective.h"

static gboolean round_(const DnCollCall *call, guint32 me, guint32 stream, guint64 k, DnRound *r)
{
    DnTree tree;
    dn_tree_binomial(call->n, 0, me, &tree);
    if (k < 2)
        return dn_tree_up(&tree, dn_whole(call), 0, 0, k, 0, DN_ANY, r);
    if (me > 0) {
        dn_round_recv(r, 0, 1, 0, dn_share(call, me));
        dn_round_wait(r, DN_ANY);
        return k == 2;
    }
    k -= 1;
    if (k < call->n)
        dn_round_send(r, (guint32)k, 1, 0, dn_share(call, k));
    else
        dn_round_wait(r, DN_ANY);
    return k <= call->n;
}

const DnCollAlgorithm dn_coll_reduce_scatter_linear = {
    .kind = DN_COLL_REDUCE_SCATTER,
    .name = "linear",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_reduce_scatter.c, intra_nonoverlapping",
    .round = round_,
};
