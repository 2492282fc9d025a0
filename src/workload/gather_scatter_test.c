/* gather_scatter_test.c - Gather and scatter by binomial tree: the copies and the waits of Open MPI
 * and MPICH, executed on data with every root. */
#include "workload/collective_run_test.h"

/* Open MPI 4.1.4's coll_base_gather.c and coll_base_scatter.c, MPICH 4.0.2's
 * gather_intra_binomial.c and scatter_intra_binomial.c, of eight ranks. */
static void test_operations(void)
{
    static const struct {
        const char *call;
        guint32 rank;
        const char *operations;
    } cases[] = {
        {"gather, bytes: 10 B, library: ompi", 0, "=10 <1 . <2 . <4 ."},
        {"gather, bytes: 10 B", 0, "=10 <1 . <2 . <4 ."}, /* no library: as Open MPI */
        {"gather, bytes: 10 B, library: ompi", 4, "=10 <5 . <6 . >0 ."},
        {"gather, bytes: 10 B, library: ompi", 6, "=10 <7 . >4 ."},
        {"gather, bytes: 10 B, library: ompi", 7, ">6 ."},
        {"gather, bytes: 10 B, library: ompi, root: 3", 3, "=10 <4 . <5 . <7 . =50 =30"},
        {"gather, bytes: 10 B, library: ompi, own_block: in_place", 0, "<1 . <2 . <4 ."},
        {"gather, bytes: 10 B, library: ompi, own_block: in_place", 4, "=10 <5 . <6 . >0 ."},
        {"gather, bytes: 10 B, library: ompi, own_block: in_place, root: 3", 3,
         "=10 <4 . <5 . <7 . =50 =30"},
        {"gather, bytes: 1023 B, library: mpich", 0, "=1023 <1 . <2 . <4 ."},
        {"gather, bytes: 1023 B, library: mpich", 4, "=1023 <5 . <6 . >0 ."},
        {"gather, bytes: 1023 B, library: mpich", 7, "=1023 >6 ."},
        {"gather, bytes: 1024 B, library: mpich", 0, "=1024 <1 . <2 . <4 ."},
        {"gather, bytes: 1024 B, library: mpich", 4, "<5 . <6 . >0 ."},
        {"gather, bytes: 1024 B, library: mpich", 7, ">6 ."},
        {"gather, bytes: 1024 B, library: mpich, own_block: in_place", 0, "<1 . <2 . <4 ."},
        {"gather, bytes: 1023 B, library: mpich, root: 5", 5, "=1023 <6 . <7 . <1 . =1023 =1023"},
        {"gather, bytes: 1024 B, library: mpich, root: 5", 5, "=1024 <6 . <7 . =1024 +1024 <1 ."},
        {"gather, bytes: 1024 B, library: mpich, root: 4", 4, "=1024 <5 . <6 . <0 ."},
        {"scatter, bytes: 10 B, library: ompi", 0, "=10 >4 . >2 . >1 ."},
        {"scatter, bytes: 10 B", 4, "<0 . =10 >6 . >5 ."}, /* no library: as Open MPI */
        {"scatter, bytes: 10 B, library: ompi", 4, "<0 . =10 >6 . >5 ."},
        {"scatter, bytes: 10 B, library: ompi", 7, "<6 ."},
        {"scatter, bytes: 10 B, library: ompi, own_block: in_place", 0, ">4 . >2 . >1 ."},
        {"scatter, bytes: 10 B, library: ompi, own_block: in_place", 4, "<0 . =10 >6 . >5 ."},
        {"scatter, bytes: 10 B, library: ompi, root: 3", 3, "=50 =30 =10 >7 . >5 . >4 ."},
        {"scatter, bytes: 10 B, library: mpich", 0, ">4 . >2 . >1 . =10"},
        {"scatter, bytes: 10 B, library: mpich", 4, "<0 . >6 . >5 . =10"},
        {"scatter, bytes: 10 B, library: mpich", 7, "<6 ."},
        {"scatter, bytes: 10 B, library: mpich, root: 3", 3, "=50 =30 >7 . >5 . >4 . =10"},
        {"scatter, bytes: 10 B, library: mpich, own_block: in_place, root: 3", 3,
         "=40 =30 >7 . >5 . >4 ."},
        {"scatter, bytes: 10 B, library: mpich, own_block: in_place, root: 7", 7,
         "=70 >3 . >1 . >0 ."},
    };
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *yaml = g_strdup_printf("{type: %s, algorithm: binomial}", cases[i].call);
        g_autofree char *found = operations_of(yaml, 8, cases[i].rank);
        g_test_message("%s, rank %u", yaml, cases[i].rank);
        g_assert_cmpstr(found, ==, cases[i].operations);
    }
}

/* Of five ranks the last has an even number and no child: a buffer in Open MPI alone. */
static void test_even_leaf(void)
{
    g_autofree char *ompi =
        operations_of("{type: gather, bytes: 2 KiB, algorithm: binomial, library: ompi}", 5, 4);
    g_autofree char *mpich =
        operations_of("{type: gather, bytes: 2 KiB, algorithm: binomial, library: mpich}", 5, 4);
    g_assert_cmpstr(ompi, ==, "=2048 >0 .");
    g_assert_cmpstr(mpich, ==, ">0 .");
}

static void check_roots(const char *library, const char *own, DnCollKind kind, guint32 n,
                        gint64 bytes)
{
    for (guint32 root = 0; root < n; root++) {
        g_autofree char *yaml = g_strdup_printf(
            "{type: %s, bytes: %d B, algorithm: binomial, library: %s, own_block: %s, root: %u}",
            dn_coll_kind_name(kind), (int)bytes, library, own, root);
        check_case(&(Case){yaml, kind, n, root, bytes});
    }
}

/* Blocks on both sides of MPICH's limit. */
static void test_roots(void)
{
    static const gint64 sizes[] = {7, 1024};
    for (guint32 n = 1; n <= 9; n++)
        for (guint s = 0; s < G_N_ELEMENTS(sizes); s++)
            for (guint i = 0; i < 2; i++) {
                const char *own = dn_coll_own_block_names[i];
                check_roots("ompi", own, DN_COLL_GATHER, n, sizes[s]);
                check_roots("mpich", own, DN_COLL_GATHER, n, sizes[s]);
                check_roots("ompi", own, DN_COLL_SCATTER, n, sizes[s]);
                check_roots("mpich", own, DN_COLL_SCATTER, n, sizes[s]);
            }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/gather-scatter/operations", test_operations);
    g_test_add_func("/gather-scatter/even-leaf", test_even_leaf);
    g_test_add_func("/gather-scatter/roots", test_roots);
    return g_test_run();
}
