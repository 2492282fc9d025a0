/* barrier_recursive_doubling.c - pairs at distances 1, 2, 4, ... exchange.
 *
 * Of other numbers of ranks those above the power of two report to the first ones before, and hear
 * from them after. */
#include "workload/collective.h"

static gboolean recursive_doubling_round(const DnCollCall *call, guint32 me, guint32 stream,
                                         guint64 k, DnRound *r)
{
    guint32 log = dn_log2_floor(call->n), power = 1u << log;
    DnSpan none = dn_scratch(0, 0);
    if (k > log + 1)
        return FALSE;
    if (k > 0 && k <= log) {
        guint32 peer = me ^ 1u << (k - 1);
        if (me < power)
            dn_round_exchange(r, peer, none, peer, none, (guint32)k);
        return TRUE;
    }
    gboolean above = me >= power, reports = k == 0;
    if (!above && me + power >= call->n)
        return TRUE;
    if (above == reports)
        dn_round_send(r, above ? me - power : me + power, (guint32)k, 0, none);
    else
        dn_round_recv(r, above ? me - power : me + power, (guint32)k, 0, none);
    dn_round_wait(r, DN_ANY);
    return TRUE;
}

const DnCollAlgorithm dn_coll_barrier_recursive_doubling = {
    .kind = DN_COLL_BARRIER,
    .name = "recursive_doubling",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_barrier.c, intra_recursivedoubling",
    .round = recursive_doubling_round,
};
