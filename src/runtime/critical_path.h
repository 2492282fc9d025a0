/* critical_path.h - The critical path of an iteration: the chain of computations, mechanism costs
 * and message transfers that determines when the iteration ends.
 *
 * DnCriticalPath is a DnClient that passes every callback on to the runtime and records its cause:
 * a callback is caused by the callback that set its timer or sent its message. A waiting stream
 * continues in the callback of the last event it waited for. So the callback in which the last rank
 * finishes the iteration leads back, cause by cause and without a gap, to the iteration's
 * beginning; these steps are the critical path, and their times add up to the iteration's.
 * DnCriticalPath also sums the delay spans of all messages that the job sent in the iteration.
 *
 * Recording does not change the run. It needs an engine that reports the delay spans of messages
 * (DnObserver.delays) and then runs on one thread.
 * Memory: the causes of all pending timers and messages, back to the iteration's beginning. */
#pragma once
#include "runtime/delay_breakdown.h"

/* The query for the critical path of an iteration, and its result. */
typedef struct {
    guint job;
    guint32 iteration;
    gint64 from_ps, to_ps;  /* of the iteration, by an earlier run with the same specification
                               (DnJobResult.end_ps) */
    DnDelayBreakdown *path; /* adds up to to_ps - from_ps */
    guint steps;            /* of the path */
    gboolean found;
    DnDelayBreakdown *messages; /* of all messages sent in the iteration; adds up to messages_ps */
    guint64 n_messages;
    gint64 messages_ps;
} DnCriticalPathQuery;

/* Fills @asked for an iteration of @job and allocates its breakdowns; to be cleared by
 * dn_critical_path_query_clear(). */
void dn_critical_path_query_init(DnCriticalPathQuery *asked, guint job, guint32 iteration,
                                 gint64 from_ps, gint64 to_ps);
void dn_critical_path_query_clear(DnCriticalPathQuery *asked);

typedef struct DnCriticalPath DnCriticalPath;
typedef struct DnReplay DnReplay;

/* Returns (transfer full) a recorder of @replay, the data of dn_critical_path_client. It answers
 * @asked, which is borrowed. */
DnCriticalPath *dn_critical_path_new(DnReplay *replay, DnCriticalPathQuery *asked);
void dn_critical_path_free(DnCriticalPath *critical_path);
/* Fills the query, after the run. */
void dn_critical_path_finish(DnCriticalPath *critical_path);
extern const DnClient dn_critical_path_client; /* data: a DnCriticalPath */
/* To be called by DnObserver.delays(). */
void dn_critical_path_delays(DnCriticalPath *critical_path, const DnMessage *message,
                             gint64 born_ps, gboolean arrived, const DnDelaySpan *spans, guint n);
