/* routing.h - a routing algorithm: tables made once, then a choice per packet and hop.
 *
 * A path has up to three stretches: inside the source node (to the NIC), over the fabric, inside
 * the destination node; a message inside a node has the first only. node_routing.c serves the
 * node stretches of every machine (shortest paths over the node graph); the algorithm chosen by
 * `routing.algorithm` serves the fabric. The virtual channel is part of the choice and every
 * algorithm passes deadlock_check.c: the dependency graph over (link, lane, channel) is acyclic.
 * Knowledge is local: an algorithm sees the packet, the vertex, and what DnLoadView shows of the
 * vertex's own ports. */
#pragma once
#include "config/params.h"
#include "topology/machine.h"

/* Travels with each packet; plain data. */
typedef struct {
    guint32 target;        /* destination vertex */
    guint32 target_switch; /* switch its NIC hangs on; DN_NONE inside one node */
    guint32 via;   /* intermediate switch or group (Valiant); DN_NONE: none, or passed */
    guint32 flow;  /* equal for all packets between two endpoints; hashed choices use it */
    guint8 phase;  /* the algorithm's own: e.g. global hops so far, datelines crossed */
    guint8 hops;   /* links crossed so far in this stretch (saturates at 255) */
    guint8 mode;   /* message's routing mode, index into the algorithm's modes */
    guint8 exit;   /* source node: local index of the NIC to leave by; DN_EXIT_NONE: left */
} DnRouteState;

#define DN_EXIT_NONE 255

typedef struct {
    guint32 port; /* port index at the vertex (not a link id) */
    guint8 channel; /* virtual channel on that port's out link */
} DnHop;

/* What an engine shows of the vertex that routes. All are O(1). */
typedef struct DnLoadView DnLoadView;
struct DnLoadView {
    /* Bytes queued for @port at this vertex plus bytes the far end has not credited back. */
    gint64 (*port_bytes)(const DnLoadView *view, guint32 port);
};

typedef struct DnRouter DnRouter; /* an algorithm's tables for one machine */

typedef struct {
    const char *name;          /* `routing.algorithm` */
    const char *source;
    const DnParamSpec *params;
    const char *const *topologies; /* names it serves, NULL-terminated; NULL: every one */
    const char *const *modes;  /* per-message modes, NULL-terminated; [0] the default */
    DnRouter *(*make)(const DnMachine *machine, const DnParams *params, GError **error);
    void (*free)(DnRouter *router);
    /* Called where a packet enters the fabric (its first switch), before the first next() there:
     * may set via and phase. NULL: nothing to decide. */
    void (*start)(const DnRouter *router, guint32 vertex, DnRouteState *state,
                  const DnLoadView *load, guint64 draw);
    /* Next hop of a packet at switch @vertex != state->target_switch. Updates @state to what it is
     * on that hop. @draw: 64 fresh random bits; equal draws give equal choices. */
    DnHop (*next)(const DnRouter *router, guint32 vertex, DnRouteState *state,
                  const DnLoadView *load, guint64 draw);
    /* Every hop next() may take from this state; states after them in @after. For checks and
     * analysis. Returns the count (<= max, asserted). */
    guint (*choices)(const DnRouter *router, guint32 vertex, const DnRouteState *state, DnHop *hops,
                     DnRouteState *after, guint max);
    /* Every state start() may set. */
    guint (*starts)(const DnRouter *router, guint32 vertex, const DnRouteState *state,
                    DnRouteState *after, guint max);
} DnRoutingType;

/* Common head of each algorithm's tables. */
typedef struct DnNodeRouting DnNodeRouting;
struct DnRouter {
    const DnRoutingType *type;
    const DnMachine *machine;
    DnNodeRouting *node;       /* shortest paths inside a node; NULL: nodes are single NICs */
    const guint32 *exit_switch; /* [node vertices of the graph] switch of the vertex's NIC */
    const guint32 *exit_port;  /* [likewise] port of that switch towards the NIC */
    guint channels;            /* virtual channels needed, >= 1: fabric and node together */
};

extern const DnRoutingType *const dn_routing_types[];

/* (transfer full). @node: the `routing:` mapping or NULL (minimal). Does not run the deadlock
 * check. */
DnRouter *dn_router_new(const DnMachine *machine, const DnConfigNode *node, GError **error);
void dn_router_free(DnRouter *router);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnRouter, dn_router_free)

/* The whole way, stretch by stretch; engines and checks call these three.
 * dn_route_init: at the source vertex. dn_route_next: at any vertex != target. */
void dn_route_init(const DnRouter *router, guint32 source, guint32 target, guint mode,
                   DnRouteState *state);
DnHop dn_route_next(const DnRouter *router, guint32 vertex, DnRouteState *state,
                    const DnLoadView *load, guint64 draw);
/* Every hop dn_route_next() may take; returns the count. @after: states on those hops. */
guint dn_route_choices(const DnRouter *router, guint32 vertex, const DnRouteState *state,
                       DnHop *hops, DnRouteState *after, guint max);

/* TRUE when the channel dependency graph is acyclic; else FALSE + DN_ERROR_CYCLE with the cycle
 * spelled out. Dally & Seitz, "Deadlock-Free Message Routing in Multiprocessor Interconnection
 * Networks", IEEE Trans. Computers C-36(5), 1987, theorem 1. */
gboolean dn_deadlock_check(const DnRouter *router, GError **error);
