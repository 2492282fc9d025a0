/* library_choice_test.c - The algorithm that a library of collectives chooses by size, ranks and
 * machine. */
#include "workload/collective_test.h"

/* ---- choices ---- */

static void check_note(const char *yaml, guint32 n, const char *note)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnProgram) program = program_of(yaml, n, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(program->note, ==, note);
    gboolean falls_back = note != NULL &&
                          g_str_has_suffix(note, "segmented_ring; run as recursive_doubling");
    g_assert_true(!falls_back || strcmp(program->chosen, "recursive_doubling") == 0);
}

/* Open MPI by rows of its table, MPICH by the thresholds in its file's head. */
static void test_auto(void)
{
    check_note("{type: allreduce, bytes: 4 KiB}", 3,
               "allreduce of 4 KiB on 3 ranks: ompi by its choice ring");
    check_note("{type: allreduce, bytes: 1 MiB}", 8,
               "allreduce of 1 MiB on 8 ranks: ompi by its choice rabenseifner");
    check_note("{type: allreduce, bytes: 8 B}", 16,
               "allreduce of 8 B on 16 ranks: ompi by its choice segmented_ring; run as "
               "recursive_doubling");
    check_note("{type: allreduce, bytes: 28 B, library: mpich}", 8,
               "allreduce of 28 B on 8 ranks: mpich by its choice recursive_doubling");
    check_note("{type: allreduce, bytes: 32 B, library: mpich}", 8,
               "allreduce of 32 B on 8 ranks: mpich by its choice reduce_scatter_allgather; run "
               "as rabenseifner");
    check_note("{type: alltoall, bytes: 8 KiB, library: mpich}", 9,
               "alltoall of 8 KiB on 9 ranks: mpich by its choice scattered");
    check_note("{type: alltoall, bytes: 8 KiB, library: mpich, algorithm: pairwise}", 9, NULL);
    check_note("{type: alltoall, bytes: 256 B, library: mpich, algorithm: auto}", 9,
               "alltoall of 256 B on 9 ranks: mpich by its choice brucks; run as bruck");
    check_note("{type: reduce, bytes: 8 KiB}", 256,
               "reduce of 8 KiB on 256 ranks: ompi by its choice in-order_binary; run as "
               "in_order_binary");
    check_note("{type: barrier, library: mpich}", 5,
               "barrier of 0 B on 5 ranks: mpich by its choice dissemination");
}

/* Every choice is an algorithm that runs, for all kinds, libraries, and numbers of ranks. */
static void test_auto_runs(void)
{
    static const char *const sizes[] = {"1 B", "3 kB", "200 kB", "30 MB"};
    for (guint k = 0; k < DN_COLL_KINDS; k++)
        for (guint l = 0; dn_coll_libraries[l] != NULL; l++)
            for (guint32 n = 1; n < 5000; n = n * 3 / 2 + 1)
                for (guint s = 0; s < G_N_ELEMENTS(sizes); s++) {
                    g_autoptr(GError) error = NULL;
                    g_autofree char *yaml = g_strdup_printf(
                        "{type: %s, algorithm: auto, library: %s, bus_bandwidth: 200 GB/s%s%s}",
                        dn_coll_kind_name(k), dn_coll_library_names[l],
                        k == DN_COLL_BARRIER ? "" : ", bytes: ",
                        k == DN_COLL_BARRIER ? "" : sizes[s]);
                    g_autoptr(DnProgram) program = program_of(yaml, n, &error);
                    g_assert_no_error(error);
                    g_assert_nonnull(program->note);
                }
}

static void check_choice(const DnNcclMachine *machine, const DnCollCall *call, DnCollKind kind,
                         const char *chosen, double us)
{
    DnSelection selection;
    dn_select_nccl(call, kind, machine, &selection);
    g_assert_cmpstr(selection.chosen, ==, chosen);
    g_assert_cmpfloat_with_epsilon((double)selection.estimate_ps * 1e-6, us, 0.001 * us);
}

static void check_nccl(const DnCollCall *call, DnCollKind kind, DnNcclOnly only, const char *chosen,
                       double us)
{
    const DnNcclMachine machine = {
        .bus_bps = G_GINT64_CONSTANT(1600000000000), .gpu = DN_NCCL_AMPERE, .only = only};
    check_choice(&machine, call, kind, chosen, us);
}

/* NCCL's model by hand, 200 GB/s, A100. 8 ranks in a node, 8 B: ring LL 6.6 + 14 * 0.6 = 15 us,
 * tree LL 6.8 + 14 * 0.6 = 15.2 us. 1 GiB: ring Simple 8.4 + 14 * 3.4 = 56 us + 1 GiB / (200
 * GB/s * 8 / 14) = 9,395 us, against tree Simple at 92 GB/s. 64 nodes of 8 and 8 B: tree LL 6.8 +
 * 2 * (7 * 0.6 + 6 * 5) = 75.2 us; ring LL 6.6 + 896 * 1 + 126 * 2.7, over 1 ms. Allgather of 8 B:
 * ring LL 6.6 + 7 * 0.6 = 10.8 us. A tree when asked for one, 8 B: tree LL, 15.2 us. 2 nodes of 8,
 * 1 GiB, 32 channels: tree Simple 8.4 + 2 * (7 * 4 + 14) = 92.4 us + 1 GiB / (0.5 * 0.92 * 400
 * GB/s) = 5,836 us, against a ring's 107 GB/s. With 16 channels, 8 of NCCL's search, a tree has at
 * most 8 * 23.6 GB/s, half of it for the buffer: the ring, 1.4 * (8.4 + 28 * 3.4 + 2 * 14) = 184.2
 * us + 10,066. */
static void test_nccl_model(void)
{
    check_nccl(&(DnCollCall){.n = 8, .bytes = 8, .channels = 16}, DN_COLL_ALLREDUCE, DN_NCCL_BEST,
               "ring, LL", 15);
    check_nccl(&(DnCollCall){.n = 8, .bytes = 1 << 30, .channels = 16}, DN_COLL_ALLREDUCE,
               DN_NCCL_BEST, "ring, Simple", 9451);
    check_nccl(&(DnCollCall){.n = 512, .bytes = 8, .group = 8, .channels = 16}, DN_COLL_ALLREDUCE,
               DN_NCCL_BEST, "tree, LL", 75.2);
    check_nccl(&(DnCollCall){.n = 8, .bytes = 8, .channels = 16}, DN_COLL_ALLGATHER, DN_NCCL_BEST,
               "ring, LL", 10.8);
    check_nccl(&(DnCollCall){.n = 8, .bytes = 8, .channels = 16}, DN_COLL_ALLREDUCE, DN_NCCL_TREE,
               "tree, LL", 15.2);
    check_nccl(&(DnCollCall){.n = 16, .bytes = 1 << 30, .group = 8, .channels = 32},
               DN_COLL_ALLREDUCE, DN_NCCL_BEST, "tree, Simple", 5928);
    check_nccl(&(DnCollCall){.n = 16, .bytes = 1 << 30, .group = 8, .channels = 16},
               DN_COLL_ALLREDUCE, DN_NCCL_BEST, "ring, Simple", 10250.6);
}

/* Earlier versions' by hand, as above. 2 nodes of 8, 1 GiB: tree Simple without its base, 84 us in
 * 2.18; 2 * (7 * 28 + 28) = 448 us in 2.20; and 5,836 us of bytes. 2 ranks on 2 nodes, 8 B, a
 * ring: 2 steps, and 4 between nodes: 6.6 - 2 * 1 + 4 * 2.7 =
 * 15.4 us; in 2.28, 2 of a tree's 5 us, 16.6. */
static void test_nccl_versions(void)
{
    static const double large_us[] = {5928, 6284, 5920}, small_us[] = {16.6, 15.4, 15.4};
    for (guint v = DN_NCCL_2_28; v <= DN_NCCL_2_18; v++) {
        DnNcclMachine machine = {.bus_bps = G_GINT64_CONSTANT(1600000000000),
                                 .gpu = DN_NCCL_AMPERE,
                                 .version = (DnNcclVersion)v};
        DnCollCall call = {.n = 16, .bytes = 1 << 30, .group = 8, .channels = 32};
        check_choice(&machine, &call, DN_COLL_ALLREDUCE, "tree, Simple", large_us[v]);
        machine.only = DN_NCCL_RING;
        call = (DnCollCall){.n = 2, .bytes = 8, .group = 1, .channels = 16};
        check_choice(&machine, &call, DN_COLL_ALLREDUCE, "ring, LL", small_us[v]);
    }
}

/* 2 nodes of 4 A100, 48 GB/s, 8 channels, 1 MiB in 2.18: tree LL128 14 + 2 * (3 * 1.25 + 8.5) =
 * 38.5 us + 1 MiB / (0.5 * 0.6 * 4 * 20 GB/s) = 43.7 us. Beyond PXB no LL128 between nodes:
 * tree Simple 2 * (3 * 4 + 14) = 52 us + 1 MiB / (0.5 * 0.5 * 0.92 * 96 GB/s) = 47.5 us; on Hopper
 * PXN still does. */
static void test_nccl_path(void)
{
    DnNcclMachine machine = {.bus_bps = G_GINT64_CONSTANT(384000000000),
                             .gpu = DN_NCCL_AMPERE,
                             .version = DN_NCCL_2_18,
                             .nic_path = DN_NCCL_PXB};
    DnCollCall call = {.n = 8, .bytes = 1 << 20, .group = 4, .channels = 8};
    check_choice(&machine, &call, DN_COLL_ALLREDUCE, "tree, LL128", 82.19);
    machine.nic_path = DN_NCCL_PXN;
    check_choice(&machine, &call, DN_COLL_ALLREDUCE, "tree, Simple", 99.49);
    machine.gpu = DN_NCCL_HOPPER;
    DnSelection selection;
    dn_select_nccl(&call, DN_COLL_ALLREDUCE, &machine, &selection);
    g_assert_cmpstr(selection.chosen, ==, "tree, LL128");
    machine.nic_path = DN_NCCL_PHB;
    dn_select_nccl(&call, DN_COLL_ALLREDUCE, &machine, &selection);
    g_assert_cmpstr(selection.chosen, ==, "tree, Simple");
    call.group = 0; /* one node */
    machine.only = DN_NCCL_TREE;
    dn_select_nccl(&call, DN_COLL_ALLREDUCE, &machine, &selection);
    g_assert_cmpstr(selection.chosen, ==, "tree, LL128");
}

/* 16 nodes of one A100, 48 GB/s, 8 MiB. A ring by LL128: before 2.28 at 0.7 of the bus, 14 - 2 *
 * 1.9 + 32 * 4 = 138.2 us + 8 MiB / (33.6 GB/s * 16 / 30) = 468.1 us; in 2.28 at 0.92, 14 + 30 *
 * 8.5 = 269 us + 356.2 us. A tree has 0.85 of what it has elsewhere: 14 + 2 * 4 * 8.5 = 82 us + 8
 * MiB / (0.5 * 0.9 * 0.85 * 0.92 * 120 / 128 * 48 GB/s) = 529.7 us. */
static void test_nccl_one_a_node(void)
{
    DnNcclMachine machine = {.bus_bps = G_GINT64_CONSTANT(384000000000),
                             .gpu = DN_NCCL_AMPERE,
                             .version = DN_NCCL_2_18,
                             .only = DN_NCCL_RING};
    DnCollCall call = {.n = 16, .bytes = 8 << 20, .group = 1, .channels = 8};
    check_choice(&machine, &call, DN_COLL_ALLREDUCE, "ring, LL128", 606.3);
    machine.version = DN_NCCL_2_28;
    check_choice(&machine, &call, DN_COLL_ALLREDUCE, "ring, LL128", 625.2);
    machine.only = DN_NCCL_TREE;
    machine.version = DN_NCCL_2_18;
    check_choice(&machine, &call, DN_COLL_ALLREDUCE, "tree, LL128", 611.7);
}

static void check_chunk(const DnNcclMachine *machine, const DnCollCall *call, gint64 bytes)
{
    DnSelection selection;
    dn_select_nccl(call, DN_COLL_ALLREDUCE, machine, &selection);
    g_assert_cmpint(selection.segment, ==, bytes);
}

/* Chunks of trees, 2 nodes of 4, 8 channels. 1 MiB by LL128, 1 + 1 + 0.1 * 4 levels: halved from
 * 576,000 B while there are fewer than 2.4 * 64 / 4 of them to 72,000 B, below 128 KiB, then fewer
 * than 2.4 * 16 / 4 to 18,000 B, below 32 KiB. 64 MiB by Simple, 4 levels: 2.18 wants 32 chunks a
 * channel, of 256 KiB; 2.20 keeps 512 KiB. */
/* By the adapter of the receiver's rail where each GPU has one near it, in whole nodes of up to
 * eight. */
static void test_nccl_pxn(void)
{
    static const struct {
        DnNcclPath path;
        DnNcclGpu gpu;
        guint32 n, group;
        const char *algorithm;
    } calls[] = {{DN_NCCL_PXB, DN_NCCL_AMPERE, 8, 4, "grouped_pxn"},
                 {DN_NCCL_PXN, DN_NCCL_AMPERE, 8, 4, "grouped_pxn"},
                 {DN_NCCL_PHB, DN_NCCL_AMPERE, 8, 4, "grouped"},
                 {DN_NCCL_PXB, DN_NCCL_MI250X, 16, 8, "grouped"},
                 {DN_NCCL_PXB, DN_NCCL_AMPERE, 4, 4, "grouped"},
                 {DN_NCCL_PXB, DN_NCCL_AMPERE, 10, 4, "grouped"},
                 {DN_NCCL_PXB, DN_NCCL_AMPERE, 32, 16, "grouped"},
                 {DN_NCCL_PXB, DN_NCCL_AMPERE, 8, 1, "grouped"}};
    for (guint i = 0; i < G_N_ELEMENTS(calls); i++) {
        DnNcclMachine machine = {.gpu = calls[i].gpu, .nic_path = calls[i].path};
        DnCollCall call = {
            .n = calls[i].n, .group = calls[i].group, .bytes = 1 << 20, .channels = 8, .window = 8};
        DnSelection selection;
        dn_select_nccl(&call, DN_COLL_ALLTOALL, &machine, &selection);
        g_assert_cmpstr(selection.algorithm, ==, calls[i].algorithm);
    }
}

static void test_nccl_tree_chunks(void)
{
    DnNcclMachine machine = {.bus_bps = G_GINT64_CONSTANT(384000000000),
                             .gpu = DN_NCCL_AMPERE,
                             .version = DN_NCCL_2_18,
                             .only = DN_NCCL_TREE};
    DnCollCall call = {.n = 8, .bytes = 1 << 20, .group = 4, .channels = 8};
    check_chunk(&machine, &call, 18000);
    call.bytes = 64 << 20;
    machine.nic_path = DN_NCCL_PHB;
    check_chunk(&machine, &call, 256 << 10);
    machine.version = DN_NCCL_2_20;
    check_chunk(&machine, &call, 512 << 10);
}

static void check_grain(const DnNcclMachine *machine, gint64 bytes, const char *chosen,
                        gint64 grain)
{
    const DnCollCall call = {.n = 4, .bytes = bytes, .channels = 24};
    DnSelection selection;
    dn_select_nccl(&call, DN_COLL_ALLREDUCE, machine, &selection);
    g_assert_cmpstr(selection.chosen, ==, chosen);
    g_assert_cmpint(selection.grain, ==, grain);
}

/* Rings on one node of 4, 235 GB/s. LL: 8 B for each of 512 threads, of 96 for 8 B; LL128: 30 B for
 * each of 640; RCCL's LL 8 B for each of 256; none in later versions and by Simple. */
static void test_nccl_grain(void)
{
    DnNcclMachine machine = {.bus_bps = G_GINT64_CONSTANT(1880000000000),
                             .gpu = DN_NCCL_AMPERE,
                             .version = DN_NCCL_2_18,
                             .only = DN_NCCL_RING};
    check_grain(&machine, 32 << 10, "ring, LL", 4096);
    check_grain(&machine, 8, "ring, LL", 768);
    check_grain(&machine, 2 << 20, "ring, LL128", 19200);
    check_grain(&machine, 128 << 20, "ring, Simple", 0);
    machine.version = DN_NCCL_2_20;
    check_grain(&machine, 32 << 10, "ring, LL", 0);
    machine.gpu = DN_NCCL_MI250X;
    check_grain(&machine, 8, "ring, LL", 2048);
}

/* A library's channels are its first ones, on the first rings. */
static void test_first_rings(void)
{
    DnCollCall call = {.n = 4, .bytes = 8, .channels = 24, .n_rings = 6};
    DnSelection selection = {.algorithm = "nccl_ring", .segment = -1, .channels = 2};
    dn_selection_apply(&selection, DN_COLL_ALLREDUCE, FALSE, &call);
    g_assert_cmpuint(call.n_rings, ==, 2);
    g_assert_cmpint(call.style, ==, DN_STYLE_TEXTBOOK);
    selection.channels = 24;
    selection.grain = 2048;
    dn_selection_apply(&selection, DN_COLL_ALLREDUCE, FALSE, &call);
    g_assert_cmpuint(call.n_rings, ==, 2);
    g_assert_cmpint(call.style, ==, DN_STYLE_NCCL);
    g_assert_cmpint(call.element, ==, 2048);
}

/* Returns the peers of rank 0's sends of @yaml among @n ranks, in order, a digit each. */
static char *peers_of(const char *yaml, guint32 n)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnProgram) program = program_of(yaml, n, &error);
    g_assert_no_error(error);
    GString *peers = g_string_new(NULL);
    DnCursor cursor = {0};
    DnOp op;
    while (program->type->next(program, 0, &cursor, &op))
        if (op.kind == DN_OP_SEND)
            g_string_append_printf(peers, "%u", op.peer);
    return g_string_free(peers, FALSE);
}

/* A named algorithm runs as its source has it, and as the library that is named with it does. */
static void test_named(void)
{
    static const struct {
        const char *yaml, *peers;
    } cases[] = {{"{type: alltoall, bytes: 1000 B, algorithm: linear}", "123"},
                 {"{type: alltoall, bytes: 1000 B, algorithm: linear, library: ompi}", "321"},
                 {"{type: alltoall, bytes: 1000 B, algorithm: auto, library: ompi}", "321"},
                 {"{type: alltoall, bytes: 1000 B, algorithm: linear, library: mpich}", "123"},
                 {"{type: bcast, bytes: 1000 B, algorithm: binomial}", "21"},
                 {"{type: bcast, bytes: 1000 B, algorithm: binomial, library: ompi}", "12"},
                 {"{type: bcast, bytes: 1000 B, algorithm: binomial, library: mpich}", "21"}};
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *peers = peers_of(cases[i].yaml, 4);
        g_assert_cmpstr(peers, ==, cases[i].peers);
    }
}

/* RCCL's by hand, 108 GB/s, 32 nodes of 8. 8 B: tree LL 12 + 2 * (7 * 1.5 + 5 * 17.4) = 207 us.
 * 2 MiB: tree Simple 17 + 2 * (7 * 4.5 + 5 * 40.3) = 483 us + 2 MiB / (108 GB/s * 0.41 * 0.5) =
 * 94.7 us. 1 GiB: ring Simple 17 + (510 - 64) * 4.5 + 64 * 40.6 = 4,622.4 us + 1 GiB / (108 GB/s *
 * 256 / 510) = 19,806 us. LL in trees takes all 16 channels from 16 * 256 * 8 B on; 10 kB: 4. */
static void test_rccl_model(void)
{
    const DnNcclMachine machine = {.bus_bps = G_GINT64_CONSTANT(864000000000),
                                   .gpu = DN_NCCL_MI250X};
    DnCollCall call = {.n = 256, .bytes = 8, .group = 8, .channels = 16};
    check_choice(&machine, &call, DN_COLL_ALLREDUCE, "tree, LL", 207);
    call.bytes = 2 << 20;
    check_choice(&machine, &call, DN_COLL_ALLREDUCE, "tree, Simple", 577.7);
    call.bytes = 1 << 30;
    check_choice(&machine, &call, DN_COLL_ALLREDUCE, "ring, Simple", 24428.9);
    DnSelection selection;
    call = (DnCollCall){.n = 256, .bytes = 10000, .group = 8, .channels = 16};
    dn_select_nccl(&call, DN_COLL_ALLREDUCE, &machine, &selection);
    g_assert_cmpuint(selection.channels, ==, 4);
}

/* One node of RCCL's, 144 GB/s. 8 B: ring LL 12 + 14 * 1.5 = 33 us. 2 MiB: tree Simple 17 + 14 *
 * 4.5 = 80 us + 2 MiB / (144 GB/s * 1.3 * 0.5) = 22.4 us, a ring's 25.5 us; 16 MiB: ring Simple 80
 * + 16 MiB / (144 GB/s * 8 / 14) = 203.9 us, for the tree has 0.4 of its bandwidth. Chunks of a
 * buffer of 32 MiB, steps of 4: a ring's 4 of them; of 2 MiB in a tree, 128 KiB a channel and 7
 * levels: 128 KiB (1 chunk of the 56 wanted), 64 KiB (2 of 28), 32 KiB (4 of 7). 1 GiB: 1 MiB, 64
 * of 56. */
static void test_rccl_node(void)
{
    DnNcclMachine machine = {.bus_bps = G_GINT64_CONSTANT(1152000000000),
                             .gpu = DN_NCCL_MI250X,
                             .buffer_bytes = 32 << 20};
    DnCollCall call = {.n = 8, .bytes = 8, .channels = 16};
    check_choice(&machine, &call, DN_COLL_ALLREDUCE, "ring, LL", 33);
    call.bytes = 2 << 20;
    check_choice(&machine, &call, DN_COLL_ALLREDUCE, "tree, Simple", 102.4);
    check_chunk(&machine, &call, 32 << 10);
    DnSelection selection;
    dn_select_nccl(&call, DN_COLL_ALLREDUCE, &machine, &selection);
    g_assert_cmpstr(selection.algorithm, ==, "rccl_tree");
    call.bytes = 16 << 20;
    check_choice(&machine, &call, DN_COLL_ALLREDUCE, "ring, Simple", 283.9);
    check_chunk(&machine, &call, 16 << 20);
    machine.only = DN_NCCL_TREE;
    call.bytes = 1 << 30;
    check_chunk(&machine, &call, 1 << 20);
}

/* Cray MPICH's settings: a tree for each bcast, two levels up to 256 KiB where there are several
 * nodes, Bruck's alltoall up to 512 B, above it eight messages under way; GPU buffers on the host
 * up to 128 KiB, above by kernels. */
static void test_cray_mpich(void)
{
    DnCollCall call = {.n = 16, .bytes = 128 << 10, .group = 8};
    DnSelection selection;
    dn_select_mpich(&call, DN_COLL_ALLREDUCE, TRUE, &selection);
    g_assert_cmpstr(selection.algorithm, ==, "smp");
    g_assert_cmpstr(selection.protocol, ==, "host");
    call.bytes = 256 << 10;
    dn_select_mpich(&call, DN_COLL_ALLREDUCE, TRUE, &selection);
    g_assert_cmpstr(selection.algorithm, ==, "smp");
    g_assert_cmpstr(selection.protocol, ==, "kernel");
    call.bytes += 1;
    dn_select_mpich(&call, DN_COLL_ALLREDUCE, TRUE, &selection);
    g_assert_cmpstr(selection.algorithm, ==, "rabenseifner");
    static const DnCollKind others[] = {DN_COLL_REDUCE, DN_COLL_REDUCE_SCATTER, DN_COLL_SCAN};
    for (guint i = 0; i < G_N_ELEMENTS(others); i++) {
        call = (DnCollCall){.n = 16, .bytes = 8, .group = 8};
        dn_select_mpich(&call, others[i], TRUE, &selection);
        g_assert_cmpstr(selection.protocol, ==, "host");
    }
    call = (DnCollCall){.n = 8, .bytes = 512, .group = 8};
    dn_select_mpich(&call, DN_COLL_ALLREDUCE, TRUE, &selection);
    g_assert_cmpstr(selection.algorithm, ==, "recursive_doubling");
    dn_select_mpich(&call, DN_COLL_ALLTOALL, TRUE, &selection);
    g_assert_cmpstr(selection.algorithm, ==, "bruck");
    g_assert_null(selection.protocol);
    dn_select_mpich(&call, DN_COLL_ALLTOALL, FALSE, &selection);
    g_assert_cmpstr(selection.algorithm, ==, "scattered");
    g_assert_cmpuint(selection.window, ==, 32);
    call.bytes = 1 << 20;
    dn_select_mpich(&call, DN_COLL_ALLTOALL, FALSE, &selection);
    g_assert_cmpstr(selection.algorithm, ==, "xor");
    dn_select_mpich(&call, DN_COLL_ALLTOALL, TRUE, &selection);
    g_assert_cmpstr(selection.algorithm, ==, "linear_sync");
    g_assert_cmpuint(selection.window, ==, 8);
    call.bytes = 32 << 10;
    dn_select_mpich(&call, DN_COLL_ALLTOALL, TRUE, &selection);
    g_assert_cmpstr(selection.algorithm, ==, "linear_sync");
    g_assert_cmpuint(selection.window, ==, 24);
    for (call.bytes = 1; call.bytes <= 1 << 24; call.bytes <<= 12) {
        dn_select_mpich(&call, DN_COLL_BCAST, TRUE, &selection);
        g_assert_cmpstr(selection.algorithm, ==, "knomial");
    }
    call.unequal = TRUE;
    dn_select_mpich(&call, DN_COLL_ALLTOALL, TRUE, &selection);
    g_assert_cmpstr(selection.algorithm, ==, "scattered");
    g_assert_cmpuint(selection.window, ==, 8);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/collective/nccl-pxn", test_nccl_pxn);
    g_test_add_func("/collective/named-by-library", test_named);
    g_test_add_func("/collective/auto", test_auto);
    g_test_add_func("/collective/auto-runs", test_auto_runs);
    g_test_add_func("/collective/nccl-model", test_nccl_model);
    g_test_add_func("/collective/nccl-versions", test_nccl_versions);
    g_test_add_func("/collective/nccl-path", test_nccl_path);
    g_test_add_func("/collective/nccl-one-a-node", test_nccl_one_a_node);
    g_test_add_func("/collective/nccl-tree-chunks", test_nccl_tree_chunks);
    g_test_add_func("/collective/nccl-grain", test_nccl_grain);
    g_test_add_func("/collective/first-rings", test_first_rings);
    g_test_add_func("/collective/rccl-model", test_rccl_model);
    g_test_add_func("/collective/rccl-node", test_rccl_node);
    g_test_add_func("/collective/cray-mpich", test_cray_mpich);
    return g_test_run();
}
