/* two_levels.c - see two_levels.h. */
#include "workload/two_levels.h"

#include <string.h>

extern const DnCollAlgorithm dn_coll_allreduce_rabenseifner, dn_coll_allreduce_recursive_doubling,
    dn_coll_barrier_dissemination, dn_coll_bcast_binomial, dn_coll_bcast_knomial,
    dn_coll_bcast_scatter_allgather, dn_coll_bcast_scatter_doubling, dn_coll_reduce_binomial,
    dn_coll_reduce_rabenseifner, dn_coll_scan_recursive_doubling;

/* All that MPICH takes where all ranks are in one node, or each in one of its own. */
static const DnCollAlgorithm *const parts[] = {
    &dn_coll_allreduce_rabenseifner, &dn_coll_allreduce_recursive_doubling,
    &dn_coll_barrier_dissemination,  &dn_coll_bcast_binomial,
    &dn_coll_bcast_knomial,          &dn_coll_bcast_scatter_allgather,
    &dn_coll_bcast_scatter_doubling, &dn_coll_reduce_binomial,
    &dn_coll_reduce_rabenseifner,    &dn_coll_scan_recursive_doubling,
};

/* The tags of a part's messages are below. */
#define PART_TAGS 300000u

const char *dn_levels_need(const DnCollCall *call)
{
    return call->group == 0 && call->ring_orders.nodes == NULL ? "`group`, the ranks of a node"
                                                               : NULL;
}

gboolean dn_levels_are_two(const DnCollCall *call)
{
    guint32 nodes = dn_coll_level_nodes(call);
    return nodes > 1 && nodes < call->n;
}

gboolean dn_levels_are_consecutive(const DnCollCall *call)
{
    const DnCollNodes *nodes = call->ring_orders.nodes;
    for (guint32 i = 1; nodes != NULL && i < call->n; i++)
        if (nodes->node[i] < nodes->node[i - 1])
            return FALSE;
    return TRUE;
}

/* Sets the number of the node of rank @i of @call, and its place there. */
static void levels_find(const DnCollCall *call, guint32 i, guint32 *node, guint32 *at)
{
    const DnCollNodes *nodes = call->ring_orders.nodes;
    *node = nodes ? nodes->node[i] : i / call->group;
    *at = nodes ? nodes->at[i] : i % call->group;
}

/* Returns @call among the ranks of @level. */
static DnCollCall level_call(const DnCollCall *call, const DnLevel *level)
{
    guint32 step = MAX(1, call->stride);
    gboolean cray = call->style == DN_STYLE_CRAY_MPICH;
    DnCollCall out = *call;
    out.n = level->n;
    out.bytes = level->bytes;
    out.style = cray ? DN_STYLE_CRAY_MPICH : DN_STYLE_MPICH;
    out.group = level->group;
    out.ring_orders.nodes = NULL;
    out.segment = 0;
    out.stride = level->ranks ? 1 : step * level->stride;
    if (level->ranks)
        out.ranks = level->ranks;
    else if (call->ranks)
        out.ranks = call->ranks + (gsize)level->first * step;
    else
        out.first = call->first + level->first * step;
    return out;
}

DnLevels dn_levels(const DnCollCall *call, guint32 me)
{
    const DnCollNodes *nodes = call->ring_orders.nodes;
    DnLevels l = {.node = {.bytes = call->bytes}, .leaders = {.bytes = call->bytes, .group = 1}};
    levels_find(call, me, &l.number, &l.node.me);
    levels_find(call, call->root, &l.root, &l.root_at);
    l.leaders.me = l.node.me == 0 ? l.number : DN_ANY;
    l.leaders.n = dn_coll_level_nodes(call);
    if (nodes) {
        guint32 first = nodes->first[l.number];
        l.node.n = nodes->first[l.number + 1] - first;
        l.node.ranks = nodes->ranks + first;
        l.leaders.ranks = nodes->roots;
    } else {
        l.node.first = l.number * call->group;
        l.node.n = MIN(call->group, call->n - l.node.first);
        l.node.stride = 1;
        l.leaders.stride = call->group;
    }
    return l;
}

/* The algorithm that MPICH, or Cray MPICH, takes; it looks at no more of the call. */
static const DnCollAlgorithm *level_algorithm(const DnCollCall *call, const DnLevel *level,
                                              DnCollKind kind)
{
    const DnCollCall part = {
        .n = level->n, .bytes = level->bytes, .element = call->element, .group = level->group};
    DnSelection selection;
    dn_select_mpich(&part, kind, call->style == DN_STYLE_CRAY_MPICH, &selection);
    for (guint i = 0; i < G_N_ELEMENTS(parts); i++)
        if (parts[i]->kind == kind && strcmp(parts[i]->name, selection.algorithm) == 0)
            return parts[i];
    g_assert_not_reached();
}

/* Returns what no algorithm of a part has more rounds than, on @n ranks. */
static guint64 most_rounds(const DnCollAlgorithm *algorithm, guint32 n)
{
    guint64 steps = dn_log2_ceil(n);
    if (algorithm == &dn_coll_reduce_binomial || algorithm == &dn_coll_bcast_binomial ||
        algorithm == &dn_coll_bcast_knomial)
        return 2;
    if (algorithm == &dn_coll_bcast_scatter_doubling)
        return (steps + 1) * (steps + 1);
    if (algorithm == &dn_coll_bcast_scatter_allgather)
        return steps + n;
    if (algorithm == &dn_coll_allreduce_rabenseifner || algorithm == &dn_coll_reduce_rabenseifner)
        return 2 * steps + 2;
    return steps + 2;
}

gboolean dn_level_round(const DnLevel *level, const DnLevelPart *part, guint64 *k, DnRound *round)
{
    if (level->me == DN_ANY || level->n == 1)
        return FALSE;
    const DnCollCall *whole = round->call;
    const DnCollAlgorithm *algorithm = part->algorithm ? part->algorithm
                                                       : level_algorithm(whole, level, part->kind);
    guint64 most = most_rounds(algorithm, level->n);
    if (*k >= most) {
        *k -= most;
        return FALSE;
    }
    DnCollCall call = level_call(whole, level);
    call.root = part->root;
    call.algorithm = algorithm;
    guint32 count = round->count;
    round->call = &call;
    round->tag = part->number * PART_TAGS;
    if (!algorithm->round(&call, level->me, 0, *k, round))
        round->count = count; /* drops what it added */
    round->call = whole;
    round->tag = 0;
    return TRUE;
}

gboolean dn_level_message(const DnLevel *level, guint number, guint32 from, guint32 to, DnSpan span,
                          DnSpan into, guint64 *k, DnRound *round)
{
    if (from == to || (level->me != from && level->me != to) || (*k)-- > 0)
        return FALSE;
    const DnCollCall *whole = round->call, call = level_call(whole, level);
    round->call = &call;
    if (level->me == from)
        dn_round_send(round, to, number * PART_TAGS, 0, span);
    else
        dn_round_recv(round, from, number * PART_TAGS, 0, into);
    dn_round_wait(round, DN_ANY);
    round->call = whole;
    return TRUE;
}
