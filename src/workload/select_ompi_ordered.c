/* select_ompi_ordered.c - Open MPI's fixed decisions for operations that do not commute.
 *
 * From ompi/mca/coll/tuned/coll_tuned_decision_fixed.c (Open MPI 4.1.4), where ompi_op_is_commute()
 * says no: facts of ranges, not code. By the size of the buffer. */
#include "workload/select_ompi.h"

static const DnOmpiRow ordered_rows[] = {
    /* clang-format off */
    {DN_COLL_ALLREDUCE, 0, 4, 0, 131072, "recursive_doubling", "recursive_doubling"},
    {DN_COLL_ALLREDUCE, 0, 4, 131072, G_MAXINT64, "basic_linear", "linear"},
    {DN_COLL_ALLREDUCE, 4, 8, 0, G_MAXINT64, "recursive_doubling", "recursive_doubling"},
    {DN_COLL_ALLREDUCE, 8, 16, 0, 1048576, "recursive_doubling", "recursive_doubling"},
    {DN_COLL_ALLREDUCE, 8, 16, 1048576, G_MAXINT64, "nonoverlapping", "nonoverlapping"},
    {DN_COLL_ALLREDUCE, 16, 128, 0, G_MAXINT64, "recursive_doubling", "recursive_doubling"},
    {DN_COLL_ALLREDUCE, 128, 256, 0, 131072, "nonoverlapping", "nonoverlapping"},
    {DN_COLL_ALLREDUCE, 128, 256, 131072, 524288, "recursive_doubling", "recursive_doubling"},
    {DN_COLL_ALLREDUCE, 128, 256, 524288, G_MAXINT64, "nonoverlapping", "nonoverlapping"},
    {DN_COLL_ALLREDUCE, 256, 512, 0, 4096, "nonoverlapping", "nonoverlapping"},
    {DN_COLL_ALLREDUCE, 256, 512, 4096, 524288, "recursive_doubling", "recursive_doubling"},
    {DN_COLL_ALLREDUCE, 256, 512, 524288, G_MAXINT64, "nonoverlapping", "nonoverlapping"},
    {DN_COLL_ALLREDUCE, 512, G_MAXUINT32, 0, 2048, "nonoverlapping", "nonoverlapping"},
    {DN_COLL_ALLREDUCE, 512, G_MAXUINT32, 2048, G_MAXINT64, "recursive_doubling",
     "recursive_doubling"},
    {DN_COLL_REDUCE, 0, 4, 0, 8, "in-order_binary", "in_order_binary"},
    {DN_COLL_REDUCE, 0, 4, 8, G_MAXINT64, "linear", "linear"},
    {DN_COLL_REDUCE, 4, 8, 0, G_MAXINT64, "linear", "linear"},
    {DN_COLL_REDUCE, 8, 16, 0, 1024, "in-order_binary", "in_order_binary"},
    {DN_COLL_REDUCE, 8, 16, 1024, 8192, "linear", "linear"},
    {DN_COLL_REDUCE, 8, 16, 8192, 16384, "in-order_binary", "in_order_binary"},
    {DN_COLL_REDUCE, 8, 16, 16384, 262144, "linear", "linear"},
    {DN_COLL_REDUCE, 8, 16, 262144, G_MAXINT64, "in-order_binary", "in_order_binary"},
    {DN_COLL_REDUCE, 16, 128, 0, G_MAXINT64, "in-order_binary", "in_order_binary"},
    {DN_COLL_REDUCE, 128, 256, 0, 512, "in-order_binary", "in_order_binary"},
    {DN_COLL_REDUCE, 128, 256, 512, 1024, "linear", "linear"},
    {DN_COLL_REDUCE, 128, 256, 1024, G_MAXINT64, "in-order_binary", "in_order_binary"},
    {DN_COLL_REDUCE, 256, G_MAXUINT32, 0, G_MAXINT64, "in-order_binary", "in_order_binary"},
    {DN_COLL_REDUCE_SCATTER, 0, G_MAXUINT32, 0, G_MAXINT64, "non-overlapping", "linear"},
    {DN_COLL_SCAN, 0, G_MAXUINT32, 0, G_MAXINT64, "linear", "linear"},
    /* clang-format on */
};

void dn_select_ompi_ordered(const DnCollCall *call, DnCollKind kind, DnSelection *out)
{
    for (const DnOmpiRow *row = ordered_rows; row < ordered_rows + G_N_ELEMENTS(ordered_rows);
         row++)
        if (dn_ompi_row_fits(row, kind, call->n, call->bytes)) {
            out->chosen = call->one_count ? "basic_linear" : row->chosen;
            out->algorithm = row->here;
            return;
        }
    g_assert_not_reached();
}
