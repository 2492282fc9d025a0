/* allreduce_multi_ring.c - an equal part of the buffer around each of several rings, all at the
 * same time.
 *
 * `rings`: orders of all ranks, best over disjoint links. One stream a ring. A ring over fully used
 * links in both directions is two orders. */
#include "workload/collective.h"

static guint32 multi_ring_streams(const DnCollCall *call)
{
    return call->n_rings;
}

static const char *multi_ring_needs(const DnCollCall *call)
{
    return call->rings == NULL ? "`rings`, e.g. [[0, 1, 2, 3], [0, 2, 1, 3]]" : NULL;
}

static gboolean multi_ring_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                                 DnRound *r)
{
    guint32 n = call->n, at = 0;
    const guint32 *ring = &call->rings[(gsize)stream * n];
    if (k >= 2 * (guint64)(n - 1))
        return FALSE;
    dn_round_own_tags(r, stream);
    while (ring[at] != me)
        at++;
    dn_ring_step(n, at, ring[(at + 1) % n], ring[(at + n - 1) % n],
                 dn_piece(call, call->bytes, call->n_rings, stream), k,
                 (gint64)stream * call->bytes, r);
    return TRUE;
}

const DnCollAlgorithm dn_coll_allreduce_multi_ring = {
    .kind = DN_COLL_ALLREDUCE,
    .name = "multi_ring",
    .source = "Patarasuk & Yuan, JPDC 69(2), 2009, on several rings as NCCL and RCCL use them",
    .needs = multi_ring_needs,
    .streams = multi_ring_streams,
    .round = multi_ring_round,
    .needs_rings = TRUE,
};
