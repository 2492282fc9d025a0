/* proxy.c - GPU kernels that put through a thread of the host: NVSHMEM's IBRC transport.
 *
 * NVIDIA, "Improving Network Performance of HPC Systems Using NVIDIA Magnum IO NVSHMEM and
 * GPUDirect Async", 2022: the kernel writes a descriptor to host memory (t_post and t_round, one at
 * a time from each of `ctas` thread blocks), the proxy thread finds it, makes a work request and
 * rings the NIC's doorbell (service_rate of each of `threads`), the NIC reads the request
 * (t_doorbell) and sends. Each word of a scalar put is a request of its own; a put with a signal is
 * two `requests`, each with a descriptor.
 * LIMITATIONS: the proxy takes requests one by one, not in the batches whose timing makes small
 * messages fluctuate; completion of a put is its leaving, without the acknowledgement that the
 * proxy would wait for. */
#include "endpoint/costs.h"

static const DnParamSpec params_[] = {
    {"ctas", DN_PARAM_INT, "1", 1, 65535, NULL, "thread blocks that put"},
    DN_COSTS_POST_PARAMS,
    {"threads", DN_PARAM_INT, "1", 1, 1024, NULL, "of the proxy"},
    {"service_rate", DN_PARAM_PER_SECOND, NULL, 1, 1e12, NULL, "requests of one thread"},
    {"t_doorbell", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL, "from there to the wire"},
    DN_COSTS_LAUNCH_PARAM,
    DN_COSTS_ARRIVAL_PARAMS,
    DN_COSTS_LOCAL_PARAMS,
    {0},
};

static gboolean costs(const DnParams *params, DnCosts *out, GError **error)
{
    (void)error;
    dn_costs_local(params, out);
    dn_costs_launch(params, out);
    dn_costs_arrival(params, out);
    gint64 requests = dn_params_int(params, "requests");
    double service_ps = 1e12 / dn_params_real(params, "service_rate");
    dn_costs_post(params, (guint16)dn_params_int(params, "ctas"), requests, out);
    dn_costs_out(out, (DnStage){.unit = DN_STAGE_PROXY,
                                .servers = (guint16)dn_params_int(params, "threads"),
                                .piece_ps = (gint64)((double)requests * service_ps + 0.5),
                                .latency_ps = dn_params_int(params, "t_doorbell")});
    return TRUE;
}

extern const DnMechanismType dn_mechanism_proxy;
const DnMechanismType dn_mechanism_proxy = {
    .name = "proxy",
    .source = "NVIDIA, Improving Network Performance of HPC Systems Using NVIDIA Magnum IO NVSHMEM "
              "and GPUDirect Async, 2022",
    .limits = "batches of the proxy's loop; acknowledgements",
    .params = params_,
    .costs = costs,
};
