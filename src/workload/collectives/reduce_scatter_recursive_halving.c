/* reduce_scatter_recursive_halving.c - log2 n exchanges, each of half of what is still to combine.
 *
 * Other numbers of ranks fold first; those that rested get their piece at the end. */
#include "workload/collective.h"

/* First piece that rank @i of 2^log is answerable for: a folded one has two. */
static guint32 first_of(const DnFold *fold, guint32 i)
{
    return i < fold->rem ? 2 * i : i + fold->rem;
}

static gboolean recursive_halving_round(const DnCollCall *call, guint32 me, guint32 stream,
                                        guint64 k, DnRound *r)
{
    DnFold f = dn_fold(call->n, me);
    if (k > f.log + 1)
        return FALSE;
    if (k == 0) {
        dn_fold_round(&f, me, dn_whole(call), r);
    } else if (k == f.log + 1) {
        DnSpan own = dn_share(call, f.rests ? me : MAX(me, 1) - 1);
        if (own.bytes > 0)
            dn_unfold_round(&f, me, own, r);
    } else if (!f.rests) {
        guint32 half = 1u << (f.log - k), lo = f.me / (2 * half) * (2 * half);
        guint32 other = f.me ^ half, peer = dn_unfold(&f, other);
        DnSpan low = dn_shares(call, first_of(&f, lo), first_of(&f, lo + half));
        DnSpan high = dn_shares(call, first_of(&f, lo + half), first_of(&f, lo + 2 * half));
        DnSpan mine = f.me & half ? high : low, theirs = f.me & half ? low : high;
        dn_round_exchange_some(r, peer, theirs, peer, dn_scratch(0, mine.bytes), (guint32)k);
        if (mine.bytes > 0)
            dn_round_reduce(r, mine, dn_scratch(0, mine.bytes));
    }
    return TRUE;
}

const DnCollAlgorithm dn_coll_reduce_scatter_recursive_halving = {
    .kind = DN_COLL_REDUCE_SCATTER,
    .name = "recursive_halving",
    .source = "Thakur, Rabenseifner, Gropp, Optimization of Collective Communication Operations in "
              "MPICH, IJHPCA 19(1), 2005, 4.3",
    .round = recursive_halving_round,
    .copy_first = DN_COLL_COPY_BUFFER,
    .copy_last = DN_COLL_COPY_SHARE,
};
