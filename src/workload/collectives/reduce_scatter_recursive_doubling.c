/* reduce_scatter_recursive_doubling.c - log2 n exchanges at distances 1, 2, 4, ..., each of the
 * whole buffer but the blocks of the sender's ranks so far.
 *
 * Keeps the order of operands. With other numbers of ranks than powers of two some have no partner
 * in a step: what came for their subtree is passed down to them. */
#include "workload/collective.h"

#define TAG_PASS_DOWN 1000u

static guint32 rounded_down(guint32 rank, guint32 to)
{
    return rank & ~(to - 1);
}

/* The blocks of other ranks than the @mask ones from @root on: those before and those after. */
static void others_of(const DnCollCall *call, guint32 root, guint32 mask, DnSpan out[2])
{
    guint32 after = MIN(call->n, root + mask);
    out[0] = dn_shares(call, 0, root);
    out[1] = dn_shares(call, after, call->n);
}

/* Passes the received data down to the ranks of a subtree whose partner does not exist. */
static void pass_down(const DnCollCall *call, guint32 me, guint32 mask, DnSpan came, DnRound *r)
{
    guint32 have = call->n - rounded_down(me, mask) - mask;
    for (guint32 half = mask >> 1; half > 0; half >>= 1) {
        guint32 other = me ^ half, root = rounded_down(me, 2 * half);
        if (other > me && me < root + have && other >= root + have)
            dn_round_send(r, other, TAG_PASS_DOWN + half, 0, came);
        else if (other < me && other < root + have && me >= root + have)
            dn_round_recv(r, other, TAG_PASS_DOWN + half, 0, came);
        else
            continue;
        dn_round_wait(r, DN_ANY);
    }
}

static gboolean recursive_doubling_round(const DnCollCall *call, guint32 me, guint32 stream,
                                         guint64 k, DnRound *r)
{
    if (k >= dn_log2_ceil(call->n))
        return FALSE;
    guint32 mask = 1u << k, other = me ^ mask, n = call->n;
    guint32 mine = rounded_down(me, mask), theirs = rounded_down(other, mask);
    if (theirs >= n)
        return TRUE;
    DnSpan out[2], in[2];
    others_of(call, mine, mask, out);
    others_of(call, theirs, mask, in);
    DnSpan packed = dn_scratch(0, out[0].bytes + out[1].bytes);
    DnSpan came = dn_scratch(call->bytes, in[0].bytes + in[1].bytes);
    if (other < n) {
        if (out[0].bytes > 0)
            dn_round_copy(r, dn_scratch(0, out[0].bytes), out[0]);
        if (out[1].bytes > 0)
            dn_round_copy_on(r, dn_scratch(out[0].bytes, out[1].bytes), out[1]);
        dn_round_exchange(r, other, packed, other, came, (guint32)k);
    }
    if (theirs + mask > n)
        pass_down(call, me, mask, came, r);
    for (guint i = 0; i < 2; i++)
        if (in[i].bytes > 0)
            dn_round_reduce(r, in[i],
                            dn_scratch(call->bytes + (i > 0 ? in[0].bytes : 0), in[i].bytes));
    return TRUE;
}

const DnCollAlgorithm dn_coll_reduce_scatter_recursive_doubling = {
    .kind = DN_COLL_REDUCE_SCATTER,
    .name = "recursive_doubling",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_reduce_scatter_block.c, "
              "intra_recursivedoubling; MPICH, reduce_scatter_block_intra_recursive_doubling.c",
    .round = recursive_doubling_round,
    .copy_first = DN_COLL_COPY_BUFFER,
    .copy_last = DN_COLL_COPY_SHARE,
    .ordered = TRUE,
};
