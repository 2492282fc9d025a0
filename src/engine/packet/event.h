/* event.h - An event says what happens at a vertex, and when: 16 bytes. */
#pragma once
#include <glib.h>

typedef enum {
    DN_EVENT_ARRIVE,       /* a: packet; b: port where it came in; aux: it ends here */
    DN_EVENT_CREDIT,       /* a: bytes; b: port, aux: queue */
    DN_EVENT_NOTIFICATION, /* a: destination, b: word of dn_control_notify() */
    DN_EVENT_SELF,         /* from here on: of the vertex itself, after arrivals of that instant */
    DN_EVENT_WAKE = DN_EVENT_SELF, /* a: port index at the vertex: its link is free again */
    DN_EVENT_INTERLEAVE,           /* a: port index: packet boundary of the aggregate sent */
    DN_EVENT_TAIL,                 /* a: port index, b: rate, aux: lane: aggregate arrived */
    DN_EVENT_READY,                /* a: packet: enough of it is here to leave without a gap */
    DN_EVENT_FIRST,                /* a: packet: now the first of its input buffer (fifo.c) */
    DN_EVENT_INJECT,               /* a: message whose next packet may leave now */
    DN_EVENT_SENT,                 /* a, b: cookie */
    DN_EVENT_LOCAL,                /* a: message to the sender itself */
    DN_EVENT_TIMER,                /* a, b: cookie */
} DnEventKind;

/* The members are whole words: a word written in pieces and read as one would stall the CPU's store
 * forwarding. */
typedef struct {
    guint32 offset_ps; /* within its slot */
    guint32 what;      /* kind, aux << 8, slot (vertex within its domain) << 16 */
    guint32 a, b;
} DnEvent;
G_STATIC_ASSERT(sizeof(DnEvent) == 16);

static inline DnEvent dn_event(DnEventKind kind, guint aux, guint16 slot, guint32 a, guint32 b)
{
    return (DnEvent){.what = kind | (aux & 255) << 8 | (guint32)slot << 16, .a = a, .b = b};
}

/* Makes an event for dn_emit_self(), which knows the slot. */
static inline DnEvent dn_event_own(DnEventKind kind, guint32 a)
{
    return (DnEvent){.what = kind, .a = a};
}

static inline DnEvent dn_event_cookie(DnEventKind kind, guint64 cookie)
{
    return (DnEvent){.what = kind, .a = (guint32)cookie, .b = (guint32)(cookie >> 32)};
}

static inline DnEventKind dn_event_kind(const DnEvent *event)
{
    return (DnEventKind)(event->what & 255);
}

static inline guint dn_event_aux(const DnEvent *event)
{
    return event->what >> 8 & 255;
}

static inline guint dn_event_slot(const DnEvent *event)
{
    return event->what >> 16;
}
