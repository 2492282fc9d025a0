/* delay_attribution_internal.h - what delay_attribution.c and delay_attribution_buffers.c keep of
 * ports, packets and messages. */
#pragma once
#include "engine/packet/delay_attribution.h"

/* Whose fault it is that a packet waited. */
typedef struct {
    guint8 kind; /* DnWayKind; DN_WAY_LATENCY: nobody's */
    guint16 job;
    guint32 root;
} DnCulprit;

/* Of one message, or of a packet: what a port did, one after another. */
typedef struct {
    gint64 start_ps, end_ps;
    gint64 born_ps; /* with flight: which message */
    guint32 flight;
    guint32 starved; /* queues that had packets and no credit when it began */
    guint16 job;
    DnCulprit idle;  /* why the port stood still before */
    DnCulprit worst; /* of the packet's waits here */
} DnSent;

typedef struct {
    GArray *parts;   /* DnWayPart; kept for the next packet of this id */
    gint64 at_ps;    /* they reach to */
    gint64 first_ps; /* an input buffer left in order: behind a packet of @first_job until then */
    guint16 first_job;
    guint32 before;    /* packets of its message that left the source before it */
    gint64 slowest_ps; /* of a full packet, on the slowest link so far */
    DnCulprit blamed;  /* the longest of its waits so far */
    gint64 blamed_ps;
} DnWay;

struct DnWaits {
    GArray **logs;     /* [links] DnSent, by engine port; NULL: nothing yet */
    GArray **rooms;    /* [links * queues] gint64: when credits come back; NULL: nothing yet */
    GArray **held;     /* [links * queues] guint32: packets on the link, or at its far end */
    guint16 *crossing; /* [links] job of the packet that last left the input */
    guint32 *live;     /* [vertices] messages that have not wholly left, by state */
    GArray *ways;      /* DnWay, by packet */
    GArray *sent;      /* guint32, by flight: packets that left the source */
    guint32 last;      /* the packet that came last */
    gsize n_logs, n_rooms;
};

/* A packet about to leave. */
typedef struct {
    struct DnWaits *waits;
    const DnPacketEngine *engine;
    const DnPacket *packet;
    const DnFlight *flight;
    DnWay *way;
    guint32 port; /* engine port */
    guint32 q;
    gint64 start_ps;
    gboolean looked; /* at who holds the room: */
    DnCulprit holder;
    gint64 own_ps;   /* it would wait here for its own message without any others */
    DnCulprit worst; /* of its waits here */
    gint64 worst_ps;
} DnLeaving;

static inline DnCulprit dn_own(const DnLeaving *l, DnWayKind kind)
{
    return (DnCulprit){(guint8)kind, l->flight->m.job, DN_NONE};
}

static inline gboolean dn_is_own(const DnLeaving *l, guint32 flight, gint64 born_ps)
{
    return flight == l->packet->message && born_ps == l->flight->born_ps;
}

/* Of packet @id; there is always one. */
DnWay *dn_way_of(struct DnWaits *waits, guint32 id);

/* ---- delay_attribution_buffers.c: room at the far ends of links ---- */

/* Has room come free for @leaving at this very moment? */
gboolean dn_room_came(const DnLeaving *leaving);
/* Who holds the room at the link's far end; looked up once. */
DnCulprit dn_room_holder(DnLeaving *leaving);
/* Packet @id leaves: the room it leaves behind, and, if it @ends there, the room it takes at the
 * link's far end; else it holds that. */
void dn_room_move(const DnLeaving *leaving, guint32 id, gint64 tail_ps, gboolean ends);
