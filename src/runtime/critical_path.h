/* critical_path.h - The critical path is the chain of causes behind the end of an iteration.
 *
 * A client around the replay's. Whatever a callback does follows from that callback: the timers it
 * sets and the messages it sends lead to later ones. A stream that waits goes on in the callback of
 * what came last. So from the callback in which the iteration's last rank was done, causes lead
 * back to its beginning without a gap, and each step is a computation, a cost of the mechanism, or
 * the way of a message: the critical path. Its parts add up to the iteration's time.
 * Beside it: what all messages of the job that were handed over during the iteration waited for.
 *
 * Nothing the run does depends on it. It needs an engine that tells the ways of messages
 * (DnObserver.way), which then is on one thread.
 * Memory: the causes, back to the beginning of the iteration, of all that is under way. */
#pragma once
#include "runtime/delay_breakdown.h"

/* What is asked for, and what is found. */
typedef struct {
    guint job;
    guint32 iteration;
    gint64 from_ps, to_ps;  /* as an equal run before told: DnJobResult.end_ps */
    DnDelayBreakdown *path; /* adds up to to_ps - from_ps */
    guint steps;            /* of the path */
    gboolean found;
    DnDelayBreakdown
        *messages; /* of all its messages born in the iteration; adds up to messages_ps */
    guint64 n_messages;
    gint64 messages_ps;
} DnCriticalPathQuery;

/* Makes the tallies. */
void dn_critical_path_query_init(DnCriticalPathQuery *asked, guint job, guint32 iteration,
                                 gint64 from_ps, gint64 to_ps);
void dn_critical_path_query_clear(DnCriticalPathQuery *asked);

typedef struct DnCriticalPath DnCriticalPath;
typedef struct DnReplay DnReplay;

/* (transfer full): fills @asked (borrowed) while @replay runs. */
DnCriticalPath *dn_critical_path_new(DnReplay *replay, DnCriticalPathQuery *asked);
void dn_critical_path_free(DnCriticalPath *critical_path);
/* After the run: walks the path. */
void dn_critical_path_finish(DnCriticalPath *critical_path);
extern const DnClient dn_critical_path_client; /* data: a DnCriticalPath */
/* DnObserver.way. */
void dn_critical_path_delays(DnCriticalPath *critical_path, const DnMessage *message,
                             gint64 born_ps, gboolean arrived, const DnDelaySpan *spans, guint n);
