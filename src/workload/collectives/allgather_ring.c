/* allgather_ring.c - n - 1 steps: pass on to the next rank what came from the one before. */
#include "workload/collective.h"

static gboolean ring_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                           DnRound *r)
{
    guint64 n = call->n;
    if (k >= n - 1)
        return FALSE;
    dn_round_exchange(r, (guint32)((me + 1) % n),
                      dn_blocks(call, DN_AREA_DATA, (me + n - k) % n, 1),
                      (guint32)((me + n - 1) % n),
                      dn_blocks(call, DN_AREA_DATA, (me + 2 * n - k - 1) % n, 1), (guint32)k);
    return TRUE;
}

const DnCollAlgorithm dn_coll_allgather_ring = {
    .kind = DN_COLL_ALLGATHER,
    .name = "ring",
    .source = "Thakur, Rabenseifner, Gropp, Optimization of Collective Communication Operations in "
              "MPICH, IJHPCA 19(1), 2005, 3.1",
    .round = ring_round,
    .copy_first = DN_COLL_COPY_BLOCK,
};
