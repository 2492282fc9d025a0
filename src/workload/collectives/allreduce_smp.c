/* allreduce_smp.c - reduce in the node, allreduce between the nodes' first ranks, broadcast in the
 * node.
 *
 * Binomial trees of the whole buffer in nodes of `group` neighbouring ranks; between them the
 * allreduce that MPICH takes for so many ranks. */
#include "workload/select.h"

extern const DnCollAlgorithm dn_coll_allreduce_rabenseifner;
extern const DnCollAlgorithm dn_coll_allreduce_recursive_doubling;

static const char *smp_needs(const DnCollCall *call)
{
    if (call->group == 0 || call->n % call->group)
        return "`group`, which divides the ranks";
    return call->ranks ? "a communicator of all ranks" : NULL;
}

#define TAG_REDUCE 2000000u
#define TAG_BCAST 2000001u

/* Step @i of a binomial tree of the node: the edge between the rank's place there, p, and
 * p ^ 2^i. */
static void smp_inside(const DnCollCall *call, guint32 me, guint32 i, gboolean down, DnRound *r)
{
    guint32 at = me % call->group, mask = 1u << i;
    DnSpan whole = dn_whole(call), in = dn_scratch(0, call->bytes);
    gboolean parent = at % (2 * mask) == 0 && at + mask < call->group;
    if (!parent && at % (2 * mask) != mask)
        return;
    if (parent == down)
        dn_round_send(r, parent ? me + mask : me - mask, down ? TAG_BCAST : TAG_REDUCE, 0, whole);
    else if (down)
        dn_round_recv(r, me - mask, TAG_BCAST, 0, whole);
    else
        dn_round_recv(r, me + mask, TAG_REDUCE, 0, in);
    dn_round_wait(r, DN_ANY);
    if (parent && !down)
        dn_round_reduce(r, whole, in);
}

static gboolean smp_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k, DnRound *r)
{
    guint32 steps = dn_log2_ceil(call->group), nodes = call->n / call->group;
    DnCollCall leaders = *call;
    leaders.n = nodes;
    leaders.stride = MAX(1, call->stride) * call->group;
    gboolean whole = dn_mpich_allreduces_whole(&leaders);
    guint64 between = (whole ? 1 : 2) * dn_log2_floor(nodes) + 2;
    if (k >= 2 * steps + between)
        return FALSE;
    if (k < steps) {
        smp_inside(call, me, (guint32)k, FALSE, r);
    } else if (k < steps + between) {
        if (me % call->group > 0)
            return TRUE;
        r->call = &leaders;
        (whole ? dn_coll_allreduce_recursive_doubling : dn_coll_allreduce_rabenseifner)
            .round(&leaders, me / call->group, 0, k - steps, r);
        r->call = call;
    } else {
        smp_inside(call, me, (guint32)(2 * steps + between - 1 - k), TRUE, r);
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
};
