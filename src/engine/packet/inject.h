/* inject.h - Messages become packets, one at a time (inject.c). */
#pragma once
#include "engine/packet/core.h"

/* Packets of messages that begin at a vertex which may wait in one of its ports; of larger packets
 * the same number of bytes. */
#define DN_INJECT_AHEAD 2

typedef enum {
    DN_INJECT_SENT,      /* the message has one packet less to go */
    DN_INJECT_PORT_FULL, /* it waits in the list of the port */
    DN_INJECT_PARKED,    /* an event or a response continues it */
} DnInjectOutcome;

typedef struct {
    guint32 packet;  /* joins the port now; 0: none does */
    guint32 port;    /* that routing chose, index at the vertex */
    gboolean last;   /* the message has no more packets */
    gboolean begins; /* set by the caller: the message has just been sent */
} DnInjected;

/* Makes one packet of message @id, if the port it would take accepts it. @injected is zero before;
 * the packet joins its port by dn_port_enqueue(). */
DnInjectOutcome dn_inject_one(DnPartition *partition, DnVertexState *v, guint32 id,
                              DnInjected *injected);
/* TRUE: dn_inject_one() would find port @index full for the first message that waits there, whose
 * path has no choice; what that call would change is changed. FALSE: not known. */
gboolean dn_inject_is_refused(DnPartition *partition, DnVertexState *v, guint32 index);
/* Does what dn_inject_one() does, for a message just sent, of which only m and born_ps are set. */
DnInjectOutcome dn_inject_new(DnPartition *partition, DnVertexState *v, guint32 id, guint32 rail,
                              DnInjected *injected);
/* Adds message @id to the messages that wait at @port, in front or behind the others; its id may
 * no longer be valid afterwards (message_pack.h). */
void dn_inject_push(DnPartition *partition, DnPort *port, guint32 id, gboolean front);
/* Takes the first message that waits at @port of @v; 0: memory is exhausted, and the run ends. */
guint32 dn_inject_pop(DnPartition *partition, const DnVertexState *v, DnPort *port);

/* Returns TRUE when @port accepts no further packet of messages that begin at its vertex. */
static inline gboolean dn_inject_is_ahead(const DnPacketEngine *e, const DnPort *port)
{
    return port->queued >= DN_INJECT_AHEAD ||
           port->queued_bytes >= DN_INJECT_AHEAD * e->net.sizes.first_wire_bytes;
}

/* The input of a vertex that @packet came by, as one of 32 bits. */
static inline guint32 dn_input_bit(const DnVertexState *v, const DnPacket *packet)
{
    return 1u << (packet->in_port - v->first_port) % 32;
}
