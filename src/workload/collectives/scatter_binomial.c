/* scatter_binomial.c - down a binomial tree; each rank gets the blocks of its subtree at once.
 *
 * Blocks travel in scratch by rank relative to the root. */
#include "workload/collective.h"

/* Relative rank @v is answerable for blocks [v, v + span). */
static guint32 span_of(guint32 n, guint32 v)
{
    guint32 span = v == 0 ? 1u << dn_log2_ceil(n) : v & (~v + 1);
    return MIN(span, n - v);
}

static gboolean binomial_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                               DnRound *r)
{
    guint32 n = call->n, v = (me + n - call->root) % n, steps = dn_log2_ceil(n);
    if (k == 0 && v == 0) {
        dn_round_copy(r, dn_blocks(call, DN_AREA_SCRATCH, 0, n - me),
                      dn_blocks(call, DN_AREA_DATA, me, n - me));
        if (me > 0)
            dn_round_copy(r, dn_blocks(call, DN_AREA_SCRATCH, n - me, me),
                          dn_blocks(call, DN_AREA_DATA, 0, me));
    } else if (k == 0) {
        dn_round_recv(r, (call->root + v - (v & (~v + 1))) % n, 0, 0,
                      dn_blocks(call, DN_AREA_SCRATCH, v, span_of(n, v)));
        dn_round_wait(r, DN_ANY);
    } else if (k <= steps) {
        guint32 distance = 1u << (steps - k);
        if (v % (2 * distance) == 0 && v + distance < n) {
            guint32 to = v + distance;
            dn_round_send(r, (call->root + to) % n, 0, 0,
                          dn_blocks(call, DN_AREA_SCRATCH, to, span_of(n, to)));
        }
    } else if (k == steps + 1) {
        dn_round_copy(r, dn_blocks(call, DN_AREA_DATA, me, 1),
                      dn_blocks(call, DN_AREA_SCRATCH, v, 1));
        dn_round_wait(r, DN_ANY);
    } else {
        return FALSE;
    }
    return TRUE;
}

const DnCollAlgorithm dn_coll_scatter_binomial = {
    .kind = DN_COLL_SCATTER,
    .name = "binomial",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_scatter.c, intra_binomial",
    .round = binomial_round,
    .equal_blocks = TRUE,
};
