/* reduce_linear.c - the root receives from every other rank in turn and combines. */
#include "workload/collective.h"

static gboolean linear_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                             DnRound *r)
{
    DnSpan in = dn_scratch(0, call->bytes);
    if (me != call->root) {
        dn_round_send(r, call->root, 0, 0, dn_whole(call));
        dn_round_wait(r, DN_ANY);
        return k == 0;
    }
    if (k < call->n && k != me) {
        dn_round_recv(r, (guint32)k, 0, 0, in);
        dn_round_wait(r, DN_ANY);
        dn_round_reduce(r, dn_whole(call), in);
    }
    return k < call->n;
}

const DnCollAlgorithm dn_coll_reduce_linear = {
    .kind = DN_COLL_REDUCE,
    .name = "linear",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_reduce.c, intra_basic_linear",
    .round = linear_round,
    .ordered = TRUE,
};
