/* alltoall_scattered.c - Blocks of `window` exchanges: all receives of a block are posted, then its
 * sends, and the next block begins when all of them are complete.
 *
 * Exchange i receives from rank + i and sends to rank - i; exchange 0 is the copy of the own block.
 * MPICH's alltoallv leaves out messages of no bytes. */
#include "workload/collective.h"

static gboolean scattered_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                                DnRound *r)
{
    guint64 n = call->n, window = CLAMP(call->window, 1, call->n), rounds = 2 * window + 1;
    guint64 j = k % rounds, i = k / rounds * window + j % window;
    if (k / rounds * window >= n)
        return FALSE;
    guint32 from = (guint32)((me + i) % n), to = (guint32)((me + n - i % n) % n);
    if (j == 2 * window) {
        dn_round_wait(r, DN_ANY);
    } else if (i >= n || (i == 0 && j < window)) { /* the last block may be shorter */
    } else if (i == 0) {
        dn_round_copy_own(r, me);
    } else if (j < window) {
        DnSpan in = dn_block_from(call, me, from);
        if (in.bytes > 0 || !call->unequal)
            dn_round_recv(r, from, (guint32)i, 0, in);
    } else {
        DnSpan out = dn_block_to(call, me, to);
        if (out.bytes > 0 || !call->unequal)
            dn_round_isend(r, to, (guint32)i, 0, out);
    }
    return TRUE;
}

const DnCollAlgorithm dn_coll_alltoall_scattered = {
    .kind = DN_COLL_ALLTOALL,
    .name = "scattered",
    .source = "MPICH, src/mpi/coll/alltoall/alltoall_intra_scattered.c; "
              "src/mpi/coll/alltoallv/alltoallv_intra_scattered.c",
    .round = scattered_round,
};
