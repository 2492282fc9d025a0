/* bcast_linear.c - the root sends to every other rank. */
#include "workload/collective.h"

static gboolean linear_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                             DnRound *r)
{
    if (me != call->root) {
        dn_round_recv(r, call->root, 0, 0, dn_whole(call));
        dn_round_wait(r, DN_ANY);
        return k == 0;
    }
    if (k == call->n)
        dn_round_wait(r, DN_ANY);
    else if (k != me)
        dn_round_isend(r, (guint32)k, 0, 0, dn_whole(call));
    return k <= call->n;
}

const DnCollAlgorithm dn_coll_bcast_linear = {
    .kind = DN_COLL_BCAST,
    .name = "linear",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_bcast.c, intra_basic_linear",
    .round = linear_round,
};
