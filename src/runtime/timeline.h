/* timeline.h - A timeline records the activity of ranks and links as slices of time, and messages.
 *
 * Slices of a rank: the operations it executes, those it waits for, around them the MPI call of a
 * trace that they belong to (successive calls of one kind, as far as no time passes between them,
 * are one slice), and around those its iterations. Slices of a link: it sends packets of a job
 * (those without a gap between them are one slice), or has packets and no credits. Messages: from
 * when one was given to the network to its last byte's arrival, without control messages; of one
 * that goes through host memory the last part. The first `most` of each are kept, which bounds
 * memory; the end of a longer run is left out. */
#pragma once
#include "engine/engine.h"

typedef enum {
    DN_SLICE_COMPUTE,
    DN_SLICE_COPY,
    DN_SLICE_REDUCE,
    DN_SLICE_SEND, /* busy issuing one */
    DN_SLICE_RECV, /* busy posting one */
    DN_SLICE_WAIT,
    DN_SLICE_COMPLETION,   /* costs of a wait when it is over */
    DN_SLICE_AWAIT,        /* for another stream of the rank */
    DN_SLICE_BACKPRESSURE, /* for entries of the mechanism's pool */
    DN_SLICE_CALL,         /* an MPI call of a trace: */
    DN_SLICE_ITERATION,
    DN_SLICE_BUSY, /* from here on of links */
    DN_SLICE_STALLED,
    DN_SLICE_KINDS,
    DN_SLICE_OUT = DN_SLICE_KINDS, /* none of them */
} DnSliceKind;
const char *dn_slice_name(DnSliceKind kind);

static inline gboolean dn_slice_of_link(guint kind)
{
    return kind >= DN_SLICE_BUSY;
}

typedef struct {
    gint64 from_ps, to_ps;
    guint32 row;    /* rank of the job, or link */
    guint16 job;    /* a stalled link has none */
    guint16 stream; /* of the rank */
    guint8 kind;    /* DnSliceKind */
    guint8 call;    /* DnOp.call of DN_SLICE_CALL */
} DnSlice;

typedef struct {
    gint64 sent_ps, arrived_ps;
    gint64 bytes;
    guint32 from, to; /* ranks of the job */
    guint16 job;
} DnTimelineMessage;

#define DN_TIMELINE_MOST 500000

typedef enum {
    DN_TIMELINE_RANKS = 1, /* with their messages */
    DN_TIMELINE_LINKS = 2,
    DN_TIMELINE_ALL = DN_TIMELINE_RANKS | DN_TIMELINE_LINKS,
} DnTimelineParts;

typedef struct {
    guint most;       /* of each part's slices, and of messages */
    guint parts;      /* DnTimelineParts */
    GArray *slices;   /* DnSlice of ranks; in the order of their ends until dn_timeline_sort() */
    GArray *links;    /* DnSlice of links; likewise */
    GArray *messages; /* DnTimelineMessage; by arrival */
    gint64 cut_ps;    /* the first rank's slice or message left out ends here; G_MAXINT64: none */
    gint64 links_cut_ps; /* likewise, of links */
    guint32 *last;       /* [n_links] number + 1 of each link's last slice */
} DnTimeline;

typedef struct DnReplay DnReplay;

DnTimeline *dn_timeline_new(guint most, guint parts);
void dn_timeline_free(DnTimeline *timeline);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnTimeline, dn_timeline_free)
/* Empties the timeline and observes @replay. */
void dn_timeline_begin(DnTimeline *timeline, DnReplay *replay, guint32 n_links);
/* DnObserver.channel */
void dn_timeline_link(DnTimeline *timeline, guint32 link, guint job, gint64 from_ps, gint64 to_ps,
                      gboolean stalled);
/* DnObserver.message */
void dn_timeline_message(DnTimeline *timeline, const DnReplay *replay, const DnMessage *message,
                         gint64 sent_ps, gint64 arrived_ps);
/* Sorts by begin, longer slices first; then ranks before links, by job, row, stream and kind. */
void dn_timeline_sort(DnTimeline *timeline);
