/* allreduce_linear.c - every rank to rank 0, which combines in turn and sends the result to all. */
#include "workload/collective.h"

static gboolean linear_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                             DnRound *r)
{
    guint32 n = call->n;
    DnSpan all = dn_whole(call), in = dn_scratch(0, call->bytes);
    if (me > 0) {
        if (k > 0)
            return FALSE;
        dn_round_send(r, 0, 0, 0, all);
        dn_round_wait(r, DN_ANY);
        dn_round_recv(r, 0, 1, 0, all);
        dn_round_wait(r, DN_ANY);
    } else if (k < n - 1) {
        dn_round_recv(r, (guint32)k + 1, 0, 0, in);
        dn_round_wait(r, DN_ANY);
        dn_round_reduce(r, all, in);
    } else if (k < 2 * (guint64)(n - 1)) {
        dn_round_isend(r, (guint32)(k - (n - 1)) + 1, 1, 0, all);
    } else if (k == 2 * (guint64)(n - 1)) {
        dn_round_wait(r, DN_ANY);
    } else {
        return FALSE;
    }
    return TRUE;
}

const DnCollAlgorithm dn_coll_allreduce_linear = {
    .kind = DN_COLL_ALLREDUCE,
    .name = "linear",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_allreduce.c, intra_basic_linear",
    .round = linear_round,
    .ordered = TRUE,
};
