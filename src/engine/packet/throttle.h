/* throttle.h - congestion control at the endpoints: what switches tell, and what sources do. */
#pragma once
#include "engine/packet/core.h"

/* Who is sending to one terminal, as its last switch sees it. */
struct DnCrowd {
    guint n, capacity;
    struct DnWaiting *waiting;
};

/* Windows, and crowds [terminals]. */
void dn_throttle_init(DnPacketEngine *engine);
void dn_throttle_clear(DnPacketEngine *engine);
/* When the next packet of @flight may leave: now or sooner, later, or G_MAXINT64: after a response
 * to an earlier one. */
gint64 dn_throttle_release(DnPart *part, DnVertexState *v, const DnFlight *flight);
/* It leaves now. */
void dn_throttle_sent(DnPart *part, DnVertexState *v, const DnFlight *flight);
/* The response to a packet of @flight is back with what the packet saw. */
void dn_throttle_answer(DnPart *part, DnVertexState *v, DnFlight *flight, guint32 crowding);
/* At the last switch: @packet joins the queue of @last_hop for its terminal, and leaves it with the
 * crowding there. */
void dn_throttle_join(DnPart *part, const DnPort *last_hop, const DnPacket *packet);
guint32 dn_throttle_leave(DnPart *part, const DnPort *last_hop, const DnPacket *packet);
/* A switch's notice is here. */
void dn_throttle_told(DnPart *part, DnVertexState *v, guint32 destination, guint32 crowding);
