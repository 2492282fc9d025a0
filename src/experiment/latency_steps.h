/* latency_steps.h - The number of latencies in an iteration that no link limits: its longest chain
 * of messages, each sent after the one before has come.
 *
 * The run is made again on engine `bound` where each message takes the same time and nothing else
 * takes any: an iteration then lasts as many of those as the chain has messages. The handshake of a
 * rendezvous counts, as do the two parts of a message that goes through host memory. A second run
 * without any time of messages says whether computation is what takes the time; where the program
 * has none, it is not made. */
#pragma once
#include "experiment/simulate.h"

/* Sets @result->steps of the job that iterates longest and is not background; leaves zeros where a
 * link limits, where there is no such job, or where the run has too many messages to be made again
 * for this. FALSE + error: as dn_simulate(). */
gboolean dn_latency_steps_count(const DnRunSpec *spec, const DnRunOptions *options,
                                DnNetworkCache *cache, DnRunResult *result, GError **error);
