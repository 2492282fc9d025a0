/* packet_bias.h - What a run's packets change, where they are not the machine's own, or where those
 * of a job under study are aggregated: one iteration of each job is made again with the run's
 * packets, and with the machine's own, each alone, and the times of those are compared, where
 * both take at most DnRunOptions.packet_bias_whole_hops, or 3 % of the run's own packet hops.
 *
 * A longer run is made up to the part of its time that takes 3 % of its packet hops (40,000
 * always). That part says how much payload has arrived with packets of either size, but not how
 * long the whole takes: an alltoall of 512 KiB on 64 nodes of Leonardo has 10 to 12 % less after a
 * tenth of its time with packets of 32 KiB, and takes 1.8 % longer. Where the part is less than 1 %
 * of the time, or of the payload, nothing is compared.
 * LIMITATIONS: jobs in the background keep their aggregated packets; a run beside others starts
 * where it started, but has no more than one iteration; runs without iterations (open loop) are not
 * compared. */
#pragma once
#include "experiment/simulate.h"

#define DN_PACKET_BIAS_HOPS 4000000       /* a second a point */
#define DN_PACKET_BIAS_WHOLE_HOPS 2000000 /* half a second a point, */
#define DN_PACKET_BIAS_ALL_HOPS 8000000   /* and of all points together */

/* Measures @result's packet_bias, and adds a warning that tells it, where @spec has packets of
 * another size than the machine's, or aggregated ones that are not in the background. FALSE +
 * error: as dn_simulate(). */
gboolean dn_packet_bias_warn(const DnRunSpec *spec, const DnRunOptions *options,
                             DnNetworkCache *cache, DnRunResult *result, GError **error);
