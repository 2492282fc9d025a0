/* gpu_initiated.c - GPU kernels that ring the NIC's doorbell themselves: NVSHMEM's IBGDA transport.
 *
 * NVIDIA, "Improving Network Performance of HPC Systems Using NVIDIA Magnum IO NVSHMEM and
 * GPUDirect Async", 2022: a thread writes a work request to a queue in GPU memory, updates the
 * doorbell record and rings the NIC's doorbell.
 *   posters    threads or warps that put at once (thread blocks x warps of each); a put keeps its
 *              poster for t_post, the whole way to the doorbell
 *   queues     queue pairs; what only one poster of a queue can do at a time: t_wqe for each work
 *              request, t_doorbell for each put
 *   coalesce   words of a warp that become one request, when they go to consecutive addresses: 32,
 *              or 1 when they do not
 *   t_nic      from the doorbell to the wire
 * The NIC's own limit of messages is the machine's `message_rate`.
 * LIMITATIONS: which poster has which queue is left open (the one free first); completion of a put
 * is its leaving, without the acknowledgement. */
#include "endpoint/costs.h"

static const DnParamSpec params_[] = {
    {"posters", DN_PARAM_INT, "1", 1, 65535, NULL, "threads or warps that put at once"},
    {"t_post", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL, "of a put, a poster"},
    {"queues", DN_PARAM_INT, "1", 1, 65535, NULL, "queue pairs"},
    {"t_wqe", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL, "of a work request, a queue"},
    {"t_doorbell", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL, "of a put, a queue"},
    {"coalesce", DN_PARAM_INT, "32", 1, 32, NULL, "words of a warp that are one request"},
    {"t_nic", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL, "from the doorbell to the wire"},
    {"t_recv", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL, "from the last byte to completion"},
    {"t_launch", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL, "of the kernel, once an iteration"},
    {"rate", DN_PARAM_RATE, "0", 0, 1e18, NULL, "cap of one message; 0: the links'"},
    DN_COSTS_LOCAL_PARAMS,
    {0},
};

static gboolean costs(const DnParams *params, DnCosts *out, GError **error)
{
    (void)error;
    dn_costs_local(params, out);
    out->call_ps = dn_params_int(params, "t_launch");
    out->recv_ps = dn_params_int(params, "t_recv");
    out->rate_bps = dn_params_int(params, "rate");
    out->coalesce = (guint32)dn_params_int(params, "coalesce");
    dn_costs_out(out, (DnStage){.unit = DN_STAGE_POST,
                                .servers = (guint16)dn_params_int(params, "posters"),
                                .message_ps = dn_params_int(params, "t_post")});
    dn_costs_out(out, (DnStage){.unit = DN_STAGE_PROXY,
                                .servers = (guint16)dn_params_int(params, "queues"),
                                .message_ps = dn_params_int(params, "t_doorbell"),
                                .piece_ps = dn_params_int(params, "t_wqe"),
                                .latency_ps = dn_params_int(params, "t_nic")});
    return TRUE;
}

extern const DnMechanismType dn_mechanism_gpu_initiated;
const DnMechanismType dn_mechanism_gpu_initiated = {
    .name = "gpu_initiated",
    .source = "NVIDIA, Improving Network Performance of HPC Systems Using NVIDIA Magnum IO NVSHMEM "
              "and GPUDirect Async, 2022",
    .limits = "which poster has which queue; acknowledgements",
    .params = params_,
    .costs = costs,
};
