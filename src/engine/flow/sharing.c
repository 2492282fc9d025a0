/* sharing.c - the transfers under way: by the engine's own max-min sharing, in this process, or by
 * SimGrid's in another. */
#include "engine/flow/flow.h"

void dn_flow_transfer_post(DnFlow *flow, guint32 id, double bytes, double cap, const guint32 *links,
                           guint32 n)
{
    if (flow->max_min != NULL)
        dn_max_min_add(flow->max_min, flow->now_ps, id, bytes, cap, links, n);
    else
        dn_solver_post(flow->solver, flow->now_ps, id, bytes, cap, links, n);
}

guint32 dn_flow_transfers_in_flight(const DnFlow *flow)
{
    if (flow->max_min != NULL)
        return dn_max_min_in_flight(flow->max_min);
    return flow->solver != NULL ? dn_solver_in_flight(flow->solver) : 0;
}

void dn_flow_transfers_tolerate(DnFlow *flow, double share, gint64 tolerance_ps)
{
    if (flow->max_min != NULL)
        dn_max_min_set_tolerance(flow->max_min, share);
    else
        dn_solver_tolerate(flow->solver, (double)tolerance_ps * 1e-6);
}
