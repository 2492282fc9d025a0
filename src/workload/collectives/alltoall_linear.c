/* alltoall_linear.c - all receives, then all sends in rank order (1, 2, ..., or 0, 2, ...), then
 * one wait.
 *
 * LIMITATIONS: no window on outstanding requests. */
#include "workload/collective.h"

static gboolean round_(const DnCollCall *call, guint32 me, guint32 stream, guint64 k, DnRound *r)
{
    guint64 others = call->n - 1;
    guint64 i = k <= others ? k - 1 : k - 1 - others;
    if (k > 2 * others + 1)
        return FALSE;
    if (k == 0) {
        dn_round_copy(r, dn_block_from(call, me, me), dn_block_to(call, me, me));
        return TRUE;
    }
    if (k == 2 * others + 1) {
        dn_round_wait(r, DN_ANY);
        return TRUE;
    }
    guint32 peer = (guint32)i + (i >= me);
    if (k <= others)
        dn_round_recv(r, peer, 0, 0, dn_block_from(call, me, peer));
    else
        dn_round_send(r, peer, 0, 0, dn_block_to(call, me, peer));
    return TRUE;
}

const DnCollAlgorithm dn_coll_alltoall_linear = {
    .kind = DN_COLL_ALLTOALL,
    .name = "linear",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_alltoall.c, intra_basic_linear",
    .round = round_,
};
