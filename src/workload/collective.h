/* collective.h - Collectives: each algorithm is a file in collectives/, written as rounds.
 *
 * An algorithm's round() adds the few operations of a rank's k-th round to a DnRound.
 * dn_coll_next() returns one of them at a time and calls round() again for each, so a rank needs no
 * memory for the schedule, however long it is. In a round without operations the rank idles. Ranks
 * are numbered within the communicator, 0 .. n-1.
 *
 * Buffers: DN_AREA_DATA holds the contribution before the call and the result after it, as with
 * MPI_IN_PLACE; a copy that a library makes from send buffer to receive buffer (copy_first,
 * copy_last) is one from DN_AREA_DATA to itself. Alltoall sends from DN_AREA_INPUT; DN_AREA_SCRATCH
 * is the algorithm's own. Layout:
 *   allreduce, reduce, scan, bcast, reduce_scatter   `bytes`, block i from bytes*i/n
 *   allgather, gather, scatter, alltoall             n blocks of `bytes` each
 * The requests of a stream have number 0 unless an algorithm says otherwise.
 * Buffers are cut between elements as the library of call->style does, else between bytes. */
#pragma once
#include "workload/coll_nodes.h"
#include "workload/program.h"

typedef enum {
    DN_COLL_ALLREDUCE,
    DN_COLL_ALLTOALL,
    DN_COLL_ALLGATHER,
    DN_COLL_REDUCE_SCATTER,
    DN_COLL_BCAST,
    DN_COLL_REDUCE,
    DN_COLL_GATHER,
    DN_COLL_SCATTER,
    DN_COLL_BARRIER,
    DN_COLL_SCAN,
    DN_COLL_KINDS,
} DnCollKind;

/* The algorithm that NCCL must use (as set by NCCL_ALGO); best: the one its model chooses. */
typedef enum { DN_NCCL_BEST, DN_NCCL_TREE, DN_NCCL_RING } DnNcclOnly;

typedef struct DnCollAlgorithm DnCollAlgorithm;

/* The library whose code an algorithm follows where libraries differ in how they cut buffers and in
 * the order of messages. Cray MPICH: as MPICH, but for what smp takes as its parts. NCCL: chunks of
 * rings are multiples of `element`. */
typedef enum {
    DN_STYLE_TEXTBOOK,
    DN_STYLE_OMPI,
    DN_STYLE_MPICH,
    DN_STYLE_CRAY_MPICH,
    DN_STYLE_NCCL,
} DnCollStyle;

/* Properties of a call, besides sizes, by which libraries decide: bits of DnCollCall.form. */
typedef enum {
    DN_COLL_ORDERED = 1,   /* the operation does not commute: operands stay in the order of ranks */
    DN_COLL_IN_PLACE = 2,  /* alltoall with MPI_IN_PLACE: blocks received replace those sent */
    DN_COLL_EXCLUSIVE = 4, /* a scan without a rank's own operand: MPI_Exscan */
} DnCollForm;

/* The rings of a call, besides DnCollCall.rings. */
typedef struct {
    const guint32 *places; /* [n_rings * n] position of each rank in each of `rings`; borrowed */
    /* Without `rings`, a ring passes node by node, in the same order of ranks in each:
     * [n_rings * group] that order, borrowed; NULL: ring i begins with the node's rank i * turn. */
    const guint32 *by_node;
    guint32 turn;
    guint32 in_flight; /* nccl_ring: chunks of a channel's buffer; 0: one */
    /* Of smp, and with their rings of nccl_* and grouped: the ranks by node; NULL: `group`
     * consecutive ones in each; borrowed */
    const DnCollNodes *nodes;
} DnRingOrders;

/* The data that a library copies on each rank from the caller's send buffer to its receive buffer,
 * or between one of these and a buffer of its own; none in a call with own_in_place. */
typedef enum {
    DN_COLL_COPY_NONE,
    DN_COLL_COPY_BUFFER,       /* the whole buffer */
    DN_COLL_COPY_MPICH_BUFFER, /* the same, in MPICH alone */
    DN_COLL_COPY_BLOCK,        /* a rank's own block */
    DN_COLL_COPY_ROOT_BLOCK,   /* the root's own block; an allgather's root is rank 0 */
    DN_COLL_COPY_SHARE,        /* a rank's own piece of a reduce_scatter */
} DnCollCopy;

/* A collective on one communicator. */
typedef struct {
    const DnCollAlgorithm *algorithm;
    guint32 n, root; /* ranks */
    gint64 bytes;    /* of the buffer or a block, as at the top of this file */
    gint64 offset;   /* where in DN_AREA_DATA the buffer begins */
    DnCollStyle style;
    gint64 element;        /* size of one, at which a library cuts; 0 counts as 1 */
    gint64 segment;        /* pipelined algorithms send pieces of this size; 0: whole */
    guint32 radix;         /* of k-ary and k-nomial trees, fan-out of chains */
    guint32 channels;      /* of nccl_*: parts of the buffer, each with a ring or tree of its own */
    guint32 window;        /* exchanges in flight of linear_sync, scattered, grouped */
    gboolean own_in_place; /* a rank's own data already are in the receive buffer: no copies */
    guint32 group;         /* ranks of a node, of smp, hierarchical, nccl_*; 0: all are in one */
    const guint32 *rings;  /* [n_rings * n] ranks in order; NULL: as ring_orders says; borrowed */
    guint32 n_rings;
    DnRingOrders ring_orders;
    const guint32 *ranks;  /* every stride-th is of the communicator; borrowed; NULL: first,
                              first + stride, ... */
    guint32 first, stride; /* stride 0 counts as 1 */
    guint32 tag;           /* added to the algorithm's tags */
    double spread;         /* alltoallv: sizes between 1 - spread and 1 + spread of bytes */
    guint64 seed;          /* of those sizes */
    gboolean unequal;    /* blocks differ, as in gatherv. Bruck's and the binomial algorithms, which
                         shift blocks, and NCCL's rings need equal ones */
    gboolean many_types; /* alltoall: MPI_Alltoallw, with a datatype for each rank */
    gboolean one_count;  /* reduce_scatter: MPI_Reduce_scatter_block, `bytes` / n for each rank */
    guint form;          /* bits of DnCollForm */
    /* Lists of sizes, borrowed: */
    const gint64 *starts;     /* [n + 1] where each rank's block begins, of allgather, gather,
                                 scatter, reduce_scatter; NULL: equal blocks */
    const gint64 *send_bytes; /* [n] alltoall: to each; NULL: equal */
    const gint64 *recv_bytes; /* [n] from each */
    guint32 me;               /* whose send_bytes these are */
} DnCollCall;

/* The part of a buffer that an operation transfers. */
typedef struct {
    guint8 area;
    gint64 offset, bytes;
} DnSpan;

/* A round being built: it counts the operations that are added, and keeps number `wanted`. */
typedef struct {
    const DnCollCall *call;
    guint32 wanted, count;
    guint32 tag; /* added to tags: set by algorithms whose streams would share them */
    DnOp op;
    /* dn_round_buffer(): */
    guint8 area; /* in which the call's DN_AREA_DATA is, from `data` on; 0: as the call says */
    gint64 data, scratch;
} DnRound;

struct DnCollAlgorithm {
    DnCollKind kind;
    const char *name;   /* `algorithm:`, as its library calls it */
    const char *source; /* paper or library file */
    const char *limits; /* what it does not model; or NULL */
    /* Returns the condition that @call does not meet, e.g. "a power of two of ranks"; NULL: it
     * fits. NULL function: every call fits. */
    const char *(*needs)(const DnCollCall *call);
    /* Returns the number of streams that a rank runs; NULL: one. */
    guint32 (*streams)(const DnCollCall *call);
    /* Adds the operations of rank @me's round @k in stream @stream. FALSE: past the last round. */
    gboolean (*round)(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                      DnRound *round);
    DnCollCopy copy_first, copy_last; /* before the first round, after the last */
    gint64 segment;                   /* default of the key `segment`; 0: whole */
    /* The algorithm that libraries run where `needs` says no; NULL: see coll_library.c. */
    const char *otherwise;
    gboolean equal_blocks; /* it shifts blocks from rank to rank: they must be of equal size */
    gboolean ordered;      /* a reduction that keeps the order of operands */
    gboolean in_place;     /* an alltoall that a library runs with MPI_IN_PLACE */
    gboolean needs_rings;  /* `rings:` of one communicator, so not for a trace's */
    gboolean two_levels;   /* within nodes and between them, however ranks are placed */
    DnNcclOnly nccl;       /* one of NCCL's, whose protocol and chunks its model chooses */
};

extern const DnCollAlgorithm *const dn_coll_algorithms[]; /* NULL-terminated, generated */
const DnCollAlgorithm *dn_coll_find(DnCollKind kind, const char *name);
const char *dn_coll_kind_name(DnCollKind kind);
gboolean dn_coll_kind_reduces(DnCollKind kind); /* it has an operation */
/* The workload type of that name is collective @kind with blocks of equal size. */
gboolean dn_workload_is(const char *workload, DnCollKind kind);

/* Writes the next operation of rank @me of the communicator into @op; uses cursor->stream, a and b.
 * FALSE at the end, with a and b zero again, so that another collective may follow. */
gboolean dn_coll_next(const DnCollCall *call, guint32 me, DnCursor *cursor, DnOp *op);
/* Returns the number of streams that a rank runs. */
guint32 dn_coll_streams(const DnCollCall *call);
/* Returns the payload bytes that all ranks send: exact up to 256 ranks, else estimated from 256. */
double dn_coll_bytes_moved(const DnCollCall *call);
/* Returns the bytes that rank @from sends to @to in an alltoall; equal for all unless the call has
 * `spread` or lists of sizes. */
gint64 dn_coll_pair_bytes(const DnCollCall *call, guint32 from, guint32 to);

/* Returns the offset of rank @peer's block in an alltoall's buffers, whose blocks have space for
 * the largest one. */
static inline gint64 dn_coll_place(const DnCollCall *call, guint32 peer)
{
    return (gint64)peer * (call->spread == 0 ? call->bytes : 2 * call->bytes);
}
static inline DnSpan dn_block_to(const DnCollCall *call, guint32 me, guint32 peer)
{
    return (DnSpan){DN_AREA_INPUT, dn_coll_place(call, peer), dn_coll_pair_bytes(call, me, peer)};
}
static inline DnSpan dn_block_from(const DnCollCall *call, guint32 me, guint32 peer)
{
    return (DnSpan){DN_AREA_DATA, dn_coll_place(call, peer), dn_coll_pair_bytes(call, peer, me)};
}

static inline gboolean dn_coll_is_mpich(const DnCollCall *call)
{
    return call->style == DN_STYLE_MPICH || call->style == DN_STYLE_CRAY_MPICH;
}

static inline guint32 dn_coll_rank(const DnCollCall *call, guint32 i)
{
    guint32 place = i * MAX(1, call->stride);
    return call->ranks ? call->ranks[place] : call->first + place;
}

/* Returns the ranks of @call by node, as NCCL's algorithms need them; NULL: they are `group`
 * consecutive ones in each. */
static inline const DnCollNodes *dn_coll_ring_nodes(const DnCollCall *call)
{
    const DnCollNodes *nodes = call->ring_orders.nodes;
    return nodes != NULL && nodes->n_rings > 0 ? nodes : NULL;
}

/* Returns the number of ranks in each of a call's nodes, which have equal numbers of them (there is
 * no `nodes`); all ranks when they are in one. */
static inline guint32 dn_coll_node_size(const DnCollCall *call)
{
    guint32 size = call->group > 0 && call->group < call->n ? call->group : call->n;
    g_assert(size > 0);
    return size;
}
/* Returns the node of @rank, as nccl_* number them. */
static inline guint32 dn_coll_node(const DnCollCall *call, guint32 rank)
{
    const DnCollNodes *nodes = dn_coll_ring_nodes(call);
    return nodes != NULL ? nodes->node[rank] : rank / dn_coll_node_size(call);
}
static inline guint32 dn_coll_node_count(const DnCollCall *call)
{
    const DnCollNodes *nodes = dn_coll_ring_nodes(call);
    return nodes != NULL ? nodes->nodes : call->n / dn_coll_node_size(call);
}
/* Returns the position in rings at which node @node begins; of the node after the last: n. */
static inline guint32 dn_coll_node_first(const DnCollCall *call, guint32 node)
{
    const DnCollNodes *nodes = dn_coll_ring_nodes(call);
    return nodes != NULL ? nodes->first[node] : node * dn_coll_node_size(call);
}

/* total * i / parts without overflow. */
static inline gint64 dn_cut(gint64 total, guint64 parts, guint64 i)
{
    g_assert(parts > 0);
    guint64 q = (guint64)total / parts, m = (guint64)total % parts;
    return (gint64)(q * i + m * i / parts);
}

/* Returns where piece @i of @parts of @total bytes begins. */
static inline gint64 dn_call_cut(const DnCollCall *call, gint64 total, guint64 parts, guint64 i)
{
    if (call->style == DN_STYLE_TEXTBOOK || call->style == DN_STYLE_NCCL || i == parts)
        return dn_cut(total, parts, i);
    g_assert(parts > 0);
    gint64 element = MAX(1, call->element);
    guint64 count = (guint64)(total / element), longer = MIN(i, count % parts);
    return (gint64)(count / parts * i + (call->style == DN_STYLE_OMPI ? longer : 0)) * element;
}

/* Pieces @first .. @last - 1 of @parts of a buffer of @bytes. */
static inline DnSpan dn_pieces(const DnCollCall *call, gint64 bytes, guint64 parts, guint64 first,
                               guint64 last)
{
    gint64 offset = dn_call_cut(call, bytes, parts, first);
    return (DnSpan){DN_AREA_DATA, offset, dn_call_cut(call, bytes, parts, last) - offset};
}

static inline DnSpan dn_piece(const DnCollCall *call, gint64 bytes, guint64 parts, guint64 i)
{
    return dn_pieces(call, bytes, parts, i, i + 1);
}

/* The same of pieces that are all as long as the longest, so that the last are short or empty. */
DnSpan dn_equal_pieces(const DnCollCall *call, guint64 first, guint64 last);

static inline DnSpan dn_whole(const DnCollCall *call)
{
    return (DnSpan){DN_AREA_DATA, 0, call->bytes};
}

static inline DnSpan dn_scratch(gint64 offset, gint64 bytes)
{
    return (DnSpan){DN_AREA_SCRATCH, offset, bytes};
}

/* Blocks first .. first + n - 1 of call->bytes each. */
static inline DnSpan dn_blocks(const DnCollCall *call, guint8 area, guint64 first, guint64 n)
{
    if (call->starts)
        return (DnSpan){area, call->starts[first], call->starts[first + n] - call->starts[first]};
    return (DnSpan){area, (gint64)first * call->bytes, (gint64)n * call->bytes};
}

/* Blocks first .. last - 1 of a reduce_scatter. */
static inline DnSpan dn_shares(const DnCollCall *call, guint64 first, guint64 last)
{
    if (call->starts)
        return dn_blocks(call, DN_AREA_DATA, first, last - first);
    gint64 element = call->style == DN_STYLE_TEXTBOOK ? 1 : MAX(1, call->element);
    guint64 count = (guint64)(call->bytes / element), n = call->n;
    gint64 from = (gint64)(count / n * first + MIN(first, count % n)) * element;
    gint64 to = (gint64)(count / n * last + MIN(last, count % n)) * element;
    return call->style == DN_STYLE_TEXTBOOK
               ? dn_pieces(call, call->bytes, n, first, last)
               : (DnSpan){DN_AREA_DATA, from, (last == n ? call->bytes : to) - from};
}
static inline DnSpan dn_share(const DnCollCall *call, guint64 i)
{
    return dn_shares(call, i, i + 1);
}

/* Largest power of two <= n, and its exponent. */
static inline guint32 dn_log2_floor(guint32 n)
{
    return (guint32)g_bit_storage(n) - 1;
}
static inline gboolean dn_is_power_of_two(guint32 n)
{
    return (n & (n - 1)) == 0;
}
static inline guint32 dn_log2_ceil(guint32 n)
{
    return n <= 1 ? 0 : (guint32)g_bit_storage(n - 1);
}

/* Lets the operations that are added from now on, of a part of the call, have their DN_AREA_DATA in
 * @area from @data on, and their scratch from @scratch on. DN_AREA_DATA, 0, 0: the call's own. */
void dn_round_buffer(DnRound *round, guint8 area, gint64 data, gint64 scratch);
void dn_round_send(DnRound *round, guint32 peer, guint32 tag, guint32 request, DnSpan span);
/* Does what dn_round_send() does, by a call that does not wait (DN_OP_NONBLOCKING). */
void dn_round_isend(DnRound *round, guint32 peer, guint32 tag, guint32 request, DnSpan span);
void dn_round_recv(DnRound *round, guint32 peer, guint32 tag, guint32 request, DnSpan span);
void dn_round_wait(DnRound *round, guint32 request); /* or DN_ANY */
void dn_round_copy(DnRound *round, DnSpan to, DnSpan from);
/* The next run of a copy that one call makes, as of a datatype. */
void dn_round_copy_on(DnRound *round, DnSpan to, DnSpan from);
/* Alltoall: rank @me's block for itself, unless it is in place. */
void dn_round_copy_own(DnRound *round, guint32 me);
void dn_round_reduce(DnRound *round, DnSpan into, DnSpan from); /* into += from */
void dn_round_signal(DnRound *round, guint32 event);
void dn_round_await(DnRound *round, guint32 event);
/* recv @in from @from, send @out to @to, wait for both. */
void dn_round_exchange(DnRound *round, guint32 to, DnSpan out, guint32 from, DnSpan in,
                       guint32 tag);

/* Does what dn_round_exchange() does, without messages of no bytes. */
void dn_round_exchange_some(DnRound *round, guint32 to, DnSpan out, guint32 from, DnSpan in,
                            guint32 tag);
/* Returns the number of rounds that rank @me has in stream 0. */
guint64 dn_coll_rounds(const DnCollCall *call, guint32 me);

/* Round @k of an alltoall all at once: the own block's copy, a recv from each other rank, a send to
 * each, one wait. The others come in rank order, or from the next one on. FALSE: past the last. */
gboolean dn_round_all_at_once(DnRound *round, guint32 me, guint64 k, gboolean from_next);
/* A scatter's root sends all at once, or each block by a call that waits. */
typedef enum { DN_LINEAR_GATHER, DN_LINEAR_SCATTER, DN_LINEAR_SCATTER_BLOCKING } DnLinear;
/* Round @k of a linear gather or scatter: the root has a transfer with each other rank, then one
 * wait. Unequal blocks of no bytes are left out. FALSE: past the last. */
gboolean dn_round_linear(DnRound *round, guint32 me, guint64 k, DnLinear form);

/* ---- power-of-two algorithms on any number of ranks ----
 * The first 2 rem ranks fold pairwise: even ones hand their data to the odd one above and rest;
 * then 2^log ranks run. R. Rabenseifner, "Optimization of Collective Reduction Operations", ICCS
 * 2004, section 3; MPICH allreduce_intra_recursive_doubling.c. */
typedef struct {
    guint32 log, rem;
    gboolean rests;
    guint32 me; /* among the 2^log */
} DnFold;
DnFold dn_fold(guint32 n, guint32 me);
static inline guint32 dn_unfold(const DnFold *fold, guint32 i)
{
    return i < fold->rem ? 2 * i + 1 : i + fold->rem;
}
/* The fold's first round: the whole buffer to the odd rank, which combines. */
void dn_fold_round(const DnFold *fold, guint32 me, DnSpan whole, DnRound *round);
/* Its last: the result back. */
void dn_unfold_round(const DnFold *fold, guint32 me, DnSpan whole, DnRound *round);

/* ---- recursive halving of a buffer, with what folds before ----
 * Of each of the first pairs of ranks one rests: MPICH hands it over whole, Open MPI by halves. */
typedef struct {
    guint32 log, rem, folds; /* rounds of folding */
    guint32 me;              /* among the 2^log; that of its pair if it rests */
    gboolean odd_rests, halves, in_pair, rests;
} DnHalving;
/* @odd_rests: of a pair, else the even one; always so in Open MPI. */
DnHalving dn_halving(const DnCollCall *call, guint32 me, gboolean odd_rests);
/* The rank that is @i of the 2^log. */
guint32 dn_halving_rank(const DnHalving *h, guint32 i);
/* Returns the span that rank @i of the 2^log combines after @steps of the log steps. */
DnSpan dn_halving_part(const DnCollCall *call, const DnHalving *h, guint32 i, guint32 steps);
/* Rounds 0 .. folds + log - 1. */
void dn_halving_round(const DnCollCall *call, const DnHalving *h, guint32 me, guint64 k,
                      DnRound *round);

/* ---- trees, pipelined ----
 * Requests: 0, 1 receives of even and odd segments, up a tree each of one child; 2, 3 sends. Two
 * are in flight. */
#define DN_TREE_CHILDREN 64
typedef struct {
    guint32 parent; /* DN_ANY: root */
    guint32 n_children;
    guint32 slots;     /* segments that may be leaving at a time; 0: 2 */
    gboolean blocking; /* down it, each send is a call that waits; up it, each receive */
    gboolean at_once;  /* up it, a segment of all children is waited for, then combined (NCCL's) */
    gboolean farthest_first; /* the list of children; up it, they are combined nearest first */
    guint32 child[DN_TREE_CHILDREN];
} DnTree;

void dn_tree_binomial(guint32 n, guint32 root, guint32 me, DnTree *tree);
void dn_tree_knomial(guint32 n, guint32 root, guint32 radix, guint32 me, DnTree *tree);
void dn_tree_kary(guint32 n, guint32 root, guint32 radix, guint32 me, DnTree *tree);
/* Open MPI's: level by level, the children of a level of w ranks stand w, 2 w, ... further on. */
void dn_tree_levels(guint32 n, guint32 root, guint32 radix, guint32 me, DnTree *tree);
/* @fanout chains out of the root. */
void dn_tree_chain(guint32 n, guint32 root, guint32 fanout, guint32 me, DnTree *tree);
/* Open MPI's in-order binary tree: its root is rank n - 1, and a subtree has consecutive ranks, of
 * which the highest is its root. */
void dn_tree_in_order(guint32 n, guint32 me, DnTree *tree);
/* The two complementary trees of NCCL (@which 0, 1): inner nodes of one are leaves of the other. */
void dn_tree_double(guint32 n, guint32 which, guint32 me, DnTree *tree);
/* The same over nodes of call->group ranks, a chain in each: the tree of NCCL's @channel. Chains
 * are in the order of the channel's ring, which goes node by node, or else of ranks, each channel
 * from the next one on. The chain's first rank has the parent; it or the second has each child.
 * call->n is a multiple of call->group, unless the call has `nodes`, and call->rings go node by
 * node. */
void dn_tree_of_nodes(const DnCollCall *call, guint32 channel, guint32 me, DnTree *tree);
/* TRUE when each of call->rings visits all ranks of one node before those of the next. */
gboolean dn_rings_go_by_node(const DnCollCall *call);
/* The tree of NCCL's @channel: over nodes of call->group ranks, so that one node is a chain, or
 * else over all ranks. Even channels have the first of the two, odd ones the second; with
 * call->rings the first so many channels have the first tree, the next ones the second
 * (src/graph/connect.cc, connectTrees, channel1). */
void dn_tree_of_channel(const DnCollCall *call, guint32 channel, guint32 me, DnTree *tree);
/* What dn_tree_of_channel() needs and does not have; NULL: nothing. */
const char *dn_tree_of_channel_needs(const DnCollCall *call);

guint64 dn_segments(gint64 bytes, gint64 segment); /* at least 1 */
/* Rounds 0 .. segments (both included) of sending @part down or combining it up. @event: of two
 * streams, up signals it as a segment is complete (root) or on its way up, only then does down send
 * it on or receive into its place; DN_ANY: one stream after the other. */
gboolean dn_tree_down(const DnTree *tree, DnSpan part, gint64 segment, guint64 k, guint32 tag,
                      guint32 event, DnRound *round);
/* A segment is combined child after child, and the next child's receive is posted before the wait
 * for this one's, as in Open MPI's coll_base_reduce.c, reduce_generic; DnTree has what may differ.
 * @scratch: where it may keep 2 * n_children segments. */
gboolean dn_tree_up(const DnTree *tree, DnSpan part, gint64 segment, gint64 scratch, guint64 k,
                    guint32 tag, guint32 event, DnRound *round);
/* Up @tree, whose root is @top, of the whole buffer in pieces of call->segment; @top then sends it
 * to call->root. */
gboolean dn_tree_up_to_root(const DnCollCall *call, const DnTree *tree, guint32 me, guint32 top,
                            guint64 k, DnRound *round);
/* One stream: up, then down. */
gboolean dn_tree_up_down(const DnTree *tree, DnSpan part, gint64 segment, gint64 scratch, guint64 k,
                         DnRound *round);

/* Tags of streams that talk to their like only. */
static inline void dn_round_own_tags(DnRound *round, guint32 stream)
{
    round->tag = stream << 24;
}

/* Ring position @me of @n: step s of the reduce-scatter (0 .. n-2), then of the allgather (to
 * 2n - 3), of @part cut into n pieces; @next, @previous: ranks. Rank me ends the first half with
 * piece me + 1 complete. */
void dn_ring_step(guint32 n, guint32 me, guint32 next, guint32 previous, DnSpan part, guint64 s,
                  gint64 scratch, DnRound *round);

/* Returns the rank at position @place of ring @ring of @call; and the position of @rank in it. A
 * call without rings has one in the order of ranks. */
guint32 dn_coll_ring_rank(const DnCollCall *call, guint32 ring, guint32 place);
guint32 dn_coll_ring_place(const DnCollCall *call, guint32 ring, guint32 rank);

/* TRUE: NCCL's grouped sends and receives, with PXN or without. */
gboolean dn_coll_is_grouped(const DnCollAlgorithm *algorithm);
/* Returns the batch of @call, whose algorithm is grouped, with the most peers of any channel. */
DnProgramBatch dn_coll_grouped_batch(const DnCollCall *call);

/* ---- rounds of other programs: ranks are the job's ---- */
typedef gboolean (*DnProgramRound)(const DnProgram *program, guint32 rank, guint64 k,
                                   DnRound *round);
gboolean dn_rounds_next(const DnProgram *program, guint32 rank, DnCursor *cursor, DnOp *op,
                        DnProgramRound next_round);
void dn_round_compute(DnRound *round, gint64 duration_ps); /* 0: nothing */
/* Returns the bytes that all ranks send in one iteration: exact up to 256 ranks, else estimated
 * from 256 of them. */
double dn_program_count_bytes(const DnProgram *program);
