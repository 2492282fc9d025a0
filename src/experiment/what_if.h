/* what_if.h - What-ifs remove limits of a machine's network: links of infinite bandwidth, or links
 * and switches of zero latency, or both. The time that remains is that of the program and its
 * endpoints.
 *
 * Infinite: a million times the link's own, so that a gibibyte takes less than a microsecond at
 * 10 Gb/s; meant for engines without queues, since buffers stay as they are. Zero: 1 ps a link, on
 * the packet engine 1 ns, the shortest lookahead window of an acceptable cost; vertices 0. */
#pragma once
#include "endpoint/mechanism.h"
#include "experiment/run_options.h"

/* Applies @what_if to @machine before a run on @engine; all zeros change nothing. With a link class
 * given, its links get a thousand times their bandwidth and sixteen times their buffers. */
void dn_what_if_apply(DnMachine *machine, const DnEngineType *engine, const DnWhatIf *what_if);
void dn_what_if_apply_mechanism(DnMechanism *mechanism, guint unlimited);
