/* gather_linear.c - every rank sends its block to the root; of unequal ones those of any bytes. */
#include "workload/collective.h"

static gboolean linear_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                             DnRound *r)
{
    return dn_round_linear(r, me, k, DN_LINEAR_GATHER);
}

const DnCollAlgorithm dn_coll_gather_linear = {
    .kind = DN_COLL_GATHER,
    .name = "linear",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_gather.c, intra_basic_linear",
    .round = linear_round,
    .copy_first = DN_COLL_COPY_ROOT_BLOCK,
};
