/* darner_records.h - The records of our own recorder's traces: the fields of a record
 * (darner_fields.c) and what each record adds to the trace (darner_records.c). */
#pragma once
#include "base/record_format.h"
#include "trace/request_table.h"
#include "trace/trace.h"

typedef struct {
    const guint8 *at, *end;
    gboolean bad;
} DnRecFields;

/* Each takes the next field; f->bad: it is cut off or out of range. */
guint64 dn_rec_take(DnRecFields *f);
/* Takes a number of at most G_MAXINT32. */
guint32 dn_rec_take_small(DnRecFields *f);
/* A rank or tag; DN_ANY for any; *@null: MPI_PROC_NULL. */
guint32 dn_rec_take_name(DnRecFields *f, gboolean *null);
/* count times size */
gint64 dn_rec_take_bytes(DnRecFields *f);
/* Into @text of @space bytes, cut where it is longer. */
void dn_rec_take_text(DnRecFields *f, char *text, gsize space);

/* Fields of the wait for a begun receive. */
typedef struct {
    guint32 peer, tag;
    gint64 bytes;
    gboolean cancelled; /* it took nothing */
} DnRecOutcome;

typedef struct {
    guint64 receive; /* its number among the receives, from 1; 0: a send */
    gboolean live;   /* the sink knows it; not so of one with MPI_PROC_NULL */
    gboolean persistent, cancelled;
} DnRecRequest;

typedef struct {
    DnTraceSink *sink;
    guint32 rank;
    DnRecOperation operation; /* of the present record */
    DnTraceOp op;
    guint64 at;
    GArray *list;  /* gint64 */
    guint64 begun; /* receives, so far */
    /* number of the receive -> DnRecOutcome, of those unlike what was asked */
    GHashTable *outcomes;
    gboolean scouting;
    GArray *requests;       /* DnRecRequest, of the numbers seen so far */
    DnRequestTable numbers; /* of a request -> its index in requests */
} DnRecWalk;

/* Adds the record that begins at f->at to the trace. */
gboolean dn_rec_walk_record(DnRecWalk *w, DnRecFields *f, GError **error);
