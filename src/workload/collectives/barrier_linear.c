/* barrier_linear.c - every rank to rank 0, which then answers all. */
#include "workload/collective.h"

static gboolean linear_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                             DnRound *r)
{
    DnSpan none = dn_scratch(0, 0);
    if (me > 0) {
        dn_round_send(r, 0, 0, 0, none);
        dn_round_recv(r, 0, 1, 0, none);
        dn_round_wait(r, DN_ANY);
        return k == 0;
    }
    guint64 n = call->n;
    if (k > 0 && k < n)
        dn_round_recv(r, (guint32)k, 0, 0, none);
    else if (k == n || k == 2 * n)
        dn_round_wait(r, DN_ANY);
    else if (k > n && k < 2 * n)
        dn_round_send(r, (guint32)(k - n), 1, 0, none);
    return k <= 2 * n;
}

const DnCollAlgorithm dn_coll_barrier_linear = {
    .kind = DN_COLL_BARRIER,
    .name = "linear",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_barrier.c, intra_basic_linear",
    .round = linear_round,
};
