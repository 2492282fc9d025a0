/* gather_binomial.c - up a binomial tree; each rank sends on the blocks of its subtree at once.
 *
 * Blocks gather in scratch by rank relative to the root; the root puts them in place. */
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
    if (k == 0) {
        dn_round_copy(r, dn_blocks(call, DN_AREA_SCRATCH, v, 1),
                      dn_blocks(call, DN_AREA_DATA, me, 1));
    } else if (k <= steps) {
        guint32 distance = 1u << (k - 1);
        if (v % (2 * distance) == 0 && v + distance < n) {
            guint32 from = v + distance;
            dn_round_recv(r, (call->root + from) % n, 0, 0,
                          dn_blocks(call, DN_AREA_SCRATCH, from, span_of(n, from)));
            dn_round_wait(r, DN_ANY);
        }
    } else if (v > 0) {
        dn_round_send(r, (call->root + v - (v & (~v + 1))) % n, 0, 0,
                      dn_blocks(call, DN_AREA_SCRATCH, v, span_of(n, v)));
        dn_round_wait(r, DN_ANY);
        return k == steps + 1;
    } else if (k == steps + 1) {
        dn_round_copy(r, dn_blocks(call, DN_AREA_DATA, me, n - me),
                      dn_blocks(call, DN_AREA_SCRATCH, 0, n - me));
        if (me > 0)
            dn_round_copy(r, dn_blocks(call, DN_AREA_DATA, 0, me),
                          dn_blocks(call, DN_AREA_SCRATCH, n - me, me));
    } else {
        return FALSE;
    }
    return TRUE;
}

const DnCollAlgorithm dn_coll_gather_binomial = {
    .kind = DN_COLL_GATHER,
    .name = "binomial",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_gather.c, intra_binomial",
    .round = binomial_round,
    .equal_blocks = TRUE,
};
