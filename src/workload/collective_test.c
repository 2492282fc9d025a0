/* collective_test.c - Every algorithm is executed on data and held to the collective's definition;
 * the order of trees, groups and chunks; bad input. */
#include "workload/collective_run_test.h"
#include "workload/grouped_order.h"

static void check_algorithm(const DnCollAlgorithm *a, guint32 n, gint64 bytes, guint32 root,
                            const char *more)
{
    g_autofree char *size =
        a->kind == DN_COLL_BARRIER ? g_strdup("") : g_strdup_printf(", bytes: %d B", (int)bytes);
    g_autofree char *from = is_rooted(a->kind) ? g_strdup_printf(", root: %u", root) : g_strdup("");
    g_autofree char *yaml = g_strdup_printf("{type: %s, algorithm: %s%s%s%s}",
                                            dn_coll_kind_name(a->kind), a->name, size, from, more);
    DnCollCall call = {.n = n, .group = 1, .n_rings = 0};
    if (a->needs && a->needs(&call))
        return;
    Case c = {yaml, a->kind, n, root, a->kind == DN_COLL_BARRIER ? 0 : bytes};
    check_case(&c);
}

static const guint32 rank_counts[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,
                                      11, 12, 13, 15, 16, 17, 24, 31, 33};

static void test_algorithm(gconstpointer data)
{
    const DnCollAlgorithm *a = data;
    static const gint64 sizes[] = {0, 1, 5, 37};
    for (guint i = 0; i < G_N_ELEMENTS(rank_counts); i++) {
        guint32 n = rank_counts[i];
        for (guint s = 0; s < G_N_ELEMENTS(sizes); s++)
            check_algorithm(a, n, sizes[s], s % 2 ? n - 1 : n / 2, ", group: 1");
        check_algorithm(a, n, 64, 0, ", segment: 3 B, radix: 2, channels: 3, window: 3, group: 1");
        check_algorithm(a, n, 23, n / 3,
                        ", segment: 4 B, radix: 5, channels: 2, window: 1, group: 1");
    }
}

/* Types of one collective are distinguished by what they are, not by how they are called. */
static void test_workload_is(void)
{
    g_assert_true(dn_workload_is("alltoall", DN_COLL_ALLTOALL));
    g_assert_false(dn_workload_is("alltoallv", DN_COLL_ALLTOALL));
    g_assert_true(dn_workload_is("allreduce_ring", DN_COLL_ALLREDUCE));
    g_assert_false(dn_workload_is("halo", DN_COLL_ALLREDUCE));
    g_assert_false(dn_workload_is("no_such_type", DN_COLL_ALLREDUCE));
}

/* One node of 4 is a chain in the order of its channel's ring. */
static void test_tree_of_one_node(void)
{
    const guint32 rings[] = {0, 1, 3, 2, 2, 3, 1, 0};
    const DnCollCall call = {.n = 4, .group = 4, .rings = rings, .n_rings = 2};
    DnTree tree;
    dn_tree_of_nodes(&call, 0, 3, &tree);
    g_assert_cmpuint(tree.parent, ==, 1);
    g_assert_cmpuint(tree.n_children, ==, 1);
    g_assert_cmpuint(tree.child[0], ==, 2);
    dn_tree_of_nodes(&call, 3, 2, &tree); /* the second tree, the second ring */
    g_assert_cmpuint(tree.parent, ==, DN_ANY);
    g_assert_cmpuint(tree.child[0], ==, 3);
}

/* 2 nodes of 3, chains from the first rank of each channel's turn: 0-1-2 and 3-4-5. In the first
 * tree node 0 is the root and node 1 its higher child, which goes to the first of the chain; in the
 * second, the mirrored one, node 1 is the root. Channel 2 begins with ranks 1 and 4. */
static void test_tree_of_nodes(void)
{
    const DnCollCall call = {.n = 6, .group = 3};
    DnTree tree;
    dn_tree_of_nodes(&call, 0, 0, &tree);
    g_assert_cmpuint(tree.parent, ==, DN_ANY);
    g_assert_cmpuint(tree.n_children, ==, 2);
    g_assert_cmpuint(tree.child[0], ==, 1);
    g_assert_cmpuint(tree.child[1], ==, 3);
    dn_tree_of_nodes(&call, 1, 0, &tree);
    g_assert_cmpuint(tree.parent, ==, 3);
    dn_tree_of_nodes(&call, 2, 4, &tree);
    g_assert_cmpuint(tree.parent, ==, 1);
    g_assert_cmpuint(tree.child[0], ==, 5);
    dn_tree_of_nodes(&call, 2, 0, &tree);
    g_assert_cmpuint(tree.parent, ==, 2);
    g_assert_cmpuint(tree.n_children, ==, 0);
}

/* Two nodes of four, by NCCL's src/init.cc and src/include/channel.h: rank 1 sends within its node,
 * by channel 0, to 2, 3, 0; by channel 1, the distance of the other node, to 5, 6, 7, 4. With one
 * peer at a time (RCCL) a channel more for each step: channel 1 has rank 2, then 5. */
static void test_grouped_order(void)
{
    static const guint32 apart[][2] = {{0, 2}, {0, 3}, {0, 0}, {1, 5}, {1, 6}, {1, 7}, {1, 4}};
    const DnCollAlgorithm *grouped = dn_coll_find(DN_COLL_ALLTOALL, "grouped");
    DnCollCall call = {.n = 8, .bytes = 1, .group = 4, .channels = 2, .window = 8};
    for (guint i = 0; i < G_N_ELEMENTS(apart); i++) {
        DnRound round = {.call = &call, .wanted = 1};
        g_assert_true(grouped->round(&call, 1, apart[i][0], i < 3 ? i : i - 3, &round));
        g_assert_cmpint(round.op.kind, ==, DN_OP_SEND);
        g_assert_cmpuint(round.op.peer, ==, apart[i][1]);
    }
    call.channels = 16;
    call.window = 1;
    for (guint k = 0; k < 2; k++) {
        DnRound round = {.call = &call, .wanted = 1};
        g_assert_true(grouped->round(&call, 1, 1, k, &round));
        g_assert_cmpuint(round.op.peer, ==, k == 0 ? 2 : 5);
    }
    DnRound none = {.call = &call};
    g_assert_false(grouped->round(&call, 1, 1, 2, &none));
}

/* One rank a node: channel c's rounds are the distances with the remainder c, in the order of all
 * distances, for any number of nodes, whatever is skipped on the way to a round. */
static void test_grouped_skip(void)
{
    const DnCollAlgorithm *grouped = dn_coll_find(DN_COLL_ALLTOALL, "grouped");
    for (guint32 nodes = 2; nodes < 80; nodes++)
        for (guint32 channels = 1; channels <= 9; channels += channels < 4 ? 1 : 5) {
            DnCollCall call = {
                .n = nodes, .bytes = 1, .group = 1, .channels = channels, .window = 1};
            guint64 rounds[9] = {0};
            for (guint32 d = 0; d <= nodes / 4; d++) {
                guint32 apart[4];
                guint n = dn_grouped_distances(nodes, d, apart);
                for (guint i = 0; i < n; i++) {
                    guint32 channel = apart[i] % channels;
                    DnRound round = {.call = &call, .wanted = 1};
                    if (apart[i] == 0)
                        continue;
                    g_assert_true(grouped->round(&call, 0, channel, rounds[channel]++, &round));
                    g_assert_cmpuint(round.op.peer, ==, apart[i]);
                }
            }
            for (guint32 c = 0; c < channels; c++) {
                DnRound none = {.call = &call};
                g_assert_false(grouped->round(&call, 0, c, rounds[c], &none));
            }
        }
}

/* Blocks of 10 B in pieces of 6 and 4 over two nodes of four, eight channels: in its node rank 1
 * sends whole blocks by channel 0; for the other node's distance, 1, whose reversed bits are 4, the
 * first pieces by channel 4, the others by 5; the rest have none. */
static void test_grouped_pieces(void)
{
    static const struct {
        guint32 channel, peer;
        gint64 offset, bytes;
    } sends[] = {{0, 2, 20, 10}, {4, 5, 50, 6}, {5, 5, 56, 4}};
    const DnCollAlgorithm *grouped = dn_coll_find(DN_COLL_ALLTOALL, "grouped");
    DnCollCall call = {.n = 8, .bytes = 10, .segment = 6, .group = 4, .channels = 8, .window = 8};
    guint32 tags[G_N_ELEMENTS(sends)];
    for (guint i = 0; i < G_N_ELEMENTS(sends); i++) {
        DnRound round = {.call = &call, .wanted = 1};
        g_assert_true(grouped->round(&call, 1, sends[i].channel, 0, &round));
        g_assert_cmpint(round.op.kind, ==, DN_OP_SEND);
        g_assert_cmpuint(round.op.peer, ==, sends[i].peer);
        g_assert_cmpint(round.op.offset, ==, sends[i].offset);
        g_assert_cmpint(round.op.bytes, ==, sends[i].bytes);
        tags[i] = round.op.tag;
    }
    g_assert_cmpuint(tags[1], !=, tags[2]);
    DnRound none = {.call = &call};
    g_assert_false(grouped->round(&call, 1, 1, 0, &none));
    g_assert_cmpuint(dn_coll_grouped_batch(&call).peers, ==, 4);
    g_assert_cmpuint(dn_coll_grouped_batch(&call).pieces, ==, 2);
    call.n = 32; /* eight nodes: two distances a channel */
    g_assert_cmpuint(dn_coll_grouped_batch(&call).peers, ==, 8);
}

/* Two nodes of two, blocks of 200 KiB: what is for rank 2 and 3 leaves by rank 0 and 1. Rank 0 has
 * rank 1's block for rank 2, the first 128 KiB of it before it sends those of both, then the rest;
 * and it receives as much for itself, first the chunks, and copies both parts of both blocks into
 * place. */
static void test_grouped_pxn(void)
{
    static const gint64 chunk = 128 << 10, rest = 72 << 10;
    const struct {
        guint32 kind, peer;
        gint64 bytes;
    } expected[] = {
        {DN_OP_RECV, 2, 2 * chunk}, {DN_OP_RECV, 2, 2 * rest}, /* posted first */
        {DN_OP_WAIT, 0, 0},         {DN_OP_COPY, 0, chunk},    {DN_OP_RECV, 1, chunk},
        {DN_OP_SEND, 1, chunk},     {DN_OP_WAIT, 0, 0},        {DN_OP_SEND, 2, 2 * chunk},
        {DN_OP_COPY, 0, rest},      {DN_OP_RECV, 1, rest},     {DN_OP_SEND, 1, rest},
        {DN_OP_WAIT, 0, 0},         {DN_OP_SEND, 2, 2 * rest}, {DN_OP_WAIT, 0, 0},
        {DN_OP_COPY, 0, chunk},     {DN_OP_COPY, 0, rest},     {DN_OP_COPY, 0, chunk},
        {DN_OP_COPY, 0, rest},      {DN_OP_WAIT, 0, 0}};
    const DnCollAlgorithm *pxn = dn_coll_find(DN_COLL_ALLTOALL, "grouped_pxn");
    DnCollCall call = {.n = 4, .bytes = chunk + rest, .group = 2, .channels = 2, .window = 2};
    guint done = 0;
    for (guint64 k = 0;; k++) {
        DnRound all = {.call = &call, .wanted = G_MAXUINT32};
        if (!pxn->round(&call, 0, 1, k, &all)) /* channel 1: the other node's distance */
            break;
        for (guint32 i = 0; i < all.count; i++, done++) {
            DnRound round = {.call = &call, .wanted = i};
            pxn->round(&call, 0, 1, k, &round);
            g_assert_cmpuint(done, <, G_N_ELEMENTS(expected));
            g_assert_cmpuint(round.op.kind, ==, expected[done].kind);
            g_assert_cmpint(round.op.bytes, ==, expected[done].bytes);
            if (round.op.kind == DN_OP_SEND || round.op.kind == DN_OP_RECV)
                g_assert_cmpuint(round.op.peer, ==, expected[done].peer);
        }
    }
    g_assert_cmpuint(done, ==, G_N_ELEMENTS(expected));
    call.algorithm = pxn;
    g_assert_cmpuint(dn_coll_grouped_batch(&call).blocks, ==, 2);
    call.group = 3;
    g_assert_nonnull(pxn->needs(&call));
}

/* Chunks: of a Simple ring 2 MiB, of a broadcast's 512 KiB; of LL 32 KiB, down a ring from a root
 * what 512 threads write at a time, 8 B each. Channels: all; for 100 kB by LL in a
 * ring of 8, which has at least 512 * 8 * 8 B for each, 3. Open MPI passes no segment size and no
 * limit of requests. */
static void test_chunks(void)
{
    const DnNcclMachine machine = {.bus_bps = G_GINT64_CONSTANT(1600000000000),
                                   .gpu = DN_NCCL_AMPERE};
    DnCollCall call = {.n = 8, .bytes = 1 << 30, .channels = 16};
    DnSelection selection;
    dn_select_nccl(&call, DN_COLL_ALLREDUCE, &machine, &selection);
    g_assert_cmpint(selection.segment, ==, 2 << 20);
    dn_select_nccl(&call, DN_COLL_BCAST, &machine, &selection);
    g_assert_cmpint(selection.segment, ==, 512 << 10);
    g_assert_cmpstr(selection.protocol, ==, "Simple");
    g_assert_cmpuint(selection.channels, ==, 16);
    call.bytes = 100000;
    dn_select_nccl(&call, DN_COLL_ALLREDUCE, &machine, &selection);
    g_assert_cmpstr(selection.chosen, ==, "ring, LL");
    g_assert_cmpuint(selection.channels, ==, 3);
    g_assert_cmpint(selection.segment, ==, 32 << 10);
    dn_select_nccl(&call, DN_COLL_BCAST, &machine, &selection);
    g_assert_cmpstr(selection.protocol, ==, "LL");
    g_assert_cmpint(selection.segment, ==, 4096);
    dn_select_ompi(&call, DN_COLL_ALLTOALL, &selection);
    g_assert_cmpint(selection.segment, ==, 0);
    g_assert_cmpuint(selection.window, ==, 8);
    dn_select_mpich(&call, DN_COLL_ALLTOALL, FALSE, &selection);
    g_assert_cmpuint(selection.window, ==, 32);
}

/* Halves of a block for another node, of NCCL 2.18 in multiples of 16 KiB, of 2.20 of 64 KiB on as
 * many ranks as twice the channels; not in one node, and not of RCCL. */
static void test_pieces(void)
{
    static const struct {
        DnNcclVersion version;
        DnNcclGpu gpu;
        guint32 n;
        gint64 kib, piece_kib;
    } known[] = {
        {DN_NCCL_2_18, DN_NCCL_AMPERE, 1024, 16, 0},   {DN_NCCL_2_18, DN_NCCL_AMPERE, 1024, 40, 32},
        {DN_NCCL_2_18, DN_NCCL_AMPERE, 8, 2048, 1024}, {DN_NCCL_2_18, DN_NCCL_AMPERE, 4, 2048, 0},
        {DN_NCCL_2_20, DN_NCCL_HOPPER, 16, 128, 0},    {DN_NCCL_2_20, DN_NCCL_HOPPER, 16, 200, 128},
        {DN_NCCL_2_20, DN_NCCL_HOPPER, 20, 2048, 0},   {DN_NCCL_2_18, DN_NCCL_MI250X, 16, 2048, 0},
        {DN_NCCL_2_28, DN_NCCL_HOPPER, 16, 2048, 0}};
    for (guint i = 0; i < G_N_ELEMENTS(known); i++) {
        const DnNcclMachine machine = {.version = known[i].version, .gpu = known[i].gpu};
        DnCollCall call = {.n = known[i].n, .bytes = known[i].kib << 10, .group = 4, .channels = 8};
        DnSelection selection;
        dn_select_nccl(&call, DN_COLL_ALLTOALL, &machine, &selection);
        g_assert_cmpint(selection.segment, ==, known[i].piece_kib << 10);
        g_assert_cmpint(selection.channels, ==, 0);
    }
}

/* ---- bad input ---- */

static void expect_error(const char *yaml, guint32 ranks, DnError code, const char *in_message)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(program_of(yaml, ranks, &error));
    g_assert_error(error, DN_ERROR, (gint)code);
    g_assert_true(g_str_has_prefix(error->message, "test.yaml:1:"));
    if (!strstr(error->message, in_message))
        g_error("'%s' lacks '%s'", error->message, in_message);
}

static void test_errors(void)
{
    expect_error("{type: allreduce, bytes: 1 B, algorithm: rign}", 4, DN_ERROR_UNKNOWN,
                 "did you mean 'ring'");
    expect_error("{type: allgather, bytes: 1 B, algorithm: recursive_doubling}", 6, DN_ERROR_RANGE,
                 "needs a power of two of ranks; there are 6");
    expect_error("{type: allgather, bytes: 1 B, algorithm: neighbor}", 5, DN_ERROR_RANGE,
                 "an even number");
    expect_error("{type: allreduce, bytes: 1 B, algorithm: hierarchical, group: 3}", 4,
                 DN_ERROR_RANGE, "`group`");
    expect_error("{type: allreduce, bytes: 1 B, algorithm: multi_ring}", 4, DN_ERROR_RANGE,
                 "`rings`");
    expect_error("{type: allreduce, bytes: 1 B, rings: [[0, 1, 1]]}", 3, DN_ERROR_RANGE, "once");
    expect_error("{type: allreduce, bytes: 1 B, rings: [[0, 1]]}", 3, DN_ERROR_RANGE, "all 3");
    expect_error("{type: allreduce, bytes: 1 B, rings: []}", 3, DN_ERROR_RANGE, "0 rings");
    expect_error("{type: allreduce, bytes: 1 B, rings: [0]}", 3, DN_ERROR_TYPE, "list");
    expect_error("{type: allreduce, bytes: 1 B, rings: by_nod, group: 2}", 4, DN_ERROR_RANGE,
                 "'by_nod'; allowed");
    expect_error("{type: allreduce, bytes: 1 B, rings: by_node}", 4, DN_ERROR_RANGE, "group");
    expect_error("{type: allreduce, bytes: 1 B, rings: by_node, group: 3}", 4, DN_ERROR_RANGE,
                 "group");
    expect_error("{type: bcast, bytes: 1 B, root: 4}", 4, DN_ERROR_RANGE, "0 to 3");
    expect_error("{type: scan, bytes: 1 B, communicator: [0, 0]}", 4, DN_ERROR_RANGE, "different");
    expect_error("{type: scan, bytes: 1 B, communicator: []}", 4, DN_ERROR_RANGE, "at least one");
    expect_error("{type: alltoallv, bytes: 1 B, algorithm: bruck}", 4, DN_ERROR_RANGE, "equal");
    expect_error("{type: allreduce, bytes: 1 B, algorithm: smp}", 4, DN_ERROR_RANGE,
                 "allreduce by smp needs `group`, the ranks of a node; there are 4 ranks");
    expect_error("{type: allreduce, bytes: 1 B, algorithm: nccl_tree, group: 2, rings: [[0, 2, 1, "
                 "3]]}",
                 4, DN_ERROR_RANGE, "allreduce by nccl_tree needs rings that go node by node");
    expect_error("{type: allreduce, bytes: 1 B, library: nccl}", 4, DN_ERROR_MISSING,
                 "bus_bandwidth");
    expect_error("{type: alltoall, bytes: 1 B, algorithm: grouped, staged: yes}", 4, DN_ERROR_RANGE,
                 "2 streams");
    expect_error("{type: reduce_scatter, bytes: 6 B, one_count: yes}", 4, DN_ERROR_RANGE,
                 "multiple of the number of ranks");
    expect_error("{type: reduce_scatter, bytes: 500 TiB, bytes_per: block}", 4, DN_ERROR_RANGE,
                 "4 blocks are more than a buffer of 909.5 TiB");
    expect_error("{type: allreduce, bytes: 8 B, algorithm: ring, commutative: no}", 4,
                 DN_ERROR_RANGE, "allreduce by ring changes the order of operands; take linear, ");
    expect_error("{type: alltoall, bytes: 8 B, in_place: yes}", 4, DN_ERROR_RANGE,
                 "alltoall by pairwise does not work in place; take basic_inplace, "
                 "sendrecv_replace, or auto");
    expect_error("{type: barrier, bytes: 1 B}", 4, DN_ERROR_UNKNOWN, "bytes");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (guint i = 0; dn_coll_algorithms[i]; i++) {
        g_autofree char *path = g_strdup_printf("/collective/%s/%s",
                                                dn_coll_kind_name(dn_coll_algorithms[i]->kind),
                                                dn_coll_algorithms[i]->name);
        g_test_add_data_func(path, dn_coll_algorithms[i], test_algorithm);
    }
    g_test_add_func("/collective/workload-is", test_workload_is);
    g_test_add_func("/collective/tree-of-one-node", test_tree_of_one_node);
    g_test_add_func("/collective/tree-of-nodes", test_tree_of_nodes);
    g_test_add_func("/collective/grouped-order", test_grouped_order);
    g_test_add_func("/collective/grouped-skip", test_grouped_skip);
    g_test_add_func("/collective/grouped-pieces", test_grouped_pieces);
    g_test_add_func("/collective/grouped-pxn", test_grouped_pxn);
    g_test_add_func("/collective/pieces", test_pieces);
    g_test_add_func("/collective/chunks", test_chunks);
    g_test_add_func("/collective/errors", test_errors);
    return g_test_run();
}
