/* event.h - what happens at a vertex, and when: 16 bytes. */
#pragma once
#include <glib.h>

typedef enum {
    DN_EVENT_ARRIVE, /* a: packet; b: port where it came in */
    DN_EVENT_CREDIT, /* a: bytes; b: port, aux: queue */
    DN_EVENT_NOTICE, /* a: destination, b: crowding (throttle.c) */
    DN_EVENT_SELF,   /* from here on: of the vertex itself, after arrivals of that instant */
    DN_EVENT_WAKE = DN_EVENT_SELF, /* a: port index at the vertex: its link is free again */
    DN_EVENT_READY,                /* a: packet: enough of it is here to leave without a gap */
    DN_EVENT_FIRST,                /* a: packet: now the first of its input buffer (fifo.c) */
    DN_EVENT_INJECT,               /* a: message whose next packet may leave now */
    DN_EVENT_SENT,                 /* a, b: cookie */
    DN_EVENT_LOCAL,                /* a: message to the sender itself */
    DN_EVENT_TIMER,                /* a, b: cookie */
} DnEventKind;

typedef struct {
    guint32 offset_ps; /* within its window */
    guint8 kind, aux;
    guint16 slot; /* vertex within its domain */
    guint32 a, b;
} DnEvent;
G_STATIC_ASSERT(sizeof(DnEvent) == 16);
