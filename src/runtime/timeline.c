/* timeline.c - see timeline.h. */
#include "runtime/timeline.h"

#include "runtime/runtime_internal.h"

const char *dn_slice_name(DnSliceKind kind)
{
    static const char *const names[] = {"compute", "copy",      "reduce",  "send",
                                        "recv",    "wait",      "notice",  "await",
                                        "starved", "iteration", "sending", "stalled"};
    return names[kind];
}

DnTimeline *dn_timeline_new(guint most)
{
    DnTimeline *timeline = g_new0(DnTimeline, 1);
    timeline->most = most;
    timeline->cut_ps = G_MAXINT64;
    timeline->slices = g_array_new(FALSE, FALSE, sizeof(DnSlice));
    return timeline;
}

void dn_timeline_free(DnTimeline *timeline)
{
    if (timeline == NULL)
        return;
    g_array_unref(timeline->slices);
    g_free(timeline->last);
    g_free(timeline);
}

/* FALSE: it is full. */
static gboolean timeline_add(DnTimeline *timeline, const DnSlice *slice)
{
    if (timeline->slices->len < timeline->most) {
        g_array_append_vals(timeline->slices, slice, 1);
        return TRUE;
    }
    timeline->cut_ps = MIN(timeline->cut_ps, slice->to_ps);
    return FALSE;
}

static void rank_was(void *data, guint job, guint32 rank, guint32 stream, DnSliceKind kind,
                     gint64 from_ps, gint64 to_ps)
{
    if (to_ps > from_ps)
        timeline_add(data,
                     &(DnSlice){from_ps, to_ps, rank, (guint16)job, (guint8)kind, (guint8)stream});
}

void dn_timeline_begin(DnTimeline *timeline, DnReplay *replay, guint32 n_links)
{
    g_array_set_size(timeline->slices, 0);
    timeline->cut_ps = G_MAXINT64;
    g_free(timeline->last);
    timeline->last = g_new0(guint32, n_links + 1);
    replay->was = rank_was;
    replay->was_data = timeline;
}

void dn_timeline_link(DnTimeline *timeline, guint32 link, guint job, gint64 from_ps, gint64 to_ps,
                      gboolean stalled)
{
    DnSlice slice = {from_ps, to_ps, link, (guint16)job, stalled ? DN_SLICE_STALLED : DN_SLICE_BUSY,
                     0};
    if (to_ps <= from_ps || from_ps >= timeline->cut_ps)
        return;
    DnSlice *last = timeline->last[link] > 0
                        ? &g_array_index(timeline->slices, DnSlice, timeline->last[link] - 1)
                        : NULL;
    if (last != NULL && last->to_ps == from_ps && last->kind == slice.kind &&
        last->job == slice.job)
        last->to_ps = to_ps;
    else if (timeline_add(timeline, &slice))
        timeline->last[link] = timeline->slices->len;
}

static gint order_of(const DnSlice *a, const DnSlice *b)
{
    if (dn_slice_of_link(a->kind) != dn_slice_of_link(b->kind))
        return dn_slice_of_link(a->kind) ? 1 : -1;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    if (a->job != b->job)
        return a->job < b->job ? -1 : 1;
    if (a->stream != b->stream)
        return a->stream < b->stream ? -1 : 1;
    return (gint)b->kind - (gint)a->kind; /* iterations before the slices within them */
}

static gint timeline_earlier(gconstpointer x, gconstpointer y)
{
    const DnSlice *a = x, *b = y;
    if (a->from_ps != b->from_ps)
        return a->from_ps < b->from_ps ? -1 : 1;
    if (a->to_ps != b->to_ps)
        return a->to_ps > b->to_ps ? -1 : 1;
    return order_of(a, b);
}

void dn_timeline_sort(DnTimeline *timeline)
{
    g_array_sort(timeline->slices, timeline_earlier);
}
