/* stream_triggered.c - Costs of MPI whose sends and receives are in the GPU's stream: a kernel
 * starts them by writing a counter of the NIC, which keeps them as deferred work; the CPU takes no
 * part.
 *
 * Co-Design and Evaluation of a CPU-Free MPI GPU Communication Abstraction and Implementation,
 * sections II-C and V. The rank is the stream.
 *   t_trigger  a kernel that starts an operation
 *   send: ready     the receiver is known to be ready: data at once. The operations of one start
 *                   share a counter: one t_trigger a batch, none for receives
 *   send: standard  the receive's own start sends a CTS (an atomic of control_bytes); the send goes
 *                   when both its trigger and that have come (section V-B). Counters are not
 *                   shared: a t_trigger for each send and each receive
 *   t_start    from the counter's write to the first byte: the NIC takes up deferred work
 *   t_recv     from the last byte to the event the stream waits for: remote write counted, atomic
 *              on the completion buffer, the waiting kernel's poll
 *   t_wait     of the waiting kernel in the stream, after each wait
 *   t_enqueue  of the host, to put a kernel into the stream: those of computations and copies, and
 *              the triggers. It runs ahead of the stream; an iteration whose kernels are shorter
 *              than that takes as long as the host
 *   entries    deferred work queue entries that an application has (section V-C: about 500); a send
 *              takes send_entries until it has left, a receive recv_entries until it is complete,
 *              and starting one waits for them */
#include "endpoint/costs.h"

enum { STANDARD, READY };
static const char *const sends[] = {"standard", "ready", NULL};
static const DnParamSpec params_[] = {
    {"send", DN_PARAM_CHOICE, "standard", 0, 0, sends, "who makes sure of the receiver"},
    {"t_trigger", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL, "of the kernel that starts it"},
    {"t_start", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL, "from the counter to the wire"},
    {"t_recv", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL, "from the last byte to the stream"},
    {"t_enqueue", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL, "of the host, for each kernel"},
    {"t_wait", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL, "of the kernel that waits"},
    {"rate", DN_PARAM_RATE, "0", 0, 1e18, NULL, "cap of one message; 0: the links'"},
    {"control_bytes", DN_PARAM_BYTES, "8 B", 0, 1e9, NULL, "a CTS on the wire"},
    {"entries", DN_PARAM_INT, "500", 1, 1e6, NULL, "of the deferred work queue"},
    {"send_entries", DN_PARAM_INT, "2", 0, 1e6, NULL, "of a send"},
    {"recv_entries", DN_PARAM_INT, "2", 0, 1e6, NULL, "of a receive"},
    DN_COSTS_VIA_PARAM,
    DN_COSTS_LOCAL_PARAMS,
    {0},
};

static const DnCostsKey entry_keys[] = {DN_COSTS_KEY("entries", entries),
                                        DN_COSTS_KEY("send_entries", send_entries),
                                        DN_COSTS_KEY("recv_entries", recv_entries),
                                        {0}};

static gboolean read_entries(const DnParams *params, DnCosts *out, GError **error)
{
    dn_costs_read_keys(params, entry_keys, out);
    if (MAX(out->send_entries, out->recv_entries) <= out->entries)
        return TRUE;
    dn_params_error(params, "entries", DN_ERROR_RANGE, error,
                    "%u entries; one operation takes %u and would wait for ever", out->entries,
                    MAX(out->send_entries, out->recv_entries));
    return FALSE;
}

static const DnCostsKey triggered_keys[] = {DN_COSTS_KEY("t_start", start_ps),
                                            DN_COSTS_KEY("t_recv", receive.recv_ps),
                                            DN_COSTS_KEY("t_wait", wait_ps),
                                            DN_COSTS_KEY("t_enqueue", enqueue_ps),
                                            DN_COSTS_KEY("rate", rate_bps),
                                            DN_COSTS_KEY("control_bytes", control_bytes),
                                            {0}};

static gboolean triggered_costs(const DnParams *params, DnCosts *out, GError **error)
{
    gint64 trigger_ps = dn_params_int(params, "t_trigger");
    gboolean ready = dn_params_int(params, "send") == READY;
    dn_costs_local(params, out);
    dn_costs_via(params, out);
    out->handshake = ready ? DN_HANDSHAKE_RTS_CTS : DN_HANDSHAKE_TRIGGERED;
    out->batch_ps = ready ? trigger_ps : 0;
    out->issue_ps = out->post_ps = ready ? 0 : trigger_ps;
    dn_costs_read_keys(params, triggered_keys, out);
    return read_entries(params, out, error);
}

extern const DnMechanismType dn_mechanism_stream_triggered;
const DnMechanismType dn_mechanism_stream_triggered = {
    .name = "stream_triggered",
    .help = "started by the GPU's stream, held by the NIC; standard and ready sends, finite "
            "deferred work, a host that fills the stream",
    .source = "Co-Design and Evaluation of a CPU-Free MPI GPU Communication Abstraction and "
              "Implementation, sections II-C and V",
    .limits =
        "matched in advance, so no receive from any source or tag; entries are taken when the "
        "stream starts an operation, not when the host enqueues it; a host's processes do not slow "
        "each other",
    .params = params_,
    .costs = triggered_costs,
};
