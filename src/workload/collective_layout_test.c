/* collective_layout_test.c - Collectives of the libraries, over nodes, communicators and lists of
 * sizes are executed on data; the bytes they move. */
#include "workload/collective_run_test.h"

/* What a library chooses for a size, in its own form. */
static void check_library(const char *library, DnCollKind kind, guint32 n, gint64 bytes,
                          const char *keys)
{
    gboolean blocks = kind == DN_COLL_GATHER || kind == DN_COLL_ALLGATHER ||
                      kind == DN_COLL_SCATTER || kind == DN_COLL_ALLTOALL;
    if (blocks && bytes * n > 4096)
        return;
    for (guint32 root = 0; root < n; root += MAX(1, n - 1)) {
        g_autofree char *size =
            kind == DN_COLL_BARRIER ? g_strdup("") : g_strdup_printf(", bytes: %d B", (int)bytes);
        g_autofree char *from = is_rooted(kind) ? g_strdup_printf(", root: %u", root)
                                                : g_strdup("");
        g_autofree char *yaml =
            g_strdup_printf("{type: %s, algorithm: auto, library: %s, element: 3 B%s%s%s}",
                            dn_coll_kind_name(kind), library, size, from, keys);
        Case c = {yaml, kind, n, root, kind == DN_COLL_BARRIER ? 0 : bytes};
        check_case(&c);
        if (!is_rooted(kind))
            return;
    }
}

static void test_libraries(void)
{
    static const guint32 counts[] = {1, 2, 3, 5, 6, 8, 13, 17, 33};
    static const gint64 sizes[] = {3, 48, 600, 2100, 4800, 9000, 13500};
    element = 3;
    for (guint i = 0; i < G_N_ELEMENTS(counts); i++)
        for (DnCollKind kind = 0; kind < DN_COLL_KINDS; kind++)
            for (guint s = 0; s < G_N_ELEMENTS(sizes); s++) {
                check_library("ompi", kind, counts[i], sizes[s], "");
                check_library("mpich", kind, counts[i], sizes[s], "");
                if (!dn_coll_kind_reduces(kind))
                    continue;
                check_library("ompi", kind, counts[i], sizes[s], ", commutative: no");
                check_library("mpich", kind, counts[i], sizes[s], ", commutative: no");
            }
    element = 0;
}

#define ONE_COUNT(bytes)                                                                           \
    "{type: reduce_scatter, bytes: " bytes ", algorithm: auto, library: ompi, one_count: yes}"
#define SMP(keys) "{type: allreduce, bytes: 29 B, algorithm: smp, " keys "}"
#define GROUPED "{type: alltoall, bytes: 5 B, algorithm: grouped, channels: "
#define PXN "{type: alltoall, bytes: 5 B, algorithm: grouped_pxn, channels: "
/* RCCL's rings by LL: chunks of whole 2 KiB, the last ones short or empty; then two loops. */
#define RCCL_LL(bytes, keys)                                                                       \
    "{type: allreduce, bytes: " bytes                                                              \
    ", algorithm: auto, library: rccl, gpu: mi250x, bus_bandwidth: 100 GB/s, " keys "}"
/* Rings over three nodes, by a library that lets chunks leave a node while the next one comes. */
#define OVER_NODES(type, bytes, keys)                                                              \
    "{type: " type ", bytes: " bytes                                                               \
    ", algorithm: nccl_ring, segment: 2 B, channels: 3, group: 3, "                                \
    "library: nccl, bus_bandwidth: 48 GB/s" keys "}"
#define TREE_OF_NODES                                                                              \
    "{type: allreduce, bytes: 31 B, algorithm: nccl_tree, segment: 3 B, channels: 6, "
#define TREE_UP_DOWN                                                                               \
    "{type: allreduce, bytes: 61 B, algorithm: rccl_tree, segment: 3 B, channels: 6, "

/* Two nodes of three ranks: ring k enters each at its rank k. */
static void test_rings_by_node(void)
{
    static const char *const listed =
        "{type: allreduce, bytes: 60 B, algorithm: nccl_ring, channels: 3, group: 3, rings: "
        "[[0, 1, 2, 3, 4, 5], [1, 2, 0, 4, 5, 3], [2, 0, 1, 5, 3, 4]]}";
    static const char *const named = "{type: allreduce, bytes: 60 B, algorithm: nccl_ring, "
                                     "channels: 3, group: 3, rings: by_node}";
    g_autoptr(GError) error = NULL;
    g_autoptr(DnConfigNode) a = dn_config_parse(listed, "a", &error);
    g_autoptr(DnConfigNode) b = dn_config_parse(named, "b", &error);
    g_assert_no_error(error);
    g_autoptr(DnProgram) one = dn_program_new(a, 6, 1, 1, &error);
    g_assert_no_error(error);
    g_autoptr(DnProgram) two = dn_program_new(b, 6, 1, 1, &error);
    g_assert_no_error(error);
    for (guint32 rank = 0; rank < 6; rank++)
        for (guint32 stream = 0; stream < 3; stream++) {
            DnCursor at[2] = {{.stream = stream}, {.stream = stream}};
            DnOp ops[2] = {{0}, {0}};
            guint sends = 0;
            while (ops[0].kind != DN_OP_END) {
                dn_program_next(one, rank, &at[0], &ops[0]);
                dn_program_next(two, rank, &at[1], &ops[1]);
                g_assert_cmpint(ops[0].kind, ==, ops[1].kind);
                g_assert_cmpuint(ops[0].peer, ==, ops[1].peer);
                g_assert_cmpint(ops[0].bytes, ==, ops[1].bytes);
                sends += ops[0].kind == DN_OP_SEND;
            }
            g_assert_cmpuint(sends, ==, 10); /* 2 (n - 1) */
        }
    g_assert_cmpuint(two->streams, ==, 3);
}

/* Rings of NCCL, of which chunks leave a node while others come. */
static void test_rings_over_nodes(void)
{
    static const Case cases[] = {
        {OVER_NODES("allreduce", "60 B", ", rings: by_node"), DN_COLL_ALLREDUCE, 9, 0, 60},
        {OVER_NODES("allgather", "31 B", ", rings: by_node"), DN_COLL_ALLGATHER, 9, 0, 31},
        {OVER_NODES("reduce_scatter", "99 B", ", rings: by_node"), DN_COLL_REDUCE_SCATTER, 9, 0,
         99},
        {OVER_NODES("bcast", "31 B", ", root: 4"), DN_COLL_BCAST, 9, 4, 31},
        {OVER_NODES("reduce", "31 B", ", root: 4"), DN_COLL_REDUCE, 9, 4, 31},
        {"{type: reduce, bytes: 31 B, algorithm: nccl_ring, root: 1, channels: 2}", DN_COLL_REDUCE,
         2, 1, 31}};
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
        check_case(&cases[i]);
}

/* Trees of nodes up and then down, each channel in one stream. */
static void test_trees_up_down(void)
{
    static const Case cases[] = {
        {TREE_UP_DOWN "group: 4}", DN_COLL_ALLREDUCE, 8, 0, 61},
        {TREE_UP_DOWN "group: 3}", DN_COLL_ALLREDUCE, 21, 0, 61},
        {TREE_UP_DOWN "group: 5}", DN_COLL_ALLREDUCE, 12, 0, 61},
        {TREE_UP_DOWN "group: 2, rings: [[1, 0, 2, 3, 5, 4], [0, 1, 3, 2, 4, 5]]}",
         DN_COLL_ALLREDUCE, 6, 0, 61},
    };
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
        check_case(&cases[i]);
}

/* Grouped sends over nodes and channels, with PXN and without. */
static void test_grouped(void)
{
    static const Case cases[] = {
        {GROUPED "3, window: 1, group: 2}", DN_COLL_ALLTOALL, 14, 0, 5},
        {GROUPED "2, window: 2, group: 5}", DN_COLL_ALLTOALL, 15, 0, 5},
        {GROUPED "2, window: 1, group: 5}", DN_COLL_ALLTOALL, 10, 0, 5},
        {GROUPED "9, window: 8, group: 3}", DN_COLL_ALLTOALL, 18, 0, 5},
        {GROUPED "4, window: 3, group: 4}", DN_COLL_ALLTOALL, 10, 0, 5}, /* no whole nodes */
        {GROUPED "4, window: 1, group: 2, segment: 2 B}", DN_COLL_ALLTOALL, 14, 0, 5},
        {GROUPED "2, window: 3, group: 2, segment: 3 B}", DN_COLL_ALLTOALL, 62, 0, 5},
        {PXN "3, window: 8, group: 2}", DN_COLL_ALLTOALL, 14, 0, 5},
        {PXN "4, window: 4, group: 2, segment: 2 B}", DN_COLL_ALLTOALL, 68, 0, 5},
        {PXN "8, window: 8, group: 4, segment: 3 B}", DN_COLL_ALLTOALL, 24, 0, 5},
        {PXN "2, window: 1, group: 5}", DN_COLL_ALLTOALL, 10, 0, 5},
    };
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
        check_case(&cases[i]);
}

/* Nodes of several ranks; rings in several orders; a sub-communicator in odd order. */
static void test_arrangements(void)
{
    static const Case cases[] = {
        {"{type: allreduce, bytes: 29 B, algorithm: hierarchical, group: 4}", DN_COLL_ALLREDUCE, 12,
         0, 29},
        {"{type: allreduce, bytes: 29 B, algorithm: hierarchical, group: 5}", DN_COLL_ALLREDUCE, 15,
         0, 29},
        {"{type: allreduce, bytes: 29 B, algorithm: hierarchical, group: 6}", DN_COLL_ALLREDUCE, 6,
         0, 29},
        {"{type: allreduce, bytes: 31 B, algorithm: multi_ring, rings: [[0, 1, 2, 3, 4]]}",
         DN_COLL_ALLREDUCE, 5, 0, 31},
        {"{type: allreduce, bytes: 31 B, algorithm: multi_ring, rings: [[0, 1, 2, 3, 4], "
         "[4, 3, 2, 1, 0], [0, 2, 4, 1, 3], [0, 2, 4, 1, 3]]}",
         DN_COLL_ALLREDUCE, 5, 0, 31},
        {"{type: allreduce, bytes: 31 B, algorithm: nccl_ring, segment: 2 B, rings: [[0, 1, 2, 3, "
         "4], [4, 3, 2, 1, 0], [0, 2, 4, 1, 3]], channels: 6}",
         DN_COLL_ALLREDUCE, 5, 0, 31},
        {RCCL_LL("40001 B", "channels: 3, rings: [[0, 1, 2], [2, 1, 0]]"), DN_COLL_ALLREDUCE, 3, 0,
         40001},
        {RCCL_LL("55000 B", "channels: 1"), DN_COLL_ALLREDUCE, 3, 0, 55000},
        {RCCL_LL("7 B", "channels: 4, rings: [[0, 1, 2], [2, 1, 0]]"), DN_COLL_ALLREDUCE, 3, 0, 7},
        {"{type: allgather, bytes: 31 B, algorithm: nccl_ring, segment: 2 B, rings: [[0, 1, 2, 3, "
         "4], [4, 3, 2, 1, 0], [0, 2, 4, 1, 3]]}",
         DN_COLL_ALLGATHER, 5, 0, 31},
        {"{type: reduce_scatter, bytes: 33 B, algorithm: nccl_ring, segment: 2 B, rings: [[4, 2, "
         "0, 1, 3], [3, 1, 0, 2, 4]]}",
         DN_COLL_REDUCE_SCATTER, 5, 0, 33},
        {ONE_COUNT("32 B"), DN_COLL_REDUCE_SCATTER, 4, 0, 32}, /* recursive doubling */
        {ONE_COUNT("64 B"), DN_COLL_REDUCE_SCATTER, 2, 0, 64}, /* butterfly, as the next */
        {ONE_COUNT("512 B"), DN_COLL_REDUCE_SCATTER, 8, 0, 512},
        {ONE_COUNT("224 B"), DN_COLL_REDUCE_SCATTER, 7, 0, 224},
        {ONE_COUNT("128 B"), DN_COLL_REDUCE_SCATTER, 16, 0, 128}, /* linear, as the next */
        {ONE_COUNT("264 B"), DN_COLL_REDUCE_SCATTER, 33, 0, 264},
        {SMP("group: 4"), DN_COLL_ALLREDUCE, 12, 0, 29},
        {SMP("group: 5"), DN_COLL_ALLREDUCE, 15, 0, 29},
        {SMP("group: 6"), DN_COLL_ALLREDUCE, 6, 0, 29},
        {SMP("group: 2, block: 7 B"), DN_COLL_ALLREDUCE, 10, 0, 29},
        /* between nodes in pieces */
        {"{type: allreduce, bytes: 2051 B, algorithm: smp, group: 2}", DN_COLL_ALLREDUCE, 14, 0,
         2051},
        {"{type: allreduce, bytes: 2051 B, algorithm: smp, group: 4}", DN_COLL_ALLREDUCE, 32, 0,
         2051},
        {"{type: allreduce, bytes: 29 B, algorithm: ring, block: 10 B, staged: yes}",
         DN_COLL_ALLREDUCE, 5, 0, 29},
        {TREE_OF_NODES "group: 4}", DN_COLL_ALLREDUCE, 8, 0, 31},
        {TREE_OF_NODES "group: 3}", DN_COLL_ALLREDUCE, 21, 0, 31},
        {TREE_OF_NODES "group: 5}", DN_COLL_ALLREDUCE, 12, 0, 31}, /* no whole nodes: one tree */
        {TREE_OF_NODES "group: 6, rings: [[1, 0, 2, 4, 3, 5], [5, 2, 0, 1, 3, 4]]}",
         DN_COLL_ALLREDUCE, 6, 0, 31}, /* one node: chains */
        {TREE_OF_NODES "group: 2, rings: [[1, 0, 2, 3, 5, 4], [0, 1, 3, 2, 4, 5]]}",
         DN_COLL_ALLREDUCE, 6, 0, 31},
    };
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
        check_case(&cases[i]);
}

/* One copy of the whole buffer before the first operation and one after the last. */
static void test_staged(void)
{
    static const char *const texts[] = {
        "{type: allreduce, bytes: 10 B, algorithm: ring, staged: yes, own_block: in_place}",
        "{type: alltoall, bytes: 10 B, algorithm: linear, staged: yes}"};
    static const gint64 whole[] = {10, 30};
    for (guint i = 0; i < 2; i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(DnProgram) program = program_of(texts[i], 3, &error);
        g_assert_no_error(error);
        DnCursor cursor = {0};
        DnOp op;
        guint copies = 0;
        gint64 last = 0;
        while (program->type->next(program, 1, &cursor, &op)) {
            last = op.kind == DN_OP_COPY ? op.bytes : 0;
            copies += last == whole[i];
        }
        g_assert_cmpuint(copies, ==, 2);
        g_assert_cmpint(last, ==, whole[i]);
    }
}

/* The same operations but the copy of the own block. */
static void test_own_block(void)
{
    static const char *const algorithms[] = {"linear", "spread",      "pairwise",
                                             "xor",    "linear_sync", "scattered"};
    for (guint i = 0; i < G_N_ELEMENTS(algorithms); i++) {
        guint operations[2] = {0}, copies[2] = {0};
        for (guint in_place = 0; in_place < 2; in_place++) {
            g_autoptr(GError) error = NULL;
            g_autofree char *text =
                g_strdup_printf("{type: alltoall, bytes: 10 B, algorithm: %s, own_block: %s}",
                                algorithms[i], dn_coll_own_block_names[in_place]);
            g_autoptr(DnProgram) program = program_of(text, 4, &error);
            g_assert_no_error(error);
            DnCursor cursor = {0};
            DnOp op;
            while (program->type->next(program, 1, &cursor, &op)) {
                operations[in_place]++;
                copies[in_place] += op.kind == DN_OP_COPY;
            }
        }
        g_assert_cmpuint(copies[0], ==, 1);
        g_assert_cmpuint(copies[1], ==, 0);
        g_assert_cmpuint(operations[1], ==, operations[0] - 1);
    }
}

/* Open MPI 4.1.4's and MPICH 4.0.2's sources: what rank @rank of four copies between the two
 * buffers of a call, before its first message and after its last. */
static void test_library_copies(void)
{
    static const struct {
        const char *call;
        guint32 rank;
        gint64 before, after;
    } cases[] = {
        {"allreduce, bytes: 40 B, algorithm: ring", 1, 40, 0},
        {"allreduce, bytes: 40 B, algorithm: recursive_doubling", 3, 40, 0},
        {"allreduce, bytes: 40 B, algorithm: rabenseifner", 3, 40, 0},
        {"allreduce, bytes: 40 B, algorithm: nonoverlapping", 0, 0, 0},
        {"allreduce, bytes: 40 B, algorithm: ring, own_block: in_place", 1, 0, 0},
        {"allgather, bytes: 10 B, algorithm: ring", 2, 10, 0},
        {"allgather, bytes: 10 B, algorithm: neighbor", 2, 10, 0},
        {"allgather, bytes: 10 B, algorithm: gather_bcast", 0, 10, 0},
        {"allgather, bytes: 10 B, algorithm: gather_bcast", 2, 0, 0},
        {"reduce_scatter, bytes: 40 B, algorithm: ring", 2, 40, 10},
        {"reduce_scatter, bytes: 40 B, algorithm: pairwise", 2, 10, 0},
        {"reduce_scatter, bytes: 40 B, algorithm: butterfly", 0, 40, 10},
        {"reduce_scatter, bytes: 40 B, algorithm: butterfly", 2, 40, 0},
        {"reduce, bytes: 40 B, algorithm: rabenseifner", 2, 40, 0},
        {"reduce, bytes: 40 B, algorithm: binomial", 2, 0, 0},
        {"reduce, bytes: 40 B, algorithm: auto, library: mpich", 2, 40, 0},
        {"gather, bytes: 10 B, algorithm: linear", 0, 10, 0},
        {"gather, bytes: 10 B, algorithm: linear", 1, 0, 0},
        {"scan, bytes: 40 B, algorithm: linear", 2, 40, 0},
        {"bcast, bytes: 40 B, algorithm: binomial", 0, 0, 0},
    };
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *text = g_strdup_printf("{type: %s}", cases[i].call);
        g_autoptr(DnProgram) program = program_of(text, 4, &error);
        g_assert_no_error(error);
        DnCursor cursor = {0};
        DnOp op;
        gint64 copied[2] = {0};
        gboolean sent = FALSE;
        while (program->type->next(program, cases[i].rank, &cursor, &op)) {
            sent |= op.kind == DN_OP_SEND || op.kind == DN_OP_RECV;
            if (op.kind == DN_OP_COPY)
                copied[sent] += op.bytes;
        }
        g_test_message("%s", text);
        g_assert_cmpint(copied[0], ==, cases[i].before);
        g_assert_cmpint(copied[1], ==, cases[i].after);
    }
}

/* MPICH's blocks of three exchanges among five ranks: the receives of a block, its sends, and a
 * wait for all; the first exchange is the copy of the own block. */
static void test_scattered_blocks(void)
{
    static const DnOpKind kinds[] = {DN_OP_RECV, DN_OP_RECV, DN_OP_COPY, DN_OP_SEND,
                                     DN_OP_SEND, DN_OP_WAIT, DN_OP_RECV, DN_OP_RECV,
                                     DN_OP_SEND, DN_OP_SEND, DN_OP_WAIT};
    static const guint32 peers[] = {2, 3, DN_ANY, 0, 4, DN_ANY, 4, 0, 3, 2, DN_ANY};
    g_autoptr(GError) error = NULL;
    g_autoptr(DnProgram) program =
        program_of("{type: alltoall, bytes: 10 B, algorithm: scattered, window: 3}", 5, &error);
    g_assert_no_error(error);
    DnCursor cursor = {0};
    DnOp op;
    for (guint i = 0; i < G_N_ELEMENTS(kinds); i++) {
        g_assert_true(program->type->next(program, 1, &cursor, &op));
        g_assert_cmpint(op.kind, ==, kinds[i]);
        if (peers[i] != DN_ANY)
            g_assert_cmpuint(op.peer, ==, peers[i]);
    }
    g_assert_false(program->type->next(program, 1, &cursor, &op));
}

/* Ranks 4, 0 and 5 of 7: the sum of the three; ranks 1, 2, 3, 6 are left alone. */
static void test_communicator(void)
{
    g_autoptr(GError) error = NULL;
    DnProgram *program = program_of(
        "{type: allreduce, bytes: 10 B, algorithm: ring, communicator: [4, 0, 5]}", 7, &error);
    g_assert_no_error(error);
    World *w = world_new(program, LEAST_AREA);
    for (guint32 r = 0; r < 7; r++)
        for (gint64 i = 0; i < 10; i++)
            w->ranks[r].area[DN_AREA_DATA][i] = value_of(r, i);
    world_run(w, "communicator");
    for (guint32 r = 0; r < 7; r++)
        for (gint64 i = 0; i < 10; i++)
            g_assert_cmpuint(w->ranks[r].area[DN_AREA_DATA][i], ==,
                             r == 4 || r == 0 || r == 5
                                 ? value_of(0, i) + value_of(4, i) + value_of(5, i)
                                 : value_of(r, i));
    world_free(w);
}

/* Every pair has its own size, within the spread; what is sent is what is expected. */
static void test_alltoallv(void)
{
    static const char *const algorithms[] = {"linear",      "spread",    "pairwise",
                                             "linear_sync", "scattered", "grouped"};
    for (guint a = 0; a < G_N_ELEMENTS(algorithms); a++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *yaml = g_strdup_printf(
            "{type: alltoallv, bytes: 20 B, spread: 0.9, algorithm: %s}", algorithms[a]);
        DnProgram *program = program_of(yaml, 9, &error);
        g_assert_no_error(error);
        World *w = world_new(program, LEAST_AREA);
        DnCollCall call = {.n = 9, .bytes = 20, .spread = 0.9, .seed = program->seed};
        gint64 least = G_MAXINT64, most = 0;
        for (guint32 r = 0; r < 9; r++)
            for (gint64 i = 0; i < 9 * 40; i++)
                w->ranks[r].area[DN_AREA_INPUT][i] = value_of(r, i);
        world_run(w, yaml);
        for (guint32 r = 0; r < 9; r++)
            for (guint32 s = 0; s < 9; s++) {
                gint64 bytes = dn_coll_pair_bytes(&call, s, r);
                least = MIN(least, bytes);
                most = MAX(most, bytes);
                for (gint64 i = 0; i < 40; i++)
                    g_assert_cmpuint(w->ranks[r].area[DN_AREA_DATA][s * 40 + i], ==,
                                     i < bytes ? value_of(s, r * 40 + i) : 0);
            }
        g_assert_cmpint(least, >=, 2);
        g_assert_cmpint(most, <=, 38);
        g_assert_cmpint(least, <, most);
        world_free(w);
    }
}

static gboolean unequal_next(const DnProgram *program, guint32 rank, DnCursor *cursor, DnOp *op)
{
    return dn_coll_next(program->data, rank, cursor, op);
}

static void unequal_free(DnProgram *program)
{
    program->data = NULL;
}

/* Blocks of 0 to 13 bytes, from rank to rank; all are everywhere in the end. */
static void check_unequal_allgather(const char *algorithm, DnCollStyle style, guint32 n)
{
    static const DnProgramType type = {
        .name = "unequal", .next = unequal_next, .free = unequal_free};
    gint64 starts[34] = {0};
    for (guint32 r = 0; r < n; r++)
        starts[r + 1] = starts[r] + (r % 3 == 1 ? 0 : (5 * r) % 14);
    DnCollCall call = {.n = n,
                       .algorithm = dn_coll_find(DN_COLL_ALLGATHER, algorithm),
                       .starts = starts,
                       .unequal = TRUE,
                       .segment = 4,
                       .radix = 4,
                       .style = style};
    if (call.algorithm->needs && call.algorithm->needs(&call))
        return;
    DnProgram *program = g_new0(DnProgram, 1);
    *program = (DnProgram){.type = &type, .ranks = n, .iterations = 1, .streams = 1, .data = &call};
    World *w = world_new(program, LEAST_AREA);
    for (guint32 r = 0; r < n; r++)
        for (gint64 i = starts[r]; i < starts[r + 1]; i++)
            w->ranks[r].area[DN_AREA_DATA][i] = value_of(r, i);
    world_run(w, algorithm);
    for (guint32 r = 0; r < n; r++)
        for (guint32 from = 0; from < n; from++)
            for (gint64 i = starts[from]; i < starts[from + 1]; i++)
                g_assert_cmpuint(w->ranks[r].area[DN_AREA_DATA][i], ==, value_of(from, i));
    world_free(w);
}

static void test_unequal_allgather(void)
{
    static const char *const algorithms[] = {"ring",  "neighbor",     "recursive_doubling",
                                             "bruck", "gather_bcast", "pipelined_ring"};
    static const guint32 counts[] = {2, 3, 4, 6, 7, 8, 13, 16, 33};
    for (guint a = 0; a < G_N_ELEMENTS(algorithms); a++)
        for (guint i = 0; i < G_N_ELEMENTS(counts); i++) {
            check_unequal_allgather(algorithms[a], DN_STYLE_OMPI, counts[i]);
            check_unequal_allgather(algorithms[a], DN_STYLE_MPICH, counts[i]);
        }
}

/* ---- what they cost, in closed form ---- */

static double collective_moved(const char *yaml, guint32 n)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnProgram) program = program_of(yaml, n, &error);
    g_assert_no_error(error);
    return program->type->bytes_moved(program);
}

/* 16 ranks, B = 1600 B. Rings, Rabenseifner and the trees move 2 (n - 1) B in all (Thakur et al.,
 * 4.5; a tree has n - 1 edges, each crossed twice); recursive doubling n log2 n B. Bruck's alltoall
 * sends n / 2 blocks a phase: n (n / 2) log2 n blocks; pairwise n (n - 1). Folding 18 ranks adds 2
 * * 2 buffers to the 16's. */
static void test_volumes(void)
{
    static const char *const ideal[] = {"ring",      "rabenseifner",       "nonoverlapping",
                                        "kary_tree", "double_binary_tree", "nccl_ring",
                                        "nccl_tree", "rccl_tree",          "linear"};
    for (guint i = 0; i < G_N_ELEMENTS(ideal); i++) {
        g_autofree char *yaml =
            g_strdup_printf("{type: allreduce, bytes: 1600 B, algorithm: %s}", ideal[i]);
        g_assert_cmpfloat(collective_moved(yaml, 16), ==, 2 * 15 * 1600);
    }
    g_assert_cmpfloat(
        collective_moved("{type: allreduce, bytes: 1600 B, algorithm: recursive_doubling}", 16), ==,
        16 * 4 * 1600);
    g_assert_cmpfloat(
        collective_moved("{type: allreduce, bytes: 1600 B, algorithm: recursive_doubling}", 18), ==,
        (16 * 4 + 4) * 1600);
    g_assert_cmpfloat(collective_moved("{type: alltoall, bytes: 10 B, algorithm: bruck}", 16), ==,
                      16 * 8 * 4 * 10);
    g_assert_cmpfloat(collective_moved("{type: alltoall, bytes: 10 B, algorithm: pairwise}", 16),
                      ==, 16 * 15 * 10);
    g_assert_cmpfloat(
        collective_moved("{type: bcast, bytes: 1600 B, algorithm: scatter_allgather}", 16), ==,
        1600 * (0.5 * 4) + 15 * 1600);
    g_assert_cmpfloat(collective_moved("{type: allgather, bytes: 10 B, algorithm: neighbor}", 16),
                      ==, 16 * 15 * 10);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/collective/libraries", test_libraries);
    g_test_add_func("/collective/arrangements", test_arrangements);
    g_test_add_func("/collective/grouped", test_grouped);
    g_test_add_func("/collective/rings-by-node", test_rings_by_node);
    g_test_add_func("/collective/rings-over-nodes", test_rings_over_nodes);
    g_test_add_func("/collective/trees-up-down", test_trees_up_down);
    g_test_add_func("/collective/staged", test_staged);
    g_test_add_func("/collective/own-block", test_own_block);
    g_test_add_func("/collective/library-copies", test_library_copies);
    g_test_add_func("/collective/scattered-blocks", test_scattered_blocks);
    g_test_add_func("/collective/communicator", test_communicator);
    g_test_add_func("/collective/alltoallv", test_alltoallv);
    g_test_add_func("/collective/unequal-allgather", test_unequal_allgather);
    g_test_add_func("/collective/volumes", test_volumes);
    return g_test_run();
}
