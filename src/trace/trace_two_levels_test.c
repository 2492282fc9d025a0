/* trace_two_levels_test.c - MPI's collectives of two levels in a replayed trace, on communicators
 * of many placements of ranks on nodes, against the messages of MPICH. */
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

static guint8 trace_two_levels_call(const TwoLevels *t)
{
    static const struct {
        const char *name;
        guint8 call;
    } calls[] = {{"allreduce", DN_CALL_ALLREDUCE},
                 {"barrier", DN_CALL_BARRIER},
                 {"bcast", DN_CALL_BCAST},
                 {"reduce", DN_CALL_REDUCE},
                 {"scan", DN_CALL_SCAN}};
    guint i = 0;
    while (strcmp(calls[i].name, t->collective) != 0)
        i++;
    return calls[i].call;
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
            {t->comm[i],
             {.call = trace_two_levels_call(t), .comm = COMM, .bytes = t->bytes, .root = t->root}}};
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
    const char *name = g_array_index(uses, DnTraceAlgorithm, 0).name;
    g_assert_cmpint(strcmp(name, "smp") == 0, ==, t->smp);
}

/* By the placement; and, on whole nodes of four, by `group`. */
static void check_row(const TwoLevels *t)
{
    gboolean fours = t->ranks % 4 == 0;
    for (guint32 r = 0; r < t->ranks; r++)
        fours = fours && t->node_of[r] == r / 4;
    g_autofree char *by_group = g_strdup_printf("library: %s\ngroup: 4", t->library);
    g_autofree char *named = g_strdup_printf("algorithm: smp\n%s", by_group);
    check_program(t, &t->machine, "");
    if (fours)
        check_program(t, NULL, by_group);
    if (fours && t->smp)
        check_program(t, NULL, named);
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
