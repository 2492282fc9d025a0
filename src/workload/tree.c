/* tree.c - trees of collectives and pipelines over them; see collective.h. */
#include "workload/collective.h"

static void add_child(DnTree *tree, guint32 n, guint32 root, guint32 v)
{
    g_assert(tree->n_children < DN_TREE_CHILDREN);
    tree->child[tree->n_children++] = (guint32)(((guint64)v + root) % n);
}

static guint32 tree_relative(guint32 n, guint32 root, guint32 me)
{
    return (guint32)(((guint64)me + n - root) % n);
}

static void set_parent(DnTree *tree, guint32 n, guint32 root, guint32 v, guint32 parent)
{
    *tree = (DnTree){.parent = v == 0 ? DN_ANY : (guint32)(((guint64)parent + root) % n)};
}

/* Parent: the lowest digit in base @radix that is not 0, cleared; children: each lower digit set,
 * farthest first. */
void dn_tree_knomial(guint32 n, guint32 root, guint32 radix, guint32 me, DnTree *tree)
{
    guint64 v = tree_relative(n, root, me), place = 1;
    while (place < n && v / place % radix == 0)
        place *= radix;
    set_parent(tree, n, root, (guint32)v, (guint32)(v - v / place % radix * place));
    tree->farthest_first = TRUE;
    for (place /= radix; place > 0; place /= radix)
        for (guint64 digit = 1; digit < radix; digit++)
            if (v + digit * place < n)
                add_child(tree, n, root, (guint32)(v + digit * place));
}

void dn_tree_binomial(guint32 n, guint32 root, guint32 me, DnTree *tree)
{
    dn_tree_knomial(n, root, 2, me, tree);
}

void dn_tree_kary(guint32 n, guint32 root, guint32 radix, guint32 me, DnTree *tree)
{
    guint64 v = tree_relative(n, root, me);
    set_parent(tree, n, root, (guint32)v, v == 0 ? 0 : (guint32)((v - 1) / radix));
    for (guint64 c = radix * v + 1; c <= radix * v + radix && c < n; c++)
        add_child(tree, n, root, (guint32)c);
}

void dn_tree_levels(guint32 n, guint32 root, guint32 radix, guint32 me, DnTree *tree)
{
    guint64 v = tree_relative(n, root, me), width = 1, first = 0; /* of v's level */
    while (v >= first + width) {
        first += width;
        width *= radix;
    }
    guint64 above = width / radix;
    set_parent(tree, n, root, (guint32)v,
               v == 0 ? 0 : (guint32)(first - above + (v - first) % above));
    for (guint64 c = v + width; c <= v + radix * width && c < n; c += width)
        add_child(tree, n, root, (guint32)c);
}

/* A subtree of ranks first .. first + size - 1: below its root the upper half, then the lower. */
void dn_tree_in_order(guint32 n, guint32 me, DnTree *tree)
{
    guint32 first = 0, size = n, parent = DN_ANY;
    for (;;) {
        guint32 top = first + size - 1, lower = size == 2 ? 0 : size / 2;
        if (me == top) {
            *tree = (DnTree){.parent = parent};
            if (size > 1)
                add_child(tree, n, 0, top - 1);
            if (size > 2)
                add_child(tree, n, 0, first + lower - 1);
            return;
        }
        parent = top;
        if (me < first + lower) {
            size = lower;
        } else {
            first += lower;
            size -= lower + 1;
        }
    }
}

/* Chain c of the root holds v - 1 from cut(n - 1, fanout, c). */
void dn_tree_chain(guint32 n, guint32 root, guint32 fanout, guint32 me, DnTree *tree)
{
    guint32 v = tree_relative(n, root, me);
    fanout = MIN(fanout, MAX(1, n - 1));
    gboolean first = FALSE, last = v == n - 1;
    for (guint32 c = 0; c < fanout; c++) {
        first |= v == 1 + (guint32)dn_cut(n - 1, fanout, c);
        last |= v == (guint32)dn_cut(n - 1, fanout, c + 1);
    }
    set_parent(tree, n, root, v, first ? 0 : v - 1);
    if (v == 0)
        for (guint32 c = 0; c < fanout && n > 1; c++)
            add_child(tree, n, root, 1 + (guint32)dn_cut(n - 1, fanout, c));
    else if (!last)
        add_child(tree, n, root, v + 1);
}

/* NCCL, src/graph/trees.cc, ncclGetBtree: rank 0 above a tree whose leaves are the odd ranks. */
static void tree_btree(guint32 n, guint32 me, DnTree *tree)
{
    guint32 bit = 1;
    while (bit < n && !(bit & me))
        bit <<= 1;
    if (me == 0) {
        *tree = (DnTree){.parent = DN_ANY};
        if (n > 1)
            add_child(tree, n, 0, bit >> 1);
        return;
    }
    guint32 up = (me ^ bit) | bit << 1, low = bit >> 1;
    *tree = (DnTree){.parent = up >= n ? me ^ bit : up};
    if (low == 0)
        return;
    add_child(tree, n, 0, me - low);
    while (low > 0 && me + low >= n)
        low >>= 1;
    if (low > 0)
        add_child(tree, n, 0, me + low);
}

/* ncclGetDtree: the second is the first shifted by one rank (odd n) or mirrored (even n). */
void dn_tree_double(guint32 n, guint32 which, guint32 me, DnTree *tree)
{
    gboolean shift = n % 2 == 1;
    if (which % 2 == 0) {
        tree_btree(n, me, tree);
        return;
    }
    tree_btree(n, shift ? (me + n - 1) % n : n - 1 - me, tree);
    if (tree->parent != DN_ANY)
        tree->parent = shift ? (tree->parent + 1) % n : n - 1 - tree->parent;
    for (guint32 i = 0; i < tree->n_children; i++)
        tree->child[i] = shift ? (tree->child[i] + 1) % n : n - 1 - tree->child[i];
}

/* Returns the place in the first of the two trees of the rank that stands at @who in tree
 * @which. */
static guint32 tree_unmirrored(guint32 n, guint32 which, guint32 who)
{
    if (which % 2 == 0)
        return who;
    return n % 2 == 1 ? (who + n - 1) % n : n - 1 - who;
}

/* Member @i of the chain of @node; DN_ANY: past its end. */
static guint32 chain_member(const DnCollCall *call, guint32 turn, guint32 node, guint32 i)
{
    guint32 first = dn_coll_node_first(call, node);
    guint32 per = dn_coll_node_first(call, node + 1) - first;
    if (i >= per)
        return DN_ANY;
    if (call->n_rings == 0)
        return first + (i + turn) % per;
    return dn_coll_ring_rank(call, turn, first + i);
}

static gboolean ring_goes_by_node(const DnCollCall *call, const guint32 *ring)
{
    guint32 place = 0;
    for (guint32 node = 0; node < dn_coll_node_count(call); node++)
        for (; place < dn_coll_node_first(call, node + 1); place++)
            if (dn_coll_node(call, ring[place]) != node)
                return FALSE;
    return TRUE;
}

gboolean dn_rings_go_by_node(const DnCollCall *call)
{
    for (guint32 i = 0; call->rings != NULL && i < call->n_rings; i++)
        if (!ring_goes_by_node(call, call->rings + (gsize)i * call->n))
            return FALSE;
    return TRUE;
}

/* Returns which of a node's chain has the children that stand lower: the second, if it is there
 * (of a node of one GPU the search takes the simpler pattern: src/graph/search.cc,
 * ncclTopoCompute). */
static guint32 chain_second(const DnCollCall *call, guint32 node)
{
    return dn_coll_node_first(call, node + 1) - dn_coll_node_first(call, node) > 1 ? 1 : 0;
}

/* NCCL, src/graph/connect.cc, ncclTopoPreset and connectTrees, of balanced trees. */
void dn_tree_of_nodes(const DnCollCall *call, guint32 channel, guint32 me, DnTree *tree)
{
    guint32 nodes = dn_coll_node_count(call), node = dn_coll_node(call, me);
    guint32 which = channel % 2, turn = channel / 2, at = 0;
    if (call->n_rings > 0) { /* as many channels have the first tree, each in a ring of its own */
        which = channel / call->n_rings % 2;
        turn = channel % call->n_rings;
    }
    guint32 second = chain_second(call, node), here = tree_unmirrored(nodes, which, node);
    DnTree over;
    dn_tree_double(nodes, which, node, &over);
    while (chain_member(call, turn, node, at) != me)
        at++;
    *tree = (DnTree){.parent = at > 0 ? chain_member(call, turn, node, at - 1) : DN_ANY};
    if (at == 0 && over.parent != DN_ANY) {
        gboolean lower = here < tree_unmirrored(nodes, which, over.parent);
        tree->parent =
            chain_member(call, turn, over.parent, lower ? chain_second(call, over.parent) : 0);
    }
    guint32 next = chain_member(call, turn, node, at + 1);
    if (next != DN_ANY)
        tree->child[tree->n_children++] = next;
    for (guint32 i = 0; i < over.n_children; i++) {
        gboolean lower = tree_unmirrored(nodes, which, over.child[i]) < here;
        if (at == (lower ? second : 0))
            tree->child[tree->n_children++] = chain_member(call, turn, over.child[i], 0);
    }
}

#define NCCL_STEPS 8 /* of a buffer: chunks under way to a peer */

static gboolean is_of_nodes(const DnCollCall *call)
{
    return dn_coll_ring_nodes(call) != NULL ||
           (call->group > 0 && call->n >= call->group && call->n % call->group == 0);
}

const char *dn_tree_of_channel_needs(const DnCollCall *call)
{
    return is_of_nodes(call) && !dn_rings_go_by_node(call) ? "rings that go node by node" : NULL;
}

void dn_tree_of_channel(const DnCollCall *call, guint32 channel, guint32 me, DnTree *tree)
{
    if (is_of_nodes(call))
        dn_tree_of_nodes(call, channel, me, tree);
    else
        dn_tree_double(call->n, channel, me, tree);
    tree->slots = NCCL_STEPS;
    tree->at_once = TRUE;
}

/* ---- pipelines ---- */

#define TAG_TO_ROOT 2000000u

guint64 dn_segments(gint64 bytes, gint64 segment)
{
    if (segment <= 0 || bytes <= segment)
        return 1;
    return ((guint64)bytes + (guint64)segment - 1) / (guint64)segment;
}

static DnSpan segment_of(DnSpan part, gint64 segment, guint64 k)
{
    if (dn_segments(part.bytes, segment) == 1)
        return part;
    gint64 from = (gint64)k * segment;
    return (DnSpan){part.area, part.offset + from, MIN(segment, part.bytes - from)};
}

/* Requests 0 and 1 are receives'. */
static guint32 send_request(const DnTree *tree, guint64 k)
{
    return 2 + (guint32)(k % MAX(2, tree->slots));
}

gboolean dn_tree_down(const DnTree *tree, DnSpan part, gint64 segment, guint64 k, guint32 tag,
                      guint32 event, DnRound *round)
{
    guint64 n = dn_segments(part.bytes, segment);
    if (k > n)
        return FALSE;
    if (k == n) {
        dn_round_wait(round, DN_ANY);
        return TRUE;
    }
    if (event != DN_ANY)
        dn_round_await(round, event);
    if (tree->parent != DN_ANY) {
        if (k == 0 || event != DN_ANY)
            dn_round_recv(round, tree->parent, tag, k % 2, segment_of(part, segment, k));
        if (k + 1 < n && event == DN_ANY)
            dn_round_recv(round, tree->parent, tag, (k + 1) % 2, segment_of(part, segment, k + 1));
        dn_round_wait(round, k % 2);
    }
    if (tree->n_children > 0)
        dn_round_wait(round, send_request(tree, k));
    for (guint32 c = 0; c < tree->n_children; c++)
        (tree->blocking ? dn_round_send : dn_round_isend)(
            round, tree->child[c], tag, send_request(tree, k), segment_of(part, segment, k));
    return TRUE;
}

/* A part on its way up @tree. */
typedef struct {
    const DnTree *tree;
    DnSpan part;
    gint64 segment, slot, scratch;
    guint32 tag;
} Up;

/* Returns the place in the list of children of the one that is @turn-th to be combined. */
static guint32 child_in_turn(const DnTree *tree, guint32 turn)
{
    return tree->farthest_first ? tree->n_children - 1 - turn : turn;
}

static DnSpan slot_of(const Up *up, guint64 number, gint64 bytes)
{
    return dn_scratch(up->scratch + (gint64)number * up->slot, bytes);
}

static void post_all(const Up *up, guint64 k, DnRound *round)
{
    if (k >= dn_segments(up->part.bytes, up->segment))
        return;
    gint64 bytes = segment_of(up->part, up->segment, k).bytes;
    for (guint32 c = 0; c < up->tree->n_children; c++)
        dn_round_recv(round, up->tree->child[c], up->tag, k % 2, slot_of(up, 2 * c + k % 2, bytes));
}

/* Segment @k of all children, then their sum; the next segment's receives are posted before. */
static void up_at_once(const Up *up, guint64 k, DnRound *round)
{
    DnSpan piece = segment_of(up->part, up->segment, k);
    if (k == 0)
        post_all(up, 0, round);
    post_all(up, k + 1, round);
    if (up->tree->n_children > 0)
        dn_round_wait(round, k % 2);
    for (guint32 c = 0; c < up->tree->n_children; c++)
        dn_round_reduce(round, piece, slot_of(up, 2 * c + k % 2, piece.bytes));
}

/* @turn counts the children of the first segment, then those of the next. */
static void post_turn(const Up *up, guint64 turn, DnRound *round)
{
    guint32 n = up->tree->n_children;
    guint64 k = turn / n;
    if (k >= dn_segments(up->part.bytes, up->segment))
        return;
    gint64 bytes = segment_of(up->part, up->segment, k).bytes;
    dn_round_recv(round, up->tree->child[child_in_turn(up->tree, (guint32)(turn % n))], up->tag,
                  turn % 2, slot_of(up, turn % 2, bytes));
}

/* Segment @k of child after child, each added before the next is waited for; the next one's receive
 * is posted before the wait, unless each is a call that waits. */
static void up_in_turn(const Up *up, guint64 k, DnRound *round)
{
    const DnTree *tree = up->tree;
    DnSpan piece = segment_of(up->part, up->segment, k);
    for (guint32 c = 0; c < tree->n_children; c++) {
        guint64 turn = k * tree->n_children + c;
        if (turn == 0 || tree->blocking)
            post_turn(up, turn, round);
        if (!tree->blocking)
            post_turn(up, turn + 1, round);
        dn_round_wait(round, turn % 2);
        dn_round_reduce(round, piece, slot_of(up, turn % 2, piece.bytes));
    }
}

gboolean dn_tree_up(const DnTree *tree, DnSpan part, gint64 segment, gint64 scratch, guint64 k,
                    guint32 tag, guint32 event, DnRound *round)
{
    guint64 n = dn_segments(part.bytes, segment);
    if (k > n)
        return FALSE;
    if (k == n) {
        dn_round_wait(round, DN_ANY);
        return TRUE;
    }
    DnSpan piece = segment_of(part, segment, k);
    const Up up = {tree, part, segment, segment_of(part, segment, 0).bytes, scratch, tag};
    (tree->at_once ? up_at_once : up_in_turn)(&up, k, round);
    if (tree->parent != DN_ANY) {
        dn_round_wait(round, send_request(tree, k));
        dn_round_send(round, tree->parent, tag, send_request(tree, k), piece);
    }
    if (event != DN_ANY)
        dn_round_signal(round, event);
    return TRUE;
}

gboolean dn_tree_up_to_root(const DnCollCall *call, const DnTree *tree, guint32 me, guint32 top,
                            guint64 k, DnRound *round)
{
    guint64 up = dn_segments(call->bytes, call->segment) + 1;
    if (k < up)
        return dn_tree_up(tree, dn_whole(call), call->segment, 0, k, 0, DN_ANY, round);
    if (k > up)
        return FALSE;
    if (top == call->root || (me != top && me != call->root))
        return TRUE;
    if (me == top)
        dn_round_send(round, call->root, TAG_TO_ROOT, 0, dn_whole(call));
    else
        dn_round_recv(round, top, TAG_TO_ROOT, 0, dn_whole(call));
    dn_round_wait(round, DN_ANY);
    return TRUE;
}

gboolean dn_tree_up_down(const DnTree *tree, DnSpan part, gint64 segment, gint64 scratch, guint64 k,
                         DnRound *round)
{
    guint64 up = dn_segments(part.bytes, segment) + 1;
    if (k < up)
        return dn_tree_up(tree, part, segment, scratch, k, 0, DN_ANY, round);
    return dn_tree_down(tree, part, segment, k - up, 1, DN_ANY, round);
}
