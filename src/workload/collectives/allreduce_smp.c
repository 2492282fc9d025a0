/* allreduce_smp.c - reduce in the node, allreduce between the nodes' first ranks, broadcast in the
 * node.
 *
 * Cray MPICH combines whole buffers in the node, through shared memory: by binomial trees here. */
#include "workload/two_levels.h"

extern const DnCollAlgorithm dn_coll_bcast_binomial;
extern const DnCollAlgorithm dn_coll_reduce_binomial;

static gboolean smp_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k, DnRound *r)
{
    gboolean cray = call->style == DN_STYLE_CRAY_MPICH;
    const DnLevelPart up = {DN_COLL_REDUCE, 0, 0, cray ? &dn_coll_reduce_binomial : NULL};
    const DnLevelPart down = {DN_COLL_BCAST, 0, 2, cray ? &dn_coll_bcast_binomial : NULL};
    DnLevels l = dn_levels(call, me);
    return dn_level_round(&l.node, &up, &k, r) ||
           dn_level_round(&l.leaders, &(DnLevelPart){DN_COLL_ALLREDUCE, 0, 1, NULL}, &k, r) ||
           dn_level_round(&l.node, &down, &k, r);
}

const DnCollAlgorithm dn_coll_allreduce_smp = {
    .kind = DN_COLL_ALLREDUCE,
    .name = "smp",
    .source = "MPICH 4.0.2, src/mpid/ch4/src/ch4_coll_impl.h, Allreduce_intra_composition_alpha",
    .needs = dn_levels_need,
    .round = smp_round,
    .copy_first = DN_COLL_COPY_BUFFER,
    .two_levels = TRUE,
};
