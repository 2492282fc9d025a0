/* engine.h - the contract between rank programs and whatever moves their bytes.
 *
 * Three engines serve it: packet (discrete events), flow (max-min sharing), bound (closed forms).
 * The client (runtime/) is called in the context of one endpoint at a time and may touch only that
 * endpoint's state: engines may run endpoints on several threads. All times are simulated ps. */
#pragma once
#include "base/processes.h"
#include "routing/routing.h"

#define DN_NO_COOKIE G_MAXUINT64

/* A read goes from the reader (src) to the memory that it reads (dst); its bytes come back in the
 * responses, and sent() and delivered() are both called at the reader, when all are there. */
typedef struct {
    guint32 src, dst; /* endpoints or hosts */
    gint64 bytes;     /* payload, >= 0 */
    guint64 tag;      /* the client's: delivered unread */
    guint64 cookie;   /* the client's: returned by sent(); DN_NO_COOKIE: sent() is not called */
    gint64 rate_bps;  /* injection cap of this message; 0: none */
    guint16 job;      /* index, for counters */
    guint8 lane : 7;  /* service level */
    guint8 read : 1;  /* of engines that have reads, on machines whose NICs answer */
    guint8 mode : 4;  /* routing mode, index into the algorithm's modes */
    guint8 rail : 4;  /* n > 0: the n-th NIC of the node after the source's own, at both ends */
    guint32 staging;  /* the client's, as tag */
    guint64 word;     /* likewise */
} DnMessage;

/* A job's packets that crossed the fabric: those that never set out on a detour, and the others. */
typedef struct {
    guint64 minimal, non_minimal;
} DnJobPackets;

/* The counters of a NIC as Aries has them (per NIC, requests only): flits sent, time in which
 * they waited for credit while no response did or for a link slower than the NIC, packets, and the
 * sum of request-to-response latencies. */
typedef struct {
    guint64 request_flits, request_packets, responses;
    gint64 stalled_ps;
    gint64 latency_ps_sum;
} DnNicCounters;

typedef struct DnContext DnContext; /* an engine's view of one endpoint being served */

#define DN_AWAITED 2
#define DN_PREFETCH_STEPS 4
/* Active endpoints from which on what their events look at leaves the second cache in between. */
#define DN_PREFETCH_FROM 1024

typedef struct {
    /* Called at t = 0, once per endpoint that @active lists, in the process that has its state. */
    void (*start)(void *client, DnContext *context, guint32 endpoint);
    /* The last byte of a message left its source. */
    void (*sent)(void *client, DnContext *context, guint32 endpoint, guint64 cookie);
    /* The last byte arrived at @endpoint. */
    void (*delivered)(void *client, DnContext *context, guint32 endpoint, const DnMessage *message);
    void (*timer)(void *client, DnContext *context, guint32 endpoint, guint64 cookie);
    /* Brings closer what an event of @endpoint that comes soon will look at; called with each of
     * @step DN_PREFETCH_STEPS - 1, ... 0, the later the nearer the event. NULL: nothing. */
    void (*prefetch)(const void *client, guint32 endpoint, guint step);
    /* Called by the watchdog: appends the operation that each blocked rank waits for; returns their
     * number. */
    guint (*blocked)(void *client, GString *account, guint max_lines);
    /* TRUE: the run ends, with messages in flight, when one of @work is 0, summed over its
     * processes. Called by one thread while no endpoint is being served, at times that do not
     * depend on the number of threads; FALSE, or NULL: it ends when no event is left. */
    gboolean (*awaits)(const void *client, gint64 work[DN_AWAITED]);
} DnClient;

/* @work of awaits(), summed. */
static inline gboolean dn_awaited_done(const gint64 work[DN_AWAITED])
{
    return work[0] == 0 || work[1] == 0;
}

gint64 dn_context_now(const DnContext *context);
void dn_context_send(DnContext *context, const DnMessage *message);
/* @when >= now. */
void dn_context_timer(DnContext *context, gint64 when, guint64 cookie);

/* Reads the counters of the endpoint's own NIC; FALSE: this engine or machine has none. */
gboolean dn_context_nic(const DnContext *context, DnNicCounters *counters);

/* The functions of an engine that serve these; a pointer to them is the first member of its
 * DnContext. */
typedef struct {
    gint64 (*now)(const DnContext *context);
    void (*send)(DnContext *context, const DnMessage *message);
    void (*timer)(DnContext *context, gint64 when, guint64 cookie);
    gboolean (*nic)(const DnContext *context, DnNicCounters *counters); /* NULL: counts nothing */
} DnContextOps;

/* The causes of a message's time, which its delay spans cover without a gap. */
typedef enum {
    DN_DELAY_LATENCY,  /* wires, ports, switches of its path */
    DN_DELAY_SERIAL,   /* its own bytes over @link, or its own packets ahead on it */
    DN_DELAY_INJECT,   /* at its source or NIC: rate cap, message rate, window, throttle */
    DN_DELAY_QUEUE,    /* for @link, behind packets of @job */
    DN_DELAY_CREDIT,   /* for credits of @link, whose buffer packets of @job fill */
    DN_DELAY_CROSSBAR, /* for the switch's inside, taken by packets of @job */
    DN_DELAY_KINDS,
} DnDelayKind;
const char *dn_delay_kind_name(DnDelayKind kind);
/* TRUE for causes that do not occur without other traffic. */
static inline gboolean dn_delay_is_contention(DnDelayKind kind)
{
    return kind >= DN_DELAY_QUEUE;
}

typedef struct {
    guint8 kind; /* DnDelayKind */
    guint8 lane;
    guint16 job;      /* whose packets were ahead; of the message itself when it did not wait */
    guint32 link;     /* DN_NONE: none yet */
    guint32 root;     /* credit: link at the root of the congestion; or DN_NONE */
    guint32 src, dst; /* endpoints of the message ahead; DN_NONE: the message did not wait */
    gint64 ps;
} DnDelaySpan;

/* Callback for the progress of a run; FALSE stops it. */
typedef gboolean (*DnProgressFunc)(void *data, gint64 now_ps, guint64 events, guint64 packet_hops);

/* The callbacks of an observer; an engine has no statistics of its own. They are called from the
 * endpoint's thread and must not affect the run: the flow engine makes a run twice and shows it
 * once. */
typedef struct {
    void *data;
    void (*message)(void *data, const DnMessage *message, gint64 sent_ps, gint64 delivered_ps);
    DnProgressFunc progress; /* about 5 times a second of wall time, from the main thread */
    /* Only the packet engine calls these two, and has one thread with them. The delay spans of a
     * message from its send: until the packet made last left its source (@arrived FALSE), then
     * those of the packet that came last, before message(). They add up to its time, in the order
     * of first occurrence. */
    void (*delays)(void *data, const DnMessage *message, gint64 born_ps, gboolean arrived,
                   const DnDelaySpan *spans, guint n);
    /* @link sends packets of @job, or (@stalled) has some and no credit; in order for each link. */
    void (*channel)(void *data, guint32 link, guint job, gint64 from_ps, gint64 to_ps,
                    gboolean stalled);
} DnObserver;

typedef struct {
    const DnRouter *router; /* and through it the machine */
    gint64 packet_bytes;    /* payload per packet */
    guint64 seed;
    guint threads;
    guint64 max_events;       /* 0: none; a guard for tests */
    guint64 max_memory_bytes; /* of what grows during the run; 0: no limit */
    gint64 until_ps;          /* stop here; 0: when nothing is left */
    guint32 pack_from;        /* engine packet, a guard for tests: DnPacketFeatures'; 0: its own */
    gint64 message_ps;        /* engine bound: each message takes just so long; 0: its own time */
    const guint32 *active;    /* endpoints with ranks */
    guint32 n_active;
    const guint16 *active_jobs; /* [n_active] of one of each's ranks; NULL: all are of one */
    guint n_jobs;               /* counted apart; 0: none */
    /* [n_jobs] packets that one of theirs stands for, 1 to 64, in engines with packets; NULL: 1 */
    const guint8 *aggregation;
    gboolean reads_nics; /* the client calls dn_context_nic() */
    const DnClient *client;
    void *client_data;
    const DnProcesses *processes; /* that share the run; NULL: this one is alone */
    DnObserver observer;
    const DnParams *options; /* read by the engine's .params; NULL: it has none, or all defaults */
} DnEngineRun;

/* The payload of the packets that fill buffers in the packet engine: the machine's own, where
 * packets of @packet_bytes stand for several of those (packet/larger_packets.h), else
 * @packet_bytes. @aggregation: [n_jobs] as above. */
gint64 dn_engine_part_bytes(const DnMachine *machine, gint64 packet_bytes,
                            const guint8 *aggregation, guint n_jobs);
/* The payload of the largest packet of a run: where it stands for several of @part_bytes, at most a
 * quarter of the machine's smallest buffer. */
gint64 dn_engine_most_bytes(const DnMachine *machine, gint64 packet_bytes, gint64 part_bytes);
/* The payload of the next packet, of at most @most_bytes, of a message of @message_bytes of which
 * @left_bytes are left, where it may stand for several of @part_bytes. */
gint64 dn_engine_cut_bytes(gint64 message_bytes, gint64 left_bytes, gint64 part_bytes,
                           gint64 most_bytes);

typedef struct {
    guint64 bytes; /* wire bytes */
    guint64 packets;
    gint64 busy_ps;
    gint64 stalled_ps; /* had packets, channel free, no credit */
} DnLinkCounters;

/* The exchanges between the processes of a run: one after each window. */
typedef struct {
    guint64 windows;
    guint64 events, bytes; /* sent by all processes */
    double wall_s;         /* in them, the longest of all processes; with waiting for others */
    double least_s;        /* the shortest of all */
    double work_s;         /* CPU time of the first thread outside them, the longest */
} DnExchanges;

typedef struct {
    gint64 end_ps;
    guint64 events, packet_hops, packets, messages, payload_bytes;
    guint64 peak_packets;         /* most in flight at once */
    gint64 packet_latency_ps_sum; /* injection to delivery, over all packets */
    DnLinkCounters *links;        /* [graph links] */
    guint32 lanes;                /* of lane_bytes: requests' lanes, then responses' */
    guint64 *lane_bytes;          /* [graph links * lanes] wire bytes by lane; NULL with one lane */
    DnNicCounters *nics;          /* [graph terminals] */
    DnJobPackets *job_packets;    /* [run's n_jobs]; NULL: the engine routes no packets */
    double cpu_s;
    guint32 domains;        /* that threads and processes share; 0: nothing is shared */
    guint64 busiest_events; /* of the thread of this process with the most */
    DnExchanges exchanges;  /* with several processes */
} DnEngineResult;
void dn_engine_result_clear(DnEngineResult *result);

typedef struct {
    const char *name;        /* `engine:` in a run */
    const char *help;        /* how it counts time, a phrase */
    const char *limits;      /* what it does not model, a phrase; reports print it */
    gboolean reads;          /* of DnMessage */
    gboolean divides;        /* several processes can share a run */
    gboolean queues;         /* packets wait in queues and buffers: it can show paths and waits */
    gint64 least_latency_ps; /* of a link that a what-if makes as short as it can be */
    /* Keys of the run file's mapping of the engine's name; NULL: none, or read by config/. */
    const DnParamSpec *params;
    /* Returns an estimate of its memory for a machine, before any message; NULL: little. */
    guint64 (*memory_bytes)(const DnGraphSize *size);
    gboolean (*run)(const DnEngineRun *run, DnEngineResult *result, GError **error);
} DnEngineType;

extern const DnEngineType *const dn_engine_types[];
const DnEngineType *dn_engine_find(const char *name);
/* TRUE when there is an engine @name whose packets wait in queues. */
gboolean dn_engine_queues(const char *name);
