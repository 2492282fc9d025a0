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
    guint32 via;           /* intermediate switch or group (Valiant); DN_NONE: none, or passed */
    guint32 flow;          /* equal for all packets between two endpoints; hashed choices use it */
    guint8 phase;          /* the algorithm's own: e.g. global hops so far, datelines crossed; on
                            * the way out of the source's node the NIC it leaves by */
    guint8 hops;           /* links crossed so far in this stretch (saturates at 255) */
    guint8 mode;           /* message's routing mode, index into the algorithm's modes */
    guint8 exit;           /* NIC it enters by, with DN_EXIT_LEFT behind the source's; or none */
} DnRouteState;

#define DN_MAX_CHANNELS 32 /* virtual channels of a lane */
/* With this bit `via` is no detour, but the gateway of a minimal path. */
#define DN_VIA_GATE 0x20000000u
static inline gboolean dn_route_detours(const DnRouteState *state)
{
    return state->via != DN_NONE && !(state->via & DN_VIA_GATE);
}

/* DnRouteState.exit of a path between two nodes: one of the target's NICs (their rails, 0 ..
 * DN_MAX_NICS - 1), and whether the source's has been passed. */
#define DN_MAX_NICS 127 /* of a node */
#define DN_MAX_PARTS 8  /* NICs that one message may be split over */
#define DN_EXIT_LEFT 128
#define DN_EXIT_NONE 255 /* inside one node; has DN_EXIT_LEFT */
/* Of a message, one of these, or a NIC of both nodes. */
#define DN_RAIL_OWN DN_NONE    /* each endpoint's own NIC */
#define DN_RAIL_AFTER_OWN 128u /* + n: at each end the n-th NIC after the endpoint's own */
#define DN_RAIL_BY_NICS 256u   /* added to a rail: over these NICs inside a node too */
/* Returns @rail with DN_RAIL_BY_NICS. */
static inline guint32 dn_rail_by_nics(guint32 rail)
{
    return (rail == DN_RAIL_OWN ? DN_RAIL_AFTER_OWN : rail) | DN_RAIL_BY_NICS;
}
/* TRUE: a message over @rail takes the links of a node that has both its ends. */
static inline gboolean dn_rail_stays(guint32 rail)
{
    return rail == DN_RAIL_OWN || !(rail & DN_RAIL_BY_NICS);
}
static inline guint32 dn_exit_enter(guint8 exit)
{
    return exit & ~DN_EXIT_LEFT;
}

/* TRUE: at @vertex the packet is at its target. On its way to a NIC it may have passed it before,
 * where both ends are in one node. */
static inline gboolean dn_route_ends(const DnRouteState *state, guint32 vertex)
{
    return vertex == state->target && (state->exit & DN_EXIT_LEFT) != 0;
}

typedef struct {
    guint32 port;   /* port index at the vertex (not a link id) */
    guint8 channel; /* virtual channel on that port's out link */
} DnHop;

/* The engine's view of the vertex that routes. All are O(1). */
typedef struct DnLoadView DnLoadView;
struct DnLoadView {
    /* Bytes queued for @port at this vertex plus bytes the far end has not credited back; with
     * DnRouter.load_refresh_ps as a register shows them that is set anew only so often. */
    gint64 (*port_bytes)(const DnLoadView *view, guint32 port);
    /* TRUE when the buffer at the far end of (@port, @channel) has space for one more packet of the
     * largest size behind all packets queued here for it: a packet put there now never waits for
     * credits. NULL: not known; algorithms then keep to their escape channels. */
    gboolean (*has_credit)(const DnLoadView *view, guint32 port, guint8 channel);
    /* Bytes queued at any vertex, without those in flight or not yet credited, for baselines that
     * no hardware can build (ugal_g). NULL: the engine cannot tell; such baselines then see the
     * local ports alone. Engines run a type that is `omniscient` on one thread. */
    gint64 (*remote_port_bytes)(const DnLoadView *view, guint32 vertex, guint32 port);
    /* port_bytes() less those that a link has under way when it is busy and nothing waits at either
     * end: a credit round trip at its rate, or a buffer if that is smaller. At least 0. NULL: the
     * engine counts nothing that is under way. */
    gint64 (*waiting_bytes)(const DnLoadView *view, guint32 port);
};

/* The load of a port by port_bytes() (@in_flight), or by waiting_bytes(). */
static inline gint64 dn_load_bytes(const DnLoadView *view, guint32 port, gboolean in_flight)
{
    if (in_flight || view->waiting_bytes == NULL)
        return view->port_bytes(view, port);
    return view->waiting_bytes(view, port);
}

typedef struct DnRouter DnRouter; /* an algorithm's tables for one machine */

/* The deadlock check's view of an algorithm on a large fabric: packets grouped by their goal. A
 * goal is 28 bits, defined by the algorithm but for the first two; the moves from (goal, vertex,
 * phase) depend on nothing else. */
#define DN_GOAL_ENTER 0u /* at its first switch, target and detour still open */
#define DN_GOAL_LEAVE 1u /* at its target switch */
typedef struct {
    guint32 goal;
    guint32 port;   /* DN_NONE: no hop, the packet now heads for @goal */
    guint8 channel; /* of a hop */
    guint8 phase;
} DnMove;

typedef struct {
    const char *name; /* `routing.algorithm`; types of equal name serve other topologies */
    const char *help; /* its function, a phrase */
    const char *source;
    const char *limits; /* its omissions and assumptions */
    const DnParamSpec *params;
    const char *const *topologies; /* names it serves, NULL-terminated; NULL: every one */
    /* Per-message modes, NULL-terminated; [0] the default, and its choices() hold those of all. */
    const char *const *modes;
    gboolean computed;   /* by tables over any graph: serves fabrics with failed parts too */
    gboolean omniscient; /* looks at remote_port_bytes() */
    DnRouter *(*make)(const DnMachine *machine, const DnParams *params, GError **error);
    void (*free)(DnRouter *router);
    /* Called where a packet enters the fabric (its first switch), before the first next() there:
     * may set via and phase. NULL: nothing to decide. */
    void (*start)(const DnRouter *router, guint32 vertex, DnRouteState *state,
                  const DnLoadView *load, guint64 draw);
    /* Next hop of a packet at switch @vertex != state->target_switch. Updates @state to that after
     * the hop. @draw: 64 fresh random bits; equal draws give equal choices. */
    DnHop (*next)(const DnRouter *router, guint32 vertex, DnRouteState *state,
                  const DnLoadView *load, guint64 draw);
    /* From this hop on, + 1, next() is dn_group_onward() (group_path.h) for packets on no detour;
     * 0: nobody knows. */
    guint onward_from;
    /* Optional: loads ahead what next() will read of the tables. */
    void (*prefetch)(const DnRouter *router, guint32 vertex, const DnRouteState *state);
    /* Every hop next() may take from this state; states after them in @after. For checks and
     * analysis. Returns the count (<= max, asserted). */
    guint (*choices)(const DnRouter *router, guint32 vertex, const DnRouteState *state, DnHop *hops,
                     DnRouteState *after, guint max);
    /* Every state start() may set. */
    guint (*starts)(const DnRouter *router, guint32 vertex, const DnRouteState *state,
                    DnRouteState *after, guint max);
    /* Optional: appends every DnMove from there; together they hold all that choices() allows, for
     * any target. Makes the deadlock check of a large machine fast. */
    void (*moves)(const DnRouter *router, guint32 goal, guint32 vertex, guint8 phase,
                  GArray *moves);
    /* Optional, with moves(): TRUE when it is sure that every hop between switches goes up in some
     * order of channels, so that no cycle lies in the fabric alone; FALSE: nobody knows. */
    gboolean (*ascends)(const DnRouter *router);
} DnRoutingType;

extern const DnParamSpec dn_routing_common_keys[]; /* of every type */

/* The attachment of a node's vertex to the fabric, by the NIC it uses itself. */
typedef struct {
    guint32 node;
    guint32 switch_; /* that NIC's; DN_NONE: there is no fabric */
    guint32 port;    /* of that switch towards the NIC */
    guint32 rail;    /* the NIC's index in its node */
} DnHome;

/* Common head of each algorithm's tables. */
typedef struct DnNodeRouting DnNodeRouting;
struct DnRouter {
    const DnRoutingType *type;
    const DnMachine *machine;
    DnNodeRouting *node;      /* shortest paths inside a node; NULL: nodes are single NICs */
    const guint32 *exit_port; /* [terminals] port of the terminal's switch towards it */
    const DnHome *homes;      /* [vertices of nodes], from the first one on */
    guint32 switches;
    guint onward_from; /* hop, see DnRoutingType; G_MAXUINT: never */
    guint32 nics;      /* of a node */
    guint32 rails;     /* for messages, the first so many NICs; 0: each endpoint's own only */
    gboolean leave_by_target; /* by the NIC of the target's rail, not the source's own (PXN) */
    guint32 split_rails;      /* NICs that parts of a message go over (DnMessage.rail); < 2: one */
    guint32 entry_channel;    /* of the first link behind another NIC than the target's own */
    guint channels;           /* virtual channels, >= 1: fabric and node together */
    guint channels_needed;    /* as many as the algorithm asked for; channels may be fewer */
    /* Bit c: packets enter channel c of a link between switches only after has_credit(), so none
     * ever waits for it. */
    guint32 adaptive_channels;
    gint64 load_refresh_ps; /* see DnLoadView.port_bytes; 0: at once */
    /* Credits of packets for a global link go back later the longer they wait for it, so that the
     * switches before it see that queue: UGAL-L and PAR with `credits: delayed`. */
    gboolean delays_credits;
    guint8 mode; /* `routing.mode`: of messages whose job says nothing else */
};

/* TRUE when routing has no choice of the first link of paths from @source to @target, both of nodes
 * with a graph; @rail as dn_route_init_rail() has it. */
gboolean dn_route_starts_fixed(const DnRouter *router, guint32 source, guint32 target,
                               guint32 rail);

/* The rail of the @n-th part of a message that is split: the first goes from own NIC to own NIC, as
 * all do where nodes have one NIC. */
static inline guint32 dn_router_rail_after(const DnRouter *router, guint32 n)
{
    return n == 0 || router->nics < 2 ? DN_RAIL_OWN : DN_RAIL_AFTER_OWN + n;
}

/* The same where messages go by one rail of both nodes, as with `rails` > 0: the @n-th NIC of a
 * node after that of @source, a vertex. */
static inline guint32 dn_router_next_rail(const DnRouter *router, guint32 source, guint32 n)
{
    g_assert(router->nics > 1);
    return (router->homes[source - router->machine->graph->size.switches].rail + n) % router->nics;
}

extern const DnRoutingType *const dn_routing_types[];

/* (transfer full). @node: the `routing:` mapping or NULL (the topology's default). Common keys:
 *   algorithm          a name
 *   mode               one of the algorithm's modes; the first when left out
 *   virtual_channels   as many as the algorithm needs when left out. With fewer the highest fall
 *                      together and the deadlock check names the cycle that closes; more than
 *                      needed is an error, since no packet would ever use them.
 * Does not run the deadlock check. */
DnRouter *dn_router_new(const DnMachine *machine, const DnConfigNode *node, GError **error);
/* The same limit from elsewhere; @at: for the message. */
gboolean dn_router_set_channels(DnRouter *router, guint channels, const DnConfigNode *at,
                                GError **error);
/* Moves @found, which names no place, to @error; out of range, it is an error of the machine's
 * file. Returns FALSE. */
gboolean dn_router_fail(const DnMachine *machine, GError *found, GError **error);
/* Messages may be split over @parts NICs of a node, from the endpoint's own on. Where each keeps
 * to its own otherwise, packets that come in by another NIC use the highest virtual channel of a
 * node's inside: on links that others leave by, those are on lower ones. */
gboolean dn_router_split(DnRouter *router, guint parts, GError **error);
/* Index of the mode named by the scalar @name; FALSE + DN_ERROR_UNKNOWN. */
gboolean dn_router_find_mode(const DnRouter *router, const DnConfigNode *name, guint8 *mode,
                             GError **error);
/* Estimate of its tables, before they and the machine are made; @type: NULL without a fabric. */
guint64 dn_router_memory_bytes(const DnTopologyType *type, const DnGraphSize *size);
void dn_router_free(DnRouter *router);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnRouter, dn_router_free)

/* Routing over the whole path, through nodes and fabric; engines and checks call these three.
 * dn_route_init: at the source vertex; over each endpoint's own NIC, or (_rail) over @rail. With
 * leave_by_target a source's own NIC is that of the target's rail. dn_route_next: at any vertex !=
 * target. */
void dn_route_init_rail(const DnRouter *router, guint32 source, guint32 target, guint mode,
                        guint32 rail, DnRouteState *state);
void dn_route_init(const DnRouter *router, guint32 source, guint32 target, guint mode,
                   DnRouteState *state);
/* Returns the rail of an answer from @target to a message that came over @rail: back by the
 * same NICs, which without leave_by_target is the same rail. */
guint32 dn_route_answer_rail(const DnRouter *router, guint32 target, guint32 rail);
/* Loads ahead what dn_route_init_rail() will read of @target. */
static inline void dn_route_prefetch(const DnRouter *router, guint32 target)
{
    __builtin_prefetch(&router->homes[target - router->machine->graph->size.switches]);
}
/* Likewise of dn_route_next(), where the type has a prefetch(). */
static inline void dn_route_prefetch_next(const DnRouter *router, guint32 vertex,
                                          const DnRouteState *state)
{
    if (vertex < router->machine->graph->size.switches)
        router->type->prefetch(router, vertex, state);
}
DnHop dn_route_next(const DnRouter *router, guint32 vertex, DnRouteState *state,
                    const DnLoadView *load, guint64 draw);
/* Every hop dn_route_next() may take; returns the count. @after: states on those hops. */
guint dn_route_choices(const DnRouter *router, guint32 vertex, const DnRouteState *state,
                       DnHop *hops, DnRouteState *after, guint max);

/* TRUE when no cycle of channels waits on itself; else FALSE + DN_ERROR_CYCLE with the cycle
 * spelled out. See deadlock_check.c. */
gboolean dn_deadlock_check(const DnRouter *router, GError **error);
/* The same; FALSE + DN_ERROR_MEMORY when the check itself takes more than @max_bytes (without
 * _within: than a share of the host's, base/memory.h). */
gboolean dn_deadlock_check_within(const DnRouter *router, guint64 max_bytes, GError **error);
