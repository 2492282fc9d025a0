/* alltoall_grouped.c - send/recv pairs by channels, each in batches of `window`: all of a batch,
 * then a wait for all.
 *
 * As ncclSend and ncclRecv between ncclGroupStart and ncclGroupEnd. Within a node at rising
 * distance: channel c of `channels` serves the peers at distance c, c + channels, ... Over nodes of
 * `group` ranks a round is a distance between nodes and one within them, in the order that NCCL
 * 2.18 and RCCL 5.7 set up (src/init.cc, p2pSendOrder): nodes apart by 0, half of them, then d, -d,
 * half less d, half and d; of each the ranks at rising distance. Its channel is the distance
 * between nodes, and one more for each `window` of ranks (src/include/channel.h). A channel has up
 * to `window` peers at a time, in NCCL 8, in RCCL one (NCCL_MAX_WORK_ELEMENTS_P2P 2: a send and a
 * receive). With a `segment` the block for a rank of another node goes in pieces of that size, each
 * by the channel after that of the one before, and the first pieces' channels are those distances
 * with their bits in reverse order (ncclChannelComputeFromBase); in a node blocks stay whole, since
 * mechanisms' rates there are of all channels of a peer. Nodes of unequal numbers of ranks, or
 * whose ranks do not follow one another, have slots (coll_nodes.c): at some distances a rank then
 * has no peer to send to, or none to receive from. The own block is copied at the same time, by
 * thread blocks of its own: one more stream.
 */
#include "workload/grouped_order.h"

typedef struct {
    guint32 node, rank; /* distances, towards whom it sends */
    guint32 piece;      /* of the block */
} Apart;

static guint32 grouped_streams(const DnCollCall *call)
{
    return call->channels + 1;
}

/* All ranks in one, unless there are slots, or whole nodes of `group`. */
static guint32 node_size(const DnCollCall *call)
{
    const DnCollNodes *slots = dn_coll_ring_nodes(call);
    if (slots != NULL)
        return slots->slot_ranks;
    gboolean nodes = call->group > 0 && call->n > call->group && call->n % call->group == 0;
    return nodes ? call->group : call->n;
}

static guint32 node_count(const DnCollCall *call)
{
    const DnCollNodes *slots = dn_coll_ring_nodes(call);
    return slots != NULL ? slots->slot_nodes : call->n / node_size(call);
}

static guint32 block_pieces(const DnCollCall *call)
{
    return dn_grouped_pieces(call, node_count(call));
}

static DnSpan piece_of(const DnCollCall *call, Apart apart, DnSpan block)
{
    return dn_grouped_piece(call, apart.piece, apart.node == 0 ? 1 : block_pieces(call), block);
}

DnProgramBatch dn_coll_grouped_batch(const DnCollCall *call)
{
    guint32 size = node_size(call), window = MAX(1, call->window), pieces = block_pieces(call);
    guint32 rounds = node_count(call), each = rounds > 1 ? rounds * pieces : call->n - 1;
    guint32 served = (each + call->channels - 1) / call->channels; /* by a channel */
    return (DnProgramBatch){
        .peers = MIN(window, rounds > 1 ? size * served : served), /* one: a peer, its channel */
        .blocks = dn_grouped_blocks(call, size),
        .pieces = pieces,
    };
}

/* Finds the *@k-th of the distances within a node that @channel serves at @node apart; when there
 * are fewer, subtracts their number from *@k and returns FALSE. */
static gboolean in_node(const DnCollCall *call, guint32 channel, guint32 node, guint64 *k,
                        Apart *out)
{
    guint32 window = MAX(1, call->window), channels = call->channels;
    guint32 pieces = block_pieces(call), most = node == 0 ? 1 : pieces;
    guint64 b = pieces > 1 ? 0 : (channel + channels - node % channels) % channels;
    guint64 step = pieces > 1 ? 1 : channels;
    for (; b * window < node_size(call); b += step) {
        guint32 base = (node + (guint32)b) % channels;
        guint32 at = pieces > 1 ? dn_grouped_first_channel(call, base) : base;
        guint32 piece = (channel + channels - at) % channels;
        guint32 first = (guint32)b * window, own = node == 0 && b == 0 ? 1 : 0;
        guint32 n = MIN(window, node_size(call) - first) - own;
        if (piece < most && *k < n) {
            *out = (Apart){node, first + own + (guint32)*k, piece};
            return TRUE;
        }
        *k -= piece < most ? n : 0;
    }
    return FALSE;
}

/* The @k-th round of @channel; FALSE: it has fewer. */
static gboolean by_nodes(const DnCollCall *call, guint32 channel, guint64 k, Apart *out)
{
    guint32 nodes = node_count(call), apart[4] = {0};
    guint32 each = block_pieces(call) * node_size(call);
    for (guint32 d = 0; d <= nodes / 4; d = dn_grouped_next(call, nodes, each, d, &k)) {
        guint n = dn_grouped_distances(nodes, d, apart);
        for (guint i = 0; i < n; i++)
            if (in_node(call, channel, apart[i], &k, out))
                return TRUE;
    }
    return FALSE;
}

static gboolean apart_at(const DnCollCall *call, guint32 channel, guint64 k, Apart *out)
{
    if (node_count(call) > 1)
        return by_nodes(call, channel, k, out);
    guint64 rank = k * call->channels + channel + 1;
    *out = (Apart){0, (guint32)MIN(rank, call->n), 0};
    return rank < call->n;
}

/* Returns the rank at the distance @apart from @me, DN_ANY: none; @back: the rank from which @me is
 * at that distance. */
static guint32 grouped_peer(const DnCollCall *call, guint32 me, Apart apart, gboolean back)
{
    const DnCollNodes *slots = dn_coll_ring_nodes(call);
    guint32 size = node_size(call), own = slots != NULL ? slots->slot[me] : me;
    guint32 nodes = node_count(call), node = back ? nodes - apart.node : apart.node;
    guint32 rank = back ? size - apart.rank : apart.rank;
    guint32 peer = (own / size + node) % nodes * size + (own % size + rank) % size;
    return slots != NULL ? slots->slots[peer] : peer;
}

static gboolean grouped_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                              DnRound *r)
{
    Apart apart, next;
    if (stream == call->channels) {
        if (k == 0)
            dn_round_copy_own(r, me);
        return k == 0;
    }
    if (!apart_at(call, stream, k, &apart))
        return FALSE;
    guint32 from = grouped_peer(call, me, apart, TRUE), to = grouped_peer(call, me, apart, FALSE);
    guint32 n = call->n, tag = apart.piece * n;
    if (from != DN_ANY)
        dn_round_recv(r, from, tag + (me + n - from) % n, 0,
                      piece_of(call, apart, dn_block_from(call, me, from)));
    if (to != DN_ANY)
        dn_round_send(r, to, tag + (to + n - me) % n, 0,
                      piece_of(call, apart, dn_block_to(call, me, to)));
    if ((k + 1) % MAX(1, call->window) == 0 || !apart_at(call, stream, k + 1, &next))
        dn_round_wait(r, DN_ANY);
    return TRUE;
}

const DnCollAlgorithm dn_coll_alltoall_grouped = {
    .kind = DN_COLL_ALLTOALL,
    .name = "grouped",
    .limits = "in a node a pair has one channel, at the rate of all; NCCL gives it several",
    .source = "NCCL, src/include/device.h, NCCL_MAX_DEV_WORK_P2P_PER_BATCH; src/enqueue.cc, "
              "scheduleP2pTasksToPlan; src/init.cc, p2pSendOrder; src/include/channel.h; RCCL, "
              "src/include/devcomm.h",
    .streams = grouped_streams,
    .round = grouped_round,
};
