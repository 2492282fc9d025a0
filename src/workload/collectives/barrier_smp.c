/* barrier_smp.c - barrier in the node, barrier between the nodes' first ranks, broadcast in the
 * node.
 *
 * MPICH broadcasts one byte of its own, which is in the host's memory: none here, so that it costs
 * what a message without a buffer does, and not what one of GPUs' memory would. */
#include "workload/two_levels.h"

static gboolean smp_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k, DnRound *r)
{
    DnLevels l = dn_levels(call, me);
    if (dn_level_round(&l.node, &(DnLevelPart){DN_COLL_BARRIER, 0, 0, NULL}, &k, r) ||
        dn_level_round(&l.leaders, &(DnLevelPart){DN_COLL_BARRIER, 0, 1, NULL}, &k, r))
        return TRUE;
    l.node.bytes = 0;
    return dn_level_round(&l.node, &(DnLevelPart){DN_COLL_BCAST, 0, 2, NULL}, &k, r);
}

const DnCollAlgorithm dn_coll_barrier_smp = {
    .kind = DN_COLL_BARRIER,
    .name = "smp",
    .source = "MPICH 4.0.2, src/mpid/ch4/src/ch4_coll_impl.h, Barrier_intra_composition_alpha",
    .needs = dn_levels_need,
    .round = smp_round,
    .two_levels = TRUE,
};
