/* processes.h - The processes that share one simulation, and what they say to each other.
 *
 * All processes of a run do the same: read the same files, build the same machine, decide the same.
 * Only the engine and the runtime divide their state, and agree by these calls, which are
 * collective: every process makes the same ones in the same order. The program sets the transport
 * (processes_mpi.c) when MPI has started several processes; the library never starts MPI.
 * LIMITATION: all processes run the same program on machines of the same byte order. */
#pragma once
#include "base/error.h"

#define DN_VOTE_SUMS 5

/* The values that all processes agree on after a window: a minimum, sums, and flags that any of
 * them set. */
typedef struct {
    gint64 earliest;
    gint64 sums[DN_VOTE_SUMS];
    gint64 flags;
} DnVote;

/* Another process with which events are exchanged after each window. */
typedef struct {
    guint process;
    GByteArray *out;  /* sent, and emptied */
    const guint8 *in; /* [in_bytes] what came; until the next exchange */
    gsize in_bytes;
} DnNeighbour;

typedef struct DnProcesses DnProcesses;
struct DnProcesses {
    guint rank, n;
    void (*sum)(gint64 *values, gsize n);
    void (*max)(gint64 *values, gsize n);
    /* (transfer full): what each process gave, one after the other; sizes[n] in bytes. */
    guint8 *(*gather)(const void *bytes, gsize n_bytes, gsize *sizes);
    /* One exchange with all neighbours, and @vote combined over all processes. A process's
     * neighbours are the same in all exchanges from open() to close(), and theirs include it. */
    void (*open)(DnNeighbour *neighbours, guint n);
    void (*exchange)(DnVote *vote);
    void (*close)(void);
    /* Called in all processes but the first: an error's text of theirs is shown only if the first
     * process has none. */
    void (*hold)(void);
};

/* NULL: this process is alone. */
const DnProcesses *dn_processes(void);
/* main.c; @processes stays. */
void dn_processes_set(const DnProcesses *processes);

/* FALSE + the error of the lowest process that has one, on all of them. @error: this process's, or
 * NULL in it. */
gboolean dn_processes_agree(const DnProcesses *processes, GError **error);

/* The number of processes that a launcher of MPI programs says it has started, and this one's @rank
 * among them; 1: nothing says so. */
guint dn_processes_launched(guint *rank);
