/* processes_mpi.c - see processes_mpi.h.
 *
 * An exchange is one message to each neighbour and one from each, and an MPI_Iallreduce, all under
 * way at once. A message longer than its receiver expects (`most` bytes, which grows with what came
 * last) is as long as that, and its rest follows: so receives are persistent requests. */
#include "base/processes_mpi.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FIRST_MOST 4096
#define REDUCED_WORDS (1u << 17) /* at a time: MPI takes a copy or two of them */
#define TAG_EVENTS 1
#define TAG_REST 2
#define PATIENCE_S 5.0
#define VOTE_WORDS ((int)(sizeof(DnVote) / sizeof(gint64)))

typedef struct {
    gsize out_most, in_most; /* bytes of the first message */
    guint8 *in;              /* [in_most] */
    GByteArray *whole;       /* a message with its rest */
} Route;

static struct {
    DnProcesses processes;
    gboolean started;
    MPI_Datatype vote_type;
    MPI_Op vote_op;
    DnNeighbour *neighbours;
    guint n;
    Route *routes;         /* [n] */
    MPI_Request *requests; /* [n] receives, [2 n] sends, the vote */
    int held;              /* standard error of before hold(); 0: not held */
} mpi;

/* ---- for all ---- */

static void mpi_reduce(gint64 *values, gsize n, MPI_Op op)
{
    for (gsize at = 0; at < n;) {
        int some = (int)MIN(n - at, REDUCED_WORDS);
        MPI_Allreduce(MPI_IN_PLACE, values + at, some, MPI_INT64_T, op, MPI_COMM_WORLD);
        at += (gsize)some;
    }
}

static void mpi_sum(gint64 *values, gsize n)
{
    mpi_reduce(values, n, MPI_SUM);
}

static void mpi_max(gint64 *values, gsize n)
{
    mpi_reduce(values, n, MPI_MAX);
}

static guint8 *mpi_gather(const void *bytes, gsize n_bytes, gsize *sizes)
{
    guint n = mpi.processes.n;
    g_autofree int *counts = g_new(int, n);
    g_autofree int *places = g_new(int, n);
    int own = (int)n_bytes;
    gsize all = 0;
    g_assert(n_bytes <= G_MAXINT);
    MPI_Allgather(&own, 1, MPI_INT, counts, 1, MPI_INT, MPI_COMM_WORLD);
    for (guint p = 0; p < n; p++) {
        places[p] = (int)all;
        sizes[p] = (gsize)counts[p];
        all += sizes[p];
        g_assert(all <= G_MAXINT);
    }
    guint8 *together = g_malloc(all + 1);
    MPI_Allgatherv(bytes, own, MPI_BYTE, together, counts, places, MPI_BYTE, MPI_COMM_WORLD);
    return together;
}

/* ---- with neighbours ---- */

static void route_expect(guint i, gsize most)
{
    Route *route = &mpi.routes[i];
    route->in_most = most;
    route->in = g_realloc(route->in, most);
    if (mpi.requests[i] != MPI_REQUEST_NULL)
        MPI_Request_free(&mpi.requests[i]);
    MPI_Recv_init(route->in, (int)most, MPI_BYTE, (int)mpi.neighbours[i].process, TAG_EVENTS,
                  MPI_COMM_WORLD, &mpi.requests[i]);
}

static void mpi_open(DnNeighbour *neighbours, guint n)
{
    mpi.neighbours = neighbours;
    mpi.n = n;
    mpi.routes = g_new0(Route, n);
    mpi.requests = g_new(MPI_Request, 3 * (gsize)n + 1);
    for (guint i = 0; i < 3 * n + 1; i++)
        mpi.requests[i] = MPI_REQUEST_NULL;
    for (guint i = 0; i < n; i++) {
        mpi.routes[i].out_most = FIRST_MOST;
        mpi.routes[i].whole = g_byte_array_new();
        route_expect(i, FIRST_MOST);
    }
}

static void mpi_close(void)
{
    for (guint i = 0; i < mpi.n; i++) {
        MPI_Request_free(&mpi.requests[i]);
        g_free(mpi.routes[i].in);
        g_byte_array_unref(mpi.routes[i].whole);
    }
    g_free(mpi.routes);
    g_free(mpi.requests);
    mpi.n = 0;
}

/* Returns the length of the next message's first part: doubled until a message like the last one of
 * @length fits. Both sides compute it from the same lengths. */
static gsize most_after(gsize most, gsize length)
{
    while (most <= length)
        most *= 2;
    return most;
}

static void route_send(guint i)
{
    const DnNeighbour *to = &mpi.neighbours[i];
    Route *route = &mpi.routes[i];
    gsize first = MIN(to->out->len, route->out_most);
    MPI_Request *requests = &mpi.requests[mpi.n + 2 * i];
    MPI_Isend(to->out->data, (int)first, MPI_BYTE, (int)to->process, TAG_EVENTS, MPI_COMM_WORLD,
              &requests[0]);
    if (first < route->out_most)
        return;
    MPI_Isend(to->out->data + first, (int)(to->out->len - first), MPI_BYTE, (int)to->process,
              TAG_REST, MPI_COMM_WORLD, &requests[1]);
    route->out_most = most_after(route->out_most, to->out->len);
}

/* Takes in a message that has come over route @i. */
static void route_take(guint i, MPI_Status *status)
{
    DnNeighbour *from = &mpi.neighbours[i];
    Route *route = &mpi.routes[i];
    int length, rest;
    MPI_Get_count(status, MPI_BYTE, &length);
    from->in = route->in;
    from->in_bytes = (gsize)length;
    if ((gsize)length < route->in_most)
        return;
    MPI_Status after;
    MPI_Probe((int)from->process, TAG_REST, MPI_COMM_WORLD, &after);
    MPI_Get_count(&after, MPI_BYTE, &rest);
    g_byte_array_set_size(route->whole, (guint)(length + rest));
    memcpy(route->whole->data, route->in, (gsize)length);
    MPI_Recv(route->whole->data + length, rest, MPI_BYTE, (int)from->process, TAG_REST,
             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    from->in = route->whole->data;
    from->in_bytes = (gsize)length + (gsize)rest;
    route_expect(i, most_after(route->in_most, from->in_bytes));
}

/* The signature is MPI_User_function's. */
static void vote_combine(void *in, void *inout,
                         int *n, /* NOLINT(readability-non-const-parameter) */
                         MPI_Datatype *type)
{
    const DnVote *a = in;
    DnVote *b = inout;
    (void)type;
    for (int i = 0; i < *n; i++) {
        b[i].earliest = MIN(a[i].earliest, b[i].earliest);
        b[i].flags |= a[i].flags;
        for (guint k = 0; k < DN_VOTE_SUMS; k++)
            b[i].sums[k] += a[i].sums[k];
    }
}

static void mpi_exchange(DnVote *vote)
{
    DnVote own = *vote;
    guint n = mpi.n;
    if (n > 0)
        MPI_Startall((int)n, mpi.requests);
    MPI_Iallreduce(&own, vote, 1, mpi.vote_type, mpi.vote_op, MPI_COMM_WORLD, &mpi.requests[3 * n]);
    for (guint i = 0; i < n; i++)
        route_send(i);
    for (guint left = n; left > 0; left--) {
        int i;
        MPI_Status status;
        MPI_Waitany((int)n, mpi.requests, &i, &status);
        route_take((guint)i, &status);
    }
    MPI_Waitall((int)(2 * n + 1), mpi.requests + n, MPI_STATUSES_IGNORE);
    for (guint i = 0; i < n; i++)
        g_byte_array_set_size(mpi.neighbours[i].out, 0);
}

/* ---- begin and end ---- */

/* Keeps this process's standard error back: the first process reports the same, or else
 * dn_mpi_finish() prints it. */
static void mpi_hold(void)
{
    int kept = memfd_create("darner-errors", 0);
    if (kept < 0)
        return;
    fflush(stderr);
    mpi.held = dup(STDERR_FILENO);
    dup2(kept, STDERR_FILENO);
    close(kept);
}

static void mpi_let_go(void)
{
    char text[4096];
    gssize n;
    if (mpi.held <= 0)
        return;
    fflush(stderr);
    lseek(STDERR_FILENO, 0, SEEK_SET);
    while ((n = read(STDERR_FILENO, text, sizeof text)) > 0)
        if (write(mpi.held, text, (gsize)n) != n)
            return;
}

gboolean dn_mpi_start(int *argc, char ***argv)
{
    int rank, n, level;
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    mpi.started = TRUE;
    if (n == 1)
        return FALSE;
    MPI_Type_contiguous(VOTE_WORDS, MPI_INT64_T, &mpi.vote_type);
    MPI_Type_commit(&mpi.vote_type);
    MPI_Op_create(vote_combine, TRUE, &mpi.vote_op);
    mpi.processes = (DnProcesses){.rank = (guint)rank,
                                  .n = (guint)n,
                                  .sum = mpi_sum,
                                  .max = mpi_max,
                                  .gather = mpi_gather,
                                  .open = mpi_open,
                                  .exchange = mpi_exchange,
                                  .close = mpi_close,
                                  .hold = mpi_hold};
    dn_processes_set(&mpi.processes);
    if (rank > 0 && freopen("/dev/null", "w", stdout) == NULL)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    return TRUE;
}

void dn_mpi_finish(int status)
{
    if (!mpi.started)
        return;
    MPI_Request all;
    int here = FALSE;
    double since = MPI_Wtime();
    MPI_Ibarrier(MPI_COMM_WORLD, &all);
    while (!here) {
        MPI_Test(&all, &here, MPI_STATUS_IGNORE);
        if (!here && status != 0 && MPI_Wtime() - since > PATIENCE_S) {
            mpi_let_go();
            MPI_Abort(MPI_COMM_WORLD, status);
        }
        if (!here)
            g_usleep(1000);
    }
    MPI_Finalize();
}
