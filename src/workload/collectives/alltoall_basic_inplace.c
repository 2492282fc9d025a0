/* alltoall_basic_inplace.c - Open MPI's with MPI_IN_PLACE, of equal and unequal blocks: exchange k
 * (1 .. n/2) is one with rank + k and one with rank - k, where what is to go to rank + k has been
 * packed before. */
#include "workload/collective.h"

static void inplace_send(guint32 to, DnSpan out, DnRound *r)
{
    if (out.bytes > 0)
        dn_round_send(r, to, 0, 0, out);
    dn_round_wait(r, DN_ANY);
}

static void inplace_recv(const DnCollCall *call, guint32 me, guint32 from, DnRound *r)
{
    DnSpan in = dn_block_from(call, me, from);
    if (in.bytes > 0)
        dn_round_recv(r, from, 0, 0, in);
}

static gboolean basic_inplace_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                                    DnRound *r)
{
    guint64 n = call->n;
    if (k > n / 2)
        return FALSE;
    if (k == 0) {
        if (!(call->form & DN_COLL_IN_PLACE))
            dn_round_copy_own(r, me);
        return TRUE;
    }
    guint32 left = (guint32)((me + n - k) % n), right = (guint32)((me + k) % n);
    DnSpan to_right = dn_block_to(call, me, right), packed = dn_scratch(0, to_right.bytes);
    if (packed.bytes > 0)
        dn_round_copy(r, packed, to_right);
    inplace_recv(call, me, right, r);
    if (left != right) {
        inplace_send(left, dn_block_to(call, me, left), r);
        inplace_recv(call, me, left, r);
    }
    inplace_send(right, packed, r);
    return TRUE;
}

const DnCollAlgorithm dn_coll_alltoall_basic_inplace = {
    .kind = DN_COLL_ALLTOALL,
    .name = "basic_inplace",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_alltoall.c, intra_basic_inplace; "
              "coll_base_alltoallv.c; coll/basic/coll_basic_alltoallw.c",
    .limits = "blocks are read from a place of their own",
    .round = basic_inplace_round,
    .in_place = TRUE,
};
