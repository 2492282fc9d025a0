/* job_traffic.h - the traffic matrix of a run's jobs. */
#pragma once
#include "analysis/traffic.h"
#include "config/run_spec.h"
#include "topology/machine.h"

/* (transfer full): bytes between endpoints, one iteration of every job together. NULL +
 * DN_ERROR_RANGE when nothing is sent or there is too much to read. */
DnTraffic *dn_traffic_of_spec(const DnRunSpec *spec, const DnMachine *machine, GError **error);
