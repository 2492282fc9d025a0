/* collectives.c - calls each collective of MPI once for each size, between the marks that a
 * message recorder (openmpi.c, mpich.c) looks for, and writes what this rank sent: a line a call,
 * `collective bytes root | peer:bytes peer:bytes ...`, into DIR/RANKS.rank.
 *
 * Elements are of 4 bytes (MPI_INT), so that a count below the number of ranks occurs. `bytes` is
 * the buffer of allreduce, reduce, bcast, scan and reduce_scatter, else a block.
 * usage: collectives DIR LEAST MOST LIMIT [ONLY]; LIMIT: the largest buffer in bytes; ONLY: the
 * name of one collective. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the recorder, which the linker of the running program finds when it is preloaded. */
extern void recorder_peer(int rank) __attribute__((weak));
extern void recorder_begin(void) __attribute__((weak));
extern void recorder_end(FILE *to) __attribute__((weak));

static int rank, ranks;
static char *in, *out;
static int *counts;

enum {
    ALLREDUCE,
    BCAST,
    REDUCE,
    REDUCE_SCATTER,
    REDUCE_SCATTER_BLOCK,
    SCAN,
    ALLTOALL,
    ALLGATHER,
    GATHER,
    SCATTER,
    BARRIER,
    ALLGATHERV,
    ALLTOALLV,
    GATHERV,
    SCATTERV,
    EXSCAN,
    ALLGATHERV_GAPS,
    ALLTOALLV_GAPS,
    ALLTOALLW,
    KINDS
};
static const char *const names[KINDS] = {
    "allreduce", "bcast",           "reduce",         "reduce_scatter", "reduce_scatter_block",
    "scan",      "alltoall",        "allgather",      "gather",         "scatter",
    "barrier",   "allgatherv",      "alltoallv",      "gatherv",        "scatterv",
    "exscan",    "allgatherv_gaps", "alltoallv_gaps", "alltoallw"};

/* Of unequal blocks: of rank i, or from i to j, one or two times n elements; with gaps: none, one
 * or two times. */
static int *displs, *to_counts, *to_displs;
static MPI_Datatype *types; /* of alltoallw, whose displacements are in bytes */

static void set_blocks(int kind, int n)
{
    int at = 0, to = 0, gaps = kind == ALLGATHERV_GAPS || kind == ALLTOALLV_GAPS;
    int pairs = kind == ALLTOALLV || kind == ALLTOALLV_GAPS || kind == ALLTOALLW;
    int unit = kind == ALLTOALLW ? 4 : 1;
    for (int i = 0; i < ranks; i++) {
        int place = pairs ? rank + i : i;
        counts[i] = n * (gaps ? place % 3 : 1 + place % 2);
        displs[i] = at * unit;
        at += counts[i];
        to_counts[i] = counts[i];
        to_displs[i] = to * unit;
        types[i] = MPI_INT;
        to += to_counts[i];
    }
}

static void call_unequal(int kind, int n, int root)
{
    MPI_Comm all = MPI_COMM_WORLD;
    set_blocks(kind, n);
    switch (kind) {
    case ALLGATHERV:
    case ALLGATHERV_GAPS:
        MPI_Allgatherv(in, counts[rank], MPI_INT, out, counts, displs, MPI_INT, all);
        break;
    case ALLTOALLV:
    case ALLTOALLV_GAPS:
        MPI_Alltoallv(in, to_counts, to_displs, MPI_INT, out, counts, displs, MPI_INT, all);
        break;
    case ALLTOALLW:
        MPI_Alltoallw(in, to_counts, to_displs, types, out, counts, displs, types, all);
        break;
    case GATHERV:
        MPI_Gatherv(in, counts[rank], MPI_INT, out, counts, displs, MPI_INT, root, all);
        break;
    case SCATTERV:
        MPI_Scatterv(in, counts, displs, MPI_INT, out, counts[rank], MPI_INT, root, all);
        break;
    }
}

static void call(int kind, int n, int root)
{
    MPI_Comm all = MPI_COMM_WORLD;
    switch (kind) {
    case ALLREDUCE:
        MPI_Allreduce(in, out, n, MPI_INT, MPI_SUM, all);
        break;
    case BCAST:
        MPI_Bcast(in, n, MPI_INT, root, all);
        break;
    case REDUCE:
        MPI_Reduce(in, out, n, MPI_INT, MPI_SUM, root, all);
        break;
    case REDUCE_SCATTER:
        for (int i = 0; i < ranks; i++)
            counts[i] = n / ranks + (i < n % ranks);
        MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, all);
        break;
    case REDUCE_SCATTER_BLOCK:
        MPI_Reduce_scatter_block(in, out, n, MPI_INT, MPI_SUM, all);
        break;
    case SCAN:
        MPI_Scan(in, out, n, MPI_INT, MPI_SUM, all);
        break;
    case ALLTOALL:
        MPI_Alltoall(in, n, MPI_INT, out, n, MPI_INT, all);
        break;
    case ALLGATHER:
        MPI_Allgather(in, n, MPI_INT, out, n, MPI_INT, all);
        break;
    case GATHER:
        MPI_Gather(in, n, MPI_INT, out, n, MPI_INT, root, all);
        break;
    case SCATTER:
        MPI_Scatter(in, n, MPI_INT, out, n, MPI_INT, root, all);
        break;
    case EXSCAN:
        MPI_Exscan(in, out, n, MPI_INT, MPI_SUM, all);
        break;
    case BARRIER:
        MPI_Barrier(all);
        break;
    default:
        call_unequal(kind, n, root);
    }
}

static int of_blocks(int kind)
{
    return kind == ALLTOALL || kind == ALLGATHER || kind == GATHER || kind == SCATTER ||
           kind == REDUCE_SCATTER_BLOCK || (kind >= ALLGATHERV && kind != EXSCAN);
}

static void record(int kind, long bytes, int root, FILE *to)
{
    fprintf(to, "%s %ld %d |", names[kind], kind == BARRIER ? 0 : bytes, root);
    recorder_begin();
    call(kind, (int)(bytes / 4), root);
    recorder_end(to);
    fprintf(to, "\n");
}

int main(int argc, char **argv)
{
    char path[4096];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 5 || argc > 6 || !recorder_begin) {
        fprintf(stderr,
                "usage, with a recorder preloaded: collectives DIR LEAST MOST LIMIT [ONLY]\n");
        return 2;
    }
    long least = strtol(argv[2], NULL, 10), most = strtol(argv[3], NULL, 10);
    long limit = strtol(argv[4], NULL, 10);
    in = calloc(1, 2 * (size_t)limit + 64); /* unequal blocks take up to twice as much */
    out = calloc(1, 2 * (size_t)limit + 64);
    counts = calloc((size_t)ranks, sizeof *counts);
    displs = calloc((size_t)ranks, sizeof *displs);
    to_counts = calloc((size_t)ranks, sizeof *to_counts);
    to_displs = calloc((size_t)ranks, sizeof *to_displs);
    types = calloc((size_t)ranks, sizeof *types);
    for (int r = 0; r < ranks; r++) {
        int unused = 0;
        MPI_Request request;
        recorder_peer(r);
        MPI_Irecv(&unused, 1, MPI_INT, MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &request);
        MPI_Send(&unused, 1, MPI_INT, r, 77, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    recorder_peer(-1);
    snprintf(path, sizeof path, "%s/%d.%d", argv[1], ranks, rank);
    FILE *to = fopen(path, "w");
    if (!to)
        return 1;
    for (int kind = 0; kind < KINDS; kind++) {
        if (argc == 6 && strcmp(argv[5], names[kind]) != 0)
            continue;
        for (int root = 0; root < ranks; root += ranks - 1) {
            int rooted = kind == BCAST || kind == REDUCE || kind == GATHER || kind == SCATTER ||
                         kind == GATHERV || kind == SCATTERV;
            for (long bytes = least; bytes <= most; bytes *= 2) {
                if (of_blocks(kind) && bytes * ranks > limit)
                    break;
                record(kind, bytes, root, to);
                if (kind == BARRIER)
                    break;
            }
            if (!rooted)
                break;
        }
    }
    fclose(to);
    MPI_Finalize();
    return 0;
}
