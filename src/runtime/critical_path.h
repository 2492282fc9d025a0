/* critical_path.h - The critical path is the chain of causes behind the end of an iteration.
 *
 * It is a client around the replay's. Each callback is the cause of its effects: the timers it sets
 * and the messages it sends lead to later callbacks. A waiting stream continues in the callback of
 * the last event it waited for. So from the callback in which the iteration's last rank was done,
 * causes lead back to its beginning without a gap, and each step is a computation, a cost of the
 * mechanism, or the transfer of a message: the critical path. Its steps add up to the iteration's
 * time.
 * It also sums the delay spans of all messages of the job that were sent during the iteration.
 *
 * The run does not depend on it. It needs an engine that reports the delay spans of messages
 * (DnObserver.delays), which then has one thread.
 * Memory: the causes of all pending timers and messages, back to the beginning of the iteration. */
#pragma once
#include "runtime/delay_breakdown.h"

/* The query for the critical path of an iteration, and its result. */
typedef struct {
    guint job;
    guint32 iteration;
    gint64 from_ps, to_ps;  /* from an equal run before: DnJobResult.end_ps */
    DnDelayBreakdown *path; /* adds up to to_ps - from_ps */
    guint steps;            /* of the path */
    gboolean found;
    DnDelayBreakdown
        *messages; /* of all its messages born in the iteration; adds up to messages_ps */
    guint64 n_messages;
    gint64 messages_ps;
} DnCriticalPathQuery;

/* Allocates the delay breakdowns. */
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
/* DnObserver.delays. */
void dn_critical_path_delays(DnCriticalPath *critical_path, const DnMessage *message,
                             gint64 born_ps, gboolean arrived, const DnDelaySpan *spans, guint n);
