/* gpu_initiated.c - Costs of GPU kernels that ring the NIC's doorbell themselves: NVSHMEM's IBGDA
 * transport.
 *
 * NVIDIA, "Improving Network Performance of HPC Systems Using NVIDIA Magnum IO NVSHMEM and
 * GPUDirect Async", 2022: a thread writes a work request to a queue in GPU memory, updates the
 * doorbell record and rings the NIC's doorbell.
 *   posters    threads or warps that put at once (thread blocks x warps of each); a put occupies
 *              its poster for t_post, until the doorbell, and for t_round
 *   queues     queue pairs; steps of which a queue allows one at a time: t_wqe for each work
 *              request, t_doorbell for each put
 *   requests   of a put: 2 when it carries a signal, posted by one call
 *   coalesce   words of a warp that become one request, when they go to consecutive addresses: 32,
 *              or 1 when they do not
 *   t_nic      from the doorbell to the wire
 *   t_change   of a queue whose next put goes to another peer: by InfiniBand's dynamically
 *              connected transport, NVSHMEM's default, a queue pair has one peer at a time and
 *              takes the next when all its requests are acknowledged: a round trip. 0: a pair a
 *              peer
 *   t_quiet    after each wait: acknowledgements, and a read back so that arrived data are visible
 * The NIC's own limit of messages is the machine's `message_rate`. */
#include "endpoint/costs.h"

static const DnParamSpec params_[] = {
    {"posters", DN_PARAM_INT, "1", 1, 65535, NULL, "threads or warps that put at once"},
    DN_COSTS_POST_PARAMS,
    {"queues", DN_PARAM_INT, "1", 1, 65535, NULL, "queue pairs"},
    {"t_wqe", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL, "of a work request, a queue"},
    {"t_doorbell", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL, "of a put, a queue"},
    {"coalesce", DN_PARAM_INT, "32", 1, 32, NULL, "words of a warp that are one request"},
    {"t_change", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL, "of a queue, to another peer"},
    {"t_quiet", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL, "of a wait, to hear from the NIC"},
    {"t_nic", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL, "from the doorbell to the wire"},
    DN_COSTS_LAUNCH_PARAM,
    DN_COSTS_ARRIVAL_PARAMS,
    DN_COSTS_VIA_PARAM,
    DN_COSTS_LOCAL_PARAMS,
    {0},
};

static gboolean initiated_costs(const DnParams *params, DnCosts *out, GError **error)
{
    (void)error;
    dn_costs_local(params, out);
    dn_costs_via(params, out);
    dn_costs_launch(params, out);
    dn_costs_arrival(params, out);
    out->coalesce = (guint32)dn_params_int(params, "coalesce");
    dn_costs_post(params, (guint16)dn_params_int(params, "posters"), 1, out);
    dn_costs_out(out, (DnStage){.unit = DN_STAGE_PROXY,
                                .servers = (guint16)dn_params_int(params, "queues"),
                                .message_ps = dn_params_int(params, "t_doorbell"),
                                .piece_ps = dn_params_int(params, "t_wqe") *
                                            dn_params_int(params, "requests"),
                                .change_ps = dn_params_int(params, "t_change"),
                                .latency_ps = dn_params_int(params, "t_nic")});
    out->wait_ps = dn_params_int(params, "t_quiet");
    return TRUE;
}

extern const DnMechanismType dn_mechanism_gpu_initiated;
const DnMechanismType dn_mechanism_gpu_initiated = {
    .name = "gpu_initiated",
    .help = "puts of a kernel straight to the NIC (NVSHMEM's IBGDA), coalesced or not, a queue "
            "pair for all peers or for each",
    .source = "NVIDIA, Improving Network Performance of HPC Systems Using NVIDIA Magnum IO NVSHMEM "
              "and GPUDirect Async, 2022",
    .limits = "which poster has which queue is left open (the one free first); an acknowledgement "
              "is as long under way on a busy network as on an idle one",
    .params = params_,
    .costs = initiated_costs,
};
