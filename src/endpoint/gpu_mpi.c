/* gpu_mpi.c - GPU-aware MPI: the CPU sends and receives buffers in GPU memory.
 *
 * As host_mpi, plus the synchronisation of the GPU's kernels with the CPU's calls:
 *   t_sync    of synchronising the stream that packed the data, before the first send since a wait
 *   t_launch  of launching the next kernel, after each wait
 * (Co-Design and Evaluation of a CPU-Free MPI GPU Communication Abstraction, section II-A: about a
 * microsecond each), and how small messages cross between host and GPU memory:
 *   gdrcopy: true   the CPU reads and writes GPU memory through the BAR, t_gdr a message and
 *                   gdr_rate (github.com/NVIDIA/gdrcopy)
 *   gdrcopy: false  a copy by the driver on either side, t_copy each
 * up to small_threshold, on both sides. Larger messages go from GPU memory to the NIC or the peer.
 * De Sensi et al., "Exploring GPU-to-GPU Communication", SC 2024, section III.C: without GDRCopy
 * small messages on Leonardo take up to six times as long. A message of 0 bytes, as a barrier's,
 * has no buffer and nothing to do with the GPU: by a mechanism of a machine it has the costs of the
 * machine's MPI between hosts (`default_mechanism: {host: ...}`), if those are less.
 *
 * Longer messages inside a node are copies between the GPUs' memories. MPICH up to 4.2, and so
 * Cray MPICH 8.1 (assumed), copies in the receiver's process and waits (src/mpid/ch4/shm/ipc,
 * ipc_p2p.h; 4.3 polls, gpu_post.c). The sender asks in t_issue, by rendezvous; then t_ipc begins
 * the copy, one message of a process after another, and t_ack after it the sender knows. A process
 * is busy with all three; it is the sender's that has t_ipc here, since in exchanges each copies as
 * much as its peer. UCX only calls cuMemcpyDtoDAsync, on a stream for each peer's device, and polls
 * events (1.13, src/uct/cuda/cuda_ipc/cuda_ipc_ep.c): copies of several messages go on side by
 * side. The receiver calls it, once it has matched the sender's RTS with the handle of the buffer,
 * and tells the sender at the end: `rendezvous: read` in a node, where t_issue is the sender's
 * call, t_progress the receiver's for the RTS and for the end of the copy; a rule without
 * eager_threshold lets the sender begin at once. */
#include "endpoint/costs.h"

static const DnParamSpec params_[] = {
    DN_COSTS_MESSAGE_PARAMS,
    DN_COSTS_CALLS_PARAMS,
    {"t_sync", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL, "before the first send after a wait"},
    {"t_launch", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL, "after a wait"},
    {"small_threshold", DN_PARAM_BYTES, "0", 0, 1e15, NULL, "up to it through host memory"},
    {"gdrcopy", DN_PARAM_BOOL, "true", 0, 0, NULL, "small messages through the BAR"},
    {"t_gdr", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL,
     "of a message through the BAR, a side"},
    {"gdr_rate", DN_PARAM_RATE, "0", 0, 1e18, NULL, "through the BAR; 0: no time"},
    {"t_copy", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL, "of a driver's copy, a side"},
    {"t_ipc", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL,
     "start of a copy between the GPUs' memories, one after another; 0: none is made"},
    DN_COSTS_ACK_PARAMS,
    DN_COSTS_RENDEZVOUS_PARAMS,
    DN_COSTS_UNEXPECTED_PARAM,
    DN_COSTS_READ_PARAMS,
    DN_COSTS_VIA_PARAM,
    DN_COSTS_LOCAL_PARAMS,
    {0},
};

static const DnCostsKey gpu_mpi_keys[] = {
    DN_COSTS_KEY("t_sync", batch_ps), DN_COSTS_KEY("t_launch", wait_ps), {0}};

/* Adds a copy between GPUs: after t_ipc it runs by itself; the process has t_ack left to do. */
static void add_ipc_copy(const DnParams *params, DnCosts *out)
{
    gint64 ipc_ps = dn_params_int(params, "t_ipc"), ack_ps = dn_params_int(params, "t_ack");
    if (ipc_ps == 0)
        return;
    out->serial = TRUE;
    dn_costs_out(out, (DnStage){.unit = DN_STAGE_CPU,
                                .servers = 1,
                                .pipelined = TRUE,
                                .message_ps = ipc_ps + ack_ps,
                                .latency_ps = ipc_ps});
}

static gboolean gpu_mpi_costs(const DnParams *params, DnCosts *out, GError **error)
{
    dn_costs_message(params, out);
    dn_costs_rendezvous(params, out);
    dn_costs_read(params, out);
    dn_costs_local(params, out);
    dn_costs_via(params, out);
    dn_costs_calls(params, out);
    dn_costs_ack(params, out);
    if (out->receive.acknowledged && dn_params_int(params, "t_ipc") > 0) {
        dn_params_error(params, "acknowledged", DN_ERROR_RANGE, error,
                        "copies between GPUs (`t_ipc`) are acknowledged by `t_ack` already");
        return FALSE;
    }
    if (out->path.by_nics && dn_params_int(params, "t_ipc") > 0) {
        dn_params_error(params, "via", DN_ERROR_RANGE, error,
                        "copies between GPUs (`t_ipc`) use no NIC");
        return FALSE;
    }
    dn_costs_read_keys(params, gpu_mpi_keys, out);
    add_ipc_copy(params, out);
    gboolean gdr = dn_params_bool(params, "gdrcopy");
    DnStage cross = {.unit = gdr ? DN_STAGE_CPU : DN_STAGE_COPY,
                     .servers = 1,
                     .message_ps = dn_params_int(params, gdr ? "t_gdr" : "t_copy"),
                     .rate_bps = gdr ? dn_params_int(params, "gdr_rate") : 0,
                     .max_bytes = dn_params_int(params, "small_threshold")};
    if (cross.max_bytes == 0)
        return TRUE;
    dn_costs_out(out, cross);
    dn_costs_in(out, cross);
    return TRUE;
}

extern const DnMechanismType dn_mechanism_gpu_mpi;
const DnMechanismType dn_mechanism_gpu_mpi = {
    .name = "gpu_mpi",
    .help = "MPI between GPU buffers: kernels before and after, GDRCopy or the driver for small "
            "messages",
    .source = "Co-Design and Evaluation of a CPU-Free MPI GPU Communication Abstraction, section "
              "II-A; github.com/NVIDIA/gdrcopy",
    .limits = "as host_mpi; reads and writes through the BAR cost the same",
    .gpu_buffers = TRUE,
    .params = params_,
    .costs = gpu_mpi_costs,
};
