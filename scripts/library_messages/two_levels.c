/* two_levels.c - calls MPI_Allreduce on ranks that MPICH takes to be on several nodes, between the
 * marks that mpich.c looks for, and writes what this rank sent, a line a call: `bytes | peer:bytes
 * peer:bytes ...`, into FILE.rank.
 *
 * usage: two_levels FILE [RANK ...]; the ranks of the communicator in its order, or all. */
#include <stdlib.h>

#include "recorder.h"

static void record(MPI_Comm comm, int bytes, FILE *to)
{
    int *in = calloc((size_t)bytes, 1), *out = calloc((size_t)bytes, 1);
    fprintf(to, "%d |", bytes);
    recorder_begin();
    MPI_Allreduce(in, out, bytes / 4, MPI_INT, MPI_SUM, comm);
    recorder_end(to);
    fprintf(to, "\n");
    free(in);
    free(out);
}

int main(int argc, char **argv)
{
    char path[4096];
    int rank, ranks, key = 0;
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 2 || !recorder_begin) {
        fprintf(stderr, "usage, with a recorder preloaded: two_levels FILE [RANK ...]\n");
        return 2;
    }
    recorder_learn(ranks);
    for (int i = 2; i < argc; i++)
        if (atoi(argv[i]) == rank)
            key = i;
    MPI_Comm_split(MPI_COMM_WORLD, argc == 2 || key > 0 ? 0 : MPI_UNDEFINED, key, &comm);
    snprintf(path, sizeof path, "%s.%d", argv[1], rank);
    FILE *to = fopen(path, "w");
    if (!to)
        return 1;
    if (comm != MPI_COMM_NULL) {
        record(comm, 8, to);
        record(comm, 4096, to);
        record(comm, 65536, to);
    }
    fclose(to);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
