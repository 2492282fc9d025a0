/* time_shares.h - The shares of an iteration's time that latency, computation, the endpoints and
 * transfers have, for a run in which no link is busy for long.
 *
 * The run is made again on engine `bound`, where each message takes the same long time and its
 * path's latency, and nothing else takes any: the number of these times is that of the messages in
 * the longest chain, what is left is the chain's latency. The handshake of a rendezvous counts, as
 * do the two parts of a message that goes through host memory. Unless latency takes half of the
 * time, a second run without any time of messages has the computation of a program that has any;
 * else the costs of the endpoints.
 * LIMITATIONS: each share is that of its own longest chain, so their sum may be above 1; where a
 * program computes, the endpoints' costs count as transfers. */
#pragma once
#include "experiment/simulate.h"

/* Sets @result->shares of the job that iterates longest and is not background; leaves them unknown
 * where a link limits, where there is no such job, or where the run has too many messages to be
 * made again for this. FALSE + error: as dn_simulate(). */
gboolean dn_time_shares_count(const DnRunSpec *spec, const DnRunOptions *options,
                              DnNetworkCache *cache, DnRunResult *result, GError **error);
