/* congestion_control.h - congestion control: what switches see, what sources are told, and what
 * they do then.
 *
 * One file per kind (throttle.c, infiniband.c) ends in its instance. All hold a source back from a
 * destination, so that what it sends to others goes on: a short list at each source. */
#pragma once
#include "engine/packet/core.h"

typedef struct {
    guint32 destination; /* endpoint */
    guint32 told;        /* throttle: crowding; infiniband: index into the table */
    guint32 extra;       /* throttle: packets above its share; infiniband: timers passed by then */
    gint64 sent_ps;      /* its last packet */
    gint64 unit_ps;      /* infiniband: what that one takes on a terminal's link */
} DnHeld;

/* A source is held back from few destinations at a time. */
struct DnHeldList {
    guint n, capacity;
    DnHeld *held;
};

struct DnControl {
    void (*init)(DnPacketEngine *engine);
    void (*clear)(DnPacketEngine *engine);
    /* A request joins the queues of engine port @port, and leaves by it. */
    void (*join)(DnPart *part, const DnVertexState *v, guint32 port, const DnPacket *packet);
    void (*leave)(DnPart *part, DnVertexState *v, guint32 port, DnPacket *packet);
    /* When the next packet of @flight may leave: now or sooner, later, or G_MAXINT64: after a
     * response to an earlier one. */
    gint64 (*release)(DnPart *part, DnVertexState *v, const DnFlight *flight);
    /* @payload bytes of it leave now; only of sources with a list. */
    void (*sent)(DnPart *part, DnVertexState *v, const DnFlight *flight, gint64 payload);
    /* The response to a packet of @flight is back with what the packet saw; or NULL. */
    void (*answer)(DnPart *part, DnVertexState *v, DnFlight *flight, guint32 crowding);
    /* What dn_control_tell() said is here. */
    void (*told)(DnPart *part, DnVertexState *v, guint32 destination, guint32 word);
    /* For the watchdog: appends how @held is; FALSE: no longer. */
    gboolean (*describe)(const DnPacketEngine *engine, const DnHeld *held, gint64 now_ps,
                         GString *text);
};

extern const struct DnControl dn_control_throttle, dn_control_infiniband;

void dn_control_init(DnPacketEngine *engine);
void dn_control_clear(DnPacketEngine *engine);
/* @word to the source of @packet: it leaves here at @from_ps and takes the slowest hop's latency
 * for every hop that the packet has made, and the ends; unhindered. */
void dn_control_tell(DnPart *part, const DnPacket *packet, gint64 from_ps, guint32 word);

static inline DnHeld *dn_held_find(const DnVertexState *v, guint32 destination)
{
    const struct DnHeldList *list = v->held;
    for (guint i = 0; list != NULL && i < list->n; i++)
        if (list->held[i].destination == destination)
            return &list->held[i];
    return NULL;
}

/* A new one, that has sent nothing. */
DnHeld *dn_held_add(DnVertexState *v, guint32 destination);

static inline void dn_held_drop(DnVertexState *v, DnHeld *held)
{
    *held = v->held->held[--v->held->n];
}
