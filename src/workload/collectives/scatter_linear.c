/* scatter_linear.c - the root sends every rank its block, all at once; of unequal ones those of
 * any bytes. */
#include "workload/collective.h"

static gboolean linear_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                             DnRound *r)
{
    DnSpan own = dn_blocks(call, DN_AREA_DATA, me, 1);
    if (me != call->root) {
        if (own.bytes > 0 || !call->unequal)
            dn_round_recv(r, call->root, 0, 0, own);
        dn_round_wait(r, DN_ANY);
        return k == 0;
    }
    if (k > call->n)
        return FALSE;
    if (k == call->n) {
        dn_round_wait(r, DN_ANY);
    } else if (k != me) {
        DnSpan block = dn_blocks(call, DN_AREA_DATA, k, 1);
        if (block.bytes > 0 || !call->unequal)
            dn_round_send(r, (guint32)k, 0, 0, block);
    }
    return TRUE;
}

const DnCollAlgorithm dn_coll_scatter_linear = {
    .kind = DN_COLL_SCATTER,
    .name = "linear",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_scatter.c, intra_linear_nb",
    .round = linear_round,
};
