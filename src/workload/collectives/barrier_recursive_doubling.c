/* barrier_recursive_doubling.c - pairs at distances 1, 2, 4, ... exchange; other numbers of ranks
 * fold. */
#include "workload/collective.h"

static gboolean round_(const DnCollCall *call, guint32 me, guint32 stream, guint64 k, DnRound *r)
{
    DnFold f = dn_fold(call->n, me);
    DnSpan none = dn_scratch(0, 0);
    if (k > f.log + 1)
        return FALSE;
    if (k == 0) {
        dn_fold_round(&f, me, none, r);
    } else if (k == f.log + 1) {
        dn_unfold_round(&f, me, none, r);
    } else if (!f.rests) {
        guint32 peer = dn_unfold(&f, f.me ^ 1u << (k - 1));
        dn_round_exchange(r, peer, none, peer, none, (guint32)k);
    }
    return TRUE;
}

const DnCollAlgorithm dn_coll_barrier_recursive_doubling = {
    .kind = DN_COLL_BARRIER,
    .name = "recursive_doubling",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_barrier.c, intra_recursivedoubling",
    .round = round_,
};
