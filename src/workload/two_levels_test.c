/* two_levels_test.c - MPI's allreduce of two levels on nodes of unequal numbers of ranks, of ranks
 * that do not follow one another, and in communicators: what is sent, against MPICH; the sums; what
 * is chosen where. */
#include "workload/two_levels_test.h"
#include "workload/collective_run_test.h"

/* ---- messages ---- */

static void check_messages(const TwoLevels *t, const char *keys, const char *chosen)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *comm = g_strdelimit(g_strdup(t->row->cells[1]), " ", ',');
    g_autofree char *yaml = g_strdup_printf(
        "{type: allreduce, bytes: %" G_GINT64_FORMAT " B, element: 4 B%s%s%s%s}", t->bytes, keys,
        comm[0] ? ", communicator: [" : "", comm, comm[0] ? "]" : "");
    test_machine = &t->machine;
    g_autoptr(DnProgram) program = program_of(yaml, t->ranks, &error);
    test_machine = NULL;
    g_assert_no_error(error);
    g_assert_cmpstr(program->chosen, ==, chosen);
    for (guint32 i = 0; i < t->n; i++) {
        g_autoptr(GString) sent = g_string_new(NULL);
        DnCursor cursor = {0};
        DnOp op;
        while (program->type->next(program, t->comm[i], &cursor, &op))
            if (op.kind == DN_OP_SEND)
                two_levels_add(sent, &op);
        g_assert_cmpstr(sent->str, ==, t->messages[i]);
    }
}

static void check_row(const TwoLevels *t)
{
    TwoLevels other = *t;
    check_messages(t, "",
                   !t->flat          ? "smp"
                   : t->bytes > 2048 ? "reduce_scatter_allgather"
                                     : "recursive_doubling");
    other.machine.mpi.library = dn_coll_library_find("ompi"); /* which the workload overrules */
    check_messages(&other, ", algorithm: smp", NULL);
}

static void test_messages(void)
{
    two_levels_rows(check_row);
}

/* ---- on data ---- */

static const guint32 unequal[] = {9, 9, 9, 9, 2, 2, 2}, single[] = {0, 0, 0, 0, 1};
static const guint32 in_turn[] = {0, 1, 0, 1, 0, 1, 0, 1}, odd[] = {5, 3, 3, 5, 0, 3, 5, 3};
static const guint32 many[] = {0, 1, 1, 2, 3, 3, 3, 2, 4, 4, 4, 4, 0, 5, 6, 6};
static const struct {
    const guint32 *node_of;
    guint32 n;
} placed[] = {{unequal, 7}, {single, 5}, {in_turn, 8}, {odd, 8}, {many, 16}};

static void test_on_data(void)
{
    static const char *const keys[] = {"bytes: 29 B", "bytes: 2051 B", "bytes: 29 B, block: 7 B",
                                       "bytes: 29 B, staged: yes"};
    for (guint i = 0; i < G_N_ELEMENTS(keys); i++)
        for (guint k = 0; k < G_N_ELEMENTS(placed); k++) {
            const DnCollMachine machine = {.node_of = placed[k].node_of,
                                           .mpi.library = dn_coll_library_find("cray_mpich")};
            g_autofree char *yaml = g_strdup_printf("{type: allreduce, %s}", keys[i]);
            const Case c = {yaml, DN_COLL_ALLREDUCE, placed[k].n, 0, i == 1 ? 2051 : 29};
            test_machine = &machine;
            check_case(&c);
        }
    test_machine = NULL;
    for (guint32 n = 1; n < 14; n++)
        for (guint32 group = 1; group < 8; group++) {
            g_autofree char *yaml = g_strdup_printf("{type: allreduce, bytes: 2051 B, algorithm: "
                                                    "smp, group: %u}",
                                                    group);
            const Case c = {yaml, DN_COLL_ALLREDUCE, n, 0, 2051};
            check_case(&c);
        }
}

/* ---- choices ---- */

static void check_chosen(const guint32 *node_of, guint32 n, const char *keys, const char *chosen)
{
    g_autoptr(GError) error = NULL;
    const DnCollMachine machine = {.node_of = node_of,
                                   .mpi.library = dn_coll_library_find("cray_mpich")};
    g_autofree char *yaml = g_strdup_printf("{type: allreduce, %s}", keys);
    test_machine = node_of != NULL ? &machine : NULL;
    g_autoptr(DnProgram) program = program_of(yaml, n, &error);
    test_machine = NULL;
    g_assert_no_error(error);
    g_assert_cmpstr(program->chosen, ==, chosen);
}

/* As MPICH: several nodes, one of them with more than one rank of the communicator, an operation
 * that commutes, and no more than Cray's MPICH_ALLREDUCE_MAX_SMP_SIZE. `group` counts ranks of the
 * job, so that a communicator of one rank of each node has nodes of one rank. */
static void test_chosen(void)
{
    static const char cray[] = "bytes: 64 KiB, library: cray_mpich, group: ";
    check_chosen(odd, 8, "bytes: 64 KiB", "smp");
    check_chosen(odd, 8, "bytes: 256 KiB", "smp");
    check_chosen(odd, 8, "bytes: 262148 B", "reduce_scatter_allgather");
    check_chosen(odd, 8, "bytes: 64 KiB, commutative: no", "recursive_doubling");
    check_chosen(odd, 8, "bytes: 64 KiB, library: mpich", "reduce_scatter_allgather");
    check_chosen(odd, 8, "bytes: 64 KiB, communicator: [1, 2, 7]", "recursive_doubling");
    check_chosen(odd, 8, "bytes: 64 KiB, communicator: [1, 3, 4]", "reduce_scatter_allgather");
    check_chosen(odd, 8, "bytes: 64 KiB, communicator: [1, 3, 4, 5]", "smp");
    static const struct {
        guint32 n;
        const char *keys, *chosen;
    } given[] = {{100, "8", "smp"},
                 {100, "1", "reduce_scatter_allgather"},
                 {100, "100", "recursive_doubling"},
                 {100, "8, communicator: [0, 8, 16, 24]", "reduce_scatter_allgather"},
                 {100, "8, communicator: [8, 9, 10, 15]", "recursive_doubling"},
                 {100, "8, communicator: [8, 9, 10, 15, 16]", "smp"},
                 {100, "8, communicator: [6, 7, 8, 9]", "smp"},
                 {100, "8, communicator: [0, 1, 2, 3, 4, 5, 6, 7, 8]", "smp"}};
    for (guint i = 0; i < G_N_ELEMENTS(given); i++) {
        g_autofree char *keys = g_strconcat(cray, given[i].keys, NULL);
        check_chosen(NULL, given[i].n, keys, given[i].chosen);
    }
}

/* Where `group` says all, no list of nodes is made; ranks of other orders have one. */
static void test_listed(void)
{
    static const guint32 equal[] = {3, 3, 1, 1}, even[] = {0, 2, 4, 6}, row[] = {4, 5, 6, 7};
    DnCollChoice choice = {.node_of = equal, .two_levels = TRUE};
    DnCollCall call = {.n = 4};
    gboolean listed = TRUE;
    g_assert_cmpuint(dn_coll_choice_group(&choice, &call, &listed), ==, 2);
    g_assert_false(listed);
    choice = (DnCollChoice){.group_given = TRUE, .two_levels = TRUE};
    call = (DnCollCall){.n = 4, .group = 4, .ranks = row};
    g_assert_cmpuint(dn_coll_choice_group(&choice, &call, &listed), ==, 4);
    g_assert_false(listed);
    call.ranks = even;
    g_assert_cmpuint(dn_coll_choice_group(&choice, &call, &listed), ==, 4);
    g_assert_true(listed);
    g_autoptr(DnCollNodes) nodes = dn_coll_choice_nodes(&choice, listed, &call);
    g_assert_cmpuint(nodes->nodes, ==, 2);
    g_assert_cmpuint(nodes->roots[1], ==, 4);
    g_assert_cmpuint(nodes->at[3], ==, 1);
    g_assert_null(nodes->rings);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/two-levels/messages", test_messages);
    g_test_add_func("/two-levels/on-data", test_on_data);
    g_test_add_func("/two-levels/chosen", test_chosen);
    g_test_add_func("/two-levels/listed", test_listed);
    return g_test_run();
}
