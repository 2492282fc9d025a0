/* delay_attribution.h - Delay attribution splits each message's time by cause, link by link.
 *
 * It runs only when an observer asks for delays or channels; the engine then has one thread, which
 * changes no result. Each port keeps a log of the packets it sent; a packet that leaves looks up
 * those sent since it was ready. So its time is split, without a gap, into:
 *     latency    of wires and switches
 *     serial     its own bytes on a link, and packets of its own message ahead of it
 *     queue      another message's packets on the link meanwhile
 *     credit     the link idle, or serving another lane, for lack of credits. The cause is the job
 *                with most bytes in the buffer at its far end when the packet left. `root`: the
 *                link that the first packet of that job waited for, or, if that link had no credits
 *                either, the root of the congestion tree. When the buffer held its own message
 *                alone, the cause is the packet ahead of that; none: serial
 *     crossbar   the link idle, since the crossbar input was busy
 *     inject     the link idle; the packet had not arrived yet, or its NIC did not release it
 * A packet waits behind its own message's packets even without other traffic, at its source and
 * where a link is slower than those before. Any longer wait is attributed to the traffic that
 * delayed those packets: so the time less queue, credit and crossbar is the message's time without
 * other traffic.
 * Packets that stand for several (packet_aggregation.h) are causes like others; a packet that is
 * interleaved with one parts its entry in the log.
 * LIMITATIONS: this is exact for a single path whose buffers hold a round trip. Responses have no
 * delay spans, but appear as causes in those of messages. A message within one endpoint has no
 * spans. Memory: a port's log is forgotten when nothing waits there; that of a port which never
 * runs dry grows by 80 B with every packet, or every sequence of packets of one message. */
#pragma once
#include "engine/packet/core.h"

struct DnDelayLog *dn_delay_log_new(const DnPacketEngine *engine);
void dn_delay_log_free(struct DnDelayLog *log_state);
