/* scatter_linear_nb.c - the root sends every rank its block, all at once. */
#include "workload/collective.h"

static gboolean linear_nb_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                                DnRound *r)
{
    return dn_round_linear(r, me, k, DN_LINEAR_SCATTER);
}

const DnCollAlgorithm dn_coll_scatter_linear_nb = {
    .kind = DN_COLL_SCATTER,
    .name = "linear_nb",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_scatter.c, intra_linear_nb",
    .round = linear_nb_round,
    .copy_first = DN_COLL_COPY_ROOT_BLOCK,
};
