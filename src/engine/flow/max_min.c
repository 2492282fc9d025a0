/* max_min.c - see max_min.h: transfers that start, their ends in order, and those that end. */
#include "engine/flow/max_min_state.h"

#include <math.h>
#include <string.h>

DnMaxMin *dn_max_min_new(const double *capacity, guint32 n_links)
{
    DnMaxMin *s = g_new0(DnMaxMin, 1);
    GArray **arrays[] = {&s->ends.ids, &s->touched, &s->started, &s->open.ids,
                         &s->free,     &s->capped,  &s->crossed};
    s->links = g_aligned_alloc0(n_links + 1, sizeof(MaxMinLink), sizeof(MaxMinLink));
    s->open.keys = g_new0(double, n_links + 1);
    s->n_links = n_links;
    for (guint32 l = 0; l < n_links; l++)
        s->links[l].capacity = capacity[l];
    for (guint i = 0; i < G_N_ELEMENTS(arrays); i++)
        *arrays[i] = g_array_new(FALSE, FALSE, sizeof(guint32));
    s->lowest = INFINITY;
    return s;
}

void dn_max_min_free(DnMaxMin *s)
{
    if (s == NULL)
        return;
    GArray *arrays[] = {s->ends.ids, s->touched, s->started, s->open.ids,
                        s->free,     s->capped,  s->crossed};
    for (guint32 l = 0; l < s->n_links; l++)
        g_free(s->links[l].crossings);
    for (guint32 t = 0; t < s->n_transfers; t++)
        g_free(s->transfers[t].uses);
    for (guint i = 0; i < G_N_ELEMENTS(arrays); i++)
        g_array_unref(arrays[i]);
    g_free(s->open.keys);
    g_free(s->ends.keys);
    g_free(s->ends.places);
    g_aligned_free(s->links);
    g_free(s->transfers);
    g_free(s->rates);
    g_free(s->marks);
    g_free(s);
}

void dn_max_min_set_tolerance(DnMaxMin *s, double share)
{
    s->tolerance = share;
}

guint32 dn_max_min_in_flight(const DnMaxMin *s)
{
    return s->ends.ids->len + s->started->len;
}

/* ---- starting and ending ---- */

/* After a sharing that changes most ends the next one changes them again: they are searched for the
 * first ones, and put in order only when a sharing changes few. */
static void ends_sort(DnMaxMin *s)
{
    if (s->order == DN_ENDS_SORTED)
        return;
    max_min_heap_order(&s->ends);
    s->order = DN_ENDS_SORTED;
}

/* Gives the transfers of this sharing their new ends. */
static void ends_change(DnMaxMin *s)
{
    gboolean few = s->free->len < (s->ends.ids->len + s->started->len) / 8;
    if (few)
        ends_sort(s);
    for (guint i = 0; i < s->started->len; i++) {
        guint32 t = MAX_MIN_AT(s->started, i);
        s->ends.places[t] = s->ends.ids->len;
        s->ends.keys[t] = INFINITY;
        s->transfers[t].started = FALSE;
        g_array_append_val(s->ends.ids, t);
    }
    for (guint i = 0; i < s->free->len; i++) {
        guint32 t = MAX_MIN_AT(s->free, i);
        s->ends.keys[t] = s->transfers[t].end_ps;
        if (few)
            max_min_heap_move(&s->ends, t);
    }
    if (!few)
        s->order = DN_ENDS_NEW;
}

/* Half of what a transfer may end too early or too late, of the time it is under way in all. */
static double ends_slack_ps(const DnMaxMin *s, guint32 id)
{
    return 0.5 * s->tolerance * (s->ends.keys[id] - (double)s->transfers[id].begun_ps);
}

/* Looks for the first end, and for the first of the latest ones that transfers may have. */
static void ends_search(DnMaxMin *s)
{
    s->first_ps = s->latest_ps = INFINITY;
    for (guint i = 0; i < s->ends.ids->len; i++) {
        guint32 id = MAX_MIN_AT(s->ends.ids, i);
        s->first_ps = MIN(s->first_ps, s->ends.keys[id]);
        s->latest_ps = MIN(s->latest_ps, s->ends.keys[id] + ends_slack_ps(s, id));
    }
    s->order = DN_ENDS_SEARCHED;
}

static gint64 ends_at(const DnMaxMin *s, double when_ps, gint64 until_ps)
{
    return MAX(s->now_ps, llround(MIN(when_ps, (double)until_ps)));
}

/* Takes the ends from a heap, in order, so that no transfer ends too early. */
static gint64 ends_take_sorted(DnMaxMin *s, gint64 until_ps, GArray *ended)
{
    MaxMinHeap *ends = &s->ends;
    double latest_ps = INFINITY;
    while (ends->ids->len > 0) {
        guint32 id = MAX_MIN_AT(ends->ids, 0);
        if (ends->keys[id] > MIN(latest_ps + 0.5, (double)until_ps))
            break;
        latest_ps = MIN(latest_ps, ends->keys[id] + ends_slack_ps(s, id));
        g_array_append_val(ended, id);
        max_min_heap_drop_first(ends);
    }
    return ends_at(s, latest_ps, until_ps);
}

/* Moves the transfers that may end with the first one into @ended. Returns their time; none:
 * @until_ps. */
static gint64 ends_take(DnMaxMin *s, gint64 until_ps, GArray *ended)
{
    MaxMinHeap *ends = &s->ends;
    if (s->order == DN_ENDS_SORTED)
        return ends_take_sorted(s, until_ps, ended);
    if (s->order == DN_ENDS_NEW)
        ends_search(s);
    if (s->first_ps > (double)until_ps)
        return until_ps;
    gint64 end_ps = ends_at(s, s->latest_ps, until_ps);
    for (guint i = ends->ids->len; i-- > 0;) {
        guint32 id = MAX_MIN_AT(ends->ids, i), last = MAX_MIN_AT(ends->ids, ends->ids->len - 1);
        if (ends->keys[id] - ends_slack_ps(s, id) > (double)end_ps + 0.5)
            continue;
        g_array_append_val(ended, id);
        MAX_MIN_AT(ends->ids, i) = last;
        ends->places[last] = i;
        ends->places[id] = MAX_MIN_NO_PLACE;
        g_array_set_size(ends->ids, ends->ids->len - 1);
    }
    return end_ps;
}

static void transfers_reach(DnMaxMin *s, guint32 id)
{
    if (id < s->n_transfers)
        return;
    guint32 old = s->n_transfers, n = MAX(2 * old, id + 64);
    s->transfers = g_renew(MaxMinTransfer, s->transfers, n);
    s->rates = g_renew(double, s->rates, n);
    memset(s->transfers + old, 0, (n - old) * sizeof *s->transfers);
    s->marks = g_renew(guint32, s->marks, n);
    memset(s->rates + old, 0, (n - old) * sizeof *s->rates);
    memset(s->marks + old, 0, (n - old) * sizeof *s->marks);
    s->ends.keys = g_renew(double, s->ends.keys, n);
    s->ends.places = g_renew(guint32, s->ends.places, n);
    for (guint32 t = old; t < n; t++)
        s->ends.places[t] = MAX_MIN_NO_PLACE;
    s->n_transfers = n;
}

static void link_cross(DnMaxMin *s, guint32 link, guint32 weight, guint32 id, guint32 use)
{
    MaxMinLink *l = &s->links[link];
    l->weight += weight;
    if (l->n == 0) {
        l->place = s->crossed->len;
        g_array_append_val(s->crossed, link);
    }
    if (l->n == l->allocated) {
        l->allocated = 2 * l->allocated + 4;
        l->crossings = g_renew(MaxMinCrossing, l->crossings, l->allocated);
    }
    s->transfers[id].uses[use] = (MaxMinUse){.link = link, .weight = weight, .place = l->n};
    l->crossings[l->n++] = (MaxMinCrossing){.transfer = id, .use = use, .weight = weight};
    g_array_append_val(s->touched, link);
}

void dn_max_min_add(DnMaxMin *s, gint64 now_ps, guint32 id, double bytes, double cap,
                    const guint32 *links, guint32 n, guint32 last_weight)
{
    transfers_reach(s, id);
    MaxMinTransfer *t = &s->transfers[id];
    g_assert(s->ends.places[id] == MAX_MIN_NO_PLACE && !t->started && bytes > 0.0 && n > 0);
    if (t->allocated < n) {
        t->allocated = n;
        t->uses = g_renew(MaxMinUse, t->uses, n);
    }
    s->now_ps = now_ps;
    s->rates[id] = G_MAXDOUBLE;
    t->started = TRUE;
    t->n = 0;
    t->cap = cap > 0.0 ? cap : INFINITY;
    t->remains = bytes;
    t->since_ps = (double)now_ps;
    t->begun_ps = now_ps;
    s->mark++;
    for (guint32 i = 0; i < n; i++) {
        MaxMinLink *l = &s->links[links[i]];
        guint32 weight = i + 1 < n ? 1 : last_weight;
        if (l->mark == s->mark) {
            MaxMinCrossing *crossing = &l->crossings[l->n - 1];
            t->uses[crossing->use].weight += weight;
            l->weight += weight;
            crossing->weight += weight;
            continue;
        }
        l->mark = s->mark;
        link_cross(s, links[i], weight, id, t->n++);
    }
    g_array_append_val(s->started, id);
}

static void link_empty(DnMaxMin *s, const MaxMinLink *l)
{
    guint32 last = MAX_MIN_AT(s->crossed, s->crossed->len - 1);
    MAX_MIN_AT(s->crossed, l->place) = last;
    s->links[last].place = l->place;
    g_array_set_size(s->crossed, s->crossed->len - 1);
}

static void transfer_leave(DnMaxMin *s, guint32 id)
{
    const MaxMinTransfer *t = &s->transfers[id];
    for (guint32 i = 0; i < t->n; i++) {
        MaxMinLink *l = &s->links[t->uses[i].link];
        MaxMinCrossing last = l->crossings[--l->n];
        l->weight -= t->uses[i].weight;
        l->crossings[t->uses[i].place] = last;
        s->transfers[last.transfer].uses[last.use].place = t->uses[i].place;
        g_array_append_val(s->touched, t->uses[i].link);
        if (l->n == 0)
            link_empty(s, l);
    }
    s->lowest = MIN(s->lowest, s->rates[id]);
}

static void share_anew(DnMaxMin *s)
{
    if (s->touched->len == 0)
        return;
    dn_max_min_share(s);
    ends_change(s);
    g_array_set_size(s->started, 0);
}

double dn_max_min_rate(DnMaxMin *s, guint32 id)
{
    share_anew(s);
    g_assert(s->ends.places[id] != MAX_MIN_NO_PLACE);
    return s->rates[id];
}

static int by_number(gconstpointer a, gconstpointer b)
{
    guint32 x = *(const guint32 *)a, y = *(const guint32 *)b;
    return (x > y) - (x < y);
}

gint64 dn_max_min_advance(DnMaxMin *s, gint64 until_ps, GArray *ended)
{
    share_anew(s);
    g_array_set_size(ended, 0);
    s->now_ps = ends_take(s, until_ps, ended);
    g_array_sort(ended, by_number);
    for (guint i = 0; i < ended->len; i++)
        transfer_leave(s, MAX_MIN_AT(ended, i));
    return s->now_ps;
}
