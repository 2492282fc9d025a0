/* proxy.c - GPU kernels that put through a thread of the host: NVSHMEM's IBRC transport.
 *
 * NVIDIA, "Improving Network Performance of HPC Systems Using NVIDIA Magnum IO NVSHMEM and
 * GPUDirect Async", 2022: the kernel writes a descriptor to host memory (t_post and t_round, one at
 * a time from each of `ctas` thread blocks), the proxy thread finds it, makes a work request and
 * rings the NIC's doorbell (service_rate), the NIC reads the request (t_doorbell) and sends. The
 * proxy is a serialization point for all operations of the device, and more threads of it showed
 * "similar behavior" there: a process has one channel of descriptors (NVSHMEM, proxy.cpp and
 * proxy_device.cu), so that `threads` change nothing. Each word of a scalar put is a request of its
 * own. A put with a signal is three `descriptors` (put, fence, atomic; t_post each), of which two
 * become `requests`: the fence asks nothing of an adapter that keeps order (NVSHMEM 2.8.0,
 * transfer_device.cu and ibrc.cpp).
 *   t_quiet    after each wait: the kernel asks for all acknowledgements, and then to read back so
 *              that what arrived is visible; each goes to the host and back (alltoall_device.cuh)
 */
#include "endpoint/costs.h"

static const DnParamSpec params_[] = {
    {"ctas", DN_PARAM_INT, "1", 1, 65535, NULL, "thread blocks that put"},
    DN_COSTS_POST_PARAMS,
    {"descriptors", DN_PARAM_INT, "1", 1, 3, NULL, "of a put: 3 with a signal"},
    {"t_quiet", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL, "of a wait, to hear from the proxy"},
    {"threads", DN_PARAM_INT, "1", 1, 1024, NULL,
     "of the proxy, which share one queue: no faster than one"},
    {"service_rate", DN_PARAM_PER_SECOND, NULL, 1, 1e12, NULL, "requests of one thread"},
    {"t_doorbell", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL, "from there to the wire"},
    DN_COSTS_LAUNCH_PARAM,
    DN_COSTS_ARRIVAL_PARAMS,
    DN_COSTS_VIA_PARAM,
    DN_COSTS_LOCAL_PARAMS,
    {0},
};

static gboolean proxy_costs(const DnParams *params, DnCosts *out, GError **error)
{
    (void)error;
    dn_costs_local(params, out);
    dn_costs_via(params, out);
    dn_costs_launch(params, out);
    dn_costs_arrival(params, out);
    gint64 requests = dn_params_int(params, "requests");
    double service_ps = 1e12 / dn_params_real(params, "service_rate");
    dn_costs_post(params, (guint16)dn_params_int(params, "ctas"),
                  dn_params_int(params, "descriptors"), out);
    out->wait_ps = dn_params_int(params, "t_quiet");
    dn_costs_out(out, (DnStage){.unit = DN_STAGE_PROXY,
                                .servers = 1,
                                .piece_ps = (gint64)((double)requests * service_ps + 0.5),
                                .latency_ps = dn_params_int(params, "t_doorbell")});
    return TRUE;
}

extern const DnMechanismType dn_mechanism_proxy;
const DnMechanismType dn_mechanism_proxy = {
    .name = "proxy",
    .help = "puts of a kernel through a thread of the host (NVSHMEM's IBRC)",
    .source = "NVIDIA, Improving Network Performance of HPC Systems Using NVIDIA Magnum IO NVSHMEM "
              "and GPUDirect Async, 2022",
    .limits = "the proxy takes requests one by one, not up to 32 in a round of its loop; an "
              "acknowledgement is as long under way on a busy network as on an idle one",
    .params = params_,
    .costs = proxy_costs,
};
