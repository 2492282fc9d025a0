/* trace_two_levels_test.c - MPI's allreduce of two levels in a replayed trace, on communicators of
 * many placements of ranks on nodes, against the messages of MPICH. */
#include "trace/dry_run.h"
#include "trace/trace_test.h"
#include "workload/two_levels_test.h"

#define COMM 9

static guint64 trace_two_levels_begin(gpointer data, guint32 r, guint32 stream, const DnOp *op)
{
    GString **sent = data;
    if (op->kind == DN_OP_SEND)
        two_levels_add(sent[r], op);
    return 0;
}

static void check_program(const TwoLevels *t, const DnCollMachine *machine, const char *keys)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GArray) ops = g_array_new(FALSE, FALSE, sizeof(DnTestOp));
    gint64 list[TWO_LEVELS_MOST];
    GString *sent[TWO_LEVELS_MOST] = {NULL};
    for (guint32 i = 0; i < t->n; i++)
        list[i] = t->comm[i];
    for (guint32 i = 0; i < t->n; i++) {
        const DnTestOp two[] = {
            {t->comm[i], {.call = DN_CALL_COMM_GROUP, .made = COMM, .n_list = t->n, .list = list}},
            {t->comm[i], {.call = DN_CALL_ALLREDUCE, .comm = COMM, .bytes = t->bytes}}};
        g_array_append_vals(ops, two, 2);
    }
    const DnTestOp last = {t->ranks - 1, {.call = DN_CALL_FINALIZE}};
    g_array_append_val(ops, last);
    DnTrace *trace = test_trace((const DnTestOp *)(gpointer)ops->data, ops->len, FALSE, &error);
    g_assert_no_error(error);
    g_autoptr(DnProgram) program = test_program_on(trace, machine, keys);
    for (guint32 r = 0; r < t->ranks; r++)
        sent[r] = g_string_new(NULL);
    const DnDryRunObserver observer = {.data = sent, .begin = trace_two_levels_begin};
    DnDryRunResult result;
    dn_dry_run(program, &observer, &result);
    g_assert_cmpuint(result.blocked->len + result.unreceived->len, ==, 0);
    dn_dry_run_result_clear(&result);
    for (guint32 i = 0; i < t->n; i++)
        g_assert_cmpstr(sent[t->comm[i]]->str, ==, t->messages[i]);
    for (guint32 r = 0; r < t->ranks; r++)
        g_string_free(sent[r], TRUE);
    g_autoptr(GArray) uses = dn_trace_algorithms(program);
    g_assert_cmpuint(uses->len, ==, 1);
    g_assert_cmpstr(g_array_index(uses, DnTraceAlgorithm, 0).name, ==,
                    !t->flat          ? "smp"
                    : t->bytes > 2048 ? "rabenseifner"
                                      : "recursive_doubling");
}

/* By the placement; and, on whole nodes of four, by `group`. */
static void check_row(const TwoLevels *t)
{
    gboolean fours = t->ranks % 4 == 0;
    for (guint32 r = 0; r < t->ranks; r++)
        fours = fours && t->node_of[r] == r / 4;
    check_program(t, &t->machine, "");
    if (fours)
        check_program(t, NULL, "library: cray_mpich\ngroup: 4");
    if (fours && !t->flat)
        check_program(t, NULL, "algorithm: smp\ngroup: 4");
}

static void test_messages(void)
{
    two_levels_rows(check_row);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/trace-two-levels/messages", test_messages);
    return g_test_run();
}
