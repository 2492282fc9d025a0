/* delay_attribution_internal.h - State of ports, packets and messages that is shared by
 * delay_attribution.c and delay_attribution_buffers.c. */
#pragma once
#include "engine/packet/delay_attribution.h"

/* The cause of a packet's wait. */
typedef struct {
    guint8 kind; /* DnDelayKind; DN_DELAY_LATENCY: nobody's */
    guint16 job;
    guint32 root;
    guint32 src, dst; /* of the message ahead; DN_NONE: no other message */
} DnDelayCause;

/* An entry of a port's log: consecutive packets of one message that it sent. */
typedef struct {
    gint64 start_ps, end_ps;
    gint64 born_ps; /* with msg: identifies the message */
    guint32 msg, src, dst;
    guint64 stalled_queues; /* queues that had packets and no credit when it began */
    guint16 job;
    DnDelayCause idle;  /* why the port stood still before */
    DnDelayCause worst; /* of the packet's waits here */
} DnSent;

typedef struct {
    GArray *spans;   /* DnDelaySpan; kept for the next packet of this id */
    gint64 at_ps;    /* they reach to */
    gint64 first_ps; /* an input buffer left in order: behind a packet of @first until then */
    DnDelayCause first;
    gint64 tail_ps; /* of when it joined its queue; 0: it joined none since it left the last one */
    guint32 before; /* packets of its message that left the source before it */
    gint64 slowest_ps;       /* of a full packet, on the slowest link so far */
    DnDelayCause main_cause; /* the longest of its waits so far */
    gint64 main_cause_ps;
} DnPacketDelays;

struct DnDelayLog {
    GArray **logs;          /* [links] DnSent, by engine port; NULL: nothing yet */
    GArray **credit_times;  /* [links * queues] gint64: when credits come back; NULL: nothing yet */
    GArray **buffered;      /* [links * queues] guint32: packets on the link, or at its far end */
    DnDelayCause *crossbar; /* [links] the packet that last left the input */
    guint32 *live;          /* [vertices] messages that have not wholly left, by state */
    GArray *packet_delays;  /* DnPacketDelays, by packet */
    GArray *sent;           /* guint32, by message state: packets that left the source */
    guint32 last;           /* the packet that came last */
    gsize n_logs, n_credit_times;
};

/* A packet about to leave. */
typedef struct {
    struct DnDelayLog *log_state;
    const DnPacketEngine *engine;
    const DnPacket *packet;
    const DnMessageState *msg;
    DnPacketDelays *delays;
    guint32 port; /* engine port */
    guint32 q;
    gint64 start_ps;
    gboolean looked; /* TRUE: the holder is known */
    DnDelayCause holder;
    gint64 own_ps;      /* it would wait here for its own message without any others */
    DnDelayCause worst; /* of its waits here */
    gint64 worst_ps;
} DnDeparture;

static inline DnDelayCause dn_own_delay(const DnDeparture *l, DnDelayKind kind)
{
    return (DnDelayCause){(guint8)kind, l->msg->m.job, DN_NONE, DN_NONE, DN_NONE};
}

/* A wait of @kind for @message. */
static inline DnDelayCause dn_delay_behind(DnDelayKind kind, const DnMessage *message, guint32 root)
{
    return (DnDelayCause){(guint8)kind, message->job, root, message->src, message->dst};
}

/* The same for a packet of a port's log. */
static inline DnDelayCause dn_delay_behind_sent(DnDelayKind kind, const DnSent *sent, guint32 root)
{
    return (DnDelayCause){(guint8)kind, sent->job, root, sent->src, sent->dst};
}

static inline gboolean dn_is_own_message(const DnDeparture *l, guint32 msg, gint64 born_ps)
{
    return msg == l->packet->message && born_ps == l->msg->born_ps;
}

/* Returns the delays of packet @id, which always exist. */
static inline DnPacketDelays *dn_packet_delays_of(struct DnDelayLog *w, guint32 id)
{
    if (id >= w->packet_delays->len)
        g_array_set_size(w->packet_delays, MAX(id + 1, 2 * w->packet_delays->len));
    DnPacketDelays *delays = &g_array_index(w->packet_delays, DnPacketDelays, id);
    if (delays->spans == NULL)
        delays->spans = g_array_new(FALSE, FALSE, sizeof(DnDelaySpan));
    return delays;
}

/* ---- delay_attribution_buffers.c: buffers at the far ends of links ---- */

/* TRUE when credits for @leaving returned at this very moment. */
gboolean dn_credits_just_returned(const DnDeparture *leaving);
/* Returns the cause of the missing credits (the traffic that fills the far buffer); computed
 * once. */
DnDelayCause dn_buffer_holder(DnDeparture *leaving);
/* Updates the buffers as packet @id leaves: it frees its input buffer, and fills that at the link's
 * far end unless it @ends there. */
void dn_buffer_move(const DnDeparture *leaving, guint32 id, gint64 tail_ps, gboolean ends);
