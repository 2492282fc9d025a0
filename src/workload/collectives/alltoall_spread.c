/* alltoall_spread.c - all at once as linear, but each rank starts with the one after it.
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
    guint32 peer = (guint32)((me + 1 + i) % call->n);
    if (k <= others)
        dn_round_recv(r, peer, 0, 0, dn_block_from(call, me, peer));
    else
        dn_round_send(r, peer, 0, 0, dn_block_to(call, me, peer));
    return TRUE;
}

const DnCollAlgorithm dn_coll_alltoall_spread = {
    .kind = DN_COLL_ALLTOALL,
    .name = "spread",
    .source = "Thakur, Rabenseifner, Gropp, Optimization of Collective Communication Operations in "
              "MPICH, IJHPCA 19(1), 2005, 3.2",
    .round = round_,
};
