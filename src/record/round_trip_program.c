/* round_trip_program.c - an MPI program that writes down by itself every call it makes, and what
 * came of it: the recorder's trace must say the same, line by line (commands/record_cli_test.c).
 *
 * `round_trip FOLDER` writes FOLDER/log-<rank>; with `kill` behind it every rank kills itself after
 * a known number of calls. Runs with any number of ranks >= 2. Names of lines
 * are those of dn_call_name(); peers are ranks of MPI_COMM_WORLD. */
#include <mpi.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static FILE *logfile;
static int me, n;
static char buffer[1 << 20], other[1 << 20];

__attribute__((format(printf, 1, 2))) static void program_note(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): started above */
    vfprintf(logfile, format, args);
    va_end(args);
    fputc('\n', logfile);
    fflush(logfile);
}

static int world_rank(MPI_Comm comm, int rank)
{
    MPI_Group from, to;
    int world = -1;
    PMPI_Comm_group(comm, &from);
    PMPI_Comm_group(MPI_COMM_WORLD, &to);
    PMPI_Group_translate_ranks(from, 1, &rank, to, &world);
    PMPI_Group_free(&from);
    PMPI_Group_free(&to);
    return world;
}

static int bytes_of(MPI_Status *status)
{
    int bytes = 0;
    PMPI_Get_count(status, MPI_BYTE, &bytes);
    return bytes;
}

/* Called by its other name, which Fortran's bindings use. */
static void program_barrier(void)
{
    PMPI_Barrier(MPI_COMM_WORLD);
    program_note("barrier of %d", n);
}

/* Blocking in every mode, a vector type, PROC_NULL, any source and tag, less than fits. */
static void program_blocking(void)
{
    int right = (me + 1) % n, left = (me + n - 1) % n;
    MPI_Status status;
    MPI_Datatype column;
    MPI_Type_vector(10, 2, 5, MPI_INT, &column); /* 20 ints: 80 bytes */
    MPI_Type_commit(&column);
    MPI_Sendrecv(buffer, 3, column, right, 7, other, 1000, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG,
                 MPI_COMM_WORLD, &status);
    program_note("sendrecv to %d tag 7 bytes 240 from %d tag %d bytes %d", right, status.MPI_SOURCE,
                 status.MPI_TAG, bytes_of(&status));
    program_barrier(); /* what comes next may not be taken by it */
    MPI_Sendrecv_replace(buffer, 5, MPI_DOUBLE, left, 1, right, 1, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    program_note("sendrecv to %d tag 1 bytes 40 from %d tag 1 bytes 40", left, right);
    MPI_Send(buffer, 8, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    if (me == 0) {
        MPI_Ssend(buffer, 1, column, 1, 3, MPI_COMM_WORLD);
        program_note("send to 1 tag 3 bytes 80");
        MPI_Probe(1, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        program_note("probe from 1 tag %d", status.MPI_TAG);
        MPI_Recv(buffer, 200000, MPI_BYTE, 1, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        program_note("recv from 1 tag 4 bytes 100000");
    } else if (me == 1) {
        MPI_Recv(buffer, 80, MPI_BYTE, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        program_note("recv from 0 tag 3 bytes 80");
        MPI_Send(buffer, 25000, MPI_FLOAT, 0, 4, MPI_COMM_WORLD);
        program_note("send to 0 tag 4 bytes 100000");
    }
    MPI_Type_free(&column);
}

/* Rank 0 takes from all by any source; who came is said by the waits. */
static void program_begun(void)
{
    MPI_Request requests[64];
    MPI_Status statuses[64];
    int indices[64], done = 0;
    if (me != 0) {
        MPI_Isend(buffer, 16 * me, MPI_BYTE, 0, 20 + me, MPI_COMM_WORLD, &requests[0]);
        program_note("isend to 0 tag %d bytes %d", 20 + me, 16 * me);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        program_note("wait 1");
        return;
    }
    /* An irecv's line can only be written when it is over; its place is kept by its number. */
    for (int i = 1; i < n; i++)
        MPI_Irecv(other, 4096, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                  &requests[i - 1]);
    char lines[64][80], waits[64][80];
    int left = n - 1, n_waits = 0;
    while (left > 0) {
        if (left > 2) {
            int index;
            MPI_Waitany(n - 1, requests, &index, &statuses[0]);
            indices[0] = index;
            done = 1;
            snprintf(waits[n_waits++], 80, "waitany 1");
        } else {
            MPI_Waitsome(n - 1, requests, &done, indices, statuses);
            snprintf(waits[n_waits++], 80, "waitsome %d", done);
        }
        for (int i = 0; i < done; i++)
            snprintf(lines[indices[i]], 80, "irecv from %d tag %d bytes %d", statuses[i].MPI_SOURCE,
                     statuses[i].MPI_TAG, bytes_of(&statuses[i]));
        left -= done;
    }
    for (int i = 1; i < n; i++)
        program_note("%s", lines[i - 1]);
    for (int i = 0; i < n_waits; i++)
        program_note("%s", waits[i]);
}

/* Persistent ones started twice; a test polled until it is true; waitall. */
static void program_persistent(void)
{
    int right = (me + 1) % n, left = (me + n - 1) % n, done = 0;
    MPI_Request requests[2], single;
    MPI_Send_init(buffer, 100, MPI_INT, right, 5, MPI_COMM_WORLD, &requests[0]);
    program_note("send_init to %d tag 5 bytes 400", right);
    MPI_Recv_init(other, 100, MPI_INT, left, 5, MPI_COMM_WORLD, &requests[1]);
    program_note("recv_init from %d tag 5 bytes 400", left);
    for (int round = 0; round < 2; round++) {
        MPI_Startall(2, requests);
        program_note("start 2");
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        program_note("waitall 2");
    }
    MPI_Request_free(&requests[0]);
    program_note("request_free");
    MPI_Request_free(&requests[1]);
    program_note("request_free");
    MPI_Irecv(other, 64, MPI_BYTE, left, 6, MPI_COMM_WORLD, &single);
    program_note("irecv from %d tag 6 bytes 64", left);
    MPI_Send(buffer, 64, MPI_BYTE, right, 6, MPI_COMM_WORLD);
    program_note("send to %d tag 6 bytes 64", right);
    while (!done)
        MPI_Test(&single, &done, MPI_STATUS_IGNORE);
    program_note("test 1");
}

/* A receive that would take anything, had it not been cancelled: it took nothing, so the trace has
 * no such receive, and its wait ends no request. */
static void program_cancelled(void)
{
    MPI_Request request;
    MPI_Irecv(other, 4096, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    program_note("wait 0");
}

static void matched_probe(void)
{
    int right = (me + 1) % n, found = 0;
    MPI_Message message;
    MPI_Status status;
    MPI_Request request;
    MPI_Isend(buffer, 12, MPI_SHORT, right, 9, MPI_COMM_WORLD, &request);
    program_note("isend to %d tag 9 bytes 24", right);
    while (!found)
        MPI_Improbe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &found, &message, &status);
    program_note("iprobe from %d tag 9", status.MPI_SOURCE);
    MPI_Mrecv(other, 4000, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    program_note("recv from %d tag 9 bytes 24", status.MPI_SOURCE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    program_note("wait 1");
}

/* 1, 2, 3, ... elements for ranks 0, 1, 2, ...; their sum. */
static int program_growing(int size, int *counts, int *places)
{
    int total = 0;
    for (int i = 0; i < size; i++) {
        counts[i] = i + 1;
        places[i] = total;
        total += counts[i];
    }
    return total;
}

static void even_collectives(MPI_Comm comm, int size, int rank)
{
    int root = size - 1;
    MPI_Barrier(comm);
    program_note("barrier of %d", size);
    MPI_Bcast(buffer, 33, MPI_INT, root, comm);
    program_note("bcast of %d root %d bytes 132", size, root);
    MPI_Reduce(buffer, other, 10, MPI_DOUBLE, MPI_SUM, 0, comm);
    program_note("reduce of %d root 0 bytes 80", size);
    MPI_Allreduce(MPI_IN_PLACE, other, 3, MPI_INT, MPI_MAX, comm);
    program_note("allreduce of %d bytes 12", size);
    MPI_Gather(buffer, 6, MPI_BYTE, other, 6, MPI_BYTE, 0, comm);
    program_note("gather of %d root 0 bytes 6", size);
    MPI_Scatter(buffer, 2, MPI_INT, rank == 0 ? MPI_IN_PLACE : other, 2, MPI_INT, 0, comm);
    program_note("scatter of %d root 0 bytes 8", size);
    MPI_Allgather(buffer, 4, MPI_INT, other, 16, MPI_BYTE, comm);
    program_note("allgather of %d bytes 16", size);
    MPI_Alltoall(buffer, 5, MPI_INT, other, 5, MPI_INT, comm);
    program_note("alltoall of %d bytes 20", size);
    MPI_Reduce_scatter_block(buffer, other, 3, MPI_INT, MPI_SUM, comm);
    program_note("reduce_scatter_block of %d bytes %d", size, 12 * size);
    MPI_Scan(buffer, other, 2, MPI_INT, MPI_SUM, comm);
    program_note("scan of %d bytes 8", size);
    MPI_Exscan(buffer, other, 2, MPI_INT, MPI_SUM, comm);
    program_note("exscan of %d bytes 8", size);
}

/* In alltoallv rank i is sent rank + 1 elements, so i + 1 come from rank i. */
static void uneven_collectives(MPI_Comm comm, int size, int rank)
{
    int counts[64] = {0}, places[64] = {0}, same[64], at[64], root = size - 1;
    int total = program_growing(size, counts, places);
    for (int i = 0; i < size; i++) {
        same[i] = rank + 1;
        at[i] = i * (rank + 1);
    }
    MPI_Gatherv(buffer, counts[rank], MPI_INT, other, counts, places, MPI_INT, root, comm);
    program_note("gatherv of %d root %d bytes %d list %d", size, root, 4 * counts[rank],
                 rank == root ? 4 * total : 0);
    MPI_Scatterv(buffer, counts, places, MPI_INT, other, counts[rank], MPI_INT, root, comm);
    program_note("scatterv of %d root %d bytes %d list %d", size, root, 4 * counts[rank],
                 rank == root ? 4 * total : 0);
    MPI_Allgatherv(buffer, counts[rank], MPI_INT, other, counts, places, MPI_INT, comm);
    program_note("allgatherv of %d list %d", size, 4 * total);
    MPI_Alltoallv(buffer, same, at, MPI_INT, other, counts, places, MPI_INT, comm);
    program_note("alltoallv of %d list %d", size, 4 * (size * (rank + 1) + total));
    MPI_Reduce_scatter(buffer, other, counts, MPI_INT, MPI_SUM, comm);
    program_note("reduce_scatter of %d list %d", size, 4 * total);
}

static void program_collectives(MPI_Comm comm)
{
    int size, rank;
    MPI_Request requests[3];
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &rank);
    even_collectives(comm, size, rank);
    uneven_collectives(comm, size, rank);
    MPI_Iallreduce(buffer, other, 7, MPI_INT, MPI_SUM, comm, &requests[0]);
    program_note("allreduce of %d bytes 28 begun", size);
    MPI_Ibarrier(comm, &requests[1]);
    program_note("barrier of %d begun", size);
    MPI_Ialltoall(buffer, 1, MPI_INT, other + 512, 1, MPI_INT, comm, &requests[2]);
    program_note("alltoall of %d bytes 4 begun", size);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    program_note("waitall 3");
}

/* A message inside @comm: peers are distinguished from those of the same rank in another. */
static void program_around(MPI_Comm comm)
{
    int size, rank;
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &rank);
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Sendrecv(buffer, 11, MPI_INT, right, 2, other, 11, MPI_INT, left, 2, comm,
                 MPI_STATUS_IGNORE);
    program_note("sendrecv to %d tag 2 bytes 44 from %d tag 2 bytes 44", world_rank(comm, right),
                 world_rank(comm, left));
}

static void program_communicators(void)
{
    MPI_Comm dup, half, part, group_made, grid, row;
    MPI_Group world, chosen;
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    program_note("comm_dup");
    program_around(dup);
    MPI_Comm_split(dup, me % 2, -me, &half); /* in reverse order */
    program_note("comm_split");
    program_around(half);
    program_collectives(half);
    MPI_Comm_split(half, me == 0 ? MPI_UNDEFINED : 1, 0, &part);
    program_note("comm_split");
    if (part != MPI_COMM_NULL) {
        program_around(part);
        MPI_Comm_free(&part);
        program_note("comm_free");
    }
    int *ranks = calloc((size_t)n, sizeof *ranks), n_chosen = (n + 1) / 2;
    for (int i = 0; i < n_chosen; i++)
        ranks[i] = n - 1 - i;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, n_chosen, ranks, &chosen);
    if (me >= n - n_chosen) {
        MPI_Comm_create_group(MPI_COMM_WORLD, chosen, 3, &group_made);
        program_note("comm_create_group");
        program_around(group_made);
        MPI_Comm_free(&group_made);
        program_note("comm_free");
    }
    MPI_Comm_create(MPI_COMM_WORLD, chosen, &group_made);
    program_note("comm_split");
    if (group_made != MPI_COMM_NULL) {
        program_around(group_made);
        MPI_Comm_free(&group_made);
        program_note("comm_free");
    }
    int sizes[2] = {0, 0}, wrapped[2] = {1, 1}, kept[2] = {0, 1};
    MPI_Dims_create(n, 2, sizes);
    MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, wrapped, 1, &grid);
    program_note("comm_split");
    MPI_Cart_sub(grid, kept, &row);
    program_note("comm_split");
    program_around(row);
    MPI_Comm_free(&row);
    program_note("comm_free");
    MPI_Comm_free(&grid);
    program_note("comm_free");
    MPI_Comm_free(&half);
    program_note("comm_free");
    MPI_Comm_free(&dup);
    program_note("comm_free");
    MPI_Group_free(&chosen);
    MPI_Group_free(&world);
    free(ranks);
}

/* Messages of an inter-communicator are not in the trace, nor are their persistent requests started
 * or ended. */
static void program_between_groups(void)
{
    MPI_Comm half, between;
    MPI_Request requests[2];
    int rank;
    MPI_Comm_split(MPI_COMM_WORLD, me % 2, 0, &half);
    program_note("comm_split");
    MPI_Comm_rank(half, &rank);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - me % 2, 11, &between);
    if (rank < n / 2) {
        MPI_Send_init(buffer, 9, MPI_BYTE, rank, 2, between, &requests[0]);
        MPI_Recv_init(other, 9, MPI_BYTE, rank, 2, between, &requests[1]);
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        program_note("waitall 0");
        MPI_Request_free(&requests[0]);
        MPI_Request_free(&requests[1]);
    }
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
    program_note("comm_free");
}

/* Calls that fill several blocks, then the end without warning. */
static void be_killed(void)
{
    for (int i = 0; i < 5000; i++) {
        MPI_Sendrecv(buffer, i % 100, MPI_BYTE, (me + 1) % n, i, other, 100, MPI_BYTE,
                     (me + n - 1) % n, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        program_note("sendrecv to %d tag %d bytes %d from %d tag %d bytes %d", (me + 1) % n, i,
                     i % 100, (me + n - 1) % n, i, i % 100);
    }
    program_barrier();
    sleep(1); /* the first that dies takes the others with it: all have recorded the barrier */
    raise(SIGKILL);
}

int main(int argc, char **argv)
{
    char path[4096];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    if (argc < 2 || n < 2 || n > 64)
        return 2;
    snprintf(path, sizeof path, "%s/log-%d", argv[1], me);
    logfile = fopen(path, "w");
    if (logfile == NULL)
        return 2;
    program_note("init");
    if (argc > 2 && strcmp(argv[2], "kill") == 0)
        be_killed();
    program_blocking();
    program_barrier();
    program_begun();
    program_barrier();
    program_persistent();
    program_barrier();
    program_cancelled();
    program_barrier();
    matched_probe();
    program_collectives(MPI_COMM_WORLD);
    program_communicators();
    program_between_groups();
    MPI_Finalize();
    program_note("finalize");
    fclose(logfile);
    return 0;
}
