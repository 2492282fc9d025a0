/* collective.c - see collective.h. */
#include "workload/collective.h"

#include <string.h>

#include "base/interrupt.h"
#include "base/rng.h"

const char *dn_coll_kind_name(DnCollKind kind)
{
    static const char *const names[DN_COLL_KINDS] = {
        "allreduce", "alltoall", "allgather", "reduce_scatter", "bcast",
        "reduce",    "gather",   "scatter",   "barrier",        "scan"};
    return names[kind];
}

gboolean dn_coll_kind_reduces(DnCollKind kind)
{
    return kind == DN_COLL_ALLREDUCE || kind == DN_COLL_REDUCE || kind == DN_COLL_REDUCE_SCATTER ||
           kind == DN_COLL_SCAN;
}

const DnCollAlgorithm *dn_coll_find(DnCollKind kind, const char *name)
{
    for (guint i = 0; dn_coll_algorithms[i]; i++)
        if (dn_coll_algorithms[i]->kind == kind && strcmp(dn_coll_algorithms[i]->name, name) == 0)
            return dn_coll_algorithms[i];
    return NULL;
}

gboolean dn_workload_is(const char *workload, DnCollKind kind)
{
    const DnProgramType *type = dn_program_type_find(workload);
    return type != NULL && type->collective == kind + 1u && !type->unequal;
}

guint32 dn_coll_streams(const DnCollCall *call)
{
    return call->algorithm->streams ? call->algorithm->streams(call) : 1;
}

/* Returns the span that rank @me copies by @copy; an empty one: nothing. */
static DnSpan coll_copied(const DnCollCall *call, guint32 me, DnCollCopy copy)
{
    guint32 root = call->algorithm->kind == DN_COLL_ALLGATHER ? 0 : call->root;
    if (call->own_in_place)
        return dn_scratch(0, 0);
    switch (copy) {
    case DN_COLL_COPY_BUFFER:
        return dn_whole(call);
    case DN_COLL_COPY_MPICH_BUFFER:
        return dn_coll_is_mpich(call) ? dn_whole(call) : dn_scratch(0, 0);
    case DN_COLL_COPY_BLOCK:
        return dn_blocks(call, DN_AREA_DATA, me, 1);
    case DN_COLL_COPY_ROOT_BLOCK:
        return me == root ? dn_blocks(call, DN_AREA_DATA, me, 1) : dn_scratch(0, 0);
    case DN_COLL_COPY_SHARE:
        return dn_share(call, me);
    case DN_COLL_COPY_NONE:
        break;
    }
    return dn_scratch(0, 0);
}

static void coll_round_copy(DnRound *round, guint32 me, guint32 stream, DnCollCopy copy)
{
    DnSpan span = stream == 0 ? coll_copied(round->call, me, copy) : dn_scratch(0, 0);
    if (span.bytes > 0)
        dn_round_copy(round, span, span);
}

/* Builds the round that the cursor is in. cursor->a: 0 for the copy before the algorithm, k + 1 for
 * its round k, where k past its last round is the copy after it. FALSE: past the end. */
static gboolean coll_next_round(const DnCollCall *call, guint32 me, const DnCursor *cursor,
                                DnRound *round)
{
    const DnCollAlgorithm *algorithm = call->algorithm;
    if (cursor->a == 0) {
        coll_round_copy(round, me, cursor->stream, algorithm->copy_first);
        return TRUE;
    }
    if (algorithm->round(call, me, cursor->stream, cursor->a - 1, round))
        return TRUE;
    *round = (DnRound){.call = call, .wanted = round->wanted}; /* drops what round() added */
    coll_round_copy(round, me, cursor->stream, algorithm->copy_last);
    return round->count > round->wanted;
}

gboolean dn_coll_next(const DnCollCall *call, guint32 me, DnCursor *cursor, DnOp *op)
{
    for (;;) {
        DnRound round = {.call = call, .wanted = (guint32)cursor->b};
        if (!coll_next_round(call, me, cursor, &round)) {
            cursor->a = cursor->b = 0;
            return FALSE;
        }
        if (round.count > round.wanted) {
            cursor->b++;
            *op = round.op;
            return TRUE;
        }
        cursor->a++;
        cursor->b = 0;
    }
}

/* Adds what @op sends to *@bytes. FALSE: after a signal, since nobody waits for a sum over billions
 * of operations then; asked every so many, which *@n counts. */
static gboolean sum_up(const DnOp *op, guint32 *n, double *bytes)
{
    if (op->kind == DN_OP_SEND)
        *bytes += (double)op->bytes;
    return ++*n % 65536 != 0 || !dn_interrupted();
}

static double sent_by(const DnCollCall *call, guint32 me)
{
    double bytes = 0;
    guint32 n = 0;
    for (guint32 s = 0; s < dn_coll_streams(call); s++) {
        DnCursor cursor = {.stream = s};
        DnOp op;
        while (dn_coll_next(call, me, &cursor, &op) && sum_up(&op, &n, &bytes))
            continue;
    }
    return bytes;
}

double dn_coll_bytes_moved(const DnCollCall *call)
{
    guint32 sample = MIN(call->n, 256);
    double bytes = 0;
    for (guint32 i = 0; i < sample && !dn_interrupted(); i++)
        bytes += sent_by(call, (guint32)((guint64)call->n * i / sample));
    return bytes * call->n / sample;
}

gint64 dn_coll_pair_bytes(const DnCollCall *call, guint32 from, guint32 to)
{
    if (call->send_bytes)
        return from == call->me ? call->send_bytes[to] : call->recv_bytes[from];
    if (call->spread == 0)
        return call->bytes;
    guint64 key = dn_draw_key(call->seed, DN_DRAW_WORKLOAD, (guint64)from << 32 | to);
    double u = 2 * dn_draw_unit(dn_draw(key, 0)) - 1;
    return (gint64)((double)call->bytes * (1 + call->spread * u));
}

/* MPICH cuts what it broadcasts at bytes. */
DnSpan dn_equal_pieces(const DnCollCall *call, guint64 first, guint64 last)
{
    gint64 element = call->style == DN_STYLE_OMPI ? MAX(1, call->element) : 1;
    guint64 count = (guint64)((call->bytes + element - 1) / element);
    gint64 piece = (gint64)((count + call->n - 1) / call->n) * element;
    gint64 from = MIN((gint64)first * piece, call->bytes);
    return (DnSpan){DN_AREA_DATA, from, MIN((gint64)last * piece, call->bytes) - from};
}

/* ---- operations ---- */

static void collective_add(DnRound *round, DnOp op)
{
    if (round->count++ == round->wanted)
        round->op = op;
}

void dn_round_buffer(DnRound *round, guint8 area, gint64 data, gint64 scratch)
{
    round->area = area;
    round->data = data;
    round->scratch = scratch;
}

/* Returns where @span of the call at hand is in the program's memory. */
static DnSpan collective_place(const DnRound *round, DnSpan span)
{
    if (span.area == DN_AREA_SCRATCH)
        span.offset += round->scratch;
    if (span.area != DN_AREA_DATA)
        return span;
    gint64 begin = round->area == DN_AREA_DATA ? round->call->offset : 0;
    return (DnSpan){round->area, begin + round->data + span.offset, span.bytes};
}

static DnOp send_of(const DnRound *round, guint32 peer, guint32 tag, guint32 request, DnSpan span)
{
    DnSpan at = collective_place(round, span);
    return (DnOp){.kind = DN_OP_SEND,
                  .peer = dn_coll_rank(round->call, peer),
                  .tag = round->call->tag + round->tag + tag,
                  .request = request,
                  .bytes = span.bytes,
                  .area = at.area,
                  .offset = at.offset};
}

void dn_round_send(DnRound *round, guint32 peer, guint32 tag, guint32 request, DnSpan span)
{
    collective_add(round, send_of(round, peer, tag, request, span));
}

void dn_round_isend(DnRound *round, guint32 peer, guint32 tag, guint32 request, DnSpan span)
{
    DnOp op = send_of(round, peer, tag, request, span);
    op.flags = DN_OP_NONBLOCKING;
    collective_add(round, op);
}

void dn_round_recv(DnRound *round, guint32 peer, guint32 tag, guint32 request, DnSpan span)
{
    DnSpan at = collective_place(round, span);
    collective_add(round, (DnOp){.kind = DN_OP_RECV,
                                 .peer = dn_coll_rank(round->call, peer),
                                 .tag = round->call->tag + round->tag + tag,
                                 .request = request,
                                 .flags = DN_OP_EXACT,
                                 .bytes = span.bytes,
                                 .area = at.area,
                                 .offset = at.offset});
}

void dn_round_wait(DnRound *round, guint32 request)
{
    collective_add(round, (DnOp){.kind = DN_OP_WAIT, .request = request});
}

void dn_round_compute(DnRound *round, gint64 duration_ps)
{
    if (duration_ps > 0)
        collective_add(round, (DnOp){.kind = DN_OP_COMPUTE, .duration_ps = duration_ps});
}

static void add_local(DnRound *round, DnOpKind kind, guint32 flags, DnSpan to, DnSpan from)
{
    g_assert(to.bytes == from.bytes);
    to = collective_place(round, to);
    from = collective_place(round, from);
    collective_add(round, (DnOp){.kind = kind,
                                 .flags = flags,
                                 .bytes = to.bytes,
                                 .area = to.area,
                                 .offset = to.offset,
                                 .from_area = from.area,
                                 .from = from.offset});
}

void dn_round_copy(DnRound *round, DnSpan to, DnSpan from)
{
    add_local(round, DN_OP_COPY, 0, to, from);
}

void dn_round_copy_own(DnRound *round, guint32 me)
{
    const DnCollCall *call = round->call;
    if (!call->own_in_place)
        dn_round_copy(round, dn_block_from(call, me, me), dn_block_to(call, me, me));
}

void dn_round_copy_on(DnRound *round, DnSpan to, DnSpan from)
{
    add_local(round, DN_OP_COPY, DN_OP_JOINED, to, from);
}

void dn_round_reduce(DnRound *round, DnSpan into, DnSpan from)
{
    add_local(round, DN_OP_REDUCE, 0, into, from);
}

void dn_round_signal(DnRound *round, guint32 event)
{
    collective_add(round, (DnOp){.kind = DN_OP_SIGNAL, .tag = event});
}

void dn_round_await(DnRound *round, guint32 event)
{
    collective_add(round, (DnOp){.kind = DN_OP_AWAIT, .tag = event});
}

void dn_round_exchange(DnRound *round, guint32 to, DnSpan out, guint32 from, DnSpan in, guint32 tag)
{
    dn_round_recv(round, from, tag, 0, in);
    dn_round_send(round, to, tag, 0, out);
    dn_round_wait(round, DN_ANY);
}

void dn_round_exchange_some(DnRound *round, guint32 to, DnSpan out, guint32 from, DnSpan in,
                            guint32 tag)
{
    if (in.bytes > 0)
        dn_round_recv(round, from, tag, 0, in);
    if (out.bytes > 0)
        dn_round_send(round, to, tag, 0, out);
    dn_round_wait(round, DN_ANY);
}

guint64 dn_coll_rounds(const DnCollCall *call, guint32 me)
{
    guint64 k = 0;
    for (;; k++) {
        DnRound round = {.call = call, .wanted = G_MAXUINT32};
        if (!call->algorithm->round(call, me, 0, k, &round))
            return k;
    }
}

static void linear_transfer(DnRound *round, guint32 me, guint32 peer, guint64 block, DnLinear form)
{
    gboolean root = me == round->call->root, send = root == (form != DN_LINEAR_GATHER);
    DnSpan span = dn_blocks(round->call, DN_AREA_DATA, block, 1);
    if (span.bytes == 0 && round->call->unequal)
        return;
    if (!send)
        dn_round_recv(round, peer, 0, 0, span);
    else if (root && form == DN_LINEAR_SCATTER)
        dn_round_isend(round, peer, 0, 0, span);
    else
        dn_round_send(round, peer, 0, 0, span);
    if (root && form == DN_LINEAR_SCATTER_BLOCKING)
        dn_round_wait(round, DN_ANY);
}

gboolean dn_round_linear(DnRound *round, guint32 me, guint64 k, DnLinear form)
{
    const DnCollCall *call = round->call;
    if (me != call->root) {
        linear_transfer(round, me, call->root, me, form);
        dn_round_wait(round, DN_ANY);
        return k == 0;
    }
    if (k == call->n)
        dn_round_wait(round, DN_ANY);
    else if (k < call->n && k != me)
        linear_transfer(round, me, (guint32)k, k, form);
    return k <= call->n;
}

gboolean dn_round_all_at_once(DnRound *round, guint32 me, guint64 k, gboolean from_next)
{
    const DnCollCall *call = round->call;
    guint64 others = call->n - 1;
    if (k > 2 * others + 1)
        return FALSE;
    if (k == 0) {
        dn_round_copy_own(round, me);
        return TRUE;
    }
    if (k == 2 * others + 1) {
        dn_round_wait(round, DN_ANY);
        return TRUE;
    }
    guint64 i = k <= others ? k - 1 : k - 1 - others;
    guint32 peer = from_next ? (guint32)((me + 1 + i) % call->n) : (guint32)i + (i >= me);
    if (call->style == DN_STYLE_OMPI && call->unequal) /* alltoallv: both in rank order */
        peer = (guint32)i + (i >= me);
    else if (call->style ==
             DN_STYLE_OMPI) /* receives from the next on, sends from the one before */
        peer = (guint32)(k <= others ? (me + 1 + i) % call->n : (me + others - i) % call->n);
    if (k <= others)
        dn_round_recv(round, peer, 0, 0, dn_block_from(call, me, peer));
    else
        dn_round_isend(round, peer, 0, 0, dn_block_to(call, me, peer));
    return TRUE;
}

/* ---- folding ---- */

DnFold dn_fold(guint32 n, guint32 me)
{
    DnFold fold = {.log = dn_log2_floor(n)};
    fold.rem = n - (1u << fold.log);
    if (me < 2 * fold.rem) {
        fold.rests = me % 2 == 0;
        fold.me = me / 2;
    } else {
        fold.me = me - fold.rem;
    }
    return fold;
}

#define TAG_FOLD 1000000u
#define TAG_UNFOLD 1000001u

void dn_fold_round(const DnFold *fold, guint32 me, DnSpan whole, DnRound *round)
{
    if (me >= 2 * fold->rem)
        return;
    if (fold->rests) {
        dn_round_send(round, me + 1, TAG_FOLD, 0, whole);
        dn_round_wait(round, DN_ANY);
        return;
    }
    dn_round_recv(round, me - 1, TAG_FOLD, 0, dn_scratch(0, whole.bytes));
    dn_round_wait(round, DN_ANY);
    dn_round_reduce(round, whole, dn_scratch(0, whole.bytes));
}

void dn_unfold_round(const DnFold *fold, guint32 me, DnSpan whole, DnRound *round)
{
    if (me >= 2 * fold->rem)
        return;
    if (fold->rests)
        dn_round_recv(round, me + 1, TAG_UNFOLD, 0, whole);
    else
        dn_round_send(round, me - 1, TAG_UNFOLD, 0, whole);
    dn_round_wait(round, DN_ANY);
}

/* ---- rings ---- */

static DnSpan ring_piece(const DnCollCall *call, DnSpan part, guint32 n, guint64 i)
{
    DnSpan piece = dn_piece(call, part.bytes, n, i);
    piece.area = part.area;
    piece.offset += part.offset;
    return piece;
}

void dn_ring_step(guint32 n, guint32 me, guint32 next, guint32 previous, DnSpan part, guint64 s,
                  gint64 scratch, DnRound *round)
{
    gboolean gather = s >= n - 1;
    guint64 done = gather ? s - (n - 1) : s;
    guint64 out = ((guint64)me + n - done + gather) % n, in = (out + n - 1) % n;
    DnSpan target = ring_piece(round->call, part, n, in);
    DnSpan here = gather ? target : dn_scratch(scratch, target.bytes);
    dn_round_exchange(round, next, ring_piece(round->call, part, n, out), previous, here,
                      (guint32)s);
    if (!gather)
        dn_round_reduce(round, target, here);
}

/* ---- rounds of other programs ---- */

gboolean dn_rounds_next(const DnProgram *program, guint32 rank, DnCursor *cursor, DnOp *op,
                        DnProgramRound next_round)
{
    static const DnCollCall everyone = {.stride = 1};
    for (;;) {
        DnRound round = {.call = &everyone, .wanted = (guint32)cursor->b};
        if (!next_round(program, rank, cursor->a, &round))
            return FALSE;
        if (round.count > round.wanted) {
            cursor->b++;
            *op = round.op;
            return TRUE;
        }
        cursor->a++;
        cursor->b = 0;
    }
}

double dn_program_count_bytes(const DnProgram *program)
{
    guint32 sample = MIN(program->ranks, 256), n = 0;
    double bytes = 0;
    for (guint32 i = 0; i < sample && !dn_interrupted(); i++) {
        guint32 rank = (guint32)((guint64)program->ranks * i / sample);
        for (guint32 s = 0; s < program->streams; s++) {
            DnCursor cursor = {.stream = s};
            DnOp op;
            while (program->type->next(program, rank, &cursor, &op) && sum_up(&op, &n, &bytes))
                continue;
        }
    }
    return bytes * program->ranks / sample;
}
