/* reduce_scatter_pairwise.c - exchange k sends to rank + k its piece and combines own piece from
 * rank - k. */
#include "workload/collective.h"

static gboolean pairwise_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                               DnRound *r)
{
    guint64 n = call->n;
    if (++k >= n)
        return FALSE;
    DnSpan own = dn_share(call, me), here = dn_scratch(0, own.bytes);
    guint32 to = (guint32)((me + k) % n), from = (guint32)((me + n - k) % n);
    dn_round_exchange(r, to, dn_share(call, to), from, here, (guint32)k);
    dn_round_reduce(r, own, here);
    return TRUE;
}

const DnCollAlgorithm dn_coll_reduce_scatter_pairwise = {
    .kind = DN_COLL_REDUCE_SCATTER,
    .name = "pairwise",
    .source = "Thakur, Rabenseifner, Gropp, Optimization of Collective Communication Operations in "
              "MPICH, IJHPCA 19(1), 2005, 4.3",
    .round = pairwise_round,
    .copy_first = DN_COLL_COPY_SHARE,
};
