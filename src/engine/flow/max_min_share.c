/* max_min_share.c - New rates after transfers started or ended.
 *
 * Rates are found by raising one level for all ("water filling"): the link that fills first fixes
 * the transfers that cross it at its level, and the level of every other link they cross can only
 * rise by that. So links wait in a heap by a lower bound of their level, which is put right when it
 * comes up.
 * What stays: without the transfers that ended and with those that start, the filling runs as
 * before up to the lowest level at which something differs: the rate of a transfer that ended, or
 * the level at which a link of a new transfer fills while the others keep their rates. Transfers
 * below that level keep their rates and pass no change on. */
#include "engine/flow/max_min_state.h"

#include <math.h>

#define PS_PER_US 1e6
#define SAME_LEVEL (1.0 - 1e-9)
#define SAME_RATE 1e-13
#define MOST_OPENED 2 /* beyond that part of the links that are crossed, all are taken */
#define FETCH_AHEAD 2
#define LEAST_REST 1e-12 /* of a link's capacity, where rounding leaves less */

/* Returns the level at which the link fills while the others keep their rates and those
 * that start take what the level says; or some level that is not below s->lowest, when that one is
 * not either. */
static double link_level_of_change(const DnMaxMin *s, const MaxMinLink *l)
{
    double level = l->capacity / (double)l->weight; /* when all take it: never higher */
    for (guint passes = 1; passes < 8 && level < s->lowest; passes++) {
        double rest = l->capacity, weights = 0.0;
        for (guint32 i = 0; i < l->n; i++) {
            double rate = s->rates[l->crossings[i].transfer];
            double weight = l->crossings[i].weight;
            if (rate < level)
                rest -= weight * rate;
            else
                weights += weight;
        }
        double next = rest / weights; /* never lower than the last: it is a lower bound */
        if (next <= level)
            break;
        level = next;
    }
    return level;
}

static void find_lowest(DnMaxMin *s)
{
    s->round++;
    for (guint i = 0; i < s->started->len; i++) {
        const MaxMinTransfer *t = &s->transfers[MAX_MIN_AT(s->started, i)];
        for (guint32 u = 0; u < t->n; u++) {
            MaxMinLink *l = &s->links[t->uses[u].link];
            if (l->round != s->round)
                s->lowest = MIN(s->lowest, link_level_of_change(s, l));
            l->round = s->round;
        }
    }
    s->lowest *= SAME_LEVEL;
}

static void links_open(DnMaxMin *s, guint32 link)
{
    MaxMinLink *l = &s->links[link];
    if (l->round == s->round)
        return;
    l->round = s->round;
    s->opened += l->n > 0;
    g_array_append_val(s->open.ids, link);
}

static void transfer_free(DnMaxMin *s, guint32 id)
{
    s->marks[id] = 2 * s->round;
    g_array_append_val(s->free, id);
    if (s->transfers[id].cap < INFINITY)
        g_array_append_val(s->capped, id);
}

static void transfer_open(DnMaxMin *s, guint32 id)
{
    const MaxMinTransfer *t = &s->transfers[id];
    transfer_free(s, id);
    for (guint32 u = 0; u < t->n; u++)
        links_open(s, t->uses[u].link);
}

/* One transfer of all that are under way. */
static void collect_one(DnMaxMin *s, guint32 id)
{
    const MaxMinTransfer *t = &s->transfers[id];
    if (s->rates[id] >= s->lowest) {
        transfer_free(s, id);
        return;
    }
    for (guint32 u = 0; u < t->n; u++) {
        MaxMinLink *l = &s->links[t->uses[u].link];
        l->rest -= t->uses[u].weight * s->rates[id];
        l->weights -= t->uses[u].weight;
        l->n_free--;
    }
}

/* A change reaches most links that are crossed at all: then each transfer is looked at once, and
 * not from each of its links. Those that it does not reach find their rates again. */
static void collect_all(DnMaxMin *s)
{
    g_array_set_size(s->free, 0);
    g_array_set_size(s->capped, 0);
    g_array_set_size(s->open.ids, 0);
    g_array_append_vals(s->open.ids, s->crossed->data, s->crossed->len);
    for (guint i = 0; i < s->crossed->len; i++) {
        MaxMinLink *l = &s->links[MAX_MIN_AT(s->crossed, i)];
        l->rest = l->capacity;
        l->weights = (double)l->weight;
        l->n_free = l->n;
    }
    for (guint i = 0; i < s->ends.ids->len; i++)
        collect_one(s, MAX_MIN_AT(s->ends.ids, i));
    for (guint i = 0; i < s->started->len; i++)
        collect_one(s, MAX_MIN_AT(s->started, i));
}

/* All links and transfers that a change may reach. */
static void sharing_collect(DnMaxMin *s)
{
    s->round++;
    s->opened = 0;
    g_array_set_size(s->open.ids, 0);
    g_array_set_size(s->free, 0);
    g_array_set_size(s->capped, 0);
    for (guint i = 0; i < s->touched->len; i++)
        links_open(s, MAX_MIN_AT(s->touched, i));
    for (guint i = 0; i < s->open.ids->len; i++) {
        if (s->opened > s->crossed->len / MOST_OPENED) {
            collect_all(s);
            return;
        }
        MaxMinLink *l = &s->links[MAX_MIN_AT(s->open.ids, i)];
        l->rest = l->capacity;
        l->weights = 0.0;
        l->n_free = 0;
        for (guint32 c = 0; c < l->n; c++) {
            guint32 id = l->crossings[c].transfer;
            double weight = l->crossings[c].weight, rate = s->rates[id];
            if (rate < s->lowest) {
                l->rest -= weight * rate;
                continue;
            }
            l->weights += weight;
            l->n_free++;
            if (s->marks[id] != 2 * s->round)
                transfer_open(s, id);
        }
    }
}

static double link_level(const MaxMinLink *l)
{
    return MAX(l->rest, LEAST_REST * l->capacity) / l->weights;
}

static void levels_order(DnMaxMin *s)
{
    guint32 n = 0;
    for (guint i = 0; i < s->open.ids->len; i++) {
        const MaxMinLink *l = &s->links[MAX_MIN_AT(s->open.ids, i)];
        if (l->n_free == 0)
            continue;
        s->open.keys[MAX_MIN_AT(s->open.ids, i)] = link_level(l);
        MAX_MIN_AT(s->open.ids, n++) = MAX_MIN_AT(s->open.ids, i);
    }
    g_array_set_size(s->open.ids, n);
    max_min_heap_order(&s->open);
}

static void transfer_fix(DnMaxMin *s, guint32 id, double rate)
{
    MaxMinTransfer *t = &s->transfers[id];
    s->marks[id]++;
    for (guint32 u = 0; u < t->n; u++) {
        MaxMinLink *l = &s->links[t->uses[u].link];
        l->rest -= t->uses[u].weight * rate;
        l->weights -= t->uses[u].weight;
        l->n_free--;
    }
    if (fabs(rate - s->rates[id]) <= SAME_RATE * rate)
        return;
    t->remains -= s->rates[id] * ((double)s->now_ps - t->since_ps) / PS_PER_US;
    t->since_ps = (double)s->now_ps;
    t->end_ps = t->since_ps + MAX(0.0, t->remains) / rate * PS_PER_US;
    s->rates[id] = rate;
}

static void link_fix(DnMaxMin *s, const MaxMinLink *l, double level)
{
    for (guint32 c = 0; c < l->n && l->n_free > 0; c++) {
        guint32 id = l->crossings[c].transfer;
        if (c + FETCH_AHEAD < l->n)
            __builtin_prefetch(s->transfers[l->crossings[c + FETCH_AHEAD].transfer].uses);
        if (s->marks[id] == 2 * s->round)
            transfer_fix(s, id, level);
    }
}

static int by_cap(gconstpointer a, gconstpointer b, gpointer data)
{
    const DnMaxMin *s = data;
    guint32 x = *(const guint32 *)a, y = *(const guint32 *)b;
    double p = s->transfers[x].cap, q = s->transfers[y].cap;
    return p != q ? (p < q ? -1 : 1) : (x > y) - (x < y);
}

static void levels_fill(DnMaxMin *s)
{
    guint next_cap = 0;
    g_array_sort_with_data(s->capped, by_cap, s);
    levels_order(s);
    while (s->open.ids->len > 0) {
        guint32 first = MAX_MIN_AT(s->open.ids, 0);
        const MaxMinLink *l = &s->links[first];
        double *bound = &s->open.keys[first];
        double level = l->n_free > 0 ? link_level(l) : 0.0;
        while (next_cap < s->capped->len &&
               s->marks[MAX_MIN_AT(s->capped, next_cap)] != 2 * s->round)
            next_cap++;
        if (l->n_free == 0) {
            max_min_heap_drop_first(&s->open);
        } else if (next_cap < s->capped->len &&
                   s->transfers[MAX_MIN_AT(s->capped, next_cap)].cap <= *bound) {
            guint32 id = MAX_MIN_AT(s->capped, next_cap++);
            transfer_fix(s, id, s->transfers[id].cap);
        } else if (level > *bound) {
            *bound = level;
            max_min_heap_sink(&s->open, 0, first);
        } else {
            link_fix(s, l, *bound);
        }
    }
}

void dn_max_min_share(DnMaxMin *s)
{
    find_lowest(s);
    sharing_collect(s);
    levels_fill(s);
    g_array_set_size(s->touched, 0);
    s->lowest = INFINITY;
}
