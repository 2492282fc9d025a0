/* allreduce_hierarchical.c - reduce-scatter in the node, allreduce between nodes, allgather in the
 * node.
 *
 * Rings at all three levels; `group` neighbouring ranks are a node. Ranks of equal place in their
 * nodes reduce one piece of the buffer among themselves. */
#include "workload/collective.h"

static const char *hierarchical_needs(const DnCollCall *call)
{
    return call->group == 0 || call->n % call->group ? "`group`, which divides the ranks" : NULL;
}

static gboolean hierarchical_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                                   DnRound *r)
{
    guint32 g = call->group, nodes = call->n / g, at = me % g, first = me - at;
    guint32 next = first + (at + 1) % g, previous = first + (at + g - 1) % g;
    guint64 inside = g - 1, between = 2 * (guint64)(nodes - 1);
    if (k >= 2 * inside + between)
        return FALSE;
    if (k < inside) {
        dn_ring_step(g, at, next, previous, dn_whole(call), k, 0, r);
    } else if (k < inside + between) {
        dn_ring_step(nodes, me / g, (me + g) % call->n, (me + call->n - g) % call->n,
                     dn_piece(call, call->bytes, g, (at + 1) % g), k - inside, 0, r);
    } else {
        dn_ring_step(g, at, next, previous, dn_whole(call), k - between, 0, r);
    }
    return TRUE;
}

const DnCollAlgorithm dn_coll_allreduce_hierarchical = {
    .kind = DN_COLL_ALLREDUCE,
    .name = "hierarchical",
    .source =
        "NCCL and Horovod hierarchical allreduce; Sergeev & Del Balso, arXiv:1802.05799, 2018",
    .needs = hierarchical_needs,
    .round = hierarchical_round,
};
