/* basic.c - Costs of a copy as plain numbers, for mechanisms of which only sums are measured.
 *
 *   t_issue  the host (or rank) is busy this long per send, one after another
 *   t_start  from issue (or from the start of a serial copy) to the first byte on the wire
 *   t_recv   from the last byte to completion at the receiver
 *   t_setup  extra start-up of a large transfer (>= setup_threshold bytes)
 *   serial   sends of one source run one after another in issue order (copy engine)
 *   eager_threshold  longer messages go by rendezvous: a request to send (RTS) of control_bytes,
 *            answered with a clear to send (CTS) once a receive agrees, then the data (serial and
 *            t_start are the data's). Control messages cross the network like any other.
 *   t_control  from an RTS that has its receive to its CTS, and from the CTS until the data may be
 *              sent
 *   t_ack    from the last byte's leaving until the sender knows of it: only then is its request
 *            complete, and a serial sender free; whole nanoseconds
 *   rate     cap per message (bit/s); efficiency is a property of links
 * Alexandrov, Ionescu, Schauser, Scheiman, "LogGP", SPAA 1995: t_issue is its o, t_start + t_recv
 * are part of its L. */
#include "endpoint/costs.h"

static const DnParamSpec params_[] = {
    DN_COSTS_MESSAGE_PARAMS,
    {"t_setup", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL,
     "extra start-up of a large transfer"},
    {"setup_threshold", DN_PARAM_BYTES, "0", 0, 1e15, NULL, "sizes from here pay t_setup"},
    {"serial", DN_PARAM_BOOL, "false", 0, 0, NULL, "sends of one source run one after another"},
    {"t_ack", DN_PARAM_TIME, "0", 0, 1e9, NULL, "until the sender's request is complete"},
    DN_COSTS_RENDEZVOUS_PARAMS,
    DN_COSTS_VIA_PARAM,
    DN_COSTS_LOCAL_PARAMS,
    {0},
};

static const DnCostsKey basic_keys[] = {
    DN_COSTS_KEY("t_setup", setup_ps),
    DN_COSTS_KEY("setup_threshold", setup_threshold_bytes),
    {"serial", G_STRUCT_OFFSET(DnCosts, serial), sizeof(gboolean), .truth = TRUE},
    {0}};

static gboolean basic_costs(const DnParams *params, DnCosts *out, GError **error)
{
    (void)error;
    dn_costs_message(params, out);
    dn_costs_rendezvous(params, out);
    dn_costs_local(params, out);
    dn_costs_via(params, out);
    dn_costs_read_keys(params, basic_keys, out);
    out->ack_ns = (guint32)(dn_params_int(params, "t_ack") / 1000);
    return TRUE;
}

extern const DnMechanismType dn_mechanism_basic;
const DnMechanismType dn_mechanism_basic = {
    .name = "basic",
    .help = "plain numbers, of which only sums need be known",
    .source = "Alexandrov, Ionescu, Schauser, Scheiman, LogGP, SPAA 1995",
    .limits = "nothing is shared between messages but the copy engine of serial",
    .params = params_,
    .costs = basic_costs,
};
