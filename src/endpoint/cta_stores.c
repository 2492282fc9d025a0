/* cta_stores.c - Costs of a kernel whose thread blocks store directly into the peer's memory.
 *
 *   t_launch  of the kernel, once an iteration
 *   ctas, cta_rate  thread blocks, and the rate of one: a block has a bounded number of stores in
 *             flight, so its rate is that number over a store's time
 *   t_start, t_recv  the kernel's first store and its last
 * One after another: a kernel's stores share its blocks. */
#include "endpoint/costs.h"

static const DnParamSpec params_[] = {
    DN_COSTS_LAUNCH_PARAM,
    DN_COSTS_MESSAGE_PARAMS,
    {"ctas", DN_PARAM_INT, NULL, 1, 65535, NULL, "thread blocks of the kernel"},
    {"cta_rate", DN_PARAM_RATE, NULL, 1, 1e18, NULL, "of one thread block"},
    DN_COSTS_LOCAL_PARAMS,
    {0},
};

static gboolean cta_stores_costs(const DnParams *params, DnCosts *out, GError **error)
{
    (void)error;
    double blocks_bps = (double)dn_params_int(params, "ctas") *
                        (double)dn_params_int(params, "cta_rate");
    dn_costs_message(params, out);
    dn_costs_local(params, out);
    dn_costs_launch(params, out);
    out->serial = TRUE;
    if (out->rate_bps == 0 || blocks_bps < (double)out->rate_bps)
        out->rate_bps = (gint64)MIN(blocks_bps, 1e18);
    return TRUE;
}

extern const DnMechanismType dn_mechanism_cta_stores;
const DnMechanismType dn_mechanism_cta_stores = {
    .name = "cta_stores",
    .help = "stores of a kernel's thread blocks over NVLink",
    .source = "this project's measurement, validation/h200x4, rows kput",
    .limits = "blocks do not slow each other down before the link is full; a part of a message "
              "that is less than a store of every thread leaves blocks idle",
    .params = params_,
    .costs = cta_stores_costs,
};
