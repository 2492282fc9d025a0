/* alltoall_spread.c - all at once as linear, but each rank starts with the one after it. */
#include "workload/collective.h"

static gboolean spread_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                             DnRound *r)
{
    return dn_round_all_at_once(r, me, k, TRUE);
}

const DnCollAlgorithm dn_coll_alltoall_spread = {
    .kind = DN_COLL_ALLTOALL,
    .name = "spread",
    .limits = "no window on outstanding requests",
    .source = "Thakur, Rabenseifner, Gropp, Optimization of Collective Communication Operations in "
              "MPICH, IJHPCA 19(1), 2005, 3.2",
    .round = spread_round,
};
