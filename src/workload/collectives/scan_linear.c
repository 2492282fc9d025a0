/* scan_linear.c - rank by rank: combine what came from the one before and pass it on. */
#include "workload/collective.h"

static gboolean linear_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                             DnRound *r)
{
    if (k > 0)
        return FALSE;
    if (me > 0) {
        dn_round_recv(r, me - 1, 0, 0, dn_scratch(0, call->bytes));
        dn_round_wait(r, DN_ANY);
        dn_round_reduce(r, dn_whole(call), dn_scratch(0, call->bytes));
    }
    if (me + 1 < call->n) {
        dn_round_send(r, me + 1, 0, 0, dn_whole(call));
        dn_round_wait(r, DN_ANY);
    }
    return TRUE;
}

const DnCollAlgorithm dn_coll_scan_linear = {
    .kind = DN_COLL_SCAN,
    .name = "linear",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_scan.c, intra_linear",
    .round = linear_round,
    .copy_first = DN_COLL_COPY_BUFFER,
    .ordered = TRUE,
};
