/* event_wheel.c - see event_wheel.h. */
#include "engine/packet/core.h"

#include <string.h>

#define MAX_CHUNKS (1u << 26) /* 32 GiB of events */

gboolean dn_wheel_init(DnWheel *wheel, guint32 domains, guint shift, guint32 slots,
                       DnPoolBudget *budget)
{
    *wheel = (DnWheel){.shift = shift,
                       .slots = slots,
                       .domains = domains,
                       .words = (domains + 63) / 64,
                       .offset_mask = (1u << shift) - 1,
                       .end_ps = (gint64)slots << shift};
    wheel->next = g_new0(guint32, (gsize)slots * domains);
    wheel->busy = g_new0(guint64, (gsize)slots * wheel->words);
    wheel->counts = g_new0(guint32, slots);
    return dn_pool_init(&wheel->chunks, sizeof(DnChunk), MAX_CHUNKS, budget);
}

void dn_wheel_clear(DnWheel *wheel)
{
    g_free(wheel->next);
    g_free(wheel->busy);
    g_free(wheel->counts);
    g_free(wheel->far);
    g_free(wheel->free_chunks.ids);
    dn_pool_clear(&wheel->chunks);
}

guint32 dn_wheel_grow_bucket(DnWheel *wheel, guint32 at, guint32 slot, guint32 domain)
{
    guint32 id = dn_pool_take(&wheel->chunks, &wheel->free_chunks);
    wheel->exhausted |= id == 0; /* chunk 0 then takes the events, which are lost */
    dn_chunk(wheel, id)->older = at == 0 || id == 0 ? 0 : at / DN_CHUNK_PLACES - 1;
    if (at == 0) {
        wheel->busy[(gsize)slot * wheel->words + domain / 64] |= G_GUINT64_CONSTANT(1)
                                                                 << (domain % 64);
        wheel->counts[slot]++;
        wheel->waiting++;
    }
    return id * DN_CHUNK_PLACES + 1;
}

static gboolean far_before(const DnFarEvent *a, const DnFarEvent *b, guint shift)
{
    gint64 x = a->when_ps >> shift, y = b->when_ps >> shift;
    return x < y || (x == y && a->order < b->order);
}

void dn_wheel_add_far(DnWheel *wheel, guint32 domain, gint64 when_ps, guint32 what, guint32 a,
                      guint32 b)
{
    if (wheel->n_far == wheel->far_capacity) {
        wheel->far_capacity = MAX(1024, 2 * wheel->far_capacity);
        wheel->far = g_renew(DnFarEvent, wheel->far, wheel->far_capacity);
    }
    DnFarEvent added = {when_ps, wheel->far_order++, domain, {.what = what, .a = a, .b = b}};
    gsize i = wheel->n_far++;
    while (i > 0 && far_before(&added, &wheel->far[(i - 1) / 2], wheel->shift)) {
        wheel->far[i] = wheel->far[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    wheel->far[i] = added;
}

static DnFarEvent far_pop(DnWheel *wheel)
{
    DnFarEvent top = wheel->far[0], last = wheel->far[--wheel->n_far];
    gsize i = 0;
    for (;;) {
        gsize child = 2 * i + 1;
        if (child >= wheel->n_far)
            break;
        if (child + 1 < wheel->n_far &&
            far_before(&wheel->far[child + 1], &wheel->far[child], wheel->shift))
            child++;
        if (!far_before(&wheel->far[child], &last, wheel->shift))
            break;
        wheel->far[i] = wheel->far[child];
        i = child;
    }
    if (wheel->n_far > 0)
        wheel->far[i] = last;
    return top;
}

gint64 dn_wheel_next_slot(const DnWheel *wheel)
{
    gint64 next = G_MAXINT64;
    if (wheel->waiting > 0)
        for (next = wheel->first; wheel->counts[next & (wheel->slots - 1)] == 0;)
            next++;
    if (wheel->n_far > 0)
        next = MIN(next, wheel->far[0].when_ps >> wheel->shift);
    return next;
}

void dn_wheel_move_to(DnWheel *wheel, gint64 first, guint32 span)
{
    g_assert(first >= wheel->first && span <= wheel->slots);
    wheel->first = first;
    wheel->span = span;
    gint64 end = first + wheel->slots;
    wheel->end_ps = end <= G_MAXINT64 >> wheel->shift ? end << wheel->shift : G_MAXINT64;
    while (wheel->n_far > 0 && wheel->far[0].when_ps < wheel->end_ps) {
        DnFarEvent e = far_pop(wheel);
        dn_wheel_add(wheel, e.domain, e.when_ps, e.event);
    }
}

/* Domains of a word of the bitmaps that have events in the present window. */
static guint64 busy_word(const DnWheel *wheel, guint32 word)
{
    guint64 bits = 0;
    for (guint32 ahead = 0; ahead < wheel->span; ahead++) {
        guint32 slot = ((guint32)wheel->first + ahead) & (wheel->slots - 1);
        bits |= wheel->busy[(gsize)slot * wheel->words + word];
    }
    return bits;
}

static guint32 next_domain(const DnWheel *wheel, guint32 from)
{
    guint32 word = from / 64;
    if (word >= wheel->words)
        return DN_NONE;
    guint64 bits = busy_word(wheel, word) & (~G_GUINT64_CONSTANT(0) << (from % 64));
    while (bits == 0) {
        if (++word == wheel->words)
            return DN_NONE;
        bits = busy_word(wheel, word);
    }
    return word * 64 + (guint32)__builtin_ctzll(bits);
}

DnWorkItem dn_wheel_next_work_item(const DnWheel *wheel, DnWorkItem item)
{
    for (; item.ahead < wheel->span && item.domain < wheel->domains; item.ahead++)
        if (*dn_work_item_bucket(wheel, item) != 0)
            return item;
    item = (DnWorkItem){.domain = next_domain(wheel, item.domain + 1)};
    while (item.domain != DN_NONE && *dn_work_item_bucket(wheel, item) == 0)
        item.ahead++;
    return item;
}

guint32 dn_wheel_take(DnWheel *wheel, DnWorkItem item, guint *n)
{
    guint32 slot = ((guint32)wheel->first + item.ahead) & (wheel->slots - 1);
    guint32 *next = dn_bucket(wheel, slot, item.domain);
    guint32 newest = (*next - 1) / DN_CHUNK_PLACES, oldest = 0;
    *n = (*next - 1) % DN_CHUNK_PLACES;   /* of the newest chunk; the others are full */
    for (guint32 id = newest; id != 0;) { /* reverse the chain: oldest first */
        guint32 older = dn_chunk(wheel, id)->older;
        *n += id == newest ? 0 : DN_CHUNK_EVENTS;
        dn_chunk(wheel, id)->older = oldest;
        oldest = id;
        id = older;
    }
    if (G_UNLIKELY(newest == 0))
        *n = 0; /* lost */
    *next = 0;
    wheel->busy[(gsize)slot * wheel->words + item.domain / 64] &=
        ~(G_GUINT64_CONSTANT(1) << (item.domain % 64));
    wheel->counts[slot]--;
    wheel->waiting--;
    return oldest;
}

void dn_self_events_add(DnSelfEvents *self, guint32 offset_ps, DnEvent event)
{
    if (self->at == self->n)
        self->at = self->n = 0;
    if (self->n == self->capacity) {
        self->capacity = MAX(64, 2 * self->capacity);
        self->events = g_renew(DnEvent, self->events, self->capacity);
    }
    event.offset_ps = offset_ps;
    guint i = self->n++;
    for (; i > self->at && self->events[i - 1].offset_ps > offset_ps; i--)
        self->events[i] = self->events[i - 1];
    self->events[i] = event;
}
