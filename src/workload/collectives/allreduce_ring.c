/* allreduce_ring.c - reduce-scatter, then allgather around a ring, n - 1 steps each.
 *
 * Piece c of n from byte B*c/n. Step s of the first half: rank r sends piece r - s, combines piece
 * r - s - 1; of the second: sends piece r + 1 - s. A rank sends 2 (n - 1) / n of B. */
#include "workload/collective.h"

static gboolean ring_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                           DnRound *r)
{
    guint32 n = call->n;
    if (k >= 2 * (guint64)(n - 1))
        return FALSE;
    dn_ring_step(n, me, (me + 1) % n, (me + n - 1) % n, dn_whole(call), k, 0, r);
    return TRUE;
}

const DnCollAlgorithm dn_coll_allreduce_ring = {
    .kind = DN_COLL_ALLREDUCE,
    .name = "ring",
    .source = "Patarasuk & Yuan, Bandwidth optimal all-reduce algorithms for clusters of "
              "workstations, JPDC 69(2), 2009",
    .round = ring_round,
    .copy_first = DN_COLL_COPY_BUFFER,
};
