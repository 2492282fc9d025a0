/* machine_rate.h - maximum concurrent flow of a whole machine, whatever the routing in its fabric.
 *
 * Every endpoint uses the NIC its machine file names, so the flow falls into independent parts: the
 * fabric, each NIC, the inside of each node. The rate is the least of theirs. */
#pragma once
#include "analysis/throughput.h"
#include "analysis/traffic.h"

typedef struct {
    DnThroughput fabric, node; /* bounds of INFINITY: nothing to carry there */
    double nic_bps;
    double lower_bps, upper_bps; /* of the whole */
    const char *limit;           /* "fabric", "NIC", "node": what has the least upper bound */
} DnMachineRate;

/* @max_visits: see dn_throughput_bounds(), for the fabric. */
void dn_machine_rate(const DnGraph *graph, const DnTrafficShares *shares, double max_visits,
                     DnMachineRate *out);
