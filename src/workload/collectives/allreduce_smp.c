/* allreduce_smp.c - reduce in the node, allreduce between the nodes' first ranks, broadcast in the
 * node.
 *
 * Binomial trees of the whole buffer in nodes of any numbers of ranks, in any order; between the
 * lowest ranks of each, in their order, the allreduce that MPICH takes for so many ranks. */
#include "workload/select.h"

extern const DnCollAlgorithm dn_coll_allreduce_rabenseifner;
extern const DnCollAlgorithm dn_coll_allreduce_recursive_doubling;

static const char *smp_needs(const DnCollCall *call)
{
    return call->group == 0 && call->ring_orders.nodes == NULL ? "`group`, the ranks of a node"
                                                               : NULL;
}

#define TAG_REDUCE 2000000u
#define TAG_BCAST 2000001u

/* The ranks of a node of a call, in their order. */
typedef struct {
    guint32 node, size, at; /* number of the node, of its ranks; place of the rank at hand */
    guint32 first;          /* without `members`: the node's first rank, which the others follow */
    const guint32 *members; /* or NULL */
} SmpNode;

static SmpNode smp_node(const DnCollCall *call, guint32 me)
{
    const DnCollNodes *nodes = call->ring_orders.nodes;
    if (nodes == NULL) {
        guint32 node = me / call->group, first = node * call->group;
        return (SmpNode){node, MIN(call->group, call->n - first), me - first, first, NULL};
    }
    guint32 node = nodes->node[me], first = nodes->first[node];
    return (SmpNode){node, nodes->first[node + 1] - first, nodes->at[me], first,
                     nodes->members + first};
}

/* Step @i of a binomial tree of the node: the edge between the rank's place there, p, and
 * p ^ 2^i. */
static void smp_inside(const DnCollCall *call, const SmpNode *node, guint32 i, gboolean down,
                       DnRound *r)
{
    guint32 at = node->at, mask = 1u << i;
    DnSpan whole = dn_whole(call), in = dn_scratch(0, call->bytes);
    gboolean parent = at % (2 * mask) == 0 && at + mask < node->size;
    if (!parent && at % (2 * mask) != mask)
        return;
    guint32 peer = node->members ? node->members[at ^ mask] : node->first + (at ^ mask);
    if (parent == down)
        dn_round_send(r, peer, down ? TAG_BCAST : TAG_REDUCE, 0, whole);
    else if (down)
        dn_round_recv(r, peer, TAG_BCAST, 0, whole);
    else
        dn_round_recv(r, peer, TAG_REDUCE, 0, in);
    dn_round_wait(r, DN_ANY);
    if (parent && !down)
        dn_round_reduce(r, whole, in);
}

/* Returns @call between the nodes' first ranks. */
static DnCollCall smp_between(const DnCollCall *call)
{
    const DnCollNodes *nodes = call->ring_orders.nodes;
    DnCollCall leaders = *call;
    leaders.n = dn_coll_level_nodes(call);
    leaders.stride = nodes ? 1 : MAX(1, call->stride) * call->group;
    if (nodes)
        leaders.ranks = nodes->roots;
    return leaders;
}

static gboolean smp_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k, DnRound *r)
{
    const SmpNode node = smp_node(call, me);
    const DnCollCall leaders = smp_between(call);
    guint32 steps = dn_log2_ceil(node.size);
    gboolean whole = dn_mpich_allreduces_whole(&leaders);
    guint64 between = (whole ? 1 : 2) * dn_log2_floor(leaders.n) + 2;
    if (k >= 2 * steps + between)
        return FALSE;
    if (k < steps) {
        smp_inside(call, &node, (guint32)k, FALSE, r);
    } else if (k < steps + between) {
        if (node.at > 0)
            return TRUE;
        r->call = &leaders;
        (whole ? dn_coll_allreduce_recursive_doubling : dn_coll_allreduce_rabenseifner)
            .round(&leaders, node.node, 0, k - steps, r);
        r->call = call;
    } else {
        smp_inside(call, &node, (guint32)(2 * steps + between - 1 - k), TRUE, r);
    }
    return TRUE;
}

const DnCollAlgorithm dn_coll_allreduce_smp = {
    .kind = DN_COLL_ALLREDUCE,
    .name = "smp",
    .source = "MPICH, src/mpi/coll/allreduce/allreduce_intra_smp.c",
    .needs = smp_needs,
    .round = smp_round,
    .copy_first = DN_COLL_COPY_BUFFER,
    .two_levels = TRUE,
};
