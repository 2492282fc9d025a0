/* staging.c - Host staging moves data from GPU to GPU through the memories of the hosts: a copy
 * from the device, a message between the hosts, a copy to the other device, one after the other.
 *
 *   t_issue   the rank's time in the first copy's call
 *   t_start   of the copy from the device; it crosses the machine's own GPU-CPU links
 *   t_host    from the copy's end to the message's first byte: the call and the library between
 *             two hosts; the message leaves by the host's NIC, or over the links between hosts
 *   host_rate of the copy between ranks of a node: its time where their GPUs share a host; the cap
 *             of the message where they have two; 0: no time, no cap
 *   t_device  of the copy to the device, over the GPU-CPU links again
 *   t_recv    from its last byte to completion
 *   rate      cap of each of the three
 * A process copies with cudaMemcpy, which waits, and calls MPI, which copies between the processes
 * of a node: it does so for one message after another. The sender is busy with t_start, the copy
 * from the device, t_host, and inside a node the message; the receiver inside a node with the
 * message, and with the copy to its device. Between nodes adapters move the message. Without t_host
 * and host_rate no process is known to stage (a library's kernels do), and messages meet at links
 * alone.
 * De Sensi et al., "Exploring GPU-to-GPU Communication", SC 2024, section III.C: trivial staging.
 */
#include "endpoint/costs.h"

static const DnParamSpec params_[] = {
    DN_COSTS_MESSAGE_PARAMS,
    {"t_host", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL, "between the copy and the message"},
    {"host_rate", DN_PARAM_RATE, "0", 0, 1e18, NULL, "copy between the hosts of a node; 0: free"},
    {"t_device", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL, "start of the copy to the device"},
    DN_COSTS_RENDEZVOUS_PARAMS,
    DN_COSTS_LOCAL_PARAMS,
    {0},
};

static const DnCostsKey staging_keys[] = {DN_COSTS_KEY("t_host", path.host_ps),
                                          DN_COSTS_KEY("host_rate", path.host_bps),
                                          DN_COSTS_KEY("t_device", path.device_ps),
                                          {0}};

static gboolean staging_costs(const DnParams *params, DnCosts *out, GError **error)
{
    (void)error;
    dn_costs_message(params, out);
    dn_costs_rendezvous(params, out);
    dn_costs_local(params, out);
    out->path.via_host = TRUE;
    dn_costs_read_keys(params, staging_keys, out);
    return TRUE;
}

extern const DnMechanismType dn_mechanism_staging;
const DnMechanismType dn_mechanism_staging = {
    .name = "staging",
    .help =
        "device, host, host, device, each copy whole before the next, over the machine's own links",
    .source = "De Sensi et al., Exploring GPU-to-GPU Communication, SC 2024, section III.C",
    .limits =
        "store and forward, never in pieces; the host forwards before the receive is posted; "
        "RTS and CTS go between the GPUs; a process that copies still computes, and makes what "
        "has come its own before it sends more; a message's latency in reports is that of its "
        "last leg",
    .params = params_,
    .costs = staging_costs,
};
