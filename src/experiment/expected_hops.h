/* expected_hops.h - The packet hops of a job, counted before it runs from the operations of some of
 * its ranks.
 *
 * One iteration of ranks from all over the job is walked through until SAMPLED_OPS operations are
 * seen, at least one rank's whole. A message counts its packets, as the run cuts it, those of its
 * handshake, and the responses where NICs answer; each packet counts the vertices on a route of an
 * idle machine between the two endpoints. Larger packets are cut as where the messages that a rank
 * begins before it waits take turns, and are the machine's own towards a destination that gets a
 * multiple of what a rank sends, where endpoint_throttle leaves its senders small windows. What
 * was seen is scaled to all ranks by the bytes that an iteration moves where the program knows
 * them, else by the number of ranks. The streams of a rank of a trace wait for each other as they
 * would in a run in which each message is over at once. A job whose packets all go from neighbour
 * to neighbour, as over the NVLinks of a node, has no hops: its packets count.
 * LIMITATIONS: detours around congestion, forwarding by hosts and repeated sends are not foreseen;
 * every iteration is taken to be as the first; windows of endpoint_throttle are taken to stay as
 * they begin. */
#pragma once
#include "runtime/runtime.h"

/* Events of a packet that goes straight to a neighbour. */
#define DN_DIRECT_EVENTS 3

/* Returns the packet hops of @iterations iterations of @job, with packets of @packet_bytes of
 * payload, each of which stands for @aggregation; 0: unknown, as of a job without an end; -1: an
 * iteration is too long to be walked. */
double dn_expected_hops(const DnReplayJob *job, guint32 iterations, const DnRouter *router,
                        gint64 packet_bytes, guint aggregation);
