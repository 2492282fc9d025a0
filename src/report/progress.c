/* progress.c - see progress.h. */
#include "report/progress.h"
#include "base/number.h"
#include "base/units.h"
#include "report/time_left.h"
#include <math.h>

typedef struct {
    gint64 at_us, now_ps;
    guint64 hops;
    double rate; /* of packet-hops a second, between the last two updates */
} Seen;

struct DnProgress {
    FILE *out;
    DnProgressMode mode;
    gboolean drawn;
    guint n_points;
    gint64 written_us;
    DnTimeLeft *left;
    GHashTable *seen; /* point + 1 to Seen*, of points in progress */
};

DnProgress *dn_progress_new(FILE *out, DnProgressMode mode, guint n_points, guint jobs,
                            const double *work, const gint64 *until_ps)
{
    DnProgress *p = g_new0(DnProgress, 1);
    p->out = out;
    p->mode = mode;
    p->n_points = n_points;
    p->written_us = g_get_monotonic_time();
    p->left = dn_time_left_new(n_points, jobs, work, until_ps, p->written_us);
    p->seen = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    return p;
}

void dn_progress_free(DnProgress *progress)
{
    if (progress == NULL)
        return;
    dn_progress_clear(progress);
    dn_time_left_free(progress->left);
    g_hash_table_unref(progress->seen);
    g_free(progress);
}

char *dn_progress_text(const DnProgressState *s)
{
    char buf[DN_NUMBER_BUF], time[DN_UNIT_BUF];
    GString *out = g_string_new(NULL);
    if (s->n_points > 1)
        g_string_append_printf(out, "%u of %u points done, ", s->done, s->n_points);
    if (s->running > 1)
        g_string_append_printf(out, "%u in progress, ", s->running);
    else if (!isnan(s->share))
        g_string_append_printf(out, "%s%.0f %%, ", s->n_points > 1 ? "the next " : "",
                               100.0 * s->share);
    if (s->running <= 1)
        g_string_append_printf(out, "%s simulated, ", dn_format_time(s->now_ps, time));
    g_string_append_printf(out, "%s M packet-hops/s",
                           dn_format_digits(s->hops_per_s * 1e-6, 3, buf));
    if (isnan(s->left_s))
        g_string_append(out, ", time left unknown");
    else
        g_string_append_printf(out, ", about %s left", dn_format_duration(s->left_s, buf));
    return g_string_free(out, FALSE);
}

/* @point: the one that was updated last. */
static char *progress_line(const DnProgress *p, guint point, gint64 now_us)
{
    DnProgressState state = {.n_points = p->n_points,
                             .done = dn_time_left_points_done(p->left),
                             .running = dn_time_left_points_running(p->left),
                             .share = dn_time_left_share(p->left, point),
                             .left_s = dn_time_left_seconds(p->left, now_us)};
    GHashTableIter all;
    gpointer seen;
    g_hash_table_iter_init(&all, p->seen);
    while (g_hash_table_iter_next(&all, NULL, &seen))
        state.hops_per_s += ((const Seen *)seen)->rate;
    const Seen *here = g_hash_table_lookup(p->seen, GUINT_TO_POINTER(point + 1));
    state.now_ps = here != NULL ? here->now_ps : 0;
    return dn_progress_text(&state);
}

static void progress_write(DnProgress *p, guint point, gint64 now_us)
{
    if (p->mode == DN_PROGRESS_LINES &&
        now_us - p->written_us < DN_PROGRESS_SECONDS * G_USEC_PER_SEC)
        return;
    g_autofree char *text = progress_line(p, point, now_us);
    p->written_us = now_us;
    p->drawn = p->mode == DN_PROGRESS_TERMINAL;
    /* without wrapping (DECAWM): of a wrapped line the next one would overwrite the end only */
    fprintf(p->out, p->drawn ? "\r\033[?7l%s\033[K\033[?7h" : "%s\n", text);
    fflush(p->out);
}

void dn_progress_update(DnProgress *p, guint point, gint64 now_ps, guint64 packet_hops)
{
    if (p->mode == DN_PROGRESS_NONE)
        return;
    gint64 now_us = g_get_monotonic_time();
    Seen *seen = g_hash_table_lookup(p->seen, GUINT_TO_POINTER(point + 1));
    dn_time_left_update(p->left, point, now_ps, packet_hops, now_us);
    if (seen == NULL) {
        seen = g_new0(Seen, 1);
        g_hash_table_insert(p->seen, GUINT_TO_POINTER(point + 1), seen);
    } else if (packet_hops >= seen->hops && now_us > seen->at_us) {
        seen->rate = (double)(packet_hops - seen->hops) / (double)(now_us - seen->at_us) * 1e6;
    }
    seen->at_us = now_us;
    seen->now_ps = now_ps;
    seen->hops = packet_hops;
    progress_write(p, point, now_us);
}

void dn_progress_done(DnProgress *p, guint point)
{
    g_hash_table_remove(p->seen, GUINT_TO_POINTER(point + 1));
    dn_time_left_done(p->left, point, g_get_monotonic_time());
}

void dn_progress_skip(DnProgress *p, guint point)
{
    dn_time_left_skip(p->left, point);
}

void dn_progress_clear(DnProgress *progress)
{
    if (!progress->drawn)
        return;
    fputs("\r\033[K", progress->out);
    fflush(progress->out);
    progress->drawn = FALSE;
}
