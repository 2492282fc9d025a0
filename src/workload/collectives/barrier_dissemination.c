/* barrier_dissemination.c - step k: a message to rank + 2^k, one from rank - 2^k. */
#include "workload/collective.h"

static gboolean dissemination_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                                    DnRound *r)
{
    guint64 n = call->n;
    if (k >= dn_log2_ceil(call->n))
        return FALSE;
    dn_round_exchange(r, (guint32)((me + ((guint64)1 << k)) % n), dn_scratch(0, 0),
                      (guint32)((me + n - ((guint64)1 << k)) % n), dn_scratch(0, 0), (guint32)k);
    return TRUE;
}

const DnCollAlgorithm dn_coll_barrier_dissemination = {
    .kind = DN_COLL_BARRIER,
    .name = "dissemination",
    .source = "Hensgen, Finkel, Manber, Two algorithms for barrier synchronization, Int. J. "
              "Parallel Programming 17(1), 1988",
    .round = dissemination_round,
};
