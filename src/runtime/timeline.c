/* timeline.c - see timeline.h. */
#include "runtime/timeline.h"

#include "runtime/runtime_internal.h"
#include "runtime/wire.h"
#include "trace/trace.h"

const char *dn_slice_name(DnSliceKind kind)
{
    static const char *const names[] = {"compute",   "copy",    "reduce", "send",    "recv",
                                        "wait",      "notice",  "await",  "starved", "call",
                                        "iteration", "sending", "stalled"};
    return names[kind];
}

DnTimeline *dn_timeline_new(guint most, guint parts)
{
    DnTimeline *timeline = g_new0(DnTimeline, 1);
    timeline->most = most;
    timeline->parts = parts;
    timeline->cut_ps = timeline->links_cut_ps = G_MAXINT64;
    timeline->slices = g_array_new(FALSE, FALSE, sizeof(DnSlice));
    timeline->links = g_array_new(FALSE, FALSE, sizeof(DnSlice));
    timeline->messages = g_array_new(FALSE, FALSE, sizeof(DnTimelineMessage));
    return timeline;
}

void dn_timeline_free(DnTimeline *timeline)
{
    if (timeline == NULL)
        return;
    g_array_unref(timeline->slices);
    g_array_unref(timeline->links);
    g_array_unref(timeline->messages);
    g_free(timeline->last);
    g_free(timeline);
}

/* Adds @element to @kept, one of the timeline's arrays; FALSE: that is full. */
static gboolean timeline_add(const DnTimeline *timeline, GArray *kept, gconstpointer element,
                             gint64 end_ps, gint64 *cut_ps)
{
    if (kept->len < timeline->most) {
        g_array_append_vals(kept, element, 1);
        return TRUE;
    }
    *cut_ps = MIN(*cut_ps, end_ps);
    return FALSE;
}

static void rank_was(void *data, const DnSlice *slice)
{
    DnTimeline *timeline = data;
    gboolean between = slice->kind == DN_SLICE_CALL && slice->call == DN_CALL_COMPUTE;
    if (slice->to_ps > slice->from_ps && !between)
        timeline_add(timeline, timeline->slices, slice, slice->to_ps, &timeline->cut_ps);
}

void dn_timeline_begin(DnTimeline *timeline, DnReplay *replay, guint32 n_links)
{
    g_array_set_size(timeline->slices, 0);
    g_array_set_size(timeline->links, 0);
    g_array_set_size(timeline->messages, 0);
    timeline->cut_ps = timeline->links_cut_ps = G_MAXINT64;
    g_free(timeline->last);
    timeline->last = g_new0(guint32, n_links + 1);
    if (!(timeline->parts & DN_TIMELINE_RANKS))
        return;
    replay->was = rank_was;
    replay->was_data = timeline;
}

void dn_timeline_link(DnTimeline *timeline, guint32 link, guint job, gint64 from_ps, gint64 to_ps,
                      gboolean stalled)
{
    const DnSlice slice = {.from_ps = from_ps,
                           .to_ps = to_ps,
                           .row = link,
                           .job = (guint16)job,
                           .kind = stalled ? DN_SLICE_STALLED : DN_SLICE_BUSY};
    GArray *kept = timeline->links;
    if (to_ps <= from_ps || from_ps >= timeline->links_cut_ps)
        return;
    DnSlice *last =
        timeline->last[link] > 0 ? &g_array_index(kept, DnSlice, timeline->last[link] - 1) : NULL;
    if (last != NULL && last->to_ps == from_ps && last->kind == slice.kind &&
        last->job == slice.job)
        last->to_ps = to_ps;
    else if (timeline_add(timeline, kept, &slice, to_ps, &timeline->links_cut_ps))
        timeline->last[link] = kept->len;
}

void dn_timeline_message(DnTimeline *timeline, const DnReplay *replay, const DnMessage *message,
                         gint64 sent_ps, gint64 arrived_ps)
{
    DnWireTag tag = dn_wire_tag_unpack(message->tag);
    const DnReplayEndpoint *e = &replay->endpoints[message->read ? message->src : message->dst];
    if (!(timeline->parts & DN_TIMELINE_RANKS) || dn_wire_controls(tag.kind) || e->n == 0)
        return;
    const DnRank *to = &e->ranks[tag.local];
    timeline_add(timeline, timeline->messages,
                 &(DnTimelineMessage){.sent_ps = sent_ps,
                                      .arrived_ps = arrived_ps,
                                      .bytes = message->bytes,
                                      .from = tag.source,
                                      .to = to->rank,
                                      .job = (guint16)to->job},
                 arrived_ps, &timeline->cut_ps);
}

static gint order_of(const DnSlice *a, const DnSlice *b)
{
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    if (a->job != b->job)
        return a->job < b->job ? -1 : 1;
    if (a->stream != b->stream)
        return a->stream < b->stream ? -1 : 1;
    return (gint)b->kind - (gint)a->kind; /* iterations before their calls, those before the rest */
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
    g_array_sort(timeline->links, timeline_earlier);
}
