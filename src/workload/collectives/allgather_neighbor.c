/* allgather_neighbor.c - n / 2 exchanges, in turn with the one and the other neighbour, two blocks
 * each.
 *
 * An even number of ranks. Step 0 exchanges own blocks within pairs; then each step passes on the
 * pair of blocks that came last. */
#include "workload/collective.h"

static const char *neighbor_needs(const DnCollCall *call)
{
    return call->n % 2 ? "an even number of ranks" : NULL;
}

/* First of the two blocks that come in step @k >= 1. */
static guint64 came_at(guint64 n, guint32 me, guint64 k)
{
    guint64 pair = me - me % 2, times = k % 2 ? (k + 1) / 2 : k / 2;
    gboolean rises = (k % 2 == 0) == (me % 2 == 0);
    return rises ? (pair + 2 * times) % n : (pair + n - 2 * times % n) % n;
}

static gboolean neighbor_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                               DnRound *r)
{
    guint64 n = call->n;
    if (k >= n / 2)
        return FALSE;
    guint32 up = (guint32)((me + 1) % n), down = (guint32)((me + n - 1) % n);
    guint32 peer = (k % 2 == 0) == (me % 2 == 0) ? up : down;
    if (k == 0) {
        dn_round_exchange(r, peer, dn_blocks(call, DN_AREA_DATA, me, 1), peer,
                          dn_blocks(call, DN_AREA_DATA, peer, 1), 0);
        return TRUE;
    }
    guint64 out = k == 1 ? me - me % 2 : came_at(n, me, k - 1);
    dn_round_exchange(r, peer, dn_blocks(call, DN_AREA_DATA, out, 2), peer,
                      dn_blocks(call, DN_AREA_DATA, came_at(n, me, k), 2), (guint32)k);
    return TRUE;
}

const DnCollAlgorithm dn_coll_allgather_neighbor = {
    .kind = DN_COLL_ALLGATHER,
    .name = "neighbor",
    .source =
        "J. Chen et al., Performance Evaluation of Allgather Algorithms on Terascale Linux Cluster "
        "with Fast Ethernet, HPC Asia 2005; Open MPI, ompi/mca/coll/base/coll_base_allgather.c",
    .needs = neighbor_needs,
    .round = neighbor_round,
    .copy_first = DN_COLL_COPY_BLOCK,
    .otherwise = "ring",
};
