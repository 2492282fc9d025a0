/* alltoall_linear.c - all receives, then all sends in rank order (1, 2, ..., or 0, 2, ...), then
 * one wait. */
#include "workload/collective.h"

static gboolean linear_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                             DnRound *r)
{
    return dn_round_all_at_once(r, me, k, FALSE);
}

const DnCollAlgorithm dn_coll_alltoall_linear = {
    .kind = DN_COLL_ALLTOALL,
    .name = "linear",
    .limits = "no window on outstanding requests",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_alltoall.c, intra_basic_linear",
    .round = linear_round,
};
