/* failures.h - failed links and switches of a fabric: `fabric.failures`.
 *
 * Failed parts are left out of the graph; routing goes around by computed tables (any fabric), and
 * bounds and runs see what is left. A cable is out with both its directions; of a failed switch all
 * cables to switches are out, and its nodes are cut off, which is an error. Nothing fails or
 * recovers during a run. */
#pragma once
#include "topology/machine_plan.h"

extern const DnParamSpec dn_failures_keys[];

/* Takes the failed cables out of @b, which holds those between switches and no others; counts them
 * in plan->machine. FALSE + error at `failures:`: a switch or link that is not there, or nodes that
 * are cut off from each other, by name. No `failures:`: nothing. */
gboolean dn_failures_apply(const DnMachinePlan *plan, DnGraphBuilder *b, GError **error);
