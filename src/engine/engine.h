/* engine.h - The contract between the runtime, which runs the ranks, and the engine, which moves
 * their messages over the network.
 *
 * Three engines implement it: packet (discrete events), flow (max-min sharing of bandwidth), bound
 * (lower bounds in closed form). The client (runtime/) is called in the context of one endpoint at
 * a time and may access that endpoint's state alone, since engines may serve endpoints on several
 * threads; with DnEngineRun.shares_nodes also what the endpoints of its node share. All times are
 * simulated time in ps; sizes are bytes. */
#pragma once
#include "base/processes.h"
#include "routing/routing.h"

#define DN_NO_COOKIE G_MAXUINT64
/* DnMessage.rail of the first part of a message that several NICs send: each endpoint's own NIC. */
#define DN_RAIL_FIRST 15u
/* The longest time of a run, 1,000,000 s: sums of a few, and of times of up to 1000 s each, stay
 * below what 64 bits hold. */
#define DN_RUN_MOST_PS G_GINT64_CONSTANT(1000000000000000000)

/* A message from one endpoint to another. The request of a read goes from the reader (src) to the
 * memory that it reads (dst), whose responses bring the data back; sent() and delivered() are both
 * called at the reader, once all data have arrived. */
typedef struct {
    guint32 src, dst;   /* endpoints or hosts */
    gint64 bytes;       /* payload, >= 0 */
    guint64 tag;        /* the client's; engines do not look at it */
    guint64 cookie;     /* the client's, passed to sent(); DN_NO_COOKIE: sent() is not called */
    gint64 rate_bps;    /* limit of this message's injection rate in bit/s; 0: none */
    guint16 job;        /* index, for counters */
    guint8 lane : 6;    /* service level */
    guint8 by_nics : 1; /* inside a node too: over the NICs of both ends, as between nodes */
    guint8 read : 1;    /* a read; where the engine has reads and the machine's NICs respond */
    guint8 mode : 4;    /* routing mode, index into the algorithm's modes */
    guint8 rail : 4;    /* n > 0: at each end the n-th NIC of the node after the endpoint's own */
    guint32 staging;    /* the client's; engines do not look at it */
    guint64 word;       /* the same */
} DnMessage;

/* The packets of a job that crossed the fabric, by whether they ever took a non-minimal path. */
typedef struct {
    guint64 minimal, non_minimal;
} DnJobPackets;

/* The counters of a NIC, defined as on Aries; all but responses count request packets alone.
 * stalled_ps: time in which request flits waited for credits while no response did, or for a link
 * slower than the NIC. latency_ps_sum: from each request to its response. */
typedef struct {
    guint64 request_flits, request_packets, responses;
    gint64 stalled_ps;
    gint64 latency_ps_sum;
} DnNicCounters;

typedef struct DnContext DnContext; /* an engine's view of one endpoint being served */

#define DN_AWAITED 2 /* counts of work of DnClient.awaits() */
#define DN_PREFETCH_STEPS 3
/* Engines prefetch when at least so many endpoints are active: the client's state then leaves the
 * second-level cache between two events of an endpoint. */
#define DN_PREFETCH_FROM 1024

typedef struct {
    /* Called at t = 0, once per endpoint that DnEngineRun.active lists, in the process that keeps
     * its state. */
    void (*start)(void *client, DnContext *context, guint32 endpoint);
    /* The last byte of a message left its source. */
    void (*sent)(void *client, DnContext *context, guint32 endpoint, guint64 cookie);
    /* The last byte arrived at @endpoint. */
    void (*delivered)(void *client, DnContext *context, guint32 endpoint, const DnMessage *message);
    /* The time given to dn_context_timer() has come. */
    void (*timer)(void *client, DnContext *context, guint32 endpoint, guint64 cookie);
    /* Prefetches the state that a coming event of @endpoint will access. The engine calls it with
     * @step DN_PREFETCH_STEPS - 1 first, then with each lower one down to 0, so that a step may
     * read what the step before fetched. NULL: the client has none. */
    void (*prefetch)(const void *client, guint32 endpoint, guint step);
    /* Called when the run cannot go on: appends a line for each blocked rank, at most @max_lines,
     * with the operation that it waits for, to @account. Returns the number of blocked ranks. */
    guint (*blocked)(void *client, GString *account, guint max_lines);
    /* Writes counts of unfinished work into @work and returns TRUE: the run ends, even with
     * messages in flight, once one of them, summed over all processes, is 0. FALSE, or NULL: the
     * run ends when no event is left. Called by one thread while no endpoint is being served, at
     * simulated times that do not depend on the number of threads. */
    gboolean (*awaits)(const void *client, gint64 work[DN_AWAITED]);
} DnClient;

/* Returns TRUE when the run ends. @work: of DnClient.awaits(), summed over all processes. */
static inline gboolean dn_awaited_done(const gint64 work[DN_AWAITED])
{
    return work[0] == 0 || work[1] == 0;
}

/* Returns the simulated time in ps. */
gint64 dn_context_now(const DnContext *context);
/* Sends @message, whose src is the endpoint of @context. It is copied. */
void dn_context_send(DnContext *context, const DnMessage *message);
/* Has DnClient.timer() called with @cookie at @when, in ps, which is not in the past. */
void dn_context_timer(DnContext *context, gint64 when, guint64 cookie);

/* Has DnClient.timer() called for @endpoint, of the same node; only where DnEngineRun.shares_nodes
 * is set. */
void dn_context_node_timer(DnContext *context, guint32 endpoint, gint64 when, guint64 cookie);

/* Reads the counters of the endpoint's own NIC; FALSE: this engine or machine has none. */
gboolean dn_context_nic(const DnContext *context, DnNicCounters *counters);

/* The functions of an engine that serve these; a pointer to them is the first member of its
 * DnContext. */
typedef struct {
    gint64 (*now)(const DnContext *context);
    void (*send)(DnContext *context, const DnMessage *message);
    void (*timer)(DnContext *context, gint64 when, guint64 cookie);
    void (*node_timer)(DnContext *context, guint32 endpoint, gint64 when, guint64 cookie);
    gboolean (*nic)(const DnContext *context, DnNicCounters *counters); /* NULL: counts nothing */
} DnContextOps;

/* The causes of a message's delay. Its delay spans cover its time without a gap. */
typedef enum {
    DN_DELAY_LATENCY,  /* wires, ports, switches of its path */
    DN_DELAY_SERIAL,   /* its own bytes over a link, or its own packets ahead on it */
    DN_DELAY_INJECT,   /* at its source or NIC: rate cap, message rate, window, throttle */
    DN_DELAY_QUEUE,    /* for a link, behind packets of a job */
    DN_DELAY_CREDIT,   /* for credits of a link, whose buffer packets of a job fill */
    DN_DELAY_CROSSBAR, /* for the switch's inside, taken by packets of a job */
    DN_DELAY_KINDS,
} DnDelayKind;
const char *dn_delay_kind_name(DnDelayKind kind);
/* TRUE for causes that do not occur without other traffic. */
static inline gboolean dn_delay_is_contention(DnDelayKind kind)
{
    return kind >= DN_DELAY_QUEUE;
}

/* A part of a message's time with one cause. */
typedef struct {
    guint8 kind; /* DnDelayKind */
    guint8 lane;
    guint16 job;      /* whose packets were ahead; the message's own when it did not wait */
    guint32 link;     /* DN_NONE: none yet */
    guint32 root;     /* credit: link at the root of the congestion; or DN_NONE */
    guint32 src, dst; /* endpoints of the message ahead; DN_NONE: the message did not wait */
    gint64 ps;
} DnDelaySpan;

/* Callback for the progress of a run; FALSE stops it. */
typedef gboolean (*DnProgressFunc)(void *data, gint64 now_ps, guint64 events, guint64 packet_hops);

/* The callbacks of an observer; an engine has no statistics of its own. They are called from the
 * endpoint's thread and must not affect the run: the flow engine simulates a run twice and reports
 * to the observer once. Each may be NULL. */
typedef struct {
    void *data;
    void (*message)(void *data, const DnMessage *message, gint64 sent_ps, gint64 delivered_ps);
    DnProgressFunc progress; /* about 5 times a second of wall time, from the main thread */
    /* Only the packet engine calls these two; it then runs on one thread. delays() is called twice
     * for a message sent at @born_ps: with the spans until its last packet left the source
     * (@arrived FALSE), then, before message(), with those of the packet that arrived last. The
     * spans of a call add up to its time and are in the order in which their causes first
     * occurred. */
    void (*delays)(void *data, const DnMessage *message, gint64 born_ps, gboolean arrived,
                   const DnDelaySpan *spans, guint n);
    /* @link sends packets of @job, or (@stalled) has packets of it and no credits, from @from_ps
     * to @to_ps. Calls for one link are in the order of time. */
    void (*channel)(void *data, guint32 link, guint job, gint64 from_ps, gint64 to_ps,
                    gboolean stalled);
} DnObserver;

/* What an engine runs. */
typedef struct {
    const DnRouter *router; /* and through it the machine */
    gint64 packet_bytes;    /* payload of a packet */
    guint64 seed;
    guint threads;
    guint64 max_events;       /* 0: none; a guard for tests */
    guint64 max_memory_bytes; /* of what grows during the run; 0: no limit */
    gint64 until_ps;          /* the run stops at this time; 0: when no event is left */
    guint32 pack_from;        /* engine packet, for tests: as in DnPacketFeatures; 0: the default */
    gint64 message_ps;        /* engine bound: every message takes this long; 0: its own time */
    gboolean message_latency; /* and, with message_ps, its path's latency */
    const guint32 *active;    /* [n_active] endpoints with ranks */
    guint32 n_active;
    const guint16 *active_jobs; /* [n_active] job of one of an endpoint's ranks; NULL: one job */
    guint n_jobs;               /* whose packets are counted apart; 0: none */
    /* [n_jobs] engine packet: how many packets one of the job's stands for, 1 to 64 (packet
     * aggregation); NULL: 1 */
    const guint8 *aggregation;
    gboolean reads_nics;   /* the client calls dn_context_nic() */
    gboolean shares_nodes; /* endpoints of a node share state: they are served in order of time */
    const DnClient *client;
    void *client_data;
    const DnProcesses *processes; /* that share the run; NULL: this one is alone */
    DnObserver observer;
    const DnParams *options; /* read by the engine's .params; NULL: it has none, or all defaults */
} DnEngineRun;

/* Returns the payload of the packets that fill the buffers of the packet engine, in bytes: of the
 * machine's own packets where packets of @packet_bytes stand for several of those
 * (packet/larger_packets.h), else @packet_bytes. @aggregation: [n_jobs] as in DnEngineRun. */
gint64 dn_engine_part_bytes(const DnMachine *machine, gint64 packet_bytes,
                            const guint8 *aggregation, guint n_jobs);
/* Returns the payload of the largest packet of a run, in bytes: at most @packet_bytes, and at most
 * a quarter of the machine's smallest buffer where packets stand for several of @part_bytes. */
gint64 dn_engine_most_bytes(const DnMachine *machine, gint64 packet_bytes, gint64 part_bytes);
#define DN_ENGINE_TURNS 4
/* Returns the payload of the largest packet of a run, in bytes, where DN_ENGINE_TURNS messages or
 * more take turns at their source: at most an eighth of the machine's smallest buffer. */
gint64 dn_engine_turns_bytes(const DnMachine *machine, gint64 part_bytes);
/* Returns the payload of the next packet of a message, in bytes, at most @most_bytes, where packets
 * may stand for several of @part_bytes. @left_bytes of the message's @message_bytes are not yet in
 * packets. */
gint64 dn_engine_cut_bytes(gint64 message_bytes, gint64 left_bytes, gint64 part_bytes,
                           gint64 most_bytes);

typedef struct {
    guint64 bytes; /* wire bytes */
    guint64 packets;
    gint64 busy_ps;
    gint64 stalled_ps; /* the link was free and packets waited for credits */
} DnLinkCounters;

/* The exchanges between the processes of a run: one after each window. */
typedef struct {
    guint64 windows;
    guint64 events, bytes; /* sent by all processes */
    double wall_s;         /* wall time spent in them, waiting included; the longest of a process */
    double least_s;        /* the same, the shortest of a process */
    double work_s;         /* CPU time of the first thread outside them, the longest */
} DnExchanges;

typedef struct {
    gint64 end_ps;
    guint64 events, packet_hops, packets, messages, payload_bytes;
    guint64 peak_packets;         /* most in flight at once */
    gint64 packet_latency_ps_sum; /* injection to delivery, over all packets */
    DnLinkCounters *links;        /* [graph links] */
    guint32 lanes;                /* of lane_bytes: requests' lanes, then responses' */
    guint64 *lane_bytes;          /* [graph links * lanes] bytes on the wire; NULL with one lane */
    DnNicCounters *nics;          /* [graph terminals] */
    DnJobPackets *job_packets;    /* [run's n_jobs]; NULL: the engine routes no packets */
    double cpu_s;
    guint32 domains;        /* that threads and processes share; 0: nothing is shared */
    guint64 busiest_events; /* of the thread of this process with the most */
    DnExchanges exchanges;  /* with several processes */
    guint64 waited; /* engine flow: messages that found `window` of their source under way */
    guint32 window; /* engine flow: of each source, the engine's choice; 0: the run's */
} DnEngineResult;
void dn_engine_result_clear(DnEngineResult *result);
/* Sets the error of a run that would take longer than DN_RUN_MOST_PS. */
void dn_engine_set_too_long(GError **error);
/* Returns the least time between the starts of two messages of a NIC, at most twice the longest of
 * a run; 0: no limit. */
gint64 dn_engine_message_gap_ps(const DnHardware *hardware);

typedef struct {
    const char *name;        /* `engine:` in a run */
    const char *help;        /* how it computes times, a phrase */
    const char *limits;      /* what it does not model, a phrase; reports print it */
    gboolean reads;          /* it has reads (DnMessage) */
    gboolean divides;        /* several processes can share a run */
    gboolean queues;         /* packets wait in queues and buffers: it can show paths and waits */
    gint64 least_latency_ps; /* the latency that a what-if without latency gives to a link */
    /* Keys of the mapping in the run file that has the engine's name; NULL: none, or config/ reads
     * them. */
    const DnParamSpec *params;
    /* Returns an estimate of its memory on a machine, in bytes, without messages; NULL: little. */
    guint64 (*memory_bytes)(const DnGraphSize *size);
    /* Runs to the end and fills @result, which the caller clears by dn_engine_result_clear().
     * FALSE + error: DN_ERROR_STALLED when ranks wait forever, DN_ERROR_MEMORY when a limit of
     * memory is reached, DN_ERROR_INTERRUPTED when the observer's progress() stopped the run; and
     * DN_ERROR_RANGE and its like for a run or machine that the engine cannot simulate. */
    gboolean (*run)(const DnEngineRun *run, DnEngineResult *result, GError **error);
} DnEngineType;

extern const DnEngineType *const dn_engine_types[]; /* ends in NULL */
/* Returns the engine @name; NULL: there is none. */
const DnEngineType *dn_engine_find(const char *name);
/* Returns the rail (NIC of the node) by which a new @message leaves its source, whose count of
 * messages @next is. */
guint32 dn_engine_choose_rail(const DnRouter *router, const DnMessage *message, guint32 *next);
/* TRUE when there is an engine @name whose packets wait in queues. */
gboolean dn_engine_queues(const char *name);
