/* select_ompi.c - The choice of Open MPI's tuned component by its fixed decisions.
 *
 * From ompi/mca/coll/tuned/coll_tuned_decision_fixed.c (Open MPI 4.1 and 5.0, default rules; of
 * operations that do not commute see select_ompi_ordered.c): facts of ranges, not code. Sizes:
 * allreduce, bcast, reduce, reduce_scatter the buffer; the others a block, of allgatherv the mean
 * one. The last column is the algorithm's name here.
 * The fixed decisions pass a segment size of 0 (whole buffers: a segmented ring is then a ring, a
 * pipeline one hop after the other), a fan-out of 0 (one chain, radix 4 of the k-nomial tree) and
 * no limit of requests (coll_tuned_alltoall_max_requests 0) to every algorithm. What an algorithm
 * does where it does not fit stands in select_ompi_fallback(). library_messages_test.c compares
 * what is sent with the library's own messages on up to 64 ranks. */
#include <string.h>

#include "workload/select_ompi.h"

static const DnOmpiRow table[] = {
    /* clang-format off */
    {DN_COLL_ALLREDUCE, 0, 4, 0, 8, "ring", "ring"},
    {DN_COLL_ALLREDUCE, 0, 4, 8, 4096, "recursive_doubling", "recursive_doubling"},
    {DN_COLL_ALLREDUCE, 0, 4, 4096, 8192, "ring", "ring"},
    {DN_COLL_ALLREDUCE, 0, 4, 8192, 16384, "recursive_doubling", "recursive_doubling"},
    {DN_COLL_ALLREDUCE, 0, 4, 16384, 65536, "ring", "ring"},
    {DN_COLL_ALLREDUCE, 0, 4, 65536, 262144, "segmented_ring", "segmented_ring"},
    {DN_COLL_ALLREDUCE, 0, 4, 262144, G_MAXINT64, "rabenseifner", "rabenseifner"},
    {DN_COLL_ALLREDUCE, 4, 8, 0, 16, "ring", "ring"},
    {DN_COLL_ALLREDUCE, 4, 8, 16, 8192, "recursive_doubling", "recursive_doubling"},
    {DN_COLL_ALLREDUCE, 4, 8, 8192, G_MAXINT64, "rabenseifner", "rabenseifner"},
    {DN_COLL_ALLREDUCE, 8, 16, 0, 8192, "recursive_doubling", "recursive_doubling"},
    {DN_COLL_ALLREDUCE, 8, 16, 8192, G_MAXINT64, "rabenseifner", "rabenseifner"},
    {DN_COLL_ALLREDUCE, 16, 32, 0, 64, "segmented_ring", "segmented_ring"},
    {DN_COLL_ALLREDUCE, 16, 32, 64, 4096, "recursive_doubling", "recursive_doubling"},
    {DN_COLL_ALLREDUCE, 16, 32, 4096, G_MAXINT64, "rabenseifner", "rabenseifner"},
    {DN_COLL_ALLREDUCE, 32, 64, 0, 128, "segmented_ring", "segmented_ring"},
    {DN_COLL_ALLREDUCE, 32, 64, 128, G_MAXINT64, "rabenseifner", "rabenseifner"},
    {DN_COLL_ALLREDUCE, 64, 128, 0, 262144, "recursive_doubling", "recursive_doubling"},
    {DN_COLL_ALLREDUCE, 64, 128, 262144, G_MAXINT64, "rabenseifner", "rabenseifner"},
    {DN_COLL_ALLREDUCE, 128, 256, 0, 131072, "nonoverlapping", "nonoverlapping"},
    {DN_COLL_ALLREDUCE, 128, 256, 131072, 262144, "recursive_doubling", "recursive_doubling"},
    {DN_COLL_ALLREDUCE, 128, 256, 262144, G_MAXINT64, "rabenseifner", "rabenseifner"},
    {DN_COLL_ALLREDUCE, 256, 512, 0, 4096, "nonoverlapping", "nonoverlapping"},
    {DN_COLL_ALLREDUCE, 256, 512, 4096, G_MAXINT64, "rabenseifner", "rabenseifner"},
    {DN_COLL_ALLREDUCE, 512, 2048, 0, 2048, "nonoverlapping", "nonoverlapping"},
    {DN_COLL_ALLREDUCE, 512, 2048, 2048, 16384, "recursive_doubling", "recursive_doubling"},
    {DN_COLL_ALLREDUCE, 512, 2048, 16384, G_MAXINT64, "rabenseifner", "rabenseifner"},
    {DN_COLL_ALLREDUCE, 2048, 4096, 0, 2048, "nonoverlapping", "nonoverlapping"},
    {DN_COLL_ALLREDUCE, 2048, 4096, 2048, 4096, "segmented_ring", "segmented_ring"},
    {DN_COLL_ALLREDUCE, 2048, 4096, 4096, 16384, "recursive_doubling", "recursive_doubling"},
    {DN_COLL_ALLREDUCE, 2048, 4096, 16384, G_MAXINT64, "rabenseifner", "rabenseifner"},
    {DN_COLL_ALLREDUCE, 4096, G_MAXUINT32, 0, 2048, "nonoverlapping", "nonoverlapping"},
    {DN_COLL_ALLREDUCE, 4096, G_MAXUINT32, 2048, 16384, "segmented_ring", "segmented_ring"},
    {DN_COLL_ALLREDUCE, 4096, G_MAXUINT32, 16384, 32768, "recursive_doubling",
     "recursive_doubling"},
    {DN_COLL_ALLREDUCE, 4096, G_MAXUINT32, 32768, G_MAXINT64, "rabenseifner", "rabenseifner"},
    {DN_COLL_ALLTOALL, 2, 3, 0, 2, "pairwise", "pairwise"},
    {DN_COLL_ALLTOALL, 2, 3, 2, 4, "two_proc", "pairwise"},
    {DN_COLL_ALLTOALL, 2, 3, 4, 16, "pairwise", "pairwise"},
    {DN_COLL_ALLTOALL, 2, 3, 16, 64, "two_proc", "pairwise"},
    {DN_COLL_ALLTOALL, 2, 3, 64, 256, "pairwise", "pairwise"},
    {DN_COLL_ALLTOALL, 2, 3, 256, 4096, "two_proc", "pairwise"},
    {DN_COLL_ALLTOALL, 2, 3, 4096, 32768, "pairwise", "pairwise"},
    {DN_COLL_ALLTOALL, 2, 3, 32768, 262144, "linear_sync", "linear_sync"},
    {DN_COLL_ALLTOALL, 2, 3, 262144, 1048576, "two_proc", "pairwise"},
    {DN_COLL_ALLTOALL, 2, 3, 1048576, G_MAXINT64, "pairwise", "pairwise"},
    {DN_COLL_ALLTOALL, 0, 8, 0, 8192, "linear_sync", "linear_sync"},
    {DN_COLL_ALLTOALL, 0, 8, 8192, 16384, "linear", "linear"},
    {DN_COLL_ALLTOALL, 0, 8, 16384, 65536, "linear_sync", "linear_sync"},
    {DN_COLL_ALLTOALL, 0, 8, 65536, 524288, "linear", "linear"},
    {DN_COLL_ALLTOALL, 0, 8, 524288, 1048576, "pairwise", "pairwise"},
    {DN_COLL_ALLTOALL, 0, 8, 1048576, G_MAXINT64, "linear", "linear"},
    {DN_COLL_ALLTOALL, 8, 16, 0, 262144, "linear_sync", "linear_sync"},
    {DN_COLL_ALLTOALL, 8, 16, 262144, G_MAXINT64, "linear", "linear"},
    {DN_COLL_ALLTOALL, 16, 32, 0, 4, "linear_sync", "linear_sync"},
    {DN_COLL_ALLTOALL, 16, 32, 4, 512, "modified_bruck", "bruck"},
    {DN_COLL_ALLTOALL, 16, 32, 512, 8192, "linear_sync", "linear_sync"},
    {DN_COLL_ALLTOALL, 16, 32, 8192, 32768, "linear", "linear"},
    {DN_COLL_ALLTOALL, 16, 32, 32768, 262144, "linear_sync", "linear_sync"},
    {DN_COLL_ALLTOALL, 16, 32, 262144, 524288, "linear", "linear"},
    {DN_COLL_ALLTOALL, 16, 32, 524288, G_MAXINT64, "linear_sync", "linear_sync"},
    {DN_COLL_ALLTOALL, 32, 64, 0, 512, "modified_bruck", "bruck"},
    {DN_COLL_ALLTOALL, 32, 64, 512, 524288, "linear", "linear"},
    {DN_COLL_ALLTOALL, 32, 64, 524288, G_MAXINT64, "linear_sync", "linear_sync"},
    {DN_COLL_ALLTOALL, 64, 128, 0, 1024, "modified_bruck", "bruck"},
    {DN_COLL_ALLTOALL, 64, 128, 1024, 2048, "linear", "linear"},
    {DN_COLL_ALLTOALL, 64, 128, 2048, 4096, "linear_sync", "linear_sync"},
    {DN_COLL_ALLTOALL, 64, 128, 4096, 262144, "linear", "linear"},
    {DN_COLL_ALLTOALL, 64, 128, 262144, G_MAXINT64, "pairwise", "pairwise"},
    {DN_COLL_ALLTOALL, 128, 256, 0, 1024, "modified_bruck", "bruck"},
    {DN_COLL_ALLTOALL, 128, 256, 1024, 2048, "linear_sync", "linear_sync"},
    {DN_COLL_ALLTOALL, 128, 256, 2048, 262144, "linear", "linear"},
    {DN_COLL_ALLTOALL, 128, 256, 262144, G_MAXINT64, "pairwise", "pairwise"},
    {DN_COLL_ALLTOALL, 256, 512, 0, 1024, "modified_bruck", "bruck"},
    {DN_COLL_ALLTOALL, 256, 512, 1024, 8192, "linear_sync", "linear_sync"},
    {DN_COLL_ALLTOALL, 256, 512, 8192, 32768, "linear", "linear"},
    {DN_COLL_ALLTOALL, 256, 512, 32768, G_MAXINT64, "pairwise", "pairwise"},
    {DN_COLL_ALLTOALL, 512, 1024, 0, 512, "modified_bruck", "bruck"},
    {DN_COLL_ALLTOALL, 512, 1024, 512, 8192, "linear_sync", "linear_sync"},
    {DN_COLL_ALLTOALL, 512, 1024, 8192, 16384, "linear", "linear"},
    {DN_COLL_ALLTOALL, 512, 1024, 16384, 131072, "linear_sync", "linear_sync"},
    {DN_COLL_ALLTOALL, 512, 1024, 131072, 262144, "linear", "linear"},
    {DN_COLL_ALLTOALL, 512, 1024, 262144, G_MAXINT64, "pairwise", "pairwise"},
    {DN_COLL_ALLTOALL, 1024, 2048, 0, 512, "modified_bruck", "bruck"},
    {DN_COLL_ALLTOALL, 1024, 2048, 512, 1024, "linear_sync", "linear_sync"},
    {DN_COLL_ALLTOALL, 1024, 2048, 1024, 2048, "linear", "linear"},
    {DN_COLL_ALLTOALL, 1024, 2048, 2048, 16384, "linear_sync", "linear_sync"},
    {DN_COLL_ALLTOALL, 1024, 2048, 16384, 262144, "linear", "linear"},
    {DN_COLL_ALLTOALL, 1024, 2048, 262144, G_MAXINT64, "linear_sync", "linear_sync"},
    {DN_COLL_ALLTOALL, 2048, 4096, 0, 1024, "modified_bruck", "bruck"},
    {DN_COLL_ALLTOALL, 2048, 4096, 1024, 4096, "linear_sync", "linear_sync"},
    {DN_COLL_ALLTOALL, 2048, 4096, 4096, 8192, "linear", "linear"},
    {DN_COLL_ALLTOALL, 2048, 4096, 8192, 131072, "linear_sync", "linear_sync"},
    {DN_COLL_ALLTOALL, 2048, 4096, 131072, G_MAXINT64, "linear", "linear"},
    {DN_COLL_ALLTOALL, 4096, G_MAXUINT32, 0, 2048, "modified_bruck", "bruck"},
    {DN_COLL_ALLTOALL, 4096, G_MAXUINT32, 2048, 8192, "linear_sync", "linear_sync"},
    {DN_COLL_ALLTOALL, 4096, G_MAXUINT32, 8192, 16384, "linear", "linear"},
    {DN_COLL_ALLTOALL, 4096, G_MAXUINT32, 16384, 32768, "linear_sync", "linear_sync"},
    {DN_COLL_ALLTOALL, 4096, G_MAXUINT32, 32768, 65536, "linear", "linear"},
    {DN_COLL_ALLTOALL, 4096, G_MAXUINT32, 65536, G_MAXINT64, "linear_sync", "linear_sync"},
    {DN_COLL_BARRIER, 0, 4, 0, G_MAXINT64, "recursive_doubling", "recursive_doubling"},
    {DN_COLL_BARRIER, 4, 8, 0, G_MAXINT64, "linear", "linear"},
    {DN_COLL_BARRIER, 8, 64, 0, G_MAXINT64, "recursive_doubling", "recursive_doubling"},
    {DN_COLL_BARRIER, 64, 256, 0, G_MAXINT64, "bruck", "dissemination"},
    {DN_COLL_BARRIER, 256, 512, 0, G_MAXINT64, "tree", "tree"},
    {DN_COLL_BARRIER, 512, 1024, 0, G_MAXINT64, "bruck", "dissemination"},
    {DN_COLL_BARRIER, 1024, 4096, 0, G_MAXINT64, "tree", "tree"},
    {DN_COLL_BARRIER, 4096, G_MAXUINT32, 0, G_MAXINT64, "bruck", "dissemination"},
    {DN_COLL_BCAST, 0, 4, 0, 32, "pipeline", "pipeline"},
    {DN_COLL_BCAST, 0, 4, 32, 256, "binary_tree", "binary_tree"},
    {DN_COLL_BCAST, 0, 4, 256, 512, "pipeline", "pipeline"},
    {DN_COLL_BCAST, 0, 4, 512, 1024, "knomial", "knomial"},
    {DN_COLL_BCAST, 0, 4, 1024, 32768, "basic_linear", "linear"},
    {DN_COLL_BCAST, 0, 4, 32768, 131072, "binary_tree", "binary_tree"},
    {DN_COLL_BCAST, 0, 4, 131072, 262144, "chain", "pipeline"},
    {DN_COLL_BCAST, 0, 4, 262144, 524288, "basic_linear", "linear"},
    {DN_COLL_BCAST, 0, 4, 524288, 1048576, "binomial", "binomial"},
    {DN_COLL_BCAST, 0, 4, 1048576, G_MAXINT64, "binary_tree", "binary_tree"},
    {DN_COLL_BCAST, 4, 8, 0, 64, "binary_tree", "binary_tree"},
    {DN_COLL_BCAST, 4, 8, 64, 128, "binomial", "binomial"},
    {DN_COLL_BCAST, 4, 8, 128, 2048, "binary_tree", "binary_tree"},
    {DN_COLL_BCAST, 4, 8, 2048, 8192, "binomial", "binomial"},
    {DN_COLL_BCAST, 4, 8, 8192, 1048576, "basic_linear", "linear"},
    {DN_COLL_BCAST, 4, 8, 1048576, G_MAXINT64, "chain", "pipeline"},
    {DN_COLL_BCAST, 8, 16, 0, 8, "knomial", "knomial"},
    {DN_COLL_BCAST, 8, 16, 8, 64, "binary_tree", "binary_tree"},
    {DN_COLL_BCAST, 8, 16, 64, 4096, "knomial", "knomial"},
    {DN_COLL_BCAST, 8, 16, 4096, 16384, "binary_tree", "binary_tree"},
    {DN_COLL_BCAST, 8, 16, 16384, 32768, "binomial", "binomial"},
    {DN_COLL_BCAST, 8, 16, 32768, G_MAXINT64, "basic_linear", "linear"},
    {DN_COLL_BCAST, 16, 32, 0, 4096, "knomial", "knomial"},
    {DN_COLL_BCAST, 16, 32, 4096, 1048576, "binomial", "binomial"},
    {DN_COLL_BCAST, 16, 32, 1048576, G_MAXINT64, "scatter_allgather", "scatter_doubling"},
    {DN_COLL_BCAST, 32, 64, 0, 2048, "binomial", "binomial"},
    {DN_COLL_BCAST, 32, 64, 2048, G_MAXINT64, "knomial", "knomial"},
    {DN_COLL_BCAST, 64, 128, 0, G_MAXINT64, "knomial", "knomial"},
    {DN_COLL_BCAST, 128, 256, 0, 2, "binomial", "binomial"},
    {DN_COLL_BCAST, 128, 256, 2, 16384, "binary_tree", "binary_tree"},
    {DN_COLL_BCAST, 128, 256, 16384, 32768, "basic_linear", "linear"},
    {DN_COLL_BCAST, 128, 256, 32768, 65536, "binary_tree", "binary_tree"},
    {DN_COLL_BCAST, 128, 256, 65536, G_MAXINT64, "knomial", "knomial"},
    {DN_COLL_BCAST, 256, 1024, 0, 16384, "knomial", "knomial"},
    {DN_COLL_BCAST, 256, 1024, 16384, 32768, "split_binary_tree", "split_binary_tree"},
    {DN_COLL_BCAST, 256, 1024, 32768, G_MAXINT64, "knomial", "knomial"},
    {DN_COLL_BCAST, 1024, 2048, 0, 524288, "knomial", "knomial"},
    {DN_COLL_BCAST, 1024, 2048, 524288, G_MAXINT64, "scatter_allgather", "scatter_doubling"},
    {DN_COLL_BCAST, 2048, 4096, 0, 262144, "knomial", "knomial"},
    {DN_COLL_BCAST, 2048, 4096, 262144, G_MAXINT64, "scatter_allgather",
     "scatter_allgather"},
    {DN_COLL_BCAST, 4096, G_MAXUINT32, 0, 8192, "knomial", "knomial"},
    {DN_COLL_BCAST, 4096, G_MAXUINT32, 8192, 16384, "binary_tree", "binary_tree"},
    {DN_COLL_BCAST, 4096, G_MAXUINT32, 16384, 262144, "knomial", "knomial"},
    {DN_COLL_BCAST, 4096, G_MAXUINT32, 262144, G_MAXINT64, "scatter_allgather",
     "scatter_allgather"},
    {DN_COLL_REDUCE, 0, 4, 0, 8, "rabenseifner", "rabenseifner"},
    {DN_COLL_REDUCE, 0, 4, 8, 16, "binary", "binary"},
    {DN_COLL_REDUCE, 0, 4, 16, 32, "pipeline", "pipeline"},
    {DN_COLL_REDUCE, 0, 4, 32, 262144, "linear", "linear"},
    {DN_COLL_REDUCE, 0, 4, 262144, 524288, "pipeline", "pipeline"},
    {DN_COLL_REDUCE, 0, 4, 524288, 1048576, "chain", "pipeline"},
    {DN_COLL_REDUCE, 0, 4, 1048576, G_MAXINT64, "pipeline", "pipeline"},
    {DN_COLL_REDUCE, 4, 8, 0, 4096, "binary", "binary"},
    {DN_COLL_REDUCE, 4, 8, 4096, 65536, "chain", "pipeline"},
    {DN_COLL_REDUCE, 4, 8, 65536, 262144, "binomial", "binomial"},
    {DN_COLL_REDUCE, 4, 8, 262144, 524288, "linear", "linear"},
    {DN_COLL_REDUCE, 4, 8, 524288, 1048576, "binomial", "binomial"},
    {DN_COLL_REDUCE, 4, 8, 1048576, G_MAXINT64, "linear", "linear"},
    {DN_COLL_REDUCE, 8, 16, 0, 8192, "binary", "binary"},
    {DN_COLL_REDUCE, 8, 16, 8192, G_MAXINT64, "binomial", "binomial"},
    {DN_COLL_REDUCE, 16, 32, 0, 4096, "binary", "binary"},
    {DN_COLL_REDUCE, 16, 32, 4096, G_MAXINT64, "binomial", "binomial"},
    {DN_COLL_REDUCE, 32, 256, 0, G_MAXINT64, "binomial", "binomial"},
    {DN_COLL_REDUCE, 256, 512, 0, 8192, "binomial", "binomial"},
    {DN_COLL_REDUCE, 256, 512, 8192, 16384, "in-order_binary", "binary"},
    {DN_COLL_REDUCE, 256, 512, 16384, G_MAXINT64, "binomial", "binomial"},
    {DN_COLL_REDUCE, 512, 2048, 0, G_MAXINT64, "binomial", "binomial"},
    {DN_COLL_REDUCE, 2048, 4096, 0, 512, "binomial", "binomial"},
    {DN_COLL_REDUCE, 2048, 4096, 512, 1024, "in-order_binary", "binary"},
    {DN_COLL_REDUCE, 2048, 4096, 1024, 8192, "binomial", "binomial"},
    {DN_COLL_REDUCE, 2048, 4096, 8192, 16384, "in-order_binary", "binary"},
    {DN_COLL_REDUCE, 2048, 4096, 16384, G_MAXINT64, "binomial", "binomial"},
    {DN_COLL_REDUCE, 4096, G_MAXUINT32, 0, 16, "binomial", "binomial"},
    {DN_COLL_REDUCE, 4096, G_MAXUINT32, 16, 32, "in-order_binary", "binary"},
    {DN_COLL_REDUCE, 4096, G_MAXUINT32, 32, 1024, "binomial", "binomial"},
    {DN_COLL_REDUCE, 4096, G_MAXUINT32, 1024, 2048, "in-order_binary", "binary"},
    {DN_COLL_REDUCE, 4096, G_MAXUINT32, 2048, 8192, "binomial", "binomial"},
    {DN_COLL_REDUCE, 4096, G_MAXUINT32, 8192, 16384, "in-order_binary", "binary"},
    {DN_COLL_REDUCE, 4096, G_MAXUINT32, 16384, G_MAXINT64, "binomial", "binomial"},
    {DN_COLL_REDUCE_SCATTER, 0, 4, 0, 65536, "ring", "ring"},
    {DN_COLL_REDUCE_SCATTER, 0, 4, 65536, 131072, "butterfly", "butterfly"},
    {DN_COLL_REDUCE_SCATTER, 0, 4, 131072, G_MAXINT64, "ring", "ring"},
    {DN_COLL_REDUCE_SCATTER, 4, 8, 0, 8, "non-overlapping", "linear"},
    {DN_COLL_REDUCE_SCATTER, 4, 8, 8, 262144, "recursive_halving", "recursive_halving"},
    {DN_COLL_REDUCE_SCATTER, 4, 8, 262144, G_MAXINT64, "ring", "ring"},
    {DN_COLL_REDUCE_SCATTER, 8, 32, 0, 262144, "recursive_halving", "recursive_halving"},
    {DN_COLL_REDUCE_SCATTER, 8, 32, 262144, G_MAXINT64, "ring", "ring"},
    {DN_COLL_REDUCE_SCATTER, 32, 64, 0, 64, "non-overlapping", "linear"},
    {DN_COLL_REDUCE_SCATTER, 32, 64, 64, 2048, "recursive_halving", "recursive_halving"},
    {DN_COLL_REDUCE_SCATTER, 32, 64, 2048, 524288, "butterfly", "butterfly"},
    {DN_COLL_REDUCE_SCATTER, 32, 64, 524288, G_MAXINT64, "ring", "ring"},
    {DN_COLL_REDUCE_SCATTER, 64, 128, 0, 256, "non-overlapping", "linear"},
    {DN_COLL_REDUCE_SCATTER, 64, 128, 256, 512, "recursive_halving", "recursive_halving"},
    {DN_COLL_REDUCE_SCATTER, 64, 128, 512, 2048, "butterfly", "butterfly"},
    {DN_COLL_REDUCE_SCATTER, 64, 128, 2048, 4096, "recursive_halving", "recursive_halving"},
    {DN_COLL_REDUCE_SCATTER, 64, 128, 4096, G_MAXINT64, "butterfly", "butterfly"},
    {DN_COLL_REDUCE_SCATTER, 128, 256, 0, 256, "non-overlapping", "linear"},
    {DN_COLL_REDUCE_SCATTER, 128, 256, 256, 512, "recursive_halving", "recursive_halving"},
    {DN_COLL_REDUCE_SCATTER, 128, 256, 512, G_MAXINT64, "butterfly", "butterfly"},
    {DN_COLL_REDUCE_SCATTER, 256, 512, 0, 256, "non-overlapping", "linear"},
    {DN_COLL_REDUCE_SCATTER, 256, 512, 256, 1024, "recursive_halving", "recursive_halving"},
    {DN_COLL_REDUCE_SCATTER, 256, 512, 1024, G_MAXINT64, "butterfly", "butterfly"},
    {DN_COLL_REDUCE_SCATTER, 512, 1024, 0, 512, "non-overlapping", "linear"},
    {DN_COLL_REDUCE_SCATTER, 512, 1024, 512, 2048, "recursive_halving", "recursive_halving"},
    {DN_COLL_REDUCE_SCATTER, 512, 1024, 2048, 8192, "butterfly", "butterfly"},
    {DN_COLL_REDUCE_SCATTER, 512, 1024, 8192, 16384, "recursive_halving", "recursive_halving"},
    {DN_COLL_REDUCE_SCATTER, 512, 1024, 16384, G_MAXINT64, "butterfly", "butterfly"},
    {DN_COLL_REDUCE_SCATTER, 1024, 2048, 0, 512, "non-overlapping", "linear"},
    {DN_COLL_REDUCE_SCATTER, 1024, 2048, 512, 4096, "recursive_halving", "recursive_halving"},
    {DN_COLL_REDUCE_SCATTER, 1024, 2048, 4096, 16384, "butterfly", "butterfly"},
    {DN_COLL_REDUCE_SCATTER, 1024, 2048, 16384, 32768, "recursive_halving", "recursive_halving"},
    {DN_COLL_REDUCE_SCATTER, 1024, 2048, 32768, G_MAXINT64, "butterfly", "butterfly"},
    {DN_COLL_REDUCE_SCATTER, 2048, 4096, 0, 512, "non-overlapping", "linear"},
    {DN_COLL_REDUCE_SCATTER, 2048, 4096, 512, 4096, "recursive_halving", "recursive_halving"},
    {DN_COLL_REDUCE_SCATTER, 2048, 4096, 4096, G_MAXINT64, "butterfly", "butterfly"},
    {DN_COLL_REDUCE_SCATTER, 4096, G_MAXUINT32, 0, 1024, "non-overlapping", "linear"},
    {DN_COLL_REDUCE_SCATTER, 4096, G_MAXUINT32, 1024, 8192, "recursive_halving",
     "recursive_halving"},
    {DN_COLL_REDUCE_SCATTER, 4096, G_MAXUINT32, 8192, G_MAXINT64, "butterfly", "butterfly"},
    {DN_COLL_ALLGATHER, 2, 3, 0, G_MAXINT64, "two_proc", "recursive_doubling"},
    {DN_COLL_ALLGATHER, 0, 32, 0, G_MAXINT64, "recursive_doubling", "recursive_doubling"},
    {DN_COLL_ALLGATHER, 32, 64, 0, 1024, "recursive_doubling", "recursive_doubling"},
    {DN_COLL_ALLGATHER, 32, 64, 1024, 65536, "neighbor", "neighbor"},
    {DN_COLL_ALLGATHER, 32, 64, 65536, G_MAXINT64, "ring", "ring"},
    {DN_COLL_ALLGATHER, 64, 128, 0, 512, "recursive_doubling", "recursive_doubling"},
    {DN_COLL_ALLGATHER, 64, 128, 512, 65536, "neighbor", "neighbor"},
    {DN_COLL_ALLGATHER, 64, 128, 65536, G_MAXINT64, "ring", "ring"},
    {DN_COLL_ALLGATHER, 128, 256, 0, 512, "recursive_doubling", "recursive_doubling"},
    {DN_COLL_ALLGATHER, 128, 256, 512, 131072, "neighbor", "neighbor"},
    {DN_COLL_ALLGATHER, 128, 256, 131072, 524288, "ring", "ring"},
    {DN_COLL_ALLGATHER, 128, 256, 524288, 1048576, "neighbor", "neighbor"},
    {DN_COLL_ALLGATHER, 128, 256, 1048576, G_MAXINT64, "ring", "ring"},
    {DN_COLL_ALLGATHER, 256, 512, 0, 32, "recursive_doubling", "recursive_doubling"},
    {DN_COLL_ALLGATHER, 256, 512, 32, 128, "bruck-k-fanout", "bruck"},
    {DN_COLL_ALLGATHER, 256, 512, 128, 1024, "recursive_doubling", "recursive_doubling"},
    {DN_COLL_ALLGATHER, 256, 512, 1024, 131072, "neighbor", "neighbor"},
    {DN_COLL_ALLGATHER, 256, 512, 131072, 524288, "ring", "ring"},
    {DN_COLL_ALLGATHER, 256, 512, 524288, 1048576, "neighbor", "neighbor"},
    {DN_COLL_ALLGATHER, 256, 512, 1048576, G_MAXINT64, "ring", "ring"},
    {DN_COLL_ALLGATHER, 512, 1024, 0, 64, "recursive_doubling", "recursive_doubling"},
    {DN_COLL_ALLGATHER, 512, 1024, 64, 256, "bruck-k-fanout", "bruck"},
    {DN_COLL_ALLGATHER, 512, 1024, 256, 2048, "recursive_doubling", "recursive_doubling"},
    {DN_COLL_ALLGATHER, 512, 1024, 2048, G_MAXINT64, "neighbor", "neighbor"},
    {DN_COLL_ALLGATHER, 1024, 2048, 0, 4, "recursive_doubling", "recursive_doubling"},
    {DN_COLL_ALLGATHER, 1024, 2048, 4, 8, "bruck-k-fanout", "bruck"},
    {DN_COLL_ALLGATHER, 1024, 2048, 8, 16, "recursive_doubling", "recursive_doubling"},
    {DN_COLL_ALLGATHER, 1024, 2048, 16, 32, "bruck-k-fanout", "bruck"},
    {DN_COLL_ALLGATHER, 1024, 2048, 32, 256, "recursive_doubling", "recursive_doubling"},
    {DN_COLL_ALLGATHER, 1024, 2048, 256, 512, "bruck-k-fanout", "bruck"},
    {DN_COLL_ALLGATHER, 1024, 2048, 512, 4096, "recursive_doubling", "recursive_doubling"},
    {DN_COLL_ALLGATHER, 1024, 2048, 4096, G_MAXINT64, "neighbor", "neighbor"},
    {DN_COLL_ALLGATHER, 2048, 4096, 0, 32, "bruck-k-fanout", "bruck"},
    {DN_COLL_ALLGATHER, 2048, 4096, 32, 128, "recursive_doubling", "recursive_doubling"},
    {DN_COLL_ALLGATHER, 2048, 4096, 128, 512, "bruck-k-fanout", "bruck"},
    {DN_COLL_ALLGATHER, 2048, 4096, 512, 4096, "recursive_doubling", "recursive_doubling"},
    {DN_COLL_ALLGATHER, 2048, 4096, 4096, G_MAXINT64, "neighbor", "neighbor"},
    {DN_COLL_ALLGATHER, 4096, G_MAXUINT32, 0, 2, "recursive_doubling", "recursive_doubling"},
    {DN_COLL_ALLGATHER, 4096, G_MAXUINT32, 2, 8, "bruck-k-fanout", "bruck"},
    {DN_COLL_ALLGATHER, 4096, G_MAXUINT32, 8, 16, "recursive_doubling", "recursive_doubling"},
    {DN_COLL_ALLGATHER, 4096, G_MAXUINT32, 16, 512, "bruck-k-fanout", "bruck"},
    {DN_COLL_ALLGATHER, 4096, G_MAXUINT32, 512, 4096, "recursive_doubling", "recursive_doubling"},
    {DN_COLL_ALLGATHER, 4096, G_MAXUINT32, 4096, G_MAXINT64, "neighbor", "neighbor"},
    {DN_COLL_GATHER, 0, 4, 0, 2, "linear_sync", "linear_sync"},
    {DN_COLL_GATHER, 0, 4, 2, 4, "basic_linear", "linear"},
    {DN_COLL_GATHER, 0, 4, 4, 32768, "binomial", "binomial"},
    {DN_COLL_GATHER, 0, 4, 32768, 65536, "basic_linear", "linear"},
    {DN_COLL_GATHER, 0, 4, 65536, 131072, "binomial", "binomial"},
    {DN_COLL_GATHER, 0, 4, 131072, G_MAXINT64, "linear_sync", "linear_sync"},
    {DN_COLL_GATHER, 4, 8, 0, 1024, "binomial", "binomial"},
    {DN_COLL_GATHER, 4, 8, 1024, 8192, "basic_linear", "linear"},
    {DN_COLL_GATHER, 4, 8, 8192, 32768, "binomial", "binomial"},
    {DN_COLL_GATHER, 4, 8, 32768, 262144, "basic_linear", "linear"},
    {DN_COLL_GATHER, 4, 8, 262144, G_MAXINT64, "linear_sync", "linear_sync"},
    {DN_COLL_GATHER, 8, 256, 0, G_MAXINT64, "binomial", "binomial"},
    {DN_COLL_GATHER, 256, 512, 0, 2048, "binomial", "binomial"},
    {DN_COLL_GATHER, 256, 512, 2048, 8192, "basic_linear", "linear"},
    {DN_COLL_GATHER, 256, 512, 8192, G_MAXINT64, "binomial", "binomial"},
    {DN_COLL_GATHER, 512, G_MAXUINT32, 0, G_MAXINT64, "binomial", "binomial"},
    {DN_COLL_SCATTER, 0, 4, 0, 2, "linear_nb", "linear"},
    {DN_COLL_SCATTER, 0, 4, 2, 131072, "basic_linear", "linear"},
    {DN_COLL_SCATTER, 0, 4, 131072, 262144, "linear_nb", "linear"},
    {DN_COLL_SCATTER, 0, 4, 262144, G_MAXINT64, "basic_linear", "linear"},
    {DN_COLL_SCATTER, 4, 8, 0, 2048, "binomial", "binomial"},
    {DN_COLL_SCATTER, 4, 8, 2048, 4096, "basic_linear", "linear"},
    {DN_COLL_SCATTER, 4, 8, 4096, 8192, "binomial", "binomial"},
    {DN_COLL_SCATTER, 4, 8, 8192, 32768, "basic_linear", "linear"},
    {DN_COLL_SCATTER, 4, 8, 32768, 1048576, "linear_nb", "linear"},
    {DN_COLL_SCATTER, 4, 8, 1048576, G_MAXINT64, "basic_linear", "linear"},
    {DN_COLL_SCATTER, 8, 16, 0, 16384, "binomial", "binomial"},
    {DN_COLL_SCATTER, 8, 16, 16384, 1048576, "linear_nb", "linear"},
    {DN_COLL_SCATTER, 8, 16, 1048576, G_MAXINT64, "basic_linear", "linear"},
    {DN_COLL_SCATTER, 16, 32, 0, 16384, "binomial", "binomial"},
    {DN_COLL_SCATTER, 16, 32, 16384, 32768, "basic_linear", "linear"},
    {DN_COLL_SCATTER, 16, 32, 32768, G_MAXINT64, "linear_nb", "linear"},
    {DN_COLL_SCATTER, 32, 64, 0, 512, "binomial", "binomial"},
    {DN_COLL_SCATTER, 32, 64, 512, 8192, "linear_nb", "linear"},
    {DN_COLL_SCATTER, 32, 64, 8192, 16384, "binomial", "binomial"},
    {DN_COLL_SCATTER, 32, 64, 16384, G_MAXINT64, "linear_nb", "linear"},
    {DN_COLL_SCATTER, 64, G_MAXUINT32, 0, 512, "binomial", "binomial"},
    {DN_COLL_SCATTER, 64, G_MAXUINT32, 512, G_MAXINT64, "linear_nb", "linear"},
    /* clang-format on */
};

/* Of unequal blocks: gatherv and scatterv, where a rank knows its own block only, are linear;
 * allgatherv goes by the mean of all blocks, alltoallv by the number of ranks alone. */
static const DnOmpiRow unequal_table[] = {
    /* clang-format off */
    {DN_COLL_ALLGATHER, 2, 3, 0, 2048, "ring", "ring"},
    {DN_COLL_ALLGATHER, 2, 3, 2048, 4096, "two_proc", "recursive_doubling"},
    {DN_COLL_ALLGATHER, 2, 3, 4096, 8192, "ring", "ring"},
    {DN_COLL_ALLGATHER, 2, 3, 8192, G_MAXINT64, "two_proc", "recursive_doubling"},
    {DN_COLL_ALLGATHER, 0, 8, 0, 256, "default", "gather_bcast"},
    {DN_COLL_ALLGATHER, 0, 8, 256, 4096, "neighbor", "neighbor"},
    {DN_COLL_ALLGATHER, 0, 8, 4096, 8192, "ring", "ring"},
    {DN_COLL_ALLGATHER, 0, 8, 8192, 16384, "neighbor", "neighbor"},
    {DN_COLL_ALLGATHER, 0, 8, 16384, 262144, "bruck", "bruck"},
    {DN_COLL_ALLGATHER, 0, 8, 262144, G_MAXINT64, "neighbor", "neighbor"},
    {DN_COLL_ALLGATHER, 8, 16, 0, 1024, "default", "gather_bcast"},
    {DN_COLL_ALLGATHER, 8, 16, 1024, G_MAXINT64, "bruck", "bruck"},
    {DN_COLL_ALLGATHER, 16, 32, 0, 128, "default", "gather_bcast"},
    {DN_COLL_ALLGATHER, 16, 32, 128, 262144, "bruck", "bruck"},
    {DN_COLL_ALLGATHER, 16, 32, 262144, G_MAXINT64, "ring", "ring"},
    {DN_COLL_ALLGATHER, 32, 64, 0, 256, "default", "gather_bcast"},
    {DN_COLL_ALLGATHER, 32, 64, 256, 8192, "bruck", "bruck"},
    {DN_COLL_ALLGATHER, 32, 64, 8192, G_MAXINT64, "ring", "ring"},
    {DN_COLL_ALLGATHER, 64, 128, 0, 256, "default", "gather_bcast"},
    {DN_COLL_ALLGATHER, 64, 128, 256, 4096, "bruck", "bruck"},
    {DN_COLL_ALLGATHER, 64, 128, 4096, G_MAXINT64, "ring", "ring"},
    {DN_COLL_ALLGATHER, 128, 256, 0, 1024, "bruck", "bruck"},
    {DN_COLL_ALLGATHER, 128, 256, 1024, 65536, "neighbor", "neighbor"},
    {DN_COLL_ALLGATHER, 128, 256, 65536, G_MAXINT64, "ring", "ring"},
    {DN_COLL_ALLGATHER, 256, 512, 0, 1024, "bruck", "bruck"},
    {DN_COLL_ALLGATHER, 256, 512, 1024, G_MAXINT64, "ring", "ring"},
    {DN_COLL_ALLGATHER, 512, 1024, 0, 512, "bruck", "bruck"},
    {DN_COLL_ALLGATHER, 512, 1024, 512, 1024, "default", "gather_bcast"},
    {DN_COLL_ALLGATHER, 512, 1024, 1024, 4096, "bruck", "bruck"},
    {DN_COLL_ALLGATHER, 512, 1024, 4096, 1048576, "neighbor", "neighbor"},
    {DN_COLL_ALLGATHER, 512, 1024, 1048576, G_MAXINT64, "ring", "ring"},
    {DN_COLL_ALLGATHER, 1024, G_MAXUINT32, 0, 4096, "bruck", "bruck"},
    {DN_COLL_ALLGATHER, 1024, G_MAXUINT32, 4096, G_MAXINT64, "neighbor", "neighbor"},
    {DN_COLL_ALLTOALL, 0, 4, 0, G_MAXINT64, "pairwise", "pairwise"},
    {DN_COLL_ALLTOALL, 4, 64, 0, G_MAXINT64, "basic_linear", "linear"},
    {DN_COLL_ALLTOALL, 64, 128, 0, G_MAXINT64, "pairwise", "pairwise"},
    {DN_COLL_ALLTOALL, 128, 256, 0, G_MAXINT64, "basic_linear", "linear"},
    {DN_COLL_ALLTOALL, 256, 1024, 0, G_MAXINT64, "pairwise", "pairwise"},
    {DN_COLL_ALLTOALL, 1024, G_MAXUINT32, 0, G_MAXINT64, "basic_linear", "linear"},
    {DN_COLL_GATHER, 0, G_MAXUINT32, 0, G_MAXINT64, "linear", "linear"},
    {DN_COLL_SCATTER, 0, G_MAXUINT32, 0, G_MAXINT64, "linear", "linear"},
    /* clang-format on */
};

/* Of reduce_scatter_block, by what one rank gets. */
static const DnOmpiRow one_count_table[] = {
    /* clang-format off */
    {DN_COLL_REDUCE_SCATTER, 0, 4, 0, 4, "recursive_doubling", "recursive_doubling"},
    {DN_COLL_REDUCE_SCATTER, 0, 4, 4, 8, "butterfly", "butterfly"},
    {DN_COLL_REDUCE_SCATTER, 0, 4, 8, 16, "recursive_halving", "recursive_halving"},
    {DN_COLL_REDUCE_SCATTER, 0, 4, 16, 128, "butterfly", "butterfly"},
    {DN_COLL_REDUCE_SCATTER, 0, 4, 128, 256, "recursive_halving", "recursive_halving"},
    {DN_COLL_REDUCE_SCATTER, 0, 4, 256, 4096, "butterfly", "butterfly"},
    {DN_COLL_REDUCE_SCATTER, 0, 4, 4096, 8192, "recursive_halving", "recursive_halving"},
    {DN_COLL_REDUCE_SCATTER, 0, 4, 8192, 131072, "butterfly", "butterfly"},
    {DN_COLL_REDUCE_SCATTER, 0, 4, 131072, G_MAXINT64, "basic_linear", "linear"},
    {DN_COLL_REDUCE_SCATTER, 4, 8, 0, 8, "recursive_halving", "recursive_halving"},
    {DN_COLL_REDUCE_SCATTER, 4, 8, 8, 32, "recursive_doubling", "recursive_doubling"},
    {DN_COLL_REDUCE_SCATTER, 4, 8, 32, 256, "butterfly", "butterfly"},
    {DN_COLL_REDUCE_SCATTER, 4, 8, 256, 8192, "recursive_halving", "recursive_halving"},
    {DN_COLL_REDUCE_SCATTER, 4, 8, 8192, 16384, "butterfly", "butterfly"},
    {DN_COLL_REDUCE_SCATTER, 4, 8, 16384, 1048576, "recursive_halving", "recursive_halving"},
    {DN_COLL_REDUCE_SCATTER, 4, 8, 1048576, G_MAXINT64, "basic_linear", "linear"},
    {DN_COLL_REDUCE_SCATTER, 8, 16, 0, 4, "basic_linear", "linear"},
    {DN_COLL_REDUCE_SCATTER, 8, 16, 4, 32, "recursive_halving", "recursive_halving"},
    {DN_COLL_REDUCE_SCATTER, 8, 16, 32, 128, "butterfly", "butterfly"},
    {DN_COLL_REDUCE_SCATTER, 8, 16, 128, 524288, "recursive_halving", "recursive_halving"},
    {DN_COLL_REDUCE_SCATTER, 8, 16, 524288, 4194304, "basic_linear", "linear"},
    {DN_COLL_REDUCE_SCATTER, 8, 16, 4194304, G_MAXINT64, "butterfly", "butterfly"},
    {DN_COLL_REDUCE_SCATTER, 16, 32, 0, 32, "basic_linear", "linear"},
    {DN_COLL_REDUCE_SCATTER, 16, 32, 32, 524288, "recursive_halving", "recursive_halving"},
    {DN_COLL_REDUCE_SCATTER, 16, 32, 524288, 2097152, "basic_linear", "linear"},
    {DN_COLL_REDUCE_SCATTER, 16, 32, 2097152, 4194304, "recursive_halving", "recursive_halving"},
    {DN_COLL_REDUCE_SCATTER, 16, 32, 4194304, G_MAXINT64, "butterfly", "butterfly"},
    {DN_COLL_REDUCE_SCATTER, 32, G_MAXUINT32, 0, 4, "recursive_halving", "recursive_halving"},
    {DN_COLL_REDUCE_SCATTER, 32, G_MAXUINT32, 4, 16, "basic_linear", "linear"},
    {DN_COLL_REDUCE_SCATTER, 32, G_MAXUINT32, 16, 65536, "butterfly", "butterfly"},
    {DN_COLL_REDUCE_SCATTER, 32, G_MAXUINT32, 65536, 262144, "basic_linear", "linear"},
    {DN_COLL_REDUCE_SCATTER, 32, G_MAXUINT32, 262144, G_MAXINT64, "butterfly", "butterfly"},
    /* clang-format on */
};

static gboolean power_of_two(guint32 n)
{
    return (n & (n - 1)) == 0;
}

/* What the chosen algorithm does itself when it does not fit: coll_base_<collective>.c. */
static const char *select_ompi_fallback(const DnCollCall *call, DnCollKind kind, const char *name)
{
    guint64 count = (guint64)(call->bytes / MAX(1, call->element));
    guint32 n = call->n;
    if (kind == DN_COLL_ALLREDUCE && g_str_has_suffix(name, "ring"))
        return count < n ? "recursive_doubling" : "ring"; /* segments of 0: whole pieces */
    if (kind == DN_COLL_ALLREDUCE && strcmp(name, "rabenseifner") == 0)
        return count < 1u << dn_log2_floor(n) ? "linear" : name;
    if (kind == DN_COLL_REDUCE && strcmp(name, "rabenseifner") == 0)
        return count < 1u << dn_log2_floor(n) ? "linear" : name;
    if (kind == DN_COLL_BCAST && g_str_has_prefix(name, "scatter_"))
        return count < n ? "linear" : name;
    if (kind == DN_COLL_ALLGATHER && strcmp(name, "recursive_doubling") == 0)
        return power_of_two(n) ? name : "bruck";
    if (kind == DN_COLL_ALLGATHER && strcmp(name, "neighbor") == 0)
        return n % 2 ? "ring" : name;
    return name;
}

/* A reduce_scatter has a list of blocks whether they are equal or not. */
static gboolean has_unequal_rows(DnCollKind kind)
{
    return kind == DN_COLL_GATHER || kind == DN_COLL_SCATTER || kind == DN_COLL_ALLGATHER ||
           kind == DN_COLL_ALLTOALL;
}

void dn_select_ompi(const DnCollCall *call, DnCollKind kind, DnSelection *out)
{
    *out = (DnSelection){.algorithm = "linear", /* scan, alltoallw, and what no row covers */
                         .chosen = "linear",
                         .style = DN_STYLE_OMPI,
                         .window = MAX(1, call->n)};
    if (call->form & DN_COLL_IN_PLACE && kind == DN_COLL_ALLTOALL) {
        out->algorithm = out->chosen = "basic_inplace";
        return;
    }
    if (call->many_types) /* coll/basic's: the tuned component has none */
        return;
    if (call->form & DN_COLL_ORDERED && dn_coll_kind_reduces(kind)) {
        dn_select_ompi_ordered(call, kind, out);
        return;
    }
    const DnOmpiRow *rows = table;
    gsize n_rows = G_N_ELEMENTS(table);
    gint64 bytes = call->bytes;
    if (call->unequal && has_unequal_rows(kind)) {
        rows = unequal_table;
        n_rows = G_N_ELEMENTS(unequal_table);
    } else if (call->one_count && kind == DN_COLL_REDUCE_SCATTER) {
        rows = one_count_table;
        n_rows = G_N_ELEMENTS(one_count_table);
        bytes /= call->n;
    }
    for (const DnOmpiRow *row = rows; row < rows + n_rows; row++)
        if (dn_ompi_row_fits(row, kind, call->n, bytes)) {
            out->chosen = row->chosen;
            out->algorithm = select_ompi_fallback(call, kind, row->here);
            return;
        }
}

static void select_ompi(const DnCollCall *call, DnCollKind kind, const DnNcclMachine *machine,
                        DnSelection *out)
{
    dn_select_ompi(call, kind, out);
}

const DnCollLibrary dn_coll_library_ompi = {
    .name = "ompi",
    .title = "Open MPI",
    .source = "Open MPI 4.1, ompi/mca/coll/tuned/coll_tuned_decision_fixed.c",
    .limits = "a user's own rules; other components (han, ucc, hcoll)",
    .select = select_ompi,
};
