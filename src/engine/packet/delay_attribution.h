/* delay_attribution.h - who waits for whom: what each message's time went into, link by link.
 *
 * Made only when an observer asks for ways or channels; the engine is then on one thread, which
 * changes no result. Each port keeps a log of what it sent; a packet that leaves looks up what was
 * sent while it could have gone. So its time falls apart, without a gap:
 *     latency    of wires and switches
 *     serial     its own bytes on a link, and packets of its own message ahead of it
 *     queue      another message's packets on the link meanwhile
 *     credit     the link idle, or serving another lane, for want of room at its far end. Who held
 *                it: the job with most bytes there when the packet left. `root`: the link that
 *                its first packet waited for, or, if that had no room ahead either, the one that
 *                the tree of the congestion grows from. When only its own message was there, who
 *                was ahead of that; nobody: serial
 *     crossbar   idle, for the way from its input was taken
 *     inject     idle, and the packet was not there yet or its NIC did not let it go
 * Behind its own message's packets it waits without any others, too, at its source and where a link
 * is slower than those before. Beyond that they were held up, by whoever is named: so the time less
 * queue, credit and crossbar is what the message takes on its way with nobody else about.
 * LIMITATIONS: that is exact for one way through buffers that hold a round trip. Responses have no
 * way of their own, but stand in the others'. A message that wholly stays at its endpoint has no
 * parts. Memory: a port's log is forgotten when nothing waits there; one that never runs dry grows
 * by 80 B with every packet, or every row of packets of one message. */
#pragma once
#include "engine/packet/core.h"

struct DnWaits *dn_waits_new(const DnPacketEngine *engine);
void dn_waits_free(struct DnWaits *waits);
/* A message was handed over at the vertex being served. */
void dn_waits_born(DnPart *part, const DnMessage *message);
/* Packet @id leaves by port @index of @v; its place and tail are still those at @v. */
void dn_waits_leave(DnPart *part, const DnVertexState *v, guint32 index, guint q, guint32 id,
                    gint64 start_ps);
/* Packet @id is at its end; then, if it was its message's last, the message. */
void dn_waits_came(DnPart *part, guint32 id);
void dn_waits_delivered(DnPart *part, const DnMessage *message, gint64 born_ps);
/* Engine port @port had no credit until now. */
void dn_waits_stalled(DnPart *part, guint32 port, gint64 since_ps);
