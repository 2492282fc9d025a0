/* delay_attribution.h - Delay attribution splits each message's time by cause, link by link.
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

struct DnDelayLog *dn_delay_log_new(const DnPacketEngine *engine);
void dn_delay_log_free(struct DnDelayLog *log_state);
