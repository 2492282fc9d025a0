/* two_levels_test.c - MPI's collectives of two levels on nodes of unequal numbers of ranks, of
 * ranks that do not follow one another, and in communicators: what is sent, against MPICH; the
 * data; what is chosen where. */
#include "workload/two_levels_test.h"
#include "workload/collective_run_test.h"
#include "workload/two_levels.h"

static const DnCollKind kinds[] = {DN_COLL_ALLREDUCE, DN_COLL_BARRIER, DN_COLL_BCAST,
                                   DN_COLL_REDUCE, DN_COLL_SCAN};

/* ---- messages ---- */

/* @chosen: by the library, not by its name. */
static void check_messages(const TwoLevels *t, gboolean chosen)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *comm = g_strdelimit(g_strdup(t->ranks_text), " ", ',');
    g_autofree char *bytes = g_strdup_printf(", bytes: %" G_GINT64_FORMAT " B", t->bytes);
    g_autofree char *root = g_strdup_printf(", root: %u", t->root);
    gboolean sized = strcmp(t->collective, "barrier") != 0;
    gboolean rooted = strcmp(t->collective, "bcast") == 0 || strcmp(t->collective, "reduce") == 0;
    g_autofree char *yaml =
        g_strdup_printf("{type: %s, algorithm: %s, element: 4 B%s%s%s%s%s}", t->collective,
                        chosen ? "auto" : "smp", sized ? bytes : "", rooted ? root : "",
                        comm[0] ? ", communicator: [" : "", comm, comm[0] ? "]" : "");
    test_machine = &t->machine;
    g_autoptr(DnProgram) program = program_of(yaml, t->ranks, &error);
    test_machine = NULL;
    g_assert_no_error(error);
    if (chosen)
        g_assert_cmpint(strcmp(program->chosen, "smp") == 0, ==, t->smp);
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
    check_messages(t, TRUE);
    if (!t->smp || strcmp(t->library, "mpich") != 0)
        return;
    other.machine.mpi.library = dn_coll_library_find("ompi"); /* which the workload overrules */
    check_messages(&other, FALSE);
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

static void check_data(DnCollKind kind, guint32 n, gint64 bytes, const char *keys)
{
    g_autofree char *size = g_strdup_printf(", bytes: %" G_GINT64_FORMAT " B", bytes);
    guint32 roots[] = {0, 1, n - 1};
    for (guint i = 0; i < (is_rooted(kind) ? G_N_ELEMENTS(roots) : 1) && roots[i] < n; i++) {
        g_autofree char *root = g_strdup_printf(", root: %u", roots[i]);
        g_autofree char *yaml = g_strdup_printf("{type: %s%s%s%s}", dn_coll_kind_name(kind),
                                                kind == DN_COLL_BARRIER ? "" : size,
                                                is_rooted(kind) ? root : "", keys);
        const Case c = {yaml, kind, n, roots[i], kind == DN_COLL_BARRIER ? 0 : bytes};
        check_case(&c);
    }
}

/* Of the libraries that take two levels, on nodes of any numbers of ranks in any order. */
static void check_placed(DnCollKind kind)
{
    static const char *const libraries[] = {"mpich", "cray_mpich"};
    static const gint64 sizes[] = {29, 2051, 12289};
    for (guint i = 0; i < G_N_ELEMENTS(sizes) * G_N_ELEMENTS(libraries); i++)
        for (guint k = 0; k < G_N_ELEMENTS(placed); k++) {
            const DnCollMachine machine = {.node_of = placed[k].node_of,
                                           .mpi.library = dn_coll_library_find(libraries[i % 2])};
            test_machine = &machine;
            check_data(kind, placed[k].n, sizes[i / 2], "");
            if (dn_coll_kind_reduces(kind))
                check_data(kind, placed[k].n, sizes[i / 2], ", staged: yes");
            if (kind == DN_COLL_ALLREDUCE)
                check_data(kind, placed[k].n, 29, ", block: 7 B");
        }
    test_machine = NULL;
}

static void test_on_data(gconstpointer data)
{
    DnCollKind kind = (DnCollKind)GPOINTER_TO_UINT(data);
    check_placed(kind);
    for (guint32 n = 1; n < 14; n++)
        for (guint32 group = 1; group < 8; group++) {
            g_autofree char *named = g_strdup_printf(", algorithm: smp, group: %u", group);
            g_autofree char *cray = g_strconcat(named, ", library: cray_mpich", NULL);
            check_data(kind, n, 2048, named);
            check_data(kind, n, 2051, cray);
        }
}

/* ---- choices ---- */

/* Of `type: allreduce`, unless the keys say otherwise. */
static void check_chosen(const guint32 *node_of, guint32 n, const char *keys, const char *chosen)
{
    g_autoptr(GError) error = NULL;
    const DnCollMachine machine = {.node_of = node_of,
                                   .mpi.library = dn_coll_library_find("cray_mpich")};
    g_autofree char *yaml =
        g_strdup_printf("{%s%s}", strstr(keys, "type: ") ? "" : "type: allreduce, ", keys);
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
    check_chosen(odd, 8, "bytes: 1 MiB, library: mpich", "smp");
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

/* A broadcast of MPICH's up to 12 KiB, or on a power of two of ranks up to 512 KiB; of Cray's any.
 * A scan where ranks follow one another by node. */
static void test_others(void)
{
    static const guint32 blocks[] = {7, 7, 7, 2, 2, 4, 4, 4};
    check_chosen(odd, 8, "type: bcast, bytes: 524287 B, library: mpich", "smp");
    check_chosen(odd, 8, "type: bcast, bytes: 512 KiB, library: mpich",
                 "scatter_recursive_doubling_allgather");
    check_chosen(many, 15, "type: bcast, bytes: 12287 B, library: mpich", "smp");
    check_chosen(many, 15, "type: bcast, bytes: 12 KiB, library: mpich", "binomial");
    check_chosen(many, 15, "type: bcast, bytes: 1 MiB", "smp");
    check_chosen(odd, 8, "type: bcast, bytes: 1 MiB, communicator: [1, 3, 4]", "tree");
    check_chosen(many, 16, "type: barrier", "smp");
    check_chosen(many, 16, "type: barrier, communicator: [0, 1, 3]", "dissemination");
    check_chosen(many, 16, "type: barrier, library: ompi", "recursive_doubling");
    check_chosen(many, 16, "type: reduce, bytes: 1 MiB", "smp");
    check_chosen(many, 16, "type: reduce, bytes: 8 B, commutative: no", "binomial");
    check_chosen(odd, 8, "type: scan, bytes: 8 B", "recursive_doubling");
    check_chosen(blocks, 8, "type: scan, bytes: 8 B", "smp");
    DnCollCall exscan = {.n = 8, .bytes = 8, .group = 4, .form = DN_COLL_EXCLUSIVE};
    DnSelection selection;
    dn_select_mpich(&exscan, DN_COLL_SCAN, FALSE, &selection);
    g_assert_cmpstr(selection.chosen, ==, "recursive_doubling");
}

/* A barrier before iterations of any collective has the two levels too, and Cray's its trees. */
static void test_barrier_before(void)
{
    static const char *const keys[] = {"type: alltoall, bytes: 8 B", "type: bcast, bytes: 8 B",
                                       "type: allreduce, bytes: 8 B, algorithm: ring"};
    for (guint i = 0; i < G_N_ELEMENTS(keys) * 2; i++) {
        g_autoptr(GError) error = NULL;
        const DnCollMachine machine = {
            .node_of = odd, .mpi.library = dn_coll_library_find(i % 2 ? "mpich" : "cray_mpich")};
        g_autofree char *yaml = g_strdup_printf("{%s, barrier: yes}", keys[i / 2]);
        test_machine = &machine;
        g_autoptr(DnProgram) program = program_of(yaml, 8, &error);
        test_machine = NULL;
        g_assert_no_error(error);
        guint sent = 0; /* by rank 4, the only one of its node, to the first of the two others */
        DnCursor cursor = {0};
        DnOp op;
        while (program->type->next(program, 4, &cursor, &op) && op.kind != DN_OP_BEGIN)
            if (op.kind == DN_OP_SEND) {
                g_assert_true(op.peer == 0 || op.peer == 1);
                sent++;
            }
        g_assert_cmpuint(sent, ==, 2);
    }
}

/* No part is cut short: an algorithm has no more rounds than two levels give it. */
static void test_rounds(void)
{
    static const gint64 sizes[] = {8, 4096, 65536, 1 << 20};
    for (guint i = 0; i < G_N_ELEMENTS(kinds) * G_N_ELEMENTS(sizes) * 2; i++)
        for (guint32 n = 2; n < 70; n++) {
            DnCollCall call = {.n = n,
                               .bytes = sizes[i / 2 % G_N_ELEMENTS(sizes)],
                               .radix = 4,
                               .style = i % 2 ? DN_STYLE_MPICH : DN_STYLE_CRAY_MPICH};
            DnLevel level = {.n = n, .stride = 1, .bytes = call.bytes};
            DnSelection selection;
            DnLevelPart part = {.kind = kinds[i / 8]};
            dn_select_mpich(&call, part.kind, i % 2 == 0, &selection);
            call.algorithm = dn_coll_find(part.kind, selection.algorithm);
            for (; level.me < n; level.me++) {
                DnRound round = {.call = &call, .wanted = G_MAXUINT32};
                guint64 last = dn_coll_rounds(&call, level.me) - 1;
                g_assert_true(dn_level_round(&level, &part, &last, &round));
            }
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
    for (guint i = 0; i < G_N_ELEMENTS(kinds); i++) {
        g_autofree char *name =
            g_strconcat("/two-levels/on-data/", dn_coll_kind_name(kinds[i]), NULL);
        g_test_add_data_func(name, GUINT_TO_POINTER(kinds[i]), test_on_data);
    }
    g_test_add_func("/two-levels/barrier-before", test_barrier_before);
    g_test_add_func("/two-levels/rounds", test_rounds);
    g_test_add_func("/two-levels/others", test_others);
    g_test_add_func("/two-levels/chosen", test_chosen);
    g_test_add_func("/two-levels/listed", test_listed);
    return g_test_run();
}
