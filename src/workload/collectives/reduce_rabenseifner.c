/* reduce_rabenseifner.c - reduce-scatter by recursive halving, then a binomial gather to the root.
 *
 * Other numbers of ranks fold first: odd ranks rest. A root that rests takes the place of rank 0,
 * which hands it its part. */
#include "workload/collective.h"

/* One step of the gather, over bit @j, among those that share the root's bits above it. */
static void gather_step(const DnCollCall *call, const DnHalving *h, guint32 v, guint32 root,
                        guint32 j, DnRound *r)
{
    gboolean root_rests = call->root < 2 * h->rem && call->root % 2 == 1;
    guint32 other = v ^ 1u << j;
    guint32 peer = other == 0 && root_rests ? call->root : dn_halving_rank(h, other);
    if ((v ^ root) >> (j + 1))
        return; /* handed on its part in an earlier step */
    if (v >> j == root >> j)
        dn_round_recv(r, peer, 2000 + j, 0, dn_halving_part(call, h, other, j + 1));
    else
        dn_round_send(r, peer, 2000 + j, 0, dn_halving_part(call, h, v, j + 1));
    dn_round_wait(r, DN_ANY);
}

static gboolean rabenseifner_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                                   DnRound *r)
{
    DnHalving h = dn_halving(call, me, TRUE);
    guint64 first = h.folds + h.log;
    if (k < first) {
        dn_halving_round(call, &h, me, k, r);
        return TRUE;
    }
    k -= first;
    if (k > h.log)
        return FALSE;
    gboolean root_rests = call->root < 2 * h.rem && call->root % 2 == 1;
    guint32 root = root_rests ? 0 : call->root < 2 * h.rem ? call->root / 2 : call->root - h.rem;
    guint32 v = me == call->root ? root : h.me;
    gboolean takes_part = me == call->root || (!h.rests && !(root_rests && h.me == 0));
    if (k > 0) {
        if (takes_part)
            gather_step(call, &h, v, root, h.log - (guint32)k, r);
        return TRUE;
    }
    if (!root_rests || (me != call->root && (h.rests || h.me != 0)))
        return TRUE;
    DnSpan part = dn_halving_part(call, &h, 0, h.log);
    if (me == call->root)
        dn_round_recv(r, 0, 1999, 0, part);
    else
        dn_round_send(r, call->root, 1999, 0, part);
    dn_round_wait(r, DN_ANY);
    return TRUE;
}

const DnCollAlgorithm dn_coll_reduce_rabenseifner = {
    .kind = DN_COLL_REDUCE,
    .name = "rabenseifner",
    .source = "R. Rabenseifner, Optimization of Collective Reduction Operations, ICCS 2004",
    .round = rabenseifner_round,
    .copy_first = DN_COLL_COPY_BUFFER,
};
