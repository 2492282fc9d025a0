/* alltoall_xor.c - exchange k (1 .. n-1) is with rank me ^ k: every round is one of pairs. */
#include "workload/collective.h"

static const char *xor_needs(const DnCollCall *call)
{
    return dn_is_power_of_two(call->n) ? NULL : "a power of two of ranks";
}

static gboolean xor_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k, DnRound *r)
{
    if (k >= call->n)
        return FALSE;
    guint32 peer = me ^ (guint32)k;
    if (k == 0)
        dn_round_copy_own(r, me);
    else
        dn_round_exchange(r, peer, dn_block_to(call, me, peer), peer, dn_block_from(call, me, peer),
                          (guint32)k);
    return TRUE;
}

const DnCollAlgorithm dn_coll_alltoall_xor = {
    .kind = DN_COLL_ALLTOALL,
    .name = "xor",
    .source = "MPICH, src/mpi/coll/alltoall/alltoall_intra_pairwise.c, for a power of two of ranks",
    .needs = xor_needs,
    .round = xor_round,
    .otherwise = "pairwise",
};
