/* reduce_scatter_linear.c - reduce of the whole buffer to rank 0, which sends each its piece.
 *
 * Binomial; Open MPI's reduces as it chooses for that size, and its reduce_scatter_block scatters
 * so too. */
#include "workload/select.h"

static void whole_reduce(const DnCollCall *call, DnCollCall *reduce)
{
    DnSelection selection;
    *reduce = *call;
    reduce->root = 0;
    reduce->segment = 0;
    reduce->algorithm = dn_coll_find(DN_COLL_REDUCE, "binomial");
    if (call->style != DN_STYLE_OMPI)
        return;
    dn_select_ompi(reduce, DN_COLL_REDUCE, &selection);
    dn_selection_apply(&selection, DN_COLL_REDUCE, FALSE, reduce);
}

static gboolean linear_scatters(const DnCollCall *call, guint32 me, guint64 k, DnRound *r)
{
    DnSelection selection;
    DnCollCall scatter = *call;
    scatter.root = 0;
    scatter.bytes = call->bytes / call->n;
    scatter.one_count = FALSE;
    dn_select_ompi(&scatter, DN_COLL_SCATTER, &selection);
    dn_selection_apply(&selection, DN_COLL_SCATTER, FALSE, &scatter);
    r->tag = 3000000;
    r->call = &scatter;
    gboolean more = scatter.algorithm->round(&scatter, me, 0, k, r);
    r->call = call;
    return more;
}

static gboolean linear_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                             DnRound *r)
{
    DnCollCall reduce;
    whole_reduce(call, &reduce);
    guint64 first = dn_coll_rounds(&reduce, me);
    if (k < first)
        return reduce.algorithm->round(&reduce, me, 0, k, r);
    k -= first;
    if (call->one_count && call->style == DN_STYLE_OMPI)
        return linear_scatters(call, me, k, r);
    DnSpan own = dn_share(call, me);
    if (me > 0) {
        if (own.bytes > 0)
            dn_round_recv(r, 0, 3000000, 0, own);
        dn_round_wait(r, DN_ANY);
        return k == 0;
    }
    if (k > 0 && k < call->n && dn_share(call, k).bytes > 0)
        dn_round_send(r, (guint32)k, 3000000, 0, dn_share(call, k));
    else if (k == call->n)
        dn_round_wait(r, DN_ANY);
    return k <= call->n;
}

const DnCollAlgorithm dn_coll_reduce_scatter_linear = {
    .kind = DN_COLL_REDUCE_SCATTER,
    .name = "linear",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_reduce_scatter.c, intra_nonoverlapping; "
              "coll_base_reduce_scatter_block.c, basic_linear",
    .round = linear_round,
    .ordered = TRUE,
};
