/* allreduce_rabenseifner.c - reduce-scatter by recursive halving, allgather by recursive doubling.
 *
 * Other numbers of ranks fold first. For long buffers: 2 log2 n steps and 2 (n - 1) / n of the
 * buffer from each rank (powers of two). */
#include "workload/collective.h"

static gboolean rabenseifner_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                                   DnRound *r)
{
    DnHalving h = dn_halving(call, me, FALSE);
    guint64 first = h.folds + h.log;
    if (k < first) {
        dn_halving_round(call, &h, me, k, r);
        return TRUE;
    }
    k -= first;
    if (k > h.log)
        return FALSE;
    if (k == h.log) {
        guint32 peer = me % 2 == 1 ? me - 1 : me + 1;
        if (h.in_pair && h.rests)
            dn_round_recv(r, peer, 1000002, 0, dn_whole(call));
        else if (h.in_pair)
            dn_round_send(r, peer, 1000002, 0, dn_whole(call));
        if (h.in_pair)
            dn_round_wait(r, DN_ANY);
    } else if (!h.rests) {
        guint32 j = h.log - 1 - (guint32)k, other = h.me ^ 1u << j;
        guint32 peer = dn_halving_rank(&h, other);
        dn_round_exchange(r, peer, dn_halving_part(call, &h, h.me, j + 1), peer,
                          dn_halving_part(call, &h, other, j + 1), (guint32)(first + k));
    }
    return TRUE;
}

const DnCollAlgorithm dn_coll_allreduce_rabenseifner = {
    .kind = DN_COLL_ALLREDUCE,
    .name = "rabenseifner",
    .source = "R. Rabenseifner, Optimization of Collective Reduction Operations, ICCS 2004",
    .round = rabenseifner_round,
    .copy_first = DN_COLL_COPY_BUFFER,
};
