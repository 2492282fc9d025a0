/* coll_nodes_test.c - NCCL's collectives where nodes have unequal numbers of ranks, or ranks that
 * do not follow one another: on data; the order of rings, trees and sends; what crosses between
 * nodes. */
#include "workload/collective_run_test.h"

/* A made-up machine of nodes of four GPUs, an adapter for each; its whole nodes have two rings. */
static const guint32 orders[2 * 4] = {0, 2, 1, 3, 3, 1, 2, 0};
static const DnCollMachine four = {
    .known = TRUE,
    .nccl = {.bus_bps = G_GINT64_CONSTANT(800000000000), .nics = 4, .gpu = DN_NCCL_HOPPER},
    .channels = 8,
    .node_channels = 8,
    .gpus = 4,
    .nics = 4,
};

static const guint32 four_three[] = {9, 9, 9, 9, 2, 2, 2}, four_one[] = {0, 0, 0, 0, 1};
static const guint32 in_turn[] = {0, 1, 0, 1, 0, 1, 0, 1}, odd[] = {5, 3, 3, 5, 0, 3, 5, 3};
static const guint32 many[] = {0, 1, 1, 2, 3, 3, 3, 2, 4, 4, 4, 4, 0, 5, 6, 6};
static const struct {
    const guint32 *node_of;
    guint32 n, nodes;
} placed[] = {{four_three, 7, 2}, {four_one, 5, 2}, {in_turn, 8, 2}, {odd, 8, 3}, {many, 16, 7}};

/* Returns (transfer full) the nodes of ranks on @node_of; @machine keeps it. */
static DnCollNodes *nodes_of(DnCollMachine *machine, const guint32 *node_of, guint32 n,
                             DnCollCall *call)
{
    machine->node_of = node_of;
    const DnCollChoice choice = {
        .machine = machine, .node_of = node_of, .nccl = {.version = machine->nccl.version}};
    *call = (DnCollCall){.n = n};
    gboolean listed;
    guint32 group = dn_coll_choice_group(&choice, call, &listed);
    DnCollNodes *nodes = dn_coll_choice_nodes(&choice, listed, call);
    dn_coll_choice_place(&choice, group, nodes, call);
    return nodes;
}

static void check_list(const guint32 *list, guint n, const guint32 *expected)
{
    for (guint i = 0; i < n; i++)
        g_assert_cmpuint(list[i], ==, expected[i]);
}

/* By hand. Ranks in turn have the rings of consecutive ones, by other numbers. */
static void test_rings(void)
{
    static const guint32 of_unequal[3 * 7] = {0, 1, 2, 3, 4, 5, 6, 1, 2, 3, 0,
                                              5, 6, 4, 2, 3, 0, 1, 6, 4, 5};
    static const guint32 of_turn[2 * 8] = {0, 4, 2, 6, 1, 5, 3, 7, 6, 2, 4, 0, 7, 3, 5, 1};
    static const guint32 of_odd[] = {0, 3, 6, 1, 2, 5, 7, 4};
    DnCollMachine machine = four;
    DnCollCall call;
    g_autoptr(DnCollNodes) unequal = nodes_of(&machine, four_three, 7, &call);
    g_assert_cmpuint(call.channels, ==, 6);
    g_assert_cmpuint(call.n_rings, ==, 3);
    check_list(call.rings, 3 * 7, of_unequal);
    g_autoptr(DnCollNodes) rare = nodes_of(&machine, odd, 8, &call);
    g_assert_cmpuint(rare->least, ==, 1);
    g_assert_cmpuint(rare->most, ==, 4);
    g_assert_cmpuint(call.channels, ==, 2);
    g_assert_cmpuint(call.n_rings, ==, 1);
    check_list(call.rings, 8, of_odd);
    machine.orders = orders;
    machine.n_orders = 2;
    g_autoptr(DnCollNodes) turn = nodes_of(&machine, in_turn, 8, &call);
    g_assert_cmpuint(call.channels, ==, 8);
    g_assert_cmpuint(call.n_rings, ==, 2);
    check_list(call.rings, 2 * 8, of_turn);
    for (guint32 i = 0; i < 2 * 8; i++)
        g_assert_cmpuint(call.ring_orders.places[i / 8 * 8 + call.rings[i]], ==, i % 8);
}

/* Equal numbers of consecutive ranks, one rank a node, one node, and what the workload says need no
 * list of nodes. */
static void test_without(void)
{
    static const guint32 equal[] = {3, 3, 1, 1}, alone[] = {2, 0, 1}, one[] = {4, 4, 4};
    DnCollMachine machine = four;
    DnCollCall call;
    g_assert_null(nodes_of(&machine, equal, 4, &call));
    g_assert_cmpuint(call.group, ==, 2);
    g_assert_null(nodes_of(&machine, alone, 3, &call));
    g_assert_null(nodes_of(&machine, one, 3, &call));
    DnCollChoice choice = {.machine = &machine, .node_of = in_turn, .group_given = TRUE};
    call = (DnCollCall){.n = 8, .group = 1};
    gboolean listed = TRUE;
    g_assert_cmpuint(dn_coll_choice_group(&choice, &call, &listed), ==, 1);
    g_assert_false(listed);
    choice = (DnCollChoice){.node_of = in_turn}; /* of MPI without two levels */
    g_assert_cmpuint(dn_coll_choice_group(&choice, &call, &listed), ==, 1);
    g_assert_true(listed);
    g_assert_null(dn_coll_choice_nodes(&choice, TRUE, &call));
}

/* By hand, of channel 0: node 0 is the root, and has the other as its second child; of channel 3
 * the second tree, in which it is the child. */
static void test_tree(void)
{
    DnCollMachine machine = four;
    DnCollCall call;
    DnTree tree;
    g_autoptr(DnCollNodes) unequal = nodes_of(&machine, four_three, 7, &call);
    g_assert_null(dn_tree_of_channel_needs(&call));
    dn_tree_of_channel(&call, 0, 0, &tree);
    g_assert_cmpuint(tree.parent, ==, DN_ANY);
    g_assert_cmpuint(tree.n_children, ==, 2);
    check_list(tree.child, 2, (const guint32[]){1, 4});
    dn_tree_of_channel(&call, 0, 4, &tree);
    g_assert_cmpuint(tree.parent, ==, 0);
    check_list(tree.child, 1, (const guint32[]){5});
    dn_tree_of_channel(&call, 4, 1, &tree); /* the ring that begins with the second rank */
    g_assert_cmpuint(tree.parent, ==, 5);
    check_list(tree.child, 1, (const guint32[]){2});
    g_autoptr(DnCollNodes) single = nodes_of(&machine, four_one, 5, &call);
    dn_tree_of_channel(&call, 1, 4, &tree); /* a node of one rank has all children there */
    g_assert_cmpuint(tree.parent, ==, DN_ANY);
    g_assert_cmpuint(tree.n_children, ==, 1);
    g_assert_cmpuint(tree.child[0], ==, 0);
}

/* NCCL 2.20 skips who is not there, 2.28 takes nodes of unequal numbers as one. */
static void test_slots(void)
{
    DnCollMachine machine = four;
    DnCollCall call;
    machine.nccl.version = DN_NCCL_2_20;
    g_autoptr(DnCollNodes) before = nodes_of(&machine, odd, 8, &call);
    g_assert_cmpuint(before->slot_nodes, ==, 3);
    g_assert_cmpuint(before->slot_ranks, ==, 4);
    check_list(before->slots, 12,
               (const guint32[]){0, 3, 6, DN_ANY, 1, 2, 5, 7, 4, DN_ANY, DN_ANY, DN_ANY});
    machine.nccl.version = DN_NCCL_2_28;
    g_autoptr(DnCollNodes) later = nodes_of(&machine, odd, 8, &call);
    g_assert_cmpuint(later->slot_nodes, ==, 1);
    check_list(later->slots, 8, (const guint32[]){0, 1, 2, 3, 4, 5, 6, 7});
    g_autoptr(DnCollNodes) equal = nodes_of(&machine, in_turn, 8, &call);
    g_assert_cmpuint(equal->slot_nodes, ==, 2);
    check_list(equal->slots, 8, (const guint32[]){0, 2, 4, 6, 1, 3, 5, 7});
}

static void test_on_data(void)
{
    static const struct {
        const char *yaml;
        DnCollKind kind;
    } runs[] = {
        {"{type: allreduce, bytes: 211 B, library: nccl}", DN_COLL_ALLREDUCE},
        {"{type: allreduce, bytes: 211 B, library: nccl, algorithm: nccl_ring}", DN_COLL_ALLREDUCE},
        {"{type: allreduce, bytes: 97 B, library: nccl, algorithm: nccl_ring, rings: by_node}",
         DN_COLL_ALLREDUCE},
        {"{type: allreduce, bytes: 97 B, library: nccl, algorithm: nccl_tree, segment: 5 B}",
         DN_COLL_ALLREDUCE},
        {"{type: allreduce, bytes: 97 B, library: rccl, algorithm: rccl_tree}", DN_COLL_ALLREDUCE},
        {"{type: allgather, bytes: 37 B, library: nccl}", DN_COLL_ALLGATHER},
        {"{type: reduce_scatter, bytes: 211 B, library: nccl}", DN_COLL_REDUCE_SCATTER},
        {"{type: bcast, bytes: 37 B, library: nccl, root: 3}", DN_COLL_BCAST},
        {"{type: reduce, bytes: 37 B, library: nccl, root: 3}", DN_COLL_REDUCE},
        {"{type: alltoall, bytes: 5 B, library: nccl, algorithm: auto}", DN_COLL_ALLTOALL},
        {"{type: alltoall, bytes: 5 B, library: nccl, algorithm: auto, version: 2.18, window: 3}",
         DN_COLL_ALLTOALL},
        {"{type: alltoall, bytes: 5 B, library: nccl, algorithm: grouped, version: 2.18, "
         "channels: 4, segment: 2 B}",
         DN_COLL_ALLTOALL},
        {"{type: alltoall, bytes: 5 B, library: rccl, algorithm: auto}", DN_COLL_ALLTOALL},
    };
    for (guint i = 0; i < G_N_ELEMENTS(runs); i++)
        for (guint k = 0; k < G_N_ELEMENTS(placed); k++) {
            DnCollMachine machine = four;
            machine.node_of = placed[k].node_of;
            test_machine = &machine;
            gboolean rooted = is_rooted(runs[i].kind);
            const char *bytes = strstr(runs[i].yaml, "bytes: ") + strlen("bytes: ");
            const Case c = {runs[i].yaml, runs[i].kind, placed[k].n, rooted ? 3 : 0,
                            g_ascii_strtoll(bytes, NULL, 10)};
            check_case(&c);
        }
    test_machine = NULL;
}

/* Returns the bytes that @program sends between nodes. */
static gint64 bytes_between(const DnProgram *program, const guint32 *node_of)
{
    gint64 bytes = 0;
    for (guint32 r = 0; r < program->ranks; r++)
        for (guint32 s = 0; s < program->streams; s++) {
            DnCursor cursor = {.stream = s};
            DnOp op;
            while (program->type->next(program, r, &cursor, &op))
                if (op.kind == DN_OP_SEND && node_of[op.peer] != node_of[r])
                    bytes += op.bytes;
        }
    return bytes;
}

/* A ring leaves each node once: there (n - 1) of its n chunks pass twice; a tree passes the buffer
 * up and down between each node and its parent. */
static void test_between_nodes(void)
{
    static const char ring[] = "{type: allreduce, bytes: 5040 KiB, library: nccl, algorithm: "
                               "nccl_ring}";
    static const char tree[] = "{type: allreduce, bytes: 5040 KiB, library: nccl, algorithm: "
                               "nccl_tree}";
    const gint64 bytes = 5040 << 10; /* a multiple of 5, 7, 8, 16 */
    for (guint k = 0; k < G_N_ELEMENTS(placed); k++) {
        g_autoptr(GError) error = NULL;
        DnCollMachine machine = four;
        machine.node_of = placed[k].node_of;
        test_machine = &machine;
        guint32 n = placed[k].n, nodes = placed[k].nodes;
        g_autoptr(DnProgram) by_ring = program_of(ring, n, &error);
        g_autoptr(DnProgram) by_tree = program_of(tree, n, &error);
        g_assert_no_error(error);
        g_assert_cmpint(bytes_between(by_ring, machine.node_of), ==,
                        nodes * 2 * (n - 1) * (bytes / n));
        g_assert_cmpint(bytes_between(by_tree, machine.node_of), ==, (nodes - 1) * 2 * bytes);
    }
    test_machine = NULL;
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/coll_nodes/rings", test_rings);
    g_test_add_func("/coll_nodes/without", test_without);
    g_test_add_func("/coll_nodes/tree", test_tree);
    g_test_add_func("/coll_nodes/slots", test_slots);
    g_test_add_func("/coll_nodes/on-data", test_on_data);
    g_test_add_func("/coll_nodes/between-nodes", test_between_nodes);
    return g_test_run();
}
