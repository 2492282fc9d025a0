/* scatter_binomial.c - down a binomial tree; each rank gets the blocks of its subtree at once.
 *
 * Open MPI 4.1.4 (coll_base_scatter.c, intra_binomial) and MPICH 4.0.2 (scatter_intra_binomial.c)
 * copy the same blocks. Root 0 sends from the send buffer; any other rotates all blocks into a
 * buffer, by rank relative to it. Even relative ranks receive into a buffer, odd ones, the leaves,
 * into the receive buffer. Each send is a call that waits, to the farthest child first. The own
 * block is copied into the receive buffer before the sends in Open MPI, after them in MPICH. */
#include "workload/collective.h"

/* Relative rank @v is answerable for blocks [v, v + span). */
static guint32 span_of(guint32 n, guint32 v)
{
    guint32 span = v == 0 ? 1u << dn_log2_ceil(n) : v & (~v + 1);
    return MIN(span, n - v);
}

/* Where rank @me has @n_blocks from relative rank @v's on. */
static DnSpan scatter_place(const DnCollCall *call, guint32 me, guint32 v, guint32 n_blocks)
{
    guint32 own = (me + call->n - call->root) % call->n;
    if (own % 2 == 1 || (own == 0 && call->root == 0))
        return dn_blocks(call, DN_AREA_DATA, (guint64)me + v - own, n_blocks);
    return dn_blocks(call, DN_AREA_SCRATCH, v, n_blocks);
}

/* A root other than 0. With MPI_IN_PLACE MPICH leaves the own block out. */
static void scatter_rotate(const DnCollCall *call, DnRound *r)
{
    guint32 n = call->n, root = call->root;
    guint32 left_out = dn_coll_is_mpich(call) && call->own_in_place ? 1 : 0;
    guint32 behind = n - root - left_out;
    if (behind > 0)
        dn_round_copy(r, dn_blocks(call, DN_AREA_SCRATCH, left_out, behind),
                      dn_blocks(call, DN_AREA_DATA, root + left_out, behind));
    dn_round_copy(r, dn_blocks(call, DN_AREA_SCRATCH, n - root, root),
                  dn_blocks(call, DN_AREA_DATA, 0, root));
}

/* The own block, into the receive buffer; only the root may have it there. */
static void scatter_copy_own(const DnCollCall *call, guint32 me, guint32 v, DnRound *r)
{
    if (v % 2 == 0 && !(v == 0 && call->own_in_place))
        dn_round_copy(r, dn_blocks(call, DN_AREA_DATA, me, 1), scatter_place(call, me, v, 1));
}

static gboolean binomial_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                               DnRound *r)
{
    guint32 n = call->n, v = (me + n - call->root) % n, steps = dn_log2_ceil(n);
    gboolean copies_last = dn_coll_is_mpich(call);
    if (k == 0) {
        if (v > 0) {
            dn_round_recv(r, (call->root + v - (v & (~v + 1))) % n, 0, 0,
                          scatter_place(call, me, v, span_of(n, v)));
            dn_round_wait(r, DN_ANY);
        } else if (me > 0) {
            scatter_rotate(call, r);
        }
        if (!copies_last)
            scatter_copy_own(call, me, v, r);
    } else if (k <= steps) {
        guint32 distance = 1u << (steps - k);
        if (v % (2 * distance) == 0 && v + distance < n) {
            guint32 to = v + distance;
            dn_round_send(r, (call->root + to) % n, 0, 0,
                          scatter_place(call, me, to, span_of(n, to)));
            dn_round_wait(r, DN_ANY);
        }
    } else if (k == steps + 1 && copies_last) {
        scatter_copy_own(call, me, v, r);
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
