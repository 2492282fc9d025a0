/* packet_bias.h - What a run's packets change, where they are not the machine's own: the run is
 * made again, shortened, with packets of either size.
 *
 * Shortened: each job has one iteration. Where the two runs take more packet hops together than
 * DnRunOptions.packet_bias_hops, or than 3 % of the run's own (but 40,000 always), both stop
 * after the part of the time that takes so many, and the payload that has arrived by then is
 * compared in place of times.
 * LIMITATIONS: a part of a run shows neither its end nor congestion that grows later: a tree over
 * 256 ranks that takes 14 % longer with packets four times as large differs by 0.0 % in its first 3
 * %; a run beside others starts where it started, but has no more than one iteration. */
#pragma once
#include "experiment/simulate.h"

#define DN_PACKET_BIAS_HOPS 4000000 /* seconds a point */

/* Measures @result's packet_bias, and adds a warning that tells it, where @spec has packets of
 * another size than the machine's. FALSE + error: as dn_simulate(). */
gboolean dn_packet_bias_warn(const DnRunSpec *spec, const DnRunOptions *options,
                             DnNetworkCache *cache, DnRunResult *result, GError **error);
