/* scan_smp.c - scan in each node, then between the nodes' first ranks; each of these hands the sum
 * of its own node and those before to the next one, which broadcasts it in its node.
 *
 * Nodes must have consecutive ranks. Of the scratch buffer the first part is the sum of the nodes
 * before, the second that up to one's own node. Before each broadcast goes one whether there is a
 * sum: of four bytes of the library's own in MPICH, of none here (barrier_smp.c). */
#include "workload/two_levels.h"

static const char *smp_needs(const DnCollCall *call)
{
    const char *needs = dn_levels_need(call);
    if (needs == NULL && !dn_levels_are_consecutive(call))
        return "nodes whose ranks follow one another";
    return needs;
}

/* The sum of a node's ranks goes from its last to its first rank, and there to where the sums of
 * nodes are combined. */
static gboolean gather_sum(const DnCollCall *call, const DnLevels *l, DnSpan sum, guint64 *k,
                           DnRound *r)
{
    guint32 last = l->node.n - 1;
    if (dn_level_message(&l->node, 1, last, 0, dn_whole(call), sum, k, r))
        return TRUE;
    if (l->node.me > 0 || (*k)-- > 0)
        return FALSE;
    dn_round_copy(r, sum, last > 0 ? sum : dn_whole(call));
    return TRUE;
}

/* The sums of the nodes up to each, in place; then from each first rank to the next. */
static gboolean scan_nodes(const DnCollCall *call, const DnLevels *l, DnSpan before, DnSpan sum,
                           guint64 *k, DnRound *r)
{
    const DnLevelPart scan = {DN_COLL_SCAN, 0, 2, NULL};
    guint32 node = l->number, next = node + 1;
    dn_round_buffer(r, DN_AREA_SCRATCH, sum.offset, 2 * call->bytes);
    gboolean scans = dn_level_round(&l->leaders, &scan, k, r);
    dn_round_buffer(r, DN_AREA_DATA, 0, 0);
    return scans ||
           (next < l->leaders.n &&
            dn_level_message(&l->leaders, 3, node, next, sum, before, k, r)) ||
           (node > 0 && dn_level_message(&l->leaders, 3, node - 1, node, sum, before, k, r));
}

static gboolean smp_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k, DnRound *r)
{
    DnSpan before = dn_scratch(0, call->bytes), sum = dn_scratch(call->bytes, call->bytes);
    const DnLevelPart word_part = {DN_COLL_BCAST, 0, 4, NULL}, down = {DN_COLL_BCAST, 0, 5, NULL};
    DnLevels l = dn_levels(call, me);
    DnLevel word = l.node;
    word.bytes = 0;
    if (dn_level_round(&l.node, &(DnLevelPart){DN_COLL_SCAN, 0, 0, NULL}, &k, r) ||
        gather_sum(call, &l, sum, &k, r) || scan_nodes(call, &l, before, sum, &k, r))
        return TRUE;
    if (dn_level_round(&word, &word_part, &k, r))
        return TRUE;
    if (l.number == 0)
        return FALSE;
    dn_round_buffer(r, DN_AREA_SCRATCH, 0, 0);
    if (dn_level_round(&l.node, &down, &k, r))
        return TRUE;
    dn_round_buffer(r, DN_AREA_DATA, 0, 0);
    if (k > 0)
        return FALSE;
    dn_round_reduce(r, dn_whole(call), before);
    return TRUE;
}

const DnCollAlgorithm dn_coll_scan_smp = {
    .kind = DN_COLL_SCAN,
    .name = "smp",
    .source = "MPICH 4.0.2, src/mpi/coll/scan/scan_intra_smp.c",
    .needs = smp_needs,
    .round = smp_round,
    .copy_first = DN_COLL_COPY_BUFFER,
    .ordered = TRUE,
    .two_levels = TRUE,
};
