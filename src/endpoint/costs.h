/* costs.h - keys that several mechanism types share: rows for their tables, and what fills DnCosts
 * from them. For members of this floor only. */
#pragma once
#include "endpoint/mechanism.h"

#define DN_COSTS_MOST_PS 1e15

/* A key whose value is a member of DnCosts as it is; a NULL key ends a table. */
typedef struct {
    const char *key;
    gsize offset, size;
    gboolean truth; /* yes or no */
} DnCostsKey;
#define DN_COSTS_KEY(key_, member_)                                                                \
    {                                                                                              \
        .key = key_, .offset = G_STRUCT_OFFSET(DnCosts, member_),                                  \
        .size = sizeof(((DnCosts *)NULL)->member_)                                                 \
    }
/* costs_fields.c: the values of @params into @out. */
void dn_costs_read_keys(const DnParams *params, const DnCostsKey *keys, DnCosts *out);

#define DN_COSTS_ARRIVAL_PARAMS                                                                    \
    {"t_recv", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL, "from the last byte to completion"}, \
        {"rate", DN_PARAM_RATE, "0", 0, 1e18, NULL, "cap of one message; 0: the links'"},          \
    {                                                                                              \
        "group_rate", DN_PARAM_RATE, "0", 0, 1e18, NULL,                                           \
            "of a rank to all its peers that the rule reaches: each has an equal part, at most "   \
            "`rate`; 0: no limit"                                                                  \
    }
static inline void dn_costs_arrival(const DnParams *params, DnCosts *out)
{
    static const DnCostsKey keys[] = {DN_COSTS_KEY("t_recv", receive.recv_ps),
                                      DN_COSTS_KEY("rate", rate_bps),
                                      DN_COSTS_KEY("group_rate", receive.group_bps),
                                      {0}};
    dn_costs_read_keys(params, keys, out);
}

#define DN_COSTS_LAUNCH_PARAM                                                                      \
    {                                                                                              \
        "t_launch", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL,                                 \
            "of the kernel, once an iteration"                                                     \
    }
static inline void dn_costs_launch(const DnParams *params, DnCosts *out)
{
    out->call_ps = dn_params_int(params, "t_launch");
}

/* What messages between the endpoints of a node go over. */
enum { DN_OVER_LINKS, DN_OVER_NICS };
static const char *const dn_costs_via_names[] G_GNUC_UNUSED = {"links", "nic", NULL};
#define DN_COSTS_VIA_PARAM                                                                         \
    {                                                                                              \
        "via", DN_PARAM_CHOICE, "links", 0, 0, dn_costs_via_names,                                 \
            "inside a node: over its own links, or over the NICs of both ends as between nodes"    \
    }
static inline void dn_costs_via(const DnParams *params, DnCosts *out)
{
    out->path.by_nics = dn_params_int(params, "via") == DN_OVER_NICS;
}

#define DN_COSTS_MESSAGE_PARAMS                                                                    \
    {"t_issue",                                                                                    \
     DN_PARAM_TIME,                                                                                \
     "0",                                                                                          \
     0,                                                                                            \
     DN_COSTS_MOST_PS,                                                                             \
     NULL,                                                                                         \
     "the rank is busy this long per send"},                                                       \
        {"t_start",                                                                                \
         DN_PARAM_TIME,                                                                            \
         "0",                                                                                      \
         0,                                                                                        \
         DN_COSTS_MOST_PS,                                                                         \
         NULL,                                                                                     \
         "from issue to the first byte on the wire"},                                              \
        DN_COSTS_ARRIVAL_PARAMS
static inline void dn_costs_message(const DnParams *params, DnCosts *out)
{
    static const DnCostsKey keys[] = {
        DN_COSTS_KEY("t_issue", issue_ps), DN_COSTS_KEY("t_start", start_ps), {0}};
    dn_costs_read_keys(params, keys, out);
    dn_costs_arrival(params, out);
}

/* control_bytes: assumed, a header's order of size (UCX's rendezvous request is some tens of
 * bytes); it is negligible against a network's latency */
#define DN_COSTS_RENDEZVOUS_PARAMS                                                                 \
    {"eager_threshold", DN_PARAM_BYTES, "", 0, 1e15, NULL, "longer messages go by rendezvous"},    \
        {"control_bytes",                                                                          \
         DN_PARAM_BYTES,                                                                           \
         "64 B",                                                                                   \
         0,                                                                                        \
         1e9,                                                                                      \
         NULL,                                                                                     \
         "size of an RTS or CTS on the wire"},                                                     \
    {                                                                                              \
        "t_control", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL,                                \
            "handling of an RTS or CTS at its target"                                              \
    }
/* The side that moves the data of a rendezvous: the sender once it is asked (RDMA write), or the
 * receiver's adapters, which read them (RDMA read) and then notify the sender. With `get` the data
 * are responses to requests, one a packet, on machines whose NICs answer; elsewhere `get` is
 * `read`. */
enum { DN_RENDEZVOUS_WRITE, DN_RENDEZVOUS_READ, DN_RENDEZVOUS_GET };
static const char *const dn_costs_rendezvous_names[] G_GNUC_UNUSED = {"write", "read", "get", NULL};
#define DN_COSTS_READ_PARAMS                                                                       \
    {"rendezvous",                                                                                 \
     DN_PARAM_CHOICE,                                                                              \
     "write",                                                                                      \
     0,                                                                                            \
     0,                                                                                            \
     dn_costs_rendezvous_names,                                                                    \
     "read: the receiver's adapter reads the data, the sender's process is not asked; get: in "    \
     "responses, a request a packet (where NICs answer), by one NIC"},                             \
        {"read_rails",                                                                             \
         DN_PARAM_INT,                                                                             \
         "1",                                                                                      \
         1,                                                                                        \
         8,                                                                                        \
         NULL,                                                                                     \
         "NICs of the node over which a read message is split evenly"},                            \
        {"read_queues",                                                                            \
         DN_PARAM_INT,                                                                             \
         "0",                                                                                      \
         0,                                                                                        \
         8,                                                                                        \
         NULL,                                                                                     \
         "of the receiver's adapter and all its processes, chosen by the source's address; a "     \
         "queue reads one message after the other; 0: it reads all at once"},                      \
        {"read_window",                                                                            \
         DN_PARAM_BYTES,                                                                           \
         "128 KiB",                                                                                \
         1024,                                                                                     \
         1e12,                                                                                     \
         NULL,                                                                                     \
         "bytes that a queue asks for at a time, in KiB; short messages share them"},              \
        {"read_peers",                                                                             \
         DN_PARAM_INT,                                                                             \
         "0",                                                                                      \
         0,                                                                                        \
         65535,                                                                                    \
         NULL,                                                                                     \
         "messages that a process reads at a time, in the order of asking, without "               \
         "read_queues; 0: all"},                                                                   \
    {                                                                                              \
        "read_peers_above", DN_PARAM_INT, "0", 0, 16777216, NULL,                                  \
            "read_peers holds for jobs with more ranks than this"                                  \
    }
static inline void dn_costs_read(const DnParams *params, DnCosts *out)
{
    out->receive.read_queues = (guint32)dn_params_int(params, "read_queues");
    if (out->receive.read_queues > 0)
        out->receive.read_window_kib = (guint32)(dn_params_int(params, "read_window") / 1024);
    else
        out->receive.read_peers = (guint32)dn_params_int(params, "read_peers");
    out->receive.read_peers_above = (guint32)dn_params_int(params, "read_peers_above");
    if (dn_params_int(params, "rendezvous") == DN_RENDEZVOUS_READ)
        out->handshake = (guint8)(DN_HANDSHAKE_READ + dn_params_int(params, "read_rails") - 1);
    if (dn_params_int(params, "rendezvous") == DN_RENDEZVOUS_GET)
        out->handshake = DN_HANDSHAKE_GET;
}

static inline void dn_costs_rendezvous(const DnParams *params, DnCosts *out)
{
    if (dn_params_has(params, "eager_threshold"))
        out->rendezvous_from_bytes = dn_params_int(params, "eager_threshold") + 1;
    static const DnCostsKey keys[] = {
        DN_COSTS_KEY("control_bytes", control_bytes), DN_COSTS_KEY("t_control", control_ps), {0}};
    dn_costs_read_keys(params, keys, out);
}

/* Completion of eager sends. fi_cxi(7), FI_TRANSMIT_COMPLETE: by default a send of Slingshot's
 * adapters is complete when the target's adapter has acknowledged all data; only short messages,
 * which are copied into the command, need not wait (CXIP_INJECT_SIZE, 192 B). */
#define DN_COSTS_ACK_PARAMS                                                                        \
    {"acknowledged",                                                                               \
     DN_PARAM_BOOL,                                                                                \
     "false",                                                                                      \
     0,                                                                                            \
     0,                                                                                            \
     NULL,                                                                                         \
     "an eager send is complete once the target's adapter has acknowledged it"},                   \
    {                                                                                              \
        "t_ack", DN_PARAM_TIME, "0", 0, 1e9, NULL,                                                 \
            "until the sender knows: from the acknowledgement's return with `acknowledged`, else " \
            "from the last byte's leaving"                                                         \
    }
static inline void dn_costs_ack(const DnParams *params, DnCosts *out)
{
    out->receive.acknowledged = dn_params_bool(params, "acknowledged");
    out->ack_ns = (guint32)(dn_params_int(params, "t_ack") / 1000);
}

/* t_progress: a receive's share of the process's time that posting it does not take. */
#define DN_COSTS_CALLS_PARAMS                                                                      \
    {"t_post", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL, "the rank is busy per receive"},     \
    {                                                                                              \
        "t_progress", DN_PARAM_TIME, "0", 0, 1e9, NULL,                                            \
            "the process is busy with a message that came in, before its receive is complete"      \
    }
/* unexpected_limit: the adapter's buffers for eager messages that came before their receive; those
 * of the host's library are taken to be unlimited. */
#define DN_COSTS_UNEXPECTED_PARAM                                                                  \
    {                                                                                              \
        "unexpected_limit", DN_PARAM_BYTES, "0", 0, 1e12, NULL,                                    \
            "buffer for eager messages without a receive, in KiB; 0: no limit"                     \
    }
static inline void dn_costs_calls(const DnParams *params, DnCosts *out)
{
    out->post_ps = dn_params_int(params, "t_post");
    out->receive.unexpected_kib =
        (guint32)((dn_params_int(params, "unexpected_limit") + 1023) / 1024);
    out->receive.progress_ns = (guint32)(dn_params_int(params, "t_progress") / 1000);
}

#define DN_COSTS_LOCAL_PARAMS                                                                      \
    {"reduce_rate", DN_PARAM_RATE, "0", 0, 1e18, NULL, "local reduction; 0: free"},                \
        {"reduce_byte_rate",                                                                       \
         DN_PARAM_RATE,                                                                            \
         "0",                                                                                      \
         0,                                                                                        \
         1e15,                                                                                     \
         NULL,                                                                                     \
         "of single bytes; elements of n bytes n times it, at most reduce_rate; 0: no limit"},     \
        {"copy_rate", DN_PARAM_RATE, "0", 0, 1e18, NULL, "copy within a rank's memory; 0: free"},  \
        {"reduce_start", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL, "of a local reduction"},   \
        {"stage_rate",                                                                             \
         DN_PARAM_RATE,                                                                            \
         "0",                                                                                      \
         0,                                                                                        \
         1e18,                                                                                     \
         NULL,                                                                                     \
         "of a staged collective's copies; 0: copy_rate"},                                         \
        {"stage_start",                                                                            \
         DN_PARAM_TIME,                                                                            \
         "0",                                                                                      \
         0,                                                                                        \
         DN_COSTS_MOST_PS,                                                                         \
         NULL,                                                                                     \
         "of such a copy; 0: copy_start"},                                                         \
    {                                                                                              \
        "copy_start", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL,                               \
            "of a copy within a rank's memory"                                                     \
    }
static inline void dn_costs_local(const DnParams *params, DnCosts *out)
{
    static const DnCostsKey keys[] = {DN_COSTS_KEY("reduce_rate", local.reduce_bps),
                                      DN_COSTS_KEY("reduce_byte_rate", local.reduce_byte_bps),
                                      DN_COSTS_KEY("copy_rate", local.copy_bps),
                                      DN_COSTS_KEY("reduce_start", local.reduce_ps),
                                      DN_COSTS_KEY("copy_start", local.copy_ps),
                                      DN_COSTS_KEY("stage_rate", local.stage_bps),
                                      DN_COSTS_KEY("stage_start", local.stage_ps),
                                      {0}};
    dn_costs_read_keys(params, keys, out);
}

/* One more stage before the wire, or after it. */
static inline void dn_costs_out(DnCosts *costs, DnStage stage)
{
    g_assert(costs->n_out < DN_MECHANISM_STAGES);
    costs->out[costs->n_out++] = stage;
}
static inline void dn_costs_in(DnCosts *costs, DnStage stage)
{
    g_assert(costs->n_in < DN_MECHANISM_STAGES);
    costs->in[costs->n_in++] = stage;
}

/* Costs of posting from within a kernel: each of @posters is occupied for t_post by each of a put's
 * @calls, and for t_round more where all synchronise after each round of puts, as in a
 * benchmark. */
#define DN_COSTS_POST_PARAMS                                                                       \
    {"t_post", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL, "of a put, the poster is busy"},     \
        {"t_round",                                                                                \
         DN_PARAM_TIME,                                                                            \
         "0",                                                                                      \
         0,                                                                                        \
         DN_COSTS_MOST_PS,                                                                         \
         NULL,                                                                                     \
         "of a round of puts, the posters wait for each other"},                                   \
    {                                                                                              \
        "requests", DN_PARAM_INT, "1", 1, 2, NULL, "of a put: 2 with a signal"                     \
    }
static inline void dn_costs_post(const DnParams *params, guint16 posters, gint64 calls,
                                 DnCosts *out)
{
    dn_costs_out(out, (DnStage){.unit = DN_STAGE_POST,
                                .servers = posters,
                                .message_ps = calls * dn_params_int(params, "t_post") +
                                              dn_params_int(params, "t_round")});
}
