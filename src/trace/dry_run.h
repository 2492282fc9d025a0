/* dry_run.h - A program is executed without a clock: every operation that can proceed does, and
 * messages arrive at once.
 *
 * A dry run shows whether a program can end at all, which ranks block, and which messages nobody
 * receives; it gives an order of the operations in which every wait ends. */
#pragma once
#include "workload/program.h"

/* Called in the order in which things happen; any may be NULL. */
typedef struct {
    gpointer data;
    /* An operation begins; the word is kept with sends and receives for waited(). */
    guint64 (*begin)(gpointer data, guint32 rank, guint32 stream, const DnOp *op);
    /* A wait ended (in programs that want to know of completions: the operation did). */
    void (*waited)(gpointer data, guint32 rank, guint32 stream, const DnOp *op, guint64 word);
    /* The receive whose word is @word gets a message of rank @source. */
    void (*matched)(gpointer data, guint32 rank, guint64 word, guint32 source);
    gboolean synchronous; /* a send is over when it is received; else when it begins */
} DnDryRunObserver;

/* A rank that waits in vain, or sent in vain, or receives a message of another size. */
typedef struct {
    guint32 rank, stream;
    DnOp op;           /* the send or receive; wait or await where there is none to name */
    guint64 more;      /* others of the same rank and sort */
    gint64 sent_bytes; /* of the message that does not fit */
} DnDryRunLoose;

typedef struct {
    guint64 ops, messages, bytes;
    GArray *blocked;    /* DnDryRunLoose: a receive that each blocked rank waits for */
    GArray *unreceived; /* DnDryRunLoose: by receiver, the first send that nobody took */
    GArray *unfit;      /* DnDryRunLoose: by receiver, the first receive that is too short, or whose
                           size is not that of its collective's message */
} DnDryRunResult;
void dn_dry_run_result_clear(DnDryRunResult *result);

/* One iteration. */
void dn_dry_run(const DnProgram *program, const DnDryRunObserver *observer, DnDryRunResult *result);
