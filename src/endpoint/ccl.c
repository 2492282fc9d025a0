/* ccl.c - Costs of NCCL and RCCL: a kernel whose thread blocks, one per channel, move data through
 * peers' buffers.
 *
 *   t_launch      of the kernel; once a call, which is an iteration of the workload
 *   t_pair        of the host before the launch, for each rank of the call (itself included): it
 *                 enqueues grouped sends and receives pair by pair
 *   t_start, t_recv  of each step of each channel: the flag's latency out of and into the kernel
 *   channels, channel_rate  a message uses all channels; each moves at most channel_rate
 *   t_peer        of a channel that has messages for several peers at once, whose sends and
 *                 receives share its thread block: for each further one the copies into the first
 *                 chunk and out of the last take so much longer, a part of t_start and of t_recv
 *   thread_block_rate  what such a block copies: of a message of several chunks each one leaves as
 *                 it has been copied, so at the rate of the part that its peer has of the warps
 *   shared        of a group: the thread blocks are divided among the peers of a rank, so that each
 *                 of k has 1/k of `rate` and the blocks' end, t_recv, comes after k parts
 *   rate          of a channel to one peer, whose steps leave one after another; 0: the links'
 *   t_proxy_send, t_proxy_recv  between nodes the host's proxy thread, one for a rank, is busy so
 *                 long with each message that the rank sends or receives: it takes it up, calls the
 *                 network for its first chunk and again until that is done (src/transport/net.cc).
 *                 It waits for no call: what adapters take is t_start and t_recv, and overlaps
 *   proxy_scan_rate  data a second at which the thread first reads all lines of a message it sends:
 *                 with LL it looks at the flags of each (src/transport/net.cc, sendProxyProgress)
 *   t_proxy_post  the thread's part of a receive that its message does not wait for: the call that
 *                 begins it, when it is posted and before its message comes (recvProxyProgress),
 *                 while kernels start; with LL and LL128 all of it, as the kernel sees the flags
 *   t_proxy_send_chunk, t_proxy_recv_chunk  with each further proxy_chunk of it: one pass of the
 *                 thread serves several that are under way (NCCL_STEPS); default: as the first.
 *                 With read_queues each chunk is a message that an adapter reads in its turn
 *   proxy_arrival_rate  at which chunks of one message arrive while others arrive, too
 *   rendezvous    of the network's library, which the proxy calls: on Slingshot libfabric reads
 *                 long messages as it reads MPI's (host_mpi.c)
 *   receive_first  a message leaves once its receive is posted and the receiver has said so, as by
 *                 NCCL's own InfiniBand transport (src/transport/net_ib.cc, ncclIbPostFifo)
 *   drain_rate    of the receiver's copy out of the buffer its peer wrote, where a message is one
 *                 step, and is copied after all of it has come; 0: the copy overlaps
 *   protocol      simple: whole lines; ll: 4 B of flag for each 4 B of data, half the rate;
 *                 ll128: 8 B of flag in each 128 B, 15/16 of it. Latencies differ: give each
 *                 protocol its entry, and rules by size choose
 * NVIDIA/nccl, src/device/prims_ll.h, prims_ll128.h, src/graph/tuning.cc; Hu et al., "Demystifying
 * NCCL", 2025, arXiv:2507.04786. */
#include "endpoint/costs.h"

static const char *const protocols[] = {"simple", "ll", "ll128", NULL};
static const DnParamSpec params_[] = {
    DN_COSTS_MESSAGE_PARAMS,
    {"t_launch", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL, "of the kernel, once a call"},
    {"t_pair", DN_PARAM_TIME, "0", 0, 1e12, NULL, "of a call, for each rank of its communicator"},
    {"channels", DN_PARAM_INT, "1", 1, 64, NULL, "thread blocks that move a message"},
    {"channel_rate", DN_PARAM_RATE, "0", 0, 1e18, NULL, "of one channel; 0: the links'"},
    {"t_peer", DN_PARAM_TIME, "0", 0, 1e12, NULL, "at both ends, for a channel's further peers"},
    {"thread_block_rate", DN_PARAM_RATE, "0", 0, 1e18, NULL,
     "of a channel's copies; each of its peers has a part; 0: no limit"},
    {"shared", DN_PARAM_BOOL, "no", 0, 0, NULL, "`rate` by all peers; t_recv adds up"},
    {"t_proxy_send", DN_PARAM_TIME, "0", 0, 1e12, NULL, "of the proxy thread, a message it sends"},
    {"t_proxy_recv", DN_PARAM_TIME, "0", 0, 1e12, NULL, "of the proxy thread, one it receives"},
    {"t_proxy_post", DN_PARAM_TIME, "0", 0, 1e9, NULL, "of the proxy thread, a receive begun"},
    {"proxy_scan_rate", DN_PARAM_RATE, "0", 0, 1e18, NULL, "of data before a send; 0: no scan"},
    {"t_proxy_send_chunk", DN_PARAM_TIME, "", 0, 1e12, NULL, "a further chunk; t_proxy_send"},
    {"t_proxy_recv_chunk", DN_PARAM_TIME, "", 0, 1e12, NULL, "a further chunk; t_proxy_recv"},
    {"proxy_chunk", DN_PARAM_BYTES, "128 KiB", 1, 1e15, NULL,
     "size of a chunk: one message between nodes"},
    {"proxy_arrival_rate", DN_PARAM_RATE, "0", 0, 1e18, NULL, "of a message's chunks; 0: rate"},
    {"receive_first", DN_PARAM_BOOL, "no", 0, 0, NULL, "a message waits for its posted receive"},
    {"drain_rate", DN_PARAM_RATE, "0", 0, 1e18, NULL,
     "of the copy out of a whole step; 0: overlaps"},
    {"protocol", DN_PARAM_CHOICE, "simple", 0, 0, protocols, "how arrival is seen"},
    DN_COSTS_RENDEZVOUS_PARAMS,
    DN_COSTS_READ_PARAMS,
    DN_COSTS_VIA_PARAM,
    DN_COSTS_LOCAL_PARAMS,
    {0},
};

/* Sets the thread's time for a message: @first for its first chunk, @further for each other one. */
static void proxy_times(const DnParams *params, const char *first, const char *further,
                        DnStage *out)
{
    gint64 first_ps = dn_params_int(params, first);
    out->piece_ps = dn_params_has(params, further) ? dn_params_int(params, further) : first_ps;
    out->message_ps = first_ps - out->piece_ps;
}

/* The thread serves chunks of its messages in turn: first chunks begin in the order of their
 * messages; later chunks occupy the thread, but no message waits for them before its end. The first
 * call of a send is part of t_start: it occupies the thread and does not delay the chunk. The scan
 * of a message's lines does. */
static void proxy_stages(const DnParams *params, DnCosts *out)
{
    gint64 send_ps = dn_params_int(params, "t_proxy_send");
    DnStage scan = {
        .unit = DN_STAGE_PROXY, .servers = 1, .rate_bps = dn_params_int(params, "proxy_scan_rate")};
    DnStage first = {.unit = DN_STAGE_POST, .pipelined = TRUE, .servers = 1, .message_ps = send_ps};
    DnStage thread = {.unit = DN_STAGE_PROXY,
                      .async = TRUE,
                      .servers = 1,
                      .piece_bytes = dn_params_int(params, "proxy_chunk")};
    proxy_times(params, "t_proxy_send", "t_proxy_send_chunk", &thread);
    if (scan.rate_bps > 0)
        dn_costs_out(out, scan);
    if (send_ps > 0) {
        dn_costs_out(out, first);
        dn_costs_out(out, thread);
    }
    thread.async = FALSE;
    thread.pipelined = TRUE;
    proxy_times(params, "t_proxy_recv", "t_proxy_recv_chunk", &thread);
    thread.arrival_bps = dn_params_int(params, "proxy_arrival_rate");
    if (thread.piece_ps > 0 || thread.message_ps > 0)
        dn_costs_in(out, thread);
}

/* FALSE + error where a further chunk takes longer than the first. */
static gboolean check_chunk(const DnParams *params, const char *first, const char *further,
                            GError **error)
{
    if (!dn_params_has(params, further) ||
        dn_params_int(params, further) <= dn_params_int(params, first))
        return TRUE;
    dn_params_error(params, further, DN_ERROR_RANGE, error,
                    "%s: a further chunk takes at most what the first does, %s", further, first);
    return FALSE;
}

/* FALSE + error where messages wait for their receive and go by rendezvous as well. */
static gboolean set_receive_first(const DnParams *params, DnCosts *out, GError **error)
{
    if (!dn_params_bool(params, "receive_first"))
        return TRUE;
    if (out->rendezvous_from_bytes > 0) {
        dn_params_error(params, "receive_first", DN_ERROR_RANGE, error,
                        "receive_first: a message that waits for its receive needs no rendezvous; "
                        "drop one of `receive_first` and `eager_threshold`");
        return FALSE;
    }
    out->handshake = DN_HANDSHAKE_TRIGGERED;
    return TRUE;
}

static gboolean ccl_costs(const DnParams *params, DnCosts *out, GError **error)
{
    static const double share[] = {1, 0.5, 120.0 / 128};
    gint64 channels_bps = dn_params_int(params, "channel_rate");
    dn_costs_message(params, out);
    dn_costs_local(params, out);
    dn_costs_via(params, out);
    dn_costs_rendezvous(params, out);
    dn_costs_read(params, out);
    if (out->receive.read_queues > 0)
        out->receive.read_chunk_kib = (guint32)MAX(1, dn_params_int(params, "proxy_chunk") / 1024);
    proxy_stages(params, out);
    out->receive.batch_peer_ps = dn_params_int(params, "t_peer");
    out->receive.batch_bps = dn_params_int(params, "thread_block_rate");
    out->receive.proxy_post_ns = (guint32)(dn_params_int(params, "t_proxy_post") / 1000);
    out->shared = dn_params_bool(params, "shared");
    out->call_ps = dn_params_int(params, "t_launch");
    out->call_rank_ps = dn_params_int(params, "t_pair");
    if (channels_bps > 0)
        channels_bps = (gint64)((double)channels_bps * (double)dn_params_int(params, "channels") *
                                share[dn_params_int(params, "protocol")]);
    if (channels_bps > 0 && (out->rate_bps == 0 || channels_bps < out->rate_bps))
        out->rate_bps = channels_bps;
    out->channel_bps = out->rate_bps > 0 ? out->rate_bps : DN_CHANNEL_FREE;
    if (dn_params_int(params, "drain_rate") > 0)
        dn_costs_in(out, (DnStage){.unit = DN_STAGE_RECEIVE,
                                   .rate_bps = dn_params_int(params, "drain_rate")});
    return set_receive_first(params, out, error) &&
           check_chunk(params, "t_proxy_send", "t_proxy_send_chunk", error) &&
           check_chunk(params, "t_proxy_recv", "t_proxy_recv_chunk", error);
}

extern const DnMechanismType dn_mechanism_ccl;
const DnMechanismType dn_mechanism_ccl = {
    .name = "ccl",
    .help = "NCCL, RCCL: launch, channels, protocols LL, LL128, Simple",
    .source = "NVIDIA/nccl; Hu et al., Demystifying NCCL, 2025, arXiv:2507.04786",
    .limits = "steps are those of the workload's algorithm; channels do not split a message into "
              "slots of their own; a message that thread_block_rate limits leaves evenly, not in "
              "bursts of chunks; a call is an iteration, so a workload of several collectives pays "
              "one launch",
    .params = params_,
    .costs = ccl_costs,
};
