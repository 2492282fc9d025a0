/* sharing.c - the transfers under way: by the engine's own max-min sharing, in this process, or by
 * SimGrid's in another. */
#include "engine/flow/flow.h"

#define MOST_REPEATS 4096

/* SimGrid has no weights: the last link is listed as often, within reason. */
static void solver_post(DnFlow *flow, guint32 id, double bytes, double cap, const guint32 *links,
                        guint32 n, guint32 last_weight)
{
    guint32 all = n - 1 + MIN(last_weight, MOST_REPEATS);
    g_autofree guint32 *repeated = g_new(guint32, all);
    for (guint32 i = 0; i < all; i++)
        repeated[i] = links[MIN(i, n - 1)];
    dn_solver_post(flow->solver, flow->now_ps, id, bytes, cap, repeated, all);
}

void dn_flow_transfer_post(DnFlow *flow, guint32 id, double bytes, double cap, const guint32 *links,
                           guint32 n, guint32 last_weight)
{
    if (flow->max_min != NULL)
        dn_max_min_add(flow->max_min, flow->now_ps, id, bytes, cap, links, n, last_weight);
    else if (last_weight > 1)
        solver_post(flow, id, bytes, cap, links, n, last_weight);
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
