/* what_if.h - a machine whose network is without bounds: links of infinite bandwidth, or links and
 * switches of zero latency, or both. What a program still takes there is its own, its endpoints'.
 *
 * Infinite: a million times the link's own, so that a gibibyte takes less than a microsecond at
 * 10 Gb/s; meant for engines without queues, since buffers stay as they are. Zero: 1 ps a link, on
 * the packet engine 1 ns, which is what its windows can be cut into at a bearable cost; vertices
 * 0. */
#pragma once
#include "endpoint/mechanism.h"
#include "experiment/run_options.h"

/* @what_if: of no ideal nothing is changed; a link class gets a thousandfold bandwidth, and sixteen
 * times its buffers. */
void dn_what_if_apply(DnMachine *machine, const DnEngineType *engine, const DnWhatIf *what_if);
void dn_what_if_apply_mechanism(DnMechanism *mechanism, guint unlimited);
