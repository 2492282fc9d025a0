/* allgather_linear.c - every rank sends its block to all others at once. */
#include "workload/collective.h"

static gboolean linear_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                             DnRound *r)
{
    guint64 n = call->n;
    if (++k >= n)
        return FALSE;
    guint32 from = (guint32)((me + n - k) % n), to = (guint32)((me + k) % n);
    dn_round_recv(r, from, 0, 0, dn_blocks(call, DN_AREA_DATA, from, 1));
    dn_round_isend(r, to, 0, 0, dn_blocks(call, DN_AREA_DATA, me, 1));
    if (k == n - 1)
        dn_round_wait(r, DN_ANY);
    return TRUE;
}

const DnCollAlgorithm dn_coll_allgather_linear = {
    .kind = DN_COLL_ALLGATHER,
    .name = "linear",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_allgather.c, intra_basic_linear",
    .round = linear_round,
    .copy_first = DN_COLL_COPY_BLOCK,
};
