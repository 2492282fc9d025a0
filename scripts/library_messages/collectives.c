/* collectives.c - calls each collective of MPI once for each size, between the marks that a
 * message recorder (openmpi.c, mpich.c) looks for, and writes what this rank sent: a line a call,
 * `collective bytes root | peer:bytes peer:bytes ...`, into DIR/RANKS.rank.
 *
 * Elements are of 4 bytes (MPI_INT), so that a count below the number of ranks occurs. `bytes` is
 * the buffer of allreduce, reduce, bcast, scan and reduce_scatter, else a block. A collective
 * comes again, up to FORMS_MOST ranks, as `collective_ordered`, with an operation of the user's
 * that does not commute, and as `collective_in_place`, with MPI_IN_PLACE.
 * usage: collectives DIR LEAST MOST LIMIT [ONLY]; LIMIT: the largest buffer in bytes; ONLY: a
 * pattern of names, e.g. reduce or '*_ordered'. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "recorder.h"

#define FORMS_MOST 17

static int rank, ranks;
static char *in, *out; /* buffers; `in` is MPI_IN_PLACE in the form of that name */
static int *counts;
static MPI_Op op;

enum { PLAIN, ORDERED, IN_PLACE, FORMS };
static const char *const suffixes[FORMS] = {"", "_ordered", "_in_place"};

static void add_in_order(void *from, void *into, int *n, MPI_Datatype *type)
{
}

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

/* Of a collective with a root only that has a place for the result, or the data, of all. */
static void *sent(int root)
{
    return in == MPI_IN_PLACE && rank != root ? out : in;
}

static void *data(void)
{
    return in == MPI_IN_PLACE ? out : in;
}

static void *received(int root)
{
    return in == MPI_IN_PLACE && rank == root ? in : out;
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
        MPI_Gatherv(sent(root), counts[rank], MPI_INT, out, counts, displs, MPI_INT, root, all);
        break;
    case SCATTERV:
        MPI_Scatterv(data(), counts, displs, MPI_INT, received(root), counts[rank], MPI_INT, root,
                     all);
        break;
    }
}

static void call(int kind, int n, int root)
{
    MPI_Comm all = MPI_COMM_WORLD;
    switch (kind) {
    case ALLREDUCE:
        MPI_Allreduce(in, out, n, MPI_INT, op, all);
        break;
    case BCAST:
        MPI_Bcast(data(), n, MPI_INT, root, all);
        break;
    case REDUCE:
        MPI_Reduce(sent(root), out, n, MPI_INT, op, root, all);
        break;
    case REDUCE_SCATTER:
        for (int i = 0; i < ranks; i++)
            counts[i] = n / ranks + (i < n % ranks);
        MPI_Reduce_scatter(in, out, counts, MPI_INT, op, all);
        break;
    case REDUCE_SCATTER_BLOCK:
        MPI_Reduce_scatter_block(in, out, n, MPI_INT, op, all);
        break;
    case SCAN:
        MPI_Scan(in, out, n, MPI_INT, op, all);
        break;
    case ALLTOALL:
        MPI_Alltoall(in, n, MPI_INT, out, n, MPI_INT, all);
        break;
    case ALLGATHER:
        MPI_Allgather(in, n, MPI_INT, out, n, MPI_INT, all);
        break;
    case GATHER:
        MPI_Gather(sent(root), n, MPI_INT, out, n, MPI_INT, root, all);
        break;
    case SCATTER:
        MPI_Scatter(data(), n, MPI_INT, received(root), n, MPI_INT, root, all);
        break;
    case EXSCAN:
        MPI_Exscan(in, out, n, MPI_INT, op, all);
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

static int reduces(int kind)
{
    return kind == ALLREDUCE || kind == REDUCE || kind == REDUCE_SCATTER ||
           kind == REDUCE_SCATTER_BLOCK || kind == SCAN || kind == EXSCAN;
}

static int has_root(int kind)
{
    return kind == BCAST || kind == REDUCE || kind == GATHER || kind == SCATTER ||
           kind == GATHERV || kind == SCATTERV;
}

/* Whether the collective is called in that form, and the command line names it. */
static int wanted(int kind, int form, const char *pattern)
{
    char name[64];
    if (form != PLAIN && ranks > FORMS_MOST)
        return 0;
    if ((form == ORDERED && !reduces(kind)) ||
        (form == IN_PLACE && (kind == BCAST || kind == BARRIER)))
        return 0;
    snprintf(name, sizeof name, "%s%s", names[kind], suffixes[form]);
    return !pattern || fnmatch(pattern, name, 0) == 0;
}

static void record(int kind, int form, long bytes, int root, FILE *to)
{
    fprintf(to, "%s%s %ld %d |", names[kind], suffixes[form], kind == BARRIER ? 0 : bytes, root);
    recorder_begin();
    call(kind, (int)(bytes / 4), root);
    recorder_end(to);
    fprintf(to, "\n");
}

static void record_sizes(int kind, int form, long least, long most, long limit, FILE *to)
{
    for (int root = 0; root < ranks; root += ranks - 1) {
        for (long bytes = least; bytes <= most; bytes *= 2) {
            if (of_blocks(kind) && bytes * ranks > limit)
                break;
            record(kind, form, bytes, root, to);
            if (kind == BARRIER)
                break;
        }
        if (!has_root(kind))
            break;
    }
}

int main(int argc, char **argv)
{
    char path[4096];
    MPI_Op in_order;
    MPI_Init(&argc, &argv);
    MPI_Op_create(add_in_order, 0, &in_order);
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
    recorder_learn(ranks);
    snprintf(path, sizeof path, "%s/%d.%d", argv[1], ranks, rank);
    FILE *to = fopen(path, "w");
    if (!to)
        return 1;
    void *buffer = in;
    for (int form = 0; form < FORMS; form++)
        for (int kind = 0; kind < KINDS; kind++)
            if (wanted(kind, form, argc == 6 ? argv[5] : NULL)) {
                in = form == IN_PLACE ? MPI_IN_PLACE : buffer;
                op = form == ORDERED ? in_order : MPI_SUM;
                record_sizes(kind, form, least, most, limit, to);
            }
    fclose(to);
    MPI_Finalize();
    return 0;
}
