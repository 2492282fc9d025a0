/* two_levels.c - calls MPI's collectives of two levels on ranks that MPICH takes to be on several
 * nodes, between the marks that mpich.c looks for, and writes what this rank sent, a line a call:
 * `collective root bytes | peer:bytes peer:bytes ...`, into FILE.rank.
 *
 * usage: two_levels FILE COLLECTIVES [RANK ...]; letters: a allreduce, b bcast, m barrier, r
 * reduce, s scan; the ranks of the communicator in its order, or all. Roots are its first, second
 * and last rank. */
#include <stdlib.h>

#include "recorder.h"

#define MOST 65536

static char in[MOST], out[MOST];

static void call(char collective, int root, int bytes, MPI_Comm comm)
{
    int n = bytes / 4;
    switch (collective) {
    case 'a':
        MPI_Allreduce(in, out, n, MPI_INT, MPI_SUM, comm);
        break;
    case 'b':
        MPI_Bcast(out, n, MPI_INT, root, comm);
        break;
    case 'm':
        MPI_Barrier(comm);
        break;
    case 'r':
        MPI_Reduce(in, out, n, MPI_INT, MPI_SUM, root, comm);
        break;
    case 's':
        MPI_Scan(in, out, n, MPI_INT, MPI_SUM, comm);
        break;
    }
}

static void record(char collective, int root, int bytes, MPI_Comm comm, FILE *to)
{
    static const char *const names[256] = {
        ['a'] = "allreduce", ['b'] = "bcast", ['m'] = "barrier", ['r'] = "reduce", ['s'] = "scan"};
    fprintf(to, "%s %d %d |", names[(unsigned char)collective], root, bytes);
    recorder_begin();
    call(collective, root, bytes, comm);
    recorder_end(to);
    fprintf(to, "\n");
}

static void record_sizes(char collective, MPI_Comm comm, FILE *to)
{
    static const int of_bcast[] = {8, 12288, MOST}, of_sums[] = {8, 4096, MOST};
    int ranks, rooted = collective == 'b' || collective == 'r';
    const int *sizes = collective == 'b' ? of_bcast : of_sums;
    MPI_Comm_size(comm, &ranks);
    const int roots[] = {0, 1, ranks - 1};
    for (int i = 0; i < (collective == 'm' ? 1 : 3); i++)
        for (int k = 0; k < (rooted ? 3 : 1); k++)
            record(collective, roots[k], collective == 'm' ? 0 : sizes[i], comm, to);
}

int main(int argc, char **argv)
{
    char path[4096];
    int rank, ranks, key = 0;
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 3 || !recorder_begin) {
        fprintf(stderr,
                "usage, with a recorder preloaded: two_levels FILE COLLECTIVES [RANK ...]\n");
        return 2;
    }
    recorder_learn(ranks);
    for (int i = 3; i < argc; i++)
        if (atoi(argv[i]) == rank)
            key = i;
    MPI_Comm_split(MPI_COMM_WORLD, argc == 3 || key > 0 ? 0 : MPI_UNDEFINED, key, &comm);
    snprintf(path, sizeof path, "%s.%d", argv[1], rank);
    FILE *to = fopen(path, "w");
    if (!to)
        return 1;
    for (const char *c = argv[2]; comm != MPI_COMM_NULL && *c; c++)
        record_sizes(*c, comm, to);
    fclose(to);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
