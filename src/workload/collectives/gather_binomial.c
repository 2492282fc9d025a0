/* gather_binomial.c - up a binomial tree; each rank sends on the blocks of its subtree at once.
 *
 * Copies, besides the root's own block from send to receive buffer:
 * Open MPI 4.1.4 (coll_base_gather.c, intra_binomial): root 0 receives into the receive buffer; any
 * other gathers by rank relative to it in a buffer, with its own block, and rotates at the end.
 * Even relative ranks copy their block into a buffer; odd ones, the leaves, send it as it is.
 * MPICH 4.0.2 (gather_intra_binomial.c): the root receives into the receive buffer, but for the one
 * child whose blocks go round its end: those below MPIR_CVAR_GATHER_VSMALL_MSG_SIZE come into a
 * buffer, which is copied at the end, longer ones come by a datatype of two runs, which is a copy
 * here. The other ranks copy blocks below that size into a buffer; longer ones stay in the send
 * buffer, and a datatype sends them and what came in one message. */
#include "workload/collective.h"

#define VSMALL_MSG_SIZE 1024

/* Relative rank @v is answerable for blocks [v, v + span). */
static guint32 span_of(guint32 n, guint32 v)
{
    guint32 span = v == 0 ? 1u << dn_log2_ceil(n) : v & (~v + 1);
    return MIN(span, n - v);
}

/* TRUE when relative rank @v > 0 sends its block from the send buffer. */
static gboolean gather_sends_own(const DnCollCall *call, guint32 v)
{
    return dn_coll_is_mpich(call) ? call->bytes >= VSMALL_MSG_SIZE : v % 2 == 1;
}

/* Where rank @me has the blocks of @v's subtree. What a datatype sends with the own block stands
 * right behind it, so that they are one span. */
static DnSpan gather_place(const DnCollCall *call, guint32 me, guint32 v)
{
    guint32 n = call->n, own = (me + n - call->root) % n;
    guint32 first = (call->root + v) % n, span = span_of(n, v);
    if (own == 0 && (dn_coll_is_mpich(call) ? first + span <= n : call->root == 0))
        return dn_blocks(call, DN_AREA_DATA, first, span);
    if (own > 0 && gather_sends_own(call, own))
        return dn_blocks(call, DN_AREA_DATA, (guint64)me + v - own, span);
    return dn_blocks(call, DN_AREA_SCRATCH, v, span);
}

/* The own block, before any other comes. */
static void gather_copy_own(const DnCollCall *call, guint32 me, guint32 v, DnRound *r)
{
    DnSpan own = dn_blocks(call, DN_AREA_DATA, me, 1);
    gboolean into_result = v == 0 && (dn_coll_is_mpich(call) || call->root == 0);
    if (into_result && !call->own_in_place)
        dn_round_copy(r, own, own);
    if (!into_result && !(v > 0 && gather_sends_own(call, v)))
        dn_round_copy(r, dn_blocks(call, DN_AREA_SCRATCH, v, 1), own);
}

/* MPICH's root: blocks of @v's subtree that go round the end of the receive buffer. */
static void gather_unwrap(const DnCollCall *call, guint32 v, DnRound *r)
{
    guint32 n = call->n, first = (call->root + v) % n, span = span_of(n, v), head = n - first;
    if (span <= head)
        return;
    dn_round_copy(r, dn_blocks(call, DN_AREA_DATA, first, head),
                  dn_blocks(call, DN_AREA_SCRATCH, v, head));
    (call->bytes < VSMALL_MSG_SIZE ? dn_round_copy : dn_round_copy_on)(
        r, dn_blocks(call, DN_AREA_DATA, 0, span - head),
        dn_blocks(call, DN_AREA_SCRATCH, v + head, span - head));
}

/* The root, after all have come. */
static void gather_finish(const DnCollCall *call, DnRound *r)
{
    guint32 n = call->n, root = call->root;
    if (dn_coll_is_mpich(call)) {
        for (guint64 v = 1; v < n && call->bytes < VSMALL_MSG_SIZE; v *= 2)
            gather_unwrap(call, (guint32)v, r);
    } else if (root > 0) {
        dn_round_copy(r, dn_blocks(call, DN_AREA_DATA, root, n - root),
                      dn_blocks(call, DN_AREA_SCRATCH, 0, n - root));
        dn_round_copy(r, dn_blocks(call, DN_AREA_DATA, 0, root),
                      dn_blocks(call, DN_AREA_SCRATCH, n - root, root));
    }
}

static gboolean binomial_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                               DnRound *r)
{
    guint32 n = call->n, v = (me + n - call->root) % n, steps = dn_log2_ceil(n);
    if (k == 0) {
        gather_copy_own(call, me, v, r);
    } else if (k <= steps) {
        guint32 distance = 1u << (k - 1);
        if (v % (2 * distance) == 0 && v + distance < n) {
            guint32 from = v + distance;
            dn_round_recv(r, (call->root + from) % n, 0, 0, gather_place(call, me, from));
            dn_round_wait(r, DN_ANY);
            if (v == 0 && dn_coll_is_mpich(call) && call->bytes >= VSMALL_MSG_SIZE)
                gather_unwrap(call, from, r);
        }
    } else if (k == steps + 1 && v == 0) {
        gather_finish(call, r);
    } else if (k == steps + 1) {
        dn_round_send(r, (call->root + v - (v & (~v + 1))) % n, 0, 0, gather_place(call, me, v));
        dn_round_wait(r, DN_ANY);
    } else {
        return FALSE;
    }
    return TRUE;
}

const DnCollAlgorithm dn_coll_gather_binomial = {
    .kind = DN_COLL_GATHER,
    .name = "binomial",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_gather.c, intra_binomial",
    .limits = "MPICH's sends of two runs are not packed; they are where the network takes one run "
              "(ch4/netmod/ofi/ofi_send.h; libfabric's cxi has iov_limit = 1)",
    .round = binomial_round,
    .equal_blocks = TRUE,
};
