/* alltoall_pairwise.c - exchange k (1 .. n-1) sends to rank + k and receives from rank - k, and
 * waits. */
#include "workload/collective.h"

static gboolean pairwise_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                               DnRound *r)
{
    guint64 n = call->n;
    if (k >= n)
        return FALSE;
    if (k == 0) {
        dn_round_copy_own(r, me);
        return TRUE;
    }
    guint32 from = (guint32)((me + n - k) % n), to = (guint32)((me + k) % n);
    dn_round_exchange(r, to, dn_block_to(call, me, to), from, dn_block_from(call, me, from),
                      (guint32)k);
    return TRUE;
}

const DnCollAlgorithm dn_coll_alltoall_pairwise = {
    .kind = DN_COLL_ALLTOALL,
    .name = "pairwise",
    .source = "Thakur, Rabenseifner, Gropp, Optimization of Collective Communication Operations in "
              "MPICH, IJHPCA 19(1), 2005, 3.3",
    .round = pairwise_round,
};
