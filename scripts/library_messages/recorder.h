/* recorder.h - what a program under a recorder (mpich.c, openmpi.c) calls: the linker of the
 * running program finds it when the recorder is preloaded. */
#pragma once
#include <mpi.h>
#include <stdio.h>

extern void recorder_peer(int rank) __attribute__((weak));
extern void recorder_begin(void) __attribute__((weak));
extern void recorder_end(FILE *to) __attribute__((weak));

/* Sends a message to each of the @ranks, so that the recorder learns how the library names it. */
static inline void recorder_learn(int ranks)
{
    for (int r = 0; r < ranks; r++) {
        int unused = 0;
        MPI_Request request;
        recorder_peer(r);
        MPI_Irecv(&unused, 1, MPI_INT, MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &request);
        MPI_Send(&unused, 1, MPI_INT, r, 77, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    recorder_peer(-1);
}
