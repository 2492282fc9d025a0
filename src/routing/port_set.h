/* port_set.h - sets of equally good ports, stored once each, and the pick of one.
 *
 * A DnPortSet is 32 bits: a single port in place (the common case costs no second look-up), or an
 * offset into the shared list. Tables of a machine hold millions of them. */
#pragma once
#include "base/rng.h"
#include "routing/routing.h"

typedef guint32 DnPortSet;
#define DN_PORT_SET_EMPTY G_MAXUINT32

typedef enum { DN_PICK_RANDOM, DN_PICK_HASHED, DN_PICK_ADAPTIVE } DnPick;
extern const char *const dn_pick_names[]; /* for DN_PARAM_CHOICE */

typedef struct {
    guint16 *ports; /* each list: count, then the ports */
    guint32 n, capacity;
    GHashTable *known; /* while building: list -> offset */
    guint16 *wanted;   /* while building: the list that is looked for */
    guint32 wanted_capacity;
} DnPortSets;

DnPortSets *dn_port_sets_new(void);
void dn_port_sets_free(DnPortSets *sets);
/* @ports: @n > 0 distinct ports, ascending. Equal lists give equal sets. @guess: a set that is
 * probably the same, which saves the look-up, or DN_PORT_SET_EMPTY. */
DnPortSet dn_port_sets_add(DnPortSets *sets, const guint16 *ports, guint n, DnPortSet guess);
void dn_port_sets_close(DnPortSets *sets); /* no more add(); drops the hash table */

#define DN_PORT_SET_SINGLE 0x80000000u
/* Two bits of a single port, free for what a router notes of it. */
#define DN_PORT_SET_NOTE_SHIFT 16
static inline guint dn_port_set_note(DnPortSet set)
{
    return set >> DN_PORT_SET_NOTE_SHIFT & 3;
}

static inline const guint16 *dn_port_set_list(const DnPortSets *sets, DnPortSet set, guint *n,
                                              guint16 *single)
{
    if (set & DN_PORT_SET_SINGLE) {
        *single = (guint16)set;
        *n = 1;
        return single;
    }
    *n = sets->ports[set];
    return sets->ports + set + 1;
}

/* Least loaded of @n ports; equal loads are settled by @draw. */
guint32 dn_port_least_loaded(const guint16 *ports, guint n, const DnLoadView *load, guint64 draw);

static inline guint32 dn_port_set_pick(const DnPortSets *sets, DnPortSet set, DnPick pick,
                                       const DnLoadView *load, guint32 flow, guint64 draw)
{
    if (set & DN_PORT_SET_SINGLE)
        return set & 0xffff;
    guint n = sets->ports[set];
    const guint16 *ports = sets->ports + set + 1;
    switch (pick) {
    case DN_PICK_HASHED:
        return ports[dn_draw_below((guint64)flow << 32, n)];
    case DN_PICK_ADAPTIVE:
        return dn_port_least_loaded(ports, n, load, draw);
    case DN_PICK_RANDOM:
    default:
        return ports[dn_draw_below(draw, n)];
    }
}
