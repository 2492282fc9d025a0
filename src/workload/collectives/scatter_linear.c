/* scatter_linear.c - the root sends every rank its block, all at once; of unequal blocks those of
 * any bytes. */
#include "workload/collective.h"

static gboolean linear_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                             DnRound *r)
{
    return dn_round_linear(r, me, k, FALSE);
}

const DnCollAlgorithm dn_coll_scatter_linear = {
    .kind = DN_COLL_SCATTER,
    .name = "linear",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_scatter.c, intra_linear_nb",
    .round = linear_round,
    .copy_first = DN_COLL_COPY_ROOT_BLOCK,
};
