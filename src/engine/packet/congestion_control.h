/* congestion_control.h - Congestion control: detection at switches, notification of sources, and
 * their reaction.
 *
 * One file per kind (throttle.c, infiniband.c) ends in its instance. Every kind throttles the flow
 * from a source to one destination, and leaves the source's other flows alone; each source has a
 * short list of its throttled flows. */
#pragma once
#include "engine/packet/core.h"

typedef struct {
    guint32 destination; /* endpoint */
    guint32 level;       /* throttle: congestion level; infiniband: index into the table */
    guint32 extra;       /* throttle: packets above its share; infiniband: timers passed by then */
    guint32 apart;       /* throttle: DnApart of source and destination */
    guint32 in_flight;   /* throttle: packets without response that left since it is throttled */
    guint32 first_waiting, last_waiting; /* messages that wait for those, by `next`; 0: none */
    gint64 sent_ps;                      /* its last packet */
    gint64 unit_ps;                      /* infiniband: time of that packet on a terminal's link */
} DnThrottledFlow;

/* The throttled flows of a source; they are few at a time. */
struct DnThrottledFlows {
    guint n, capacity;
    DnThrottledFlow *flows;
};

#define DN_RELEASE_BY_FLOW (G_MAXINT64 - 1)

struct DnControl {
    void (*init)(DnPacketEngine *engine);
    void (*clear)(DnPacketEngine *engine);
    /* A request joins the queues of engine port @port, and leaves by it (but for a NIC's uplink):
     * of any port with `everywhere`, else of those to the NICs. */
    void (*join)(DnPartition *partition, const DnVertexState *v, guint32 port,
                 const DnPacket *packet);
    void (*leave)(DnPartition *partition, DnVertexState *v, guint32 port, DnPacket *packet);
    /* Returns when the next packet of @msg may leave: now or sooner, later, G_MAXINT64: after a
     * response to an earlier one, or DN_RELEASE_BY_FLOW: to one of its flow, whose messages wait
     * for it in turn. */
    gint64 (*release)(DnPartition *partition, DnVertexState *v, const DnMessageState *msg);
    /* @payload bytes of it leave now in @count packets that are responded to; only of sources with
     * a list. */
    void (*sent)(DnPartition *partition, DnVertexState *v, DnMessageState *msg, gint64 payload,
                 guint32 count);
    /* The response to a packet of @msg, which stands for @count, arrived with the packet's
     * @feedback; or NULL. */
    void (*answer)(DnPartition *partition, DnVertexState *v, DnMessageState *msg, guint32 feedback,
                   guint32 count);
    /* The notification sent by dn_control_notify() arrived. */
    void (*notified)(DnPartition *partition, DnVertexState *v, guint32 destination, guint32 word);
    /* Returns how many of the machine's packets may leave as one larger packet of @msg; or NULL. */
    guint32 (*at_once)(const DnPacketEngine *engine, const DnVertexState *v,
                       const DnMessageState *msg);
    /* Called by the watchdog: appends the state of @flow; FALSE: it is not throttled any more. */
    gboolean (*describe)(const DnPacketEngine *engine, const DnThrottledFlow *flow, gint64 now_ps,
                         GString *text);
    gboolean everywhere;
};

/* LIMITATIONS of each, as `darner help machine hardware` shows them. */
#define DN_THROTTLE_LIMITS                                                                         \
    "packets that leave before the first notification arrives, up to a round trip's worth a "      \
    "source, are in the network and spread; senders are counted for a NIC; of what left before "   \
    "the notification a flow's window does not know"
#define DN_INFINIBAND_LIMITS                                                                       \
    "a port with credits for one more packet of the largest size is a root; notifications take "   \
    "no link's time; Victim_Mask and Credit_Mask are empty, CCTI_Min is 0, the "                   \
    "Trigger_Threshold, that only logs, is not there; timers of all sources tick together"

extern const struct DnControl dn_control_throttle, dn_control_infiniband;

void dn_control_init(DnPacketEngine *engine);
void dn_control_clear(DnPacketEngine *engine);
/* @word to the source of @packet: it leaves here at @from_ps and takes the slowest hop's latency
 * for every hop that the packet has made, and the ends; unhindered. */
void dn_control_notify(DnPartition *partition, const DnPacket *packet, gint64 from_ps,
                       guint32 word);

static inline DnThrottledFlow *dn_throttled_flow_find(const DnVertexState *v, guint32 destination)
{
    const struct DnThrottledFlows *list = v->throttled;
    for (guint i = 0; list != NULL && i < list->n; i++)
        if (list->flows[i].destination == destination)
            return &list->flows[i];
    return NULL;
}

/* A new one, that has sent nothing. */
DnThrottledFlow *dn_throttled_flow_add(DnVertexState *v, guint32 destination);
/* Message @id waits for responses to its throttled flow, behind those that wait already. */
void dn_throttled_flow_wait(const DnPacketEngine *engine, DnVertexState *v, guint32 id);

static inline void dn_throttled_flow_drop(DnVertexState *v, DnThrottledFlow *flow)
{
    *flow = v->throttled->flows[--v->throttled->n];
}
