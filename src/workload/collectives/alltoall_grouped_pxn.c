/* alltoall_grouped_pxn.c - grouped send/recv pairs over nodes whose GPUs hand their blocks to the
 * GPU of the receiver's rail (NCCL's PXN).
 *
 * Channels, rounds and pieces as in alltoall_grouped.c. What the ranks of a node have for rank i of
 * another node leaves by the adapter of their own rank i (NCCL 2.18, src/graph/search.cc,
 * ncclTopoGetNetDev with NCCL_P2P_PXN_LEVEL 2): each writes its block over NVLink into a buffer
 * there, whose proxy sends all of them one after another once the last is there, by one connection
 * to a receiver that has posted one receive for all (src/transport/net_ib.cc, ncclIbMultiSend;
 * src/transport/net.cc, recvProxyProgress). So between nodes a rank has one message for each round,
 * of the blocks of its whole node.
 *
 * A channel's round waits for all messages to its rank, then its kernel goes on. What it sends
 * leaves once the proxy has sent what came before, and the proxy posts the next receives at once:
 * they do not wait for its own sends.
 *
 * What is handed over goes on chunk by chunk; here in two parts, the first chunk and the rest, each
 * a message of its own. Rounds of a batch of m distances: m receives; m times the first parts are
 * handed over; m sends of them, while the rest is handed over; m sends of it; m times pieces are
 * copied from the buffers into place.
 */
#include "workload/grouped_order.h"

#define MOST_RECEIVES 8 /* that one connection takes at once: NCCL_NET_IB_MAX_RECVS */

enum { SENT, RECEIVED, HANDED_OVER }; /* requests */
enum { POST, HAND_OVER, SEND_FIRST, SEND_REST, PUT_IN_PLACE, PHASES };
typedef enum { FIRST, REST, PARTS } Part; /* of a piece */

/* What a channel does in one round. */
typedef struct {
    const DnCollCall *call;
    const DnCollNodes *slots;   /* NULL: a node's ranks follow one another */
    guint32 group;              /* ranks of a node */
    guint32 nodes, node, local; /* of this rank: its node, its place there */
    guint32 apart, piece;       /* distance between nodes */
    guint32 pieces;             /* of a block for another node */
    gint64 slot_bytes, buffer;  /* of a block's largest piece; where this round's buffers begin */
} Exchange;

static guint32 node_size(const DnCollCall *call)
{
    const DnCollNodes *slots = dn_coll_ring_nodes(call);
    return slots != NULL ? slots->slot_ranks : call->group;
}

static const char *pxn_needs(const DnCollCall *call)
{
    const DnCollNodes *slots = dn_coll_ring_nodes(call);
    guint32 size = node_size(call);
    gboolean equal = slots != NULL ? slots->slot_nodes * size == call->n
                                   : call->n % MAX(1, size) == 0;
    gboolean fits = size > 1 && size <= MOST_RECEIVES && call->n > size && equal;
    return fits ? NULL : "several nodes of equal numbers of ranks, 2 to 8";
}

static guint32 pxn_streams(const DnCollCall *call)
{
    return call->channels + 1;
}

/* Distances at a time: each is `group` of the `window` peers that a channel serves at once. */
static guint32 batch_size(const DnCollCall *call)
{
    return MAX(1, call->window / node_size(call));
}

/* Finds the @k-th distance and piece of @channel; FALSE: it has fewer. */
static gboolean find_round(const DnCollCall *call, guint32 channel, guint64 k, Exchange *x)
{
    guint32 nodes = call->n / node_size(call), apart[4] = {0};
    x->pieces = dn_grouped_pieces(call, nodes);
    for (guint32 d = 0; d <= nodes / 4; d = dn_grouped_next(call, nodes, x->pieces, d, &k)) {
        guint n = dn_grouped_distances(nodes, d, apart);
        for (guint i = 0; i < n; i++) {
            guint32 base = apart[i] % call->channels;
            guint32 first = x->pieces > 1 ? dn_grouped_first_channel(call, base) : base;
            guint32 piece = (channel + call->channels - first) % call->channels;
            if (piece >= (apart[i] == 0 ? 1 : x->pieces) || k-- > 0)
                continue;
            x->apart = apart[i];
            x->piece = piece;
            return TRUE;
        }
    }
    return FALSE;
}

static guint32 rank_at(const Exchange *x, guint32 node, guint32 place)
{
    guint32 slot = node % x->nodes * x->group + place % x->group;
    return x->slots != NULL ? x->slots->slots[slot] : slot;
}

static guint32 own_rank(const Exchange *x)
{
    return rank_at(x, x->node, x->local);
}

static DnSpan block_piece(const Exchange *x, DnSpan block)
{
    return dn_grouped_piece(x->call, x->piece, x->apart == 0 ? 1 : x->pieces, block);
}

/* Returns @part of piece @piece. */
static DnSpan part_of(DnSpan piece, Part part)
{
    gint64 first = MIN(piece.bytes, DN_P2P_NET_CHUNK);
    return part == FIRST ? (DnSpan){piece.area, piece.offset, first}
                         : (DnSpan){piece.area, piece.offset + first, piece.bytes - first};
}

/* Returns @part of this round's pieces from the ranks @place to @place + @n - 1 of a node, in the
 * buffer of what this rank sends, or (@in) receives. */
static DnSpan in_buffer(const Exchange *x, gboolean in, Part part, guint32 place, guint32 n)
{
    DnSpan piece = block_piece(x, dn_block_to(x->call, 0, 0));
    gint64 first = part_of(piece, FIRST).bytes, bytes = part_of(piece, part).bytes;
    gint64 begin = x->buffer + (in ? x->group * x->slot_bytes : 0);
    begin += part == FIRST ? 0 : x->group * first;
    return dn_scratch(begin + place * bytes, n * bytes);
}

/* Tags: 0 within the node; a distance and a piece each have two for a part, of messages between
 * nodes and of what is handed over for them. */
static guint32 tag_of(const Exchange *x, Part part, gboolean between)
{
    return ((x->piece * PARTS + part) * 2 + (between ? 0 : 1)) * x->nodes + x->apart;
}

static void post_receives(const Exchange *x, DnRound *r)
{
    guint32 across = rank_at(x, x->node + x->nodes - x->apart, x->local);
    for (Part part = FIRST; x->apart > 0 && part < PARTS; part++) {
        DnSpan in = in_buffer(x, TRUE, part, 0, x->group);
        if (in.bytes > 0 || part == FIRST)
            dn_round_recv(r, across, tag_of(x, part, TRUE), RECEIVED, in);
    }
    for (guint32 step = 1; x->apart == 0 && step < x->group; step++) {
        guint32 from = rank_at(x, x->node, x->local + x->group - step);
        dn_round_recv(r, from, 0, RECEIVED, dn_block_from(x->call, own_rank(x), from));
    }
}

/* Within the node the blocks go to their ranks. */
static void send_in_node(const Exchange *x, DnRound *r)
{
    for (guint32 step = 1; step < x->group; step++) {
        guint32 to = rank_at(x, x->node, x->local + step);
        dn_round_send(r, to, 0, SENT, dn_block_to(x->call, own_rank(x), to));
    }
}

static void hand_over_part(const Exchange *x, Part part, DnRound *r)
{
    for (guint32 step = 0; step < x->group; step++) {
        guint32 to = x->local + step, from = (x->local + x->group - step) % x->group;
        DnSpan block = dn_block_to(x->call, own_rank(x), rank_at(x, x->node + x->apart, to));
        DnSpan own = part_of(block_piece(x, block), part);
        DnSpan slot = in_buffer(x, FALSE, part, from, 1);
        if (own.bytes == 0 && part == REST)
            continue;
        if (step == 0) {
            dn_round_copy(r, slot, own);
            continue;
        }
        dn_round_recv(r, rank_at(x, x->node, from), tag_of(x, part, FALSE), HANDED_OVER, slot);
        dn_round_send(r, rank_at(x, x->node, to), tag_of(x, part, FALSE), HANDED_OVER, own);
    }
}

static void hand_over(const Exchange *x, DnRound *r)
{
    if (x->apart > 0)
        hand_over_part(x, FIRST, r);
    else
        send_in_node(x, r);
}

static void send_part(const Exchange *x, Part part, DnRound *r)
{
    DnSpan out = in_buffer(x, FALSE, part, 0, x->group);
    if (x->apart > 0 && (out.bytes > 0 || part == FIRST))
        dn_round_send(r, rank_at(x, x->node + x->apart, x->local), tag_of(x, part, TRUE), SENT,
                      out);
}

static void send_first(const Exchange *x, DnRound *r)
{
    send_part(x, FIRST, r);
    if (x->apart > 0)
        hand_over_part(x, REST, r);
}

static void send_rest(const Exchange *x, DnRound *r)
{
    send_part(x, REST, r);
}

static void put_in_place(const Exchange *x, DnRound *r)
{
    for (guint32 i = 0; x->apart > 0 && i < x->group; i++)
        for (Part part = FIRST; part < PARTS; part++) {
            guint32 from = rank_at(x, x->node + x->nodes - x->apart, i);
            DnSpan block = dn_block_from(x->call, own_rank(x), from);
            DnSpan to = part_of(block_piece(x, block), part);
            if (to.bytes > 0)
                dn_round_copy(r, to, in_buffer(x, TRUE, part, i, 1));
        }
}

static Exchange exchange_of(const DnCollCall *call, guint32 me)
{
    const DnCollNodes *slots = dn_coll_ring_nodes(call);
    guint32 own = slots != NULL ? slots->slot[me] : me, group = node_size(call);
    return (Exchange){.call = call,
                      .slots = slots,
                      .group = group,
                      .nodes = call->n / group,
                      .node = own / group,
                      .local = own % group};
}

static gboolean pxn_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k, DnRound *r)
{
    static const guint32 waits[PHASES] = {DN_ANY, SENT, HANDED_OVER, HANDED_OVER, RECEIVED};
    static void (*const acts[PHASES])(const Exchange *, DnRound *) = {
        post_receives, hand_over, send_first, send_rest, put_in_place};
    if (stream == call->channels) {
        if (k == 0)
            dn_round_copy_own(r, me);
        return k == 0;
    }
    guint64 m = batch_size(call), batch = k / (PHASES * m), i = k % m;
    guint phase = (guint)(k / m % PHASES);
    Exchange x = exchange_of(call, me);
    if (!find_round(call, stream, batch * m + i, &x)) {
        if (i > 0) /* the last batch may have fewer */
            return find_round(call, stream, batch * m, &x);
        gboolean last = batch > 0 && phase == POST;
        if (last)
            dn_round_wait(r, SENT);
        return last;
    }
    if (i == 0 && waits[phase] != DN_ANY)
        dn_round_wait(r, waits[phase]);
    x.slot_bytes = x.pieces > 1 ? call->segment : call->bytes;
    x.buffer = (gint64)(stream * m + i) * 2 * x.group * x.slot_bytes;
    acts[phase](&x, r);
    return TRUE;
}

const DnCollAlgorithm dn_coll_alltoall_grouped_pxn = {
    .kind = DN_COLL_ALLTOALL,
    .name = "grouped_pxn",
    .limits = "what is handed over in a node goes on in two parts, not chunk by chunk",
    .source = "NCCL, as grouped; src/graph/search.cc, ncclTopoGetNetDev; src/transport/net.cc and "
              "net_ib.cc, ncclIbMultiSend",
    .needs = pxn_needs,
    .streams = pxn_streams,
    .round = pxn_round,
    .otherwise = "grouped",
    .equal_blocks = TRUE,
};
