/* allreduce_recursive_doubling.c - log2 n exchanges of the whole buffer with ranks 1, 2, 4, ...
 * away.
 *
 * Other numbers of ranks fold first. Latency-optimal: for short buffers. */
#include "workload/collective.h"

static gboolean recursive_doubling_round(const DnCollCall *call, guint32 me, guint32 stream,
                                         guint64 k, DnRound *r)
{
    DnFold f = dn_fold(call->n, me);
    DnSpan all = dn_whole(call), in = dn_scratch(0, call->bytes);
    if (k > f.log + 1)
        return FALSE;
    if (k == 0) {
        dn_fold_round(&f, me, all, r);
    } else if (k == f.log + 1) {
        dn_unfold_round(&f, me, all, r);
    } else if (!f.rests) {
        guint32 peer = dn_unfold(&f, f.me ^ 1u << (k - 1));
        dn_round_exchange(r, peer, all, peer, in, (guint32)k);
        dn_round_reduce(r, all, in);
    }
    return TRUE;
}

const DnCollAlgorithm dn_coll_allreduce_recursive_doubling = {
    .kind = DN_COLL_ALLREDUCE,
    .name = "recursive_doubling",
    .source = "Thakur, Rabenseifner, Gropp, Optimization of Collective Communication Operations in "
              "MPICH, IJHPCA 19(1), 2005, 4.5",
    .round = recursive_doubling_round,
    .copy_first = DN_COLL_COPY_BUFFER,
    .ordered = TRUE,
};
