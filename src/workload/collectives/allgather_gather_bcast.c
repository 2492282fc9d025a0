/* allgather_gather_bcast.c - all blocks to rank 0, then all of them from there as one buffer.
 *
 * Open MPI broadcasts one element of a type that spans all blocks, by the algorithm that it chooses
 * for so many bytes; what cuts buffers at elements then has nothing to cut. Otherwise the broadcast
 * is binomial. */
#include "workload/select.h"

extern const DnCollAlgorithm dn_coll_gather_linear;

#define TAG_BCAST 3000000u

static gboolean gather_bcast_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                                   DnRound *r)
{
    DnCollCall part = *call;
    part.root = 0;
    part.algorithm = &dn_coll_gather_linear;
    guint64 gathering = dn_coll_rounds(&part, me);
    if (k < gathering)
        return dn_coll_gather_linear.round(&part, me, 0, k, r);
    part.bytes = dn_blocks(call, DN_AREA_DATA, 0, call->n).bytes;
    part.element = MAX(1, part.bytes);
    part.starts = NULL;
    part.unequal = FALSE;
    r->tag = TAG_BCAST;
    DnSelection selection = {.algorithm = "binomial", .style = call->style};
    if (call->style == DN_STYLE_OMPI)
        dn_select_ompi(&part, DN_COLL_BCAST, &selection);
    dn_selection_apply(&selection, DN_COLL_BCAST, FALSE, &part);
    r->call = &part;
    gboolean more = part.algorithm->round(&part, me, 0, k - gathering, r);
    r->call = call;
    return more;
}

const DnCollAlgorithm dn_coll_allgather_gather_bcast = {
    .kind = DN_COLL_ALLGATHER,
    .name = "gather_bcast",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_allgatherv.c, intra_basic_default",
    .round = gather_bcast_round,
    .copy_first = DN_COLL_COPY_ROOT_BLOCK,
};
