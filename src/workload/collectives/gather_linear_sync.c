/* gather_linear_sync.c - the root asks one rank after another for the first part of its block
 * (`segment`), and takes the rest as it comes. */
#include "workload/collective.h"

static DnSpan part_of(const DnCollCall *call, guint64 rank, gboolean first)
{
    DnSpan block = dn_blocks(call, DN_AREA_DATA, rank, 1);
    gint64 head = call->segment > 0 ? MIN(call->segment, block.bytes) : block.bytes;
    if (!first)
        block.offset += head;
    block.bytes = first ? head : block.bytes - head;
    return block;
}

static gboolean linear_sync_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                                  DnRound *r)
{
    DnSpan none = dn_scratch(0, 0);
    if (me != call->root) {
        dn_round_recv(r, call->root, 0, 0, none);
        dn_round_wait(r, DN_ANY);
        dn_round_send(r, call->root, 1, 0, part_of(call, me, TRUE));
        dn_round_wait(r, DN_ANY);
        dn_round_send(r, call->root, 2, 0, part_of(call, me, FALSE));
        dn_round_wait(r, DN_ANY);
        return k == 0;
    }
    guint32 from = (guint32)k;
    if (k == call->n) {
        dn_round_wait(r, DN_ANY);
    } else if (k < call->n && from != me) {
        dn_round_recv(r, from, 1, 0, part_of(call, k, TRUE));
        dn_round_send(r, from, 0, 1, none);
        dn_round_recv(r, from, 2, 1, part_of(call, k, FALSE));
        dn_round_wait(r, 0);
    }
    return k <= call->n;
}

const DnCollAlgorithm dn_coll_gather_linear_sync = {
    .kind = DN_COLL_GATHER,
    .name = "linear_sync",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_gather.c, intra_linear_sync",
    .round = linear_sync_round,
    .copy_first = DN_COLL_COPY_ROOT_BLOCK,
};
