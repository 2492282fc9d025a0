/* remote.h - Events for the domains of other processes (base/processes.h), and their packets.
 *
 * Processes divide the domains between them, as the threads of each divide its own. A packet that
 * leaves for another process is packed after the window, with what its message's state holds for
 * others, and its record here is free; there it gets a record, and its message a copy of that
 * state. The message's own state stays with its source: until all its packets have left when it
 * ends elsewhere without responses, else until it is delivered or answered. So a copy belongs to
 * one packet, and the bytes of a message of several packets are counted where it ends, by its
 * number. A packet that comes back to where its message was made and also ends has that state
 * again. */
#pragma once
#include "engine/packet/arrival_table.h"
#include "engine/packet/core.h"

/* Events and messages of a partition for other processes. */
struct DnRemote {
    DnMailbox *out;       /* [processes] events not yet packed */
    GByteArray **packed;  /* [neighbours] those that are */
    gint64 earliest_slot; /* of those packed since the last exchange */
    guint64 events;       /* likewise */
    guint64 numbered;     /* messages so far, for their numbers */
    DnArrivalTable arriving;
};

void dn_remote_init(DnPacketEngine *engine);
void dn_remote_clear(DnPacketEngine *engine);
/* After a window: the partition's events become bytes, their packets' records free. */
void dn_remote_pack(DnPartition *partition);
/* All partitions' packed events go, those of others come, and @vote is combined. */
void dn_remote_exchange(DnPacketEngine *engine, DnVote *vote);
/* Takes the events that came for this partition's domains. */
void dn_remote_receive(DnPartition *partition);
/* A message is made here. */
void dn_remote_begin(DnPartition *partition, DnMessageState *msg);
/* @payload_bytes of a message from elsewhere; TRUE: all of it is here. */
gboolean dn_remote_arrived(DnPartition *partition, const DnMessageState *msg, gint64 payload_bytes);
/* process_results.c: the totals and results of all processes together, in each of them. The second
 * gives all that the first does not, and needs no engine: its memory is free then. */
void dn_totals_combine(const DnPacketEngine *engine, DnTotals *totals);
void dn_result_combine(const DnEngineRun *run, DnEngineResult *result);
