/* host_mpi.c - Costs of MPI between host buffers: the CPU calls, copies small messages, and uses a
 * handshake for long ones.
 *
 *   t_issue, t_post, t_progress  the CPU's time for each send, each receive posted, each message
 *                  that came in, RTS or data (o of LogP): together the inverse of a process's
 *                  message rate, as osu_bibw and osu_mbw_mr show it. The CPU does these, the copies
 *                  below and the process's own copies and reductions in turn (DN_STAGE_CPU)
 *   eager_threshold  longer messages go by RTS, CTS, and data straight into the receiver's buffer
 *   unexpected_limit  the adapter keeps so much of eager messages that came before their receive;
 *                   what does not fit is dropped, and sent again for its receive (libfabric,
 *                   fi_cxi(7), FI_CXI_FC_RECOVERY)
 *   acknowledged    an eager send is complete when the acknowledgement of the target's adapter has
 *                   crossed the network, and t_ack later; else when its last byte has left
 *   rendezvous: read  the CTS is a read by the receiver's adapter, which the sender's serves
 *                   without its process: t_start comes before the RTS, t_control is the receiver's
 *                   alone, and the send is complete when DONE, the answer to the data, has come
 *                   (UCX's get_zcopy, src/ucp/rndv/rndv.c; libfabric, fi_cxi(7), offloaded
 *                   rendezvous)
 *   read_rails      UCX reads by two adapters (UCX_MAX_RNDV_RAILS), half of the message each: the
 *                   process's own and the node's next
 *   eager_copy_rate  eager messages are copied by the CPU, on one side into a registered buffer, on
 *                    the other out of the one they came in; a CPU copies one at a time
 *   register_rate   pins and maps the buffer of a message that goes by rendezvous, on each side by
 *                    its CPU as it issues the send or posts the receive: of libraries that do not
 *                    keep it registered from earlier messages (libfabric, prov/cxi: cxip_map)
 *   shm_rate, t_shm  between ranks of a host all messages are copied twice, into memory both share
 *                    and out of it, each side by its CPU: t_shm and the bytes at shm_rate. The
 *                    copies go on side by side, shm_piece at a time, so that one message takes as
 *                    long as one copy (or as `rate` lets it); a rank that sends and receives does
 *                    both
 *   single_copy_rate  within a host the receiver's process copies each message out of the sender's
 *                    memory (XPMEM, CMA), one after another, as soon as it has the RTS:
 *                    `rendezvous: read`, where t_start is the sender's until the RTS is out, and
 *                    t_control the receiver's from there until the copy runs
 *   memory_rate     the copies above, and the process's own copies and reductions, go through the
 *                    memory of its CPU, which all processes on the CPU's cores share. A copy reads,
 *                    fetches the line that it is about to write, and writes: a third of the
 *                    memory's bandwidth
 *   memory_cache    not before the CPU's processes have copied so many bytes in an iteration, in a
 *                    trace since its begin: until then what they read and write is in its caches
 * Culler et al., "LogP: Towards a Realistic Model of Parallel Computation", PPoPP 1993;
 * Liu, Wu, Panda, "High Performance RDMA-Based MPI Implementation over InfiniBand", IJPP 2004, for
 * eager buffers and the rendezvous; Buntinas, Mercier, Gropp, "Design and Evaluation of Nemesis",
 * CCGrid 2006, for two copies through shared memory. */
#include "endpoint/costs.h"

static const DnParamSpec params_[] = {
    DN_COSTS_MESSAGE_PARAMS,
    DN_COSTS_CALLS_PARAMS,
    {"eager_copy_rate", DN_PARAM_RATE, "0", 0, 1e18, NULL,
     "copies of an eager message, one on each side; 0: free"},
    {"register_rate", DN_PARAM_RATE, "0", 0, 1e18, NULL,
     "registration of a rendezvous' buffer, on each side; 0: it is kept"},
    {"t_shm", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL, "of each copy through shared memory"},
    {"shm_rate", DN_PARAM_RATE, "0", 0, 1e18, NULL, "of each copy through shared memory; 0: none"},
    {"shm_piece", DN_PARAM_BYTES, "8 KiB", 1, 1e15, NULL, "of shared memory, copied at a time"},
    {"single_copy_rate", DN_PARAM_RATE, "0", 0, 1e18, NULL,
     "of the receiver's copy out of the sender's memory; 0: none"},
    {"memory_rate", DN_PARAM_RATE, "0", 0, 1e18, NULL,
     "of all copies and reductions of the processes of a CPU together; 0: no limit"},
    {"memory_cache", DN_PARAM_BYTES, "0 B", 0, 1e15, NULL,
     "bytes that the processes of a CPU copy in an iteration before memory_rate limits them"},
    DN_COSTS_RENDEZVOUS_PARAMS,
    DN_COSTS_UNEXPECTED_PARAM,
    DN_COSTS_ACK_PARAMS,
    DN_COSTS_READ_PARAMS,
    DN_COSTS_VIA_PARAM,
    DN_COSTS_LOCAL_PARAMS,
    {0},
};

enum { CACHE_LINE = 64 };

/* Adds the receiver's copy by its CPU, which fetches the lines that it writes. */
static void copy_once(gint64 rate_bps, DnCosts *out)
{
    if (out->rate_bps == 0 || rate_bps < out->rate_bps)
        out->rate_bps = rate_bps;
    dn_costs_in(out, (DnStage){.unit = DN_STAGE_CPU,
                               .pipelined = TRUE,
                               .servers = 1,
                               .piece_bytes = CACHE_LINE,
                               .rate_bps = rate_bps,
                               .memory_bps = out->local.memory_bps,
                               .memory_cache_bytes = out->local.memory_cache_bytes});
}

/* Adds the sender's and the receiver's copy through shared memory, each by its own CPU. */
static void copy_twice(const DnParams *params, DnCosts *out)
{
    gint64 copy_ps = dn_params_int(params, "t_shm");
    DnStage copy = {.unit = DN_STAGE_CPU,
                    .pipelined = TRUE,
                    .servers = 1,
                    .message_ps = copy_ps,
                    .piece_bytes = dn_params_int(params, "shm_piece"),
                    .rate_bps = dn_params_int(params, "shm_rate"),
                    .memory_bps = out->local.memory_bps,
                    .memory_cache_bytes = out->local.memory_cache_bytes};
    if (out->rate_bps == 0 || copy.rate_bps < out->rate_bps)
        out->rate_bps = copy.rate_bps;
    dn_costs_in(out, copy);
    copy.latency_ps = copy_ps;
    dn_costs_out(out, copy);
}

static gboolean copies_within_host(const DnParams *params)
{
    return dn_params_int(params, "shm_rate") > 0 || dn_params_int(params, "single_copy_rate") > 0;
}

/* Each process registers its own buffer of a message that goes by rendezvous. */
static gboolean register_buffers(const DnParams *params, DnCosts *out, GError **error)
{
    out->local.register_bps = dn_params_int(params, "register_rate");
    if (out->local.register_bps == 0)
        return TRUE;
    if (out->rendezvous_from_bytes > 0 && !copies_within_host(params))
        return TRUE;
    dn_params_error(params, "register_rate", DN_ERROR_RANGE, error,
                    "buffers are registered for a rendezvous over the network: with "
                    "`eager_threshold`, without `shm_rate` and `single_copy_rate`");
    return FALSE;
}

/* Costs of messages between processes of a host, which copy by their CPUs. */
static gboolean host_costs(const DnParams *params, DnCosts *out, GError **error)
{
    gint64 single_bps = dn_params_int(params, "single_copy_rate");
    gboolean twice = dn_params_int(params, "shm_rate") > 0;
    const char *key = "rendezvous", *message = NULL;
    if (out->path.by_nics) {
        key = "via";
        message = "copies by the host (`shm_rate`, `single_copy_rate`) use no NIC";
    } else if (twice && dn_costs_reads(out) > 0)
        message = "no adapter reads messages through shared memory (`shm_rate`)";
    else if (!twice && (out->handshake != DN_HANDSHAKE_READ || out->rendezvous_from_bytes == 0 ||
                        out->receive.read_queues > 0))
        message = "a single copy (`single_copy_rate`) is the receiver's: `rendezvous: read` and "
                  "`eager_threshold`, without `read_rails` and `read_queues`";
    else if (dn_params_int(params, "eager_copy_rate") > 0) {
        key = "eager_copy_rate";
        message = twice ? "messages through shared memory (`shm_rate`) are copied there already"
                        : "a single copy (`single_copy_rate`) is the only one";
    } else if (twice && single_bps > 0) {
        key = "single_copy_rate";
        message = "messages are copied once, or twice through shared memory (`shm_rate`): set one";
    }
    if (message != NULL) {
        dn_params_error(params, key, DN_ERROR_RANGE, error, "%s", message);
        return FALSE;
    }
    if (twice)
        copy_twice(params, out);
    else
        copy_once(single_bps, out);
    return TRUE;
}

static gboolean host_mpi_costs(const DnParams *params, DnCosts *out, GError **error)
{
    dn_costs_message(params, out);
    dn_costs_rendezvous(params, out);
    dn_costs_read(params, out);
    dn_costs_local(params, out);
    dn_costs_via(params, out);
    dn_costs_calls(params, out);
    dn_costs_ack(params, out);
    out->local.memory_bps = dn_params_int(params, "memory_rate");
    out->local.memory_cache_bytes = dn_params_int(params, "memory_cache");
    if (!register_buffers(params, out, error))
        return FALSE;
    if (copies_within_host(params))
        return host_costs(params, out, error);
    DnStage copy = {.unit = DN_STAGE_CPU,
                    .servers = 1,
                    .rate_bps = dn_params_int(params, "eager_copy_rate"),
                    .max_bytes = MAX(0, out->rendezvous_from_bytes - 1)};
    if (copy.rate_bps == 0 || out->rendezvous_from_bytes == 1)
        return TRUE;
    dn_costs_out(out, copy);
    dn_costs_in(out, copy);
    return TRUE;
}

extern const DnMechanismType dn_mechanism_host_mpi;
const DnMechanismType dn_mechanism_host_mpi = {
    .name = "host_mpi",
    .help = "MPI between host buffers: calls, eager copies, rendezvous; within a host two copies "
            "through shared memory, or one by the receiver",
    .source = "Culler et al., LogP, PPoPP 1993; Liu, Wu, Panda, RDMA-Based MPI, IJPP 2004",
    .limits =
        "a process that computes still makes progress; no limit on shared memory: a receiver that "
        "is late does not hold up the sender's copy; a message that `unexpected_limit` drops is "
        "sent again when its receive is posted, without the pause of flow control, and "
        "has been acknowledged; copies and reductions take turns at a CPU's memory, each whole, "
        "and NICs take none of its rate",
    .params = params_,
    .costs = host_mpi_costs,
};
