/* alltoall_linear_sync.c - The exchange of spread in the other direction, but never more than
 * `window` receives and sends outstanding.
 *
 * Open MPI keeps a number of requests and begins the next as one completes; here exchange k waits
 * for exchange k - window. Requests: k mod window. */
#include "workload/collective.h"

static gboolean linear_sync_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                                  DnRound *r)
{
    guint64 n = call->n, window = MAX(1, call->window);
    if (k > n)
        return FALSE;
    if (k == 0) {
        dn_round_copy_own(r, me);
    } else if (k == n) {
        dn_round_wait(r, DN_ANY);
    } else {
        guint32 from = (guint32)((me + k) % n), to = (guint32)((me + n - k) % n);
        guint32 request = (guint32)(k % window);
        dn_round_wait(r, request);
        dn_round_recv(r, from, (guint32)k, request, dn_block_from(call, me, from));
        dn_round_isend(r, to, (guint32)k, request, dn_block_to(call, me, to));
    }
    return TRUE;
}

const DnCollAlgorithm dn_coll_alltoall_linear_sync = {
    .kind = DN_COLL_ALLTOALL,
    .name = "linear_sync",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_alltoall.c, intra_linear_sync",
    .round = linear_sync_round,
};
