/* reduce_smp.c - reduce in each node, then between the nodes' first ranks.
 *
 * Short buffers: first in all nodes but the root's, then to the first rank of the root's node, last
 * in that node. Longer ones: in all nodes, then to the first rank of all, which sends the result to
 * the root. Cray MPICH combines whole buffers in the node, through shared memory: by binomial trees
 * here. */
#include "workload/two_levels.h"

extern const DnCollAlgorithm dn_coll_reduce_binomial;

#define SHORT_BYTES 2048

static const DnCollAlgorithm *smp_inside(const DnCollCall *call)
{
    return call->style == DN_STYLE_CRAY_MPICH ? &dn_coll_reduce_binomial : NULL;
}

static gboolean short_round(const DnCollCall *call, guint32 me, guint64 k, DnRound *r)
{
    DnLevels l = dn_levels(call, me);
    const DnLevelPart others = {DN_COLL_REDUCE, 0, 0, smp_inside(call)};
    const DnLevelPart between = {DN_COLL_REDUCE, l.root, 1, NULL};
    const DnLevelPart last = {DN_COLL_REDUCE, l.root_at, 2, smp_inside(call)};
    gboolean at_root = l.number == l.root;
    return (!at_root && dn_level_round(&l.node, &others, &k, r)) ||
           dn_level_round(&l.leaders, &between, &k, r) ||
           (at_root && dn_level_round(&l.node, &last, &k, r));
}

static gboolean smp_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k, DnRound *r)
{
    if (call->bytes <= SHORT_BYTES)
        return short_round(call, me, k, r);
    DnLevels l = dn_levels(call, me);
    const DnLevel all = {.n = call->n, .me = me, .stride = 1, .bytes = call->bytes};
    const DnLevelPart inside = {DN_COLL_REDUCE, 0, 0, smp_inside(call)};
    const DnLevelPart between = {DN_COLL_REDUCE, 0, 1, NULL};
    return dn_level_round(&l.node, &inside, &k, r) || dn_level_round(&l.leaders, &between, &k, r) ||
           dn_level_message(&all, 2, 0, call->root, dn_whole(call), dn_whole(call), &k, r);
}

const DnCollAlgorithm dn_coll_reduce_smp = {
    .kind = DN_COLL_REDUCE,
    .name = "smp",
    .source =
        "MPICH 4.0.2, src/mpid/ch4/src/ch4_coll_impl.h, Reduce_intra_composition_alpha, _beta",
    .needs = dn_levels_need,
    .round = smp_round,
    .copy_first = DN_COLL_COPY_MPICH_BUFFER,
    .two_levels = TRUE,
};
