/* critical_path.h - why an iteration took as long as it did: the chain of causes behind its end.
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
    gint64 from_ps, to_ps; /* as an equal run before told: DnJobResult.end_ps */
    DnTally *path;         /* adds up to to_ps - from_ps */
    guint steps;           /* of the path */
    gboolean found;
    DnTally *messages; /* of all its messages born in the iteration; adds up to messages_ps */
    guint64 n_messages;
    gint64 messages_ps;
} DnCausesAsked;

/* Makes the tallies. */
void dn_causes_asked_init(DnCausesAsked *asked, guint job, guint32 iteration, gint64 from_ps,
                          gint64 to_ps);
void dn_causes_asked_clear(DnCausesAsked *asked);

typedef struct DnCauses DnCauses;
typedef struct DnReplay DnReplay;

/* (transfer full): fills @asked (borrowed) while @replay runs. */
DnCauses *dn_causes_new(DnReplay *replay, DnCausesAsked *asked);
void dn_causes_free(DnCauses *causes);
/* After the run: walks the path. */
void dn_causes_finish(DnCauses *causes);
extern const DnClient dn_causes_client; /* data: a DnCauses */
/* DnObserver.way. */
void dn_causes_way(DnCauses *causes, const DnMessage *message, gint64 born_ps, gboolean arrived,
                   const DnWayPart *parts, guint n);
