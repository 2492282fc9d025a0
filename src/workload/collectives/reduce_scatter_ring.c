/* reduce_scatter_ring.c - n - 1 steps: combine what came from the rank before and pass it on. */
#include "workload/collective.h"

static gboolean ring_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                           DnRound *r)
{
    guint64 n = call->n;
    if (k >= n - 1)
        return FALSE;
    DnSpan in = dn_share(call, (me + 2 * n - k - 2) % n);
    DnSpan here = dn_scratch(0, in.bytes);
    dn_round_exchange(r, (guint32)((me + 1) % n), dn_share(call, (me + 2 * n - k - 1) % n),
                      (guint32)((me + n - 1) % n), here, (guint32)k);
    dn_round_reduce(r, in, here);
    return TRUE;
}

const DnCollAlgorithm dn_coll_reduce_scatter_ring = {
    .kind = DN_COLL_REDUCE_SCATTER,
    .name = "ring",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_reduce_scatter.c, intra_ring",
    .round = ring_round,
    .copy_first = DN_COLL_COPY_BUFFER,
    .copy_last = DN_COLL_COPY_SHARE,
};
