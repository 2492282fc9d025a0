/* reduce_tree_test.c - Reduction up a tree: the order of receives, waits and sums of Open MPI and
 * MPICH. */
#include "workload/collective_test.h"

typedef struct {
    const char *call;
    guint32 rank;
    const char *operations;
} Operations;

static void check_operations(const Operations *cases, guint n_cases)
{
    for (guint i = 0; i < n_cases; i++) {
        g_autofree char *yaml = g_strdup_printf("{type: reduce, %s}", cases[i].call);
        g_autofree char *found = operations_of(yaml, 8, cases[i].rank);
        g_test_message("%s, rank %u", yaml, cases[i].rank);
        g_assert_cmpstr(found, ==, cases[i].operations);
    }
}

/* Open MPI 4.1.4's coll_base_reduce.c, reduce_generic, up build_in_order_bmtree()'s tree, and MPICH
 * 4.0.2's reduce_intra_binomial.c: the nearest child first, each added before the next is waited
 * for. MPICH's receives are calls that wait. */
static void test_binomial(void)
{
    static const Operations cases[] = {
        {"bytes: 8 B, algorithm: binomial", 0, "<1 <2 . ~8 <4 . ~8 . ~8 ."},
        {"bytes: 8 B, algorithm: binomial, root: 3", 3, "<4 <5 . ~8 <7 . ~8 . ~8 ."},
        {"bytes: 8 B, algorithm: binomial", 4, "<5 <6 . ~8 . ~8 . >0 ."},
        {"bytes: 8 B, algorithm: binomial", 7, ". >6 ."},
        {"bytes: 8 B, algorithm: binomial, library: mpich", 0, "=8 <1 . ~8 <2 . ~8 <4 . ~8 ."},
        {"bytes: 8 B, algorithm: binomial, library: mpich", 4, "=8 <5 . ~8 <6 . ~8 . >0 ."},
    };
    check_operations(cases, G_N_ELEMENTS(cases));
}

/* Of a segment's last child the wait comes after the first child's receive of the next segment. */
static void test_segments(void)
{
    static const Operations cases[] = {
        {"bytes: 12 B, segment: 8 B, algorithm: binary", 0, "<1 <2 . ~8 <1 . ~8 <2 . ~4 . ~4 ."},
        {"bytes: 12 B, segment: 8 B, algorithm: in_order_binary, root: 7", 7,
         "<6 <3 . ~8 <6 . ~8 <3 . ~4 . ~4 ."},
        {"bytes: 12 B, segment: 8 B, algorithm: pipeline", 0, "<1 <1 . ~8 . ~4 ."},
        {"bytes: 12 B, segment: 8 B, algorithm: pipeline", 1, "<2 <2 . ~8 . >0 . ~4 . >0 ."},
    };
    check_operations(cases, G_N_ELEMENTS(cases));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/reduce-tree/binomial", test_binomial);
    g_test_add_func("/reduce-tree/segments", test_segments);
    return g_test_run();
}
