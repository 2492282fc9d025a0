/* scatter_linear.c - the root sends every rank its block; of unequal blocks those of any bytes.
 *
 * Open MPI's root waits for each send; MPICH's and the textbook's send all at once. */
#include "workload/collective.h"

static gboolean linear_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                             DnRound *r)
{
    gboolean waits = call->style == DN_STYLE_OMPI;
    return dn_round_linear(r, me, k, waits ? DN_LINEAR_SCATTER_BLOCKING : DN_LINEAR_SCATTER);
}

const DnCollAlgorithm dn_coll_scatter_linear = {
    .kind = DN_COLL_SCATTER,
    .name = "linear",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_scatter.c, intra_basic_linear",
    .round = linear_round,
    .copy_first = DN_COLL_COPY_ROOT_BLOCK,
};
