/* alltoall_sendrecv_replace.c - MPICH's with MPI_IN_PLACE, of equal and unequal blocks: one
 * exchange after the other, with ranks 0, 1, ..., n - 1, of which each packs what goes. */
#include "workload/collective.h"

static gboolean sendrecv_replace_round(const DnCollCall *call, guint32 me, guint32 stream,
                                       guint64 k, DnRound *r)
{
    guint32 peer = (guint32)k;
    if (k >= call->n)
        return FALSE;
    if (peer == me) {
        dn_round_copy_own(r, me);
        return TRUE;
    }
    DnSpan out = dn_block_to(call, me, peer), packed = dn_scratch(0, out.bytes);
    if (out.bytes > 0)
        dn_round_copy(r, packed, out);
    dn_round_exchange(r, peer, packed, peer, dn_block_from(call, me, peer), 0);
    return TRUE;
}

const DnCollAlgorithm dn_coll_alltoall_sendrecv_replace = {
    .kind = DN_COLL_ALLTOALL,
    .name = "sendrecv_replace",
    .source = "MPICH, src/mpi/coll/alltoall/alltoall_intra_pairwise_sendrecv_replace.c; alltoallv "
              "and alltoallw likewise",
    .limits = "blocks are read from a place of their own",
    .round = sendrecv_replace_round,
    .in_place = TRUE,
};
