/* message_mode.c - see message_mode.h. */
#include "runtime/message_mode.h"

/* Ends the reading of counters while the rank's messages go by a fixed mode. */
static void app_aware_pause(DnRankContext *s)
{
    DnNicCounters nic = {0};
    if (s->rank->app_aware == NULL || !s->rank->app_aware->reading)
        return;
    (void)dn_context_nic(s->context, &nic);
    dn_app_aware_pause(s->job->job.app_aware, s->rank->app_aware, &nic);
}

/* Returns the routing mode; engines without counters leave the choice at its initial mode. */
static guint8 app_aware_mode(DnRankContext *s, guint32 peer, gint64 bytes, gboolean get)
{
    const DnAppAwareRule *rule = s->job->job.app_aware;
    DnNicCounters nic = {0};
    gboolean chosen;
    (void)dn_context_nic(s->context, &nic);
    guint8 mode = dn_app_aware_select(rule, s->rank->app_aware, peer, bytes, get, &nic, &chosen);
    if (chosen)
        s->rank->owed_ps += rule->read_ps;
    return mode;
}

guint8 dn_message_turn(const DnRunningJob *job, guint32 iteration)
{
    return job->job.turns.n > 0 ? (guint8)(iteration % job->job.turns.n) : 0;
}

guint8 dn_message_mode(DnRankContext *s, guint32 peer, gint64 bytes, guint8 turn, gboolean get)
{
    const DnReplayJob *job = &s->job->job;
    guint8 fixed = job->turns.n > 0 ? job->turns.modes[turn] : DN_MODE_AWARE;
    if (fixed != DN_MODE_AWARE) {
        app_aware_pause(s);
        return fixed;
    }
    if (job->app_aware != NULL)
        return app_aware_mode(s, peer, bytes, get);
    return job->modes.n > 0 ? dn_mode_rules_mode(&job->modes, bytes) : job->mode;
}
