/* flow.h - State of the flow engine.
 *
 * Bandwidth is shared by a solver: the built-in one (max_min.h) or SimGrid's in a child process
 * (solver.h). All else is here: the client, events and paths. A message that crosses links becomes
 * one transfer in the solver, which sends its bytes over k paths at once; k is the same for all
 * messages of a run, so that none gets a larger share by having more paths. Engine `bound` uses the
 * same code without a solver (contention_free.c). */
#pragma once
#include "base/rng.h"
#include "engine/engine.h"
#include "engine/flow/max_min.h"
#include "engine/flow/solver.h"

#define DN_FLOW_MAX_PATHS 64
#define DN_FLOW_PARTS 1024 /* units of a byte in SimGrid, which counts whole units */

typedef enum {
    DN_FLOW_TIMER,     /* value: cookie */
    DN_FLOW_SENT,      /* value: cookie */
    DN_FLOW_DELIVERED, /* value: message */
    DN_FLOW_START,     /* value: message */
    DN_FLOW_LEFT,      /* value: message without bytes */
} DnFlowEventKind;

typedef struct {
    gint64 when_ps;
    guint64 value;
    guint32 endpoint;
    DnFlowEventKind kind;
} DnFlowEvent;

typedef struct {
    DnFlowEvent *at; /* [n] */
    guint32 n, capacity;
    gint64 least_ps; /* the earliest time; n > 0 */
} DnFlowBucket;

#define DN_FLOW_BUCKETS 64

/* The queue of events by (time, order of adding): a radix heap (events.c). */
typedef struct {
    DnFlowBucket run; /* the next events, sorted: all before limit_ps */
    guint32 head;     /* events of the run that were taken */
    guint64 limit_ps; /* valid while the run has events */
    gint64 base_ps;   /* buckets are by the highest bit in which a time differs from it */
    guint64 used;     /* bit b: buckets[b] has events */
    DnFlowBucket buckets[DN_FLOW_BUCKETS];
} DnFlowEvents;
/* Adds an event at @when_ps, which is not before the event taken last. */
void dn_flow_events_add(DnFlowEvents *events, gint64 when_ps, DnFlowEventKind kind,
                        guint32 endpoint, guint64 value);
/* Returns the time of the first event; G_MAXINT64: there is none. */
static inline gint64 dn_flow_events_next_ps(const DnFlowEvents *events)
{
    if (G_LIKELY(events->head < events->run.n))
        return events->run.at[events->head].when_ps;
    return events->used != 0 ? events->buckets[__builtin_ctzll(events->used)].least_ps : G_MAXINT64;
}
/* Sorts the next events into the run, which is empty; there is one. */
void dn_flow_events_fill(DnFlowEvents *events);
/* Takes the first event; there is one. */
static inline DnFlowEvent dn_flow_events_take(DnFlowEvents *events)
{
    if (G_UNLIKELY(events->head == events->run.n))
        dn_flow_events_fill(events);
    return events->run.at[events->head++];
}
void dn_flow_events_clear(DnFlowEvents *events);

typedef struct {
    DnMessage m;
    gint64 born_ps, begun_ps;
    gint64 latency_ps; /* of its slowest path */
    guint32 *links;    /* of all its paths in sequence; allocated once for the slot */
    guint32 n_links, links_capacity;
    guint32 next;   /* in its source's queue or transfers under way, or of free ones; 0: none */
    guint32 before; /* of transfers under way; 0: it is the first */
    guint32 packets;
    guint32 rail;    /* as packets take them (routing.h) */
    guint8 admitted; /* the NIC's message rate allowed it to start */
    guint8 passed;   /* it leaves its source before its transfer ends: sent() is on its way */
} DnFlowMessage;

typedef struct {
    guint32 head, tail; /* messages that wait for the window */
    guint32 open;       /* in flight */
    guint32 first;      /* of its transfers under way, on links; 0: none */
    guint32 next_rail;
} DnFlowSource;

/* A link as the first of transfers in flight (source_buffer.c), and as one that leaves a NIC. */
typedef struct {
    double bytes;         /* of these transfers */
    gint64 free_ps;       /* until then it brings messages into the buffer at its end */
    gint64 next_start_ps; /* by the NIC's message rate */
} DnFlowFirst;

typedef struct {
    guint64 bytes;    /* of transfers that cross the link now, each path's share */
    guint32 paths;    /* of these transfers, each message's counted singly */
    guint16 own;      /* of these, of the message whose paths are being found */
    guint16 siblings; /* and of other transfers of its source */
} DnFlowLoad;

/* Sums of engine `bound`: bytes that must cross a link on any path, and bytes of each endpoint. */
typedef struct {
    double *forced;          /* [links] */
    double *sent, *received; /* [vertices] */
} DnFlowTotals;

typedef struct {
    guint paths; /* 0: as many as routing has, at most @max_paths */
    guint max_paths;
    guint window;            /* 0: no limit */
    double grain;            /* of a mean transfer's time; below 0: by the number of endpoints */
    gboolean simgrid;        /* shares links by SimGrid, in a process of its own */
    gint64 max_memory_bytes; /* of that process */
    gboolean alone;          /* every message as if it were the only one: nothing is shared */
} DnFlowOptions;

/* The window of each NIC: the data that it may have in flight (window.c). */
typedef struct {
    double part_us;  /* 0: no window */
    double capacity; /* of a NIC's window, per part */
    GArray *posted;  /* guint32: links of a message that a window holds; else empty */
    guint32 weight;  /* of the last of them, the window: parts of the message's round trip */
} DnFlowNicWindow;

/* The grain of time: starts and ends of transfers within it are treated as one, so that the solver
 * shares anew less often. */
typedef struct {
    double share;         /* the grain in mean transfer times */
    gboolean widens;      /* it grows with the transfers in flight: the default */
    double mean_ps;       /* time of transfers that ended lately */
    gint64 resolution_ps; /* starts wait for a multiple of it; 0: they do not wait */
    gint64 ended_ps;      /* of the last transfer that ended; a start at that time does not wait */
} DnFlowGrain;

typedef struct {
    const DnEngineRun *run;
    DnEngineRun unwatched; /* the run without an observer, of SimGrid's child process */
    const DnGraph *graph;
    DnMaxMin *max_min; /* or solver; neither in engine `bound` */
    DnSolver *solver;
    gboolean alone;              /* engine `bound`: messages share nothing */
    DnFlowTotals totals;         /* of engine `bound` */
    struct DnPathBounds *bounds; /* the same */
    DnFlowEvents events;
    DnFlowMessage *messages; /* [n_messages]; 0 is none */
    guint32 n_messages, messages_capacity, free_message;
    DnFlowSource *sources; /* [endpoints] */
    DnFlowFirst *first;    /* [links] */
    double *capacity;      /* [links] bytes per us */
    DnFlowLoad *load;      /* [links] */
    gint64 message_gap_ps;
    DnFlowNicWindow nic_window;
    guint paths, window;
    DnFlowGrain grain;
    gint64 packet_bytes;
    guint64 draw_key, draws;
    gint64 now_ps;
    gint64 last_progress_us;
    gboolean stopped; /* by the observer */
    GArray *ended;
    DnEngineResult *result;
} DnFlow;

/* sharing.c: transfers in flight, in either solver. @cap in bytes per us; @links: [n], the last of
 * which counts as @last_weight. */
void dn_flow_transfer_post(DnFlow *flow, guint32 id, double bytes, double cap, const guint32 *links,
                           guint32 n, guint32 last_weight);
guint32 dn_flow_transfers_in_flight(const DnFlow *flow);
/* Lets transfers end together whose ends are within @share of a transfer's time, in SimGrid within
 * @tolerance_ps. */
void dn_flow_transfers_tolerate(DnFlow *flow, double share, gint64 tolerance_ps);

/* subflow_paths.c */
/* Returns over how many paths packets of one message spread, by the routing choices at @run's
 * endpoints. */
guint dn_flow_count_paths(const DnEngineRun *run, guint most);
/* Fills links, n_links and latency_ps of @message by the loads of this moment, to which it then
 * adds the message. */
void dn_flow_choose_paths(DnFlow *flow, DnFlowMessage *message);
/* Subtracts the message from the loads again. */
void dn_flow_leave_paths(DnFlow *flow, const DnFlowMessage *message);
/* window.c. FALSE: NICs have no window. With one each link has a second one, size.links further,
 * that stands for the window of the NIC that it leaves. */
gboolean dn_flow_window_init(DnFlow *flow);
/* Returns the rate in bytes per us to which the window limits @message, and sets nic_window.posted
 * to the links to post, and its weight; 0: no limit. */
double dn_flow_window_cap(DnFlow *flow, const DnFlowMessage *message);
/* source_buffer.c. Adds @bytes, the wire bytes of @message, whose transfer begins, to those of its
 * first link. Returns when the last of them has left; 0: when the transfer ends. */
gint64 dn_flow_first_take(DnFlow *flow, DnFlowMessage *message, double bytes);
/* Subtracts them again at the end of the transfer. */
void dn_flow_first_give(DnFlow *flow, const DnFlowMessage *message, double bytes);
/* contention_free.c: engine `bound`. */
void dn_flow_alone_init(DnFlow *flow);
void dn_flow_alone_clear(DnFlow *flow);
/* Returns the time (ps) until the last byte of @message leaves the source without other traffic, by
 * the best of the paths that routing may choose. Sets message->latency_ps to the remaining time
 * until it arrives, adds it to the totals and counts its packets on the links that all paths
 * cross. */
gint64 dn_flow_alone_left_ps(DnFlow *flow, DnFlowMessage *message, double bytes);
/* Returns the link by which all paths of @message enter the fabric; DN_NONE: there are several, or
 * it stays in a node. */
guint32 dn_flow_alone_uplink(DnFlow *flow, const DnFlowMessage *message);
/* Returns a time (ps) before which no run that moves these bytes can end, at most @cut_ps. Fills
 * the counters of links with the bytes that must cross them, as far as they can by @cut_ps, where a
 * run was cut short (G_MAXINT64: it was not). */
gint64 dn_flow_alone_end_ps(DnFlow *flow, gint64 cut_ps);

/* flow_messages.c */
guint32 dn_flow_message_take(DnFlow *flow);
void dn_flow_message_give(DnFlow *flow, guint32 id);
/* Starts message @id, which goes to another endpoint, or queues it until the window of its source
 * has space. */
void dn_flow_message_open(DnFlow *flow, guint32 id);
void dn_flow_message_start(DnFlow *flow, guint32 id);
void dn_flow_message_left(DnFlow *flow, guint32 id);
void dn_flow_message_send_local(DnFlow *flow, guint32 id, const DnMessage *message);

/* flow_engine.c: runs engine `flow` or, with options->alone, `bound` (DnEngineType.run()). */
gboolean dn_flow_run(const DnEngineRun *run, const DnFlowOptions *options, DnEngineResult *result,
                     GError **error);
/* Returns the link by which @message enters the fabric; DN_NONE: it stays in a node. */
guint32 dn_flow_uplink(const DnFlow *flow, const DnFlowMessage *message);
