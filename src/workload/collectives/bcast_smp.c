/* bcast_smp.c - broadcast between the nodes' first ranks, then in each node.
 *
 * A root that is not its node's first rank sends short buffers to that one, and has them again from
 * it; longer ones it broadcasts in its node before. */
#include "workload/two_levels.h"

#define SHORT_BYTES 12288
#define FEW_RANKS 8

static gboolean smp_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k, DnRound *r)
{
    const DnLevelPart in_roots_node = {DN_COLL_BCAST, 0, 0, NULL};
    DnLevels l = dn_levels(call, me);
    const DnLevelPart between = {DN_COLL_BCAST, l.root, 1, NULL};
    const DnLevelPart from_root = {DN_COLL_BCAST, l.root_at, 2, NULL};
    gboolean at_root = l.number == l.root && l.root_at > 0; /* in that node */
    gboolean sends = call->bytes < SHORT_BYTES || call->n < FEW_RANKS;
    if (at_root && sends &&
        dn_level_message(&l.node, 3, l.root_at, 0, dn_whole(call), dn_whole(call), &k, r))
        return TRUE;
    if (at_root && !sends && dn_level_round(&l.node, &from_root, &k, r))
        return TRUE;
    if (dn_level_round(&l.leaders, &between, &k, r))
        return TRUE;
    return (!at_root || sends) && dn_level_round(&l.node, &in_roots_node, &k, r);
}

const DnCollAlgorithm dn_coll_bcast_smp = {
    .kind = DN_COLL_BCAST,
    .name = "smp",
    .source = "MPICH 4.0.2, src/mpid/ch4/src/ch4_coll_impl.h, Bcast_intra_composition_alpha, _beta",
    .needs = dn_levels_need,
    .round = smp_round,
    .two_levels = TRUE,
};
