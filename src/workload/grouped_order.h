/* grouped_order.h - The order and the channels of NCCL's grouped sends and receives over nodes of
 * equal numbers of ranks: a round is a distance between nodes, its channel that distance. */
#pragma once
#include "workload/collective.h"

#define DN_P2P_NET_CHUNK (128 << 10) /* bytes between nodes at a time: NCCL_P2P_NET_CHUNKSIZE */

/* Writes the distances of nodes that follow from @d, 0 to @nodes / 4: d, -d, half less d, half and
 * d (NCCL 2.18, src/init.cc, p2pSendOrder). Returns how many differ, 1 to 4. */
guint dn_grouped_distances(guint32 nodes, guint32 d, guint32 distances[4]);
/* Returns the d to look at after @d for a channel's *@k-th round from there. After 0 it skips those
 * whose rounds all come earlier, and subtracts their number from *@k: any `channels` values of d in
 * a row, each with four distances, give every channel 4 * @each rounds. @each: rounds that a
 * distance has on all channels together. */
guint32 dn_grouped_next(const DnCollCall *call, guint32 nodes, guint32 each, guint32 d, guint64 *k);
/* Returns into how many pieces a block for another of @nodes nodes is cut: each of call->segment
 * bytes, by a channel of its own. */
guint32 dn_grouped_pieces(const DnCollCall *call, guint32 nodes);
/* Returns of how many blocks a message between nodes of @size ranks has a piece. */
guint32 dn_grouped_blocks(const DnCollCall *call, guint32 size);
/* Returns the channel of the first piece for the distance @base, whose bits it has in reverse order
 * (src/include/channel.h, ncclChannelComputeFromBase); `channels` is a power of two. */
guint32 dn_grouped_first_channel(const DnCollCall *call, guint32 base);
/* Returns piece @piece of @pieces of @block. */
DnSpan dn_grouped_piece(const DnCollCall *call, guint32 piece, guint32 pieces, DnSpan block);
