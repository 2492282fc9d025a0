/* blocked_report.c - The report of blocked ranks lists the operation that each waits for, for the
 * watchdog. */
#include "base/units.h"
#include "runtime/runtime_internal.h"

static void append_peer(GString *account, const char *preposition, const DnRecord *record)
{
    if (record->peer == DN_ANY)
        g_string_append_printf(account, " %s any rank", preposition);
    else
        g_string_append_printf(account, " %s rank %u", preposition, record->peer);
    if (record->tag == DN_ANY)
        g_string_append(account, ", any tag");
    else
        g_string_append_printf(account, ", tag %u", record->tag);
}

static const char *state_word(const DnStream *stream)
{
    switch ((DnStreamState)stream->state) {
    case DN_STREAM_WAITING:
    case DN_STREAM_AWAITING:
        return "waits";
    case DN_STREAM_BACKPRESSURE:
        return "waits for entries of its mechanism's pool, which no operation gives back,";
    default:
        return "is busy";
    }
}

static void append_wait(const DnReplayEndpoint *e, const DnRank *rank, const DnStream *stream,
                        guint32 id, GString *account)
{
    DnRecord first;
    if (dn_receives_first(&rank->match.posted, &e->pool, stream->waiting_for, id, &first)) {
        g_string_append(account, " for a message");
        append_peer(account, "from", &first);
    } else if (rank->awaiting_cts.n > 0) {
        g_string_append_printf(account, " for rank %u to receive its message, tag %u",
                               rank->awaiting_cts.last_peer, rank->awaiting_cts.last_tag);
    } else {
        g_string_append(account, " for a send to leave");
    }
    g_string_append_printf(account, " (%u operations outstanding)", stream->outstanding);
}

static void append_stream(const DnReplay *replay, const DnReplayEndpoint *e, const DnRank *rank,
                          guint32 id, GString *account)
{
    const DnStream *stream = &rank->streams[id];
    char since[DN_UNIT_BUF];
    if (replay->jobs[rank->job].job.program->streams > 1)
        g_string_append_printf(account, " stream %u", id);
    g_string_append_printf(account, ": %s since %s", state_word(stream),
                           dn_format_time(stream->since_ps, since));
    if (stream->state == DN_STREAM_WAITING)
        append_wait(e, rank, stream, id, account);
    else if (stream->state == DN_STREAM_AWAITING)
        g_string_append_printf(account, " for event %u of another stream", stream->waiting_for);
}

/* A rank's first stream that is not done; streams when all are. */
static guint32 first_blocked(const DnReplay *replay, const DnRank *rank)
{
    guint32 streams = replay->jobs[rank->job].job.program->streams, i = 0;
    while (i < streams && rank->streams[i].state == DN_STREAM_DONE)
        i++;
    return i;
}

static void append_rank(const DnReplay *replay, const DnReplayEndpoint *e, const DnRank *rank,
                        GString *account)
{
    g_string_append_printf(account, "job %s rank %u", replay->jobs[rank->job].job.name, rank->rank);
    if (rank->fault)
        g_string_append_printf(account, ": %s", rank->fault);
    else
        append_stream(replay, e, rank, first_blocked(replay, rank), account);
    guint32 stray = dn_match_first(&rank->match.unexpected, &e->pool, DN_ANY, DN_ANY);
    if (stray != 0) {
        g_string_append(account, "; nobody receives the message");
        append_peer(account, "from", &e->pool.items[stray]);
    }
    g_string_append_c(account, '\n');
}

char *dn_replay_fault(const DnReplay *replay, guint *job)
{
    for (guint32 i = 0; i < replay->n_active; i++) {
        const DnReplayEndpoint *e = &replay->endpoints[replay->active[i]];
        for (guint32 local = 0; local < e->n; local++)
            if (e->ranks[local].fault != NULL) {
                *job = e->ranks[local].job;
                return g_strdup(e->ranks[local].fault);
            }
    }
    return NULL;
}

/* Ranks that stopped over a fault come first: the others wait because of them. */
guint dn_replay_blocked(void *client, GString *account, guint max_lines)
{
    const DnReplay *replay = client;
    guint blocked = 0;
    for (guint pass = 0; pass < 2; pass++)
        for (guint32 i = 0; i < replay->n_active; i++) {
            const DnReplayEndpoint *e = &replay->endpoints[replay->active[i]];
            for (guint32 local = 0; local < e->n; local++) {
                const DnRank *rank = &e->ranks[local];
                if (replay->jobs[rank->job].job.background)
                    continue;
                gboolean faulty = rank->fault != NULL;
                if (faulty != (pass == 0) ||
                    (!faulty &&
                     first_blocked(replay, rank) == replay->jobs[rank->job].job.program->streams))
                    continue;
                if (blocked++ < max_lines)
                    append_rank(replay, e, rank, account);
            }
        }
    if (blocked > max_lines)
        g_string_append_printf(account, "and %u ranks more\n", blocked - max_lines);
    return blocked;
}
