/* bcast_scatter_allgather.c - binomial scatter of n pieces, then a ring allgather.
 *
 * van de Geijn's algorithm for long buffers: about 2 (n - 1) / n of the buffer passes each rank.
 * Pieces are numbered relative to the root. */
#include "workload/collective.h"

static DnSpan scatter_allgather_pieces(const DnCollCall *call, guint64 first, guint64 last)
{
    return call->style == DN_STYLE_TEXTBOOK ? dn_pieces(call, call->bytes, call->n, first, last)
                                            : dn_equal_pieces(call, first, last);
}

/* Binomial scatter of n pieces: relative rank v gets pieces [v, v + span) from its parent and hands
 * on the upper halves. */
static guint32 span_of(guint32 n, guint32 v)
{
    guint32 span = v == 0 ? 1u << dn_log2_ceil(n) : v & (~v + 1);
    return MIN(span, n - v);
}

static gboolean scatter_allgather_round(const DnCollCall *call, guint32 me, guint32 stream,
                                        guint64 k, DnRound *r)
{
    guint32 n = call->n, v = (me + n - call->root) % n, span = span_of(n, v);
    guint32 steps = dn_log2_ceil(n);
    DnSpan part;
    if (k == 0) {
        part = scatter_allgather_pieces(call, v, v + span);
        if (v == 0 || part.bytes == 0)
            return TRUE;
        dn_round_recv(r, (call->root + v - (v & (~v + 1))) % n, 0, 0, part);
        dn_round_wait(r, DN_ANY);
    } else if (k <= steps) {
        guint32 distance = 1u << (steps - k), to = v + distance;
        if (v % (2 * distance) != 0 || to >= n)
            return TRUE;
        part = scatter_allgather_pieces(call, to, to + span_of(n, to));
        if (part.bytes > 0)
            dn_round_send(r, (call->root + to) % n, 0, 0, part);
    } else {
        k -= steps + 1;
        if (k >= n - 1)
            return FALSE;
        guint64 out = (v + (guint64)n - k) % n, in = (v + 2 * (guint64)n - k - 1) % n;
        dn_round_exchange(r, (me + 1) % n, scatter_allgather_pieces(call, out, out + 1),
                          (me + n - 1) % n, scatter_allgather_pieces(call, in, in + 1),
                          (guint32)k + 1);
    }
    return TRUE;
}

const DnCollAlgorithm dn_coll_bcast_scatter_allgather = {
    .kind = DN_COLL_BCAST,
    .name = "scatter_allgather",
    .source = "Barnett et al., Interprocessor Collective Communication Library, 1994; Thakur, "
              "Rabenseifner, Gropp, Optimization of Collective Communication Operations in MPICH, "
              "IJHPCA 19(1), 2005, 4.2",
    .round = scatter_allgather_round,
};
