/* message_pack.h - Messages that wait at their source and of which nothing has left, a few bytes
 * each.
 *
 * A rank that sends to thousands at once has all these messages in the list of one port, where they
 * take turns. Once DN_PACK_FROM in a row wait there untouched, the next ones join a pack: one entry
 * of the list, which keeps of each message only how it differs from the one before it. A message
 * gets a state of its own when its turn comes: packets are made of it in the same order, at the
 * same time and with the same random draws as without packs.
 * Memory: of an alltoall 2 B a message with neighbouring destinations, 4 to 5 B with random ones,
 * instead of 128.
 * LIMITATIONS: a message of several packets has its state from its first packet on, and messages
 * take turns; there are no packs in runs of several processes and of larger packets
 * (larger_packets.h). */
#pragma once
#include "engine/packet/core.h"

#define DN_PACK_FROM 64u

/* An entry of the list of messages at a port is a pack. */
static inline gboolean dn_is_pack(const DnMessageState *entry)
{
    return entry->left_bytes < 0;
}

/* (record): an empty pack, which is to be put into a list; 0: there is no memory. */
guint32 dn_pack_new(DnPartition *partition);
/* Message @id, of which only what its sender set and the rail are kept, joins @pack, and its state
 * is given back; FALSE: there is no memory, it stays as it is. */
gboolean dn_pack_add(DnPartition *partition, guint32 pack, guint32 id);
/* The first message, with m, born_ps and rail set; 0: there is no memory for its state, and the run
 * ends. */
guint32 dn_pack_take(DnPartition *partition, guint32 pack);
gboolean dn_pack_is_empty(const DnPacketEngine *engine, guint32 pack);
/* Gives an empty pack back. */
void dn_pack_free(DnPartition *partition, guint32 pack);
