/* costs.h - keys that several mechanism types share: rows for their tables, and what fills DnCosts
 * from them. For members of this floor only. */
#pragma once
#include "endpoint/mechanism.h"

#define DN_COSTS_MOST_PS 1e15

#define DN_COSTS_MESSAGE_PARAMS                                                                    \
    {"t_issue",                                                                                    \
     DN_PARAM_TIME,                                                                                \
     "0",                                                                                          \
     0,                                                                                            \
     DN_COSTS_MOST_PS,                                                                             \
     NULL,                                                                                         \
     "the rank is busy this long per send"},                                                       \
        {"t_start",                                                                                \
         DN_PARAM_TIME,                                                                            \
         "0",                                                                                      \
         0,                                                                                        \
         DN_COSTS_MOST_PS,                                                                         \
         NULL,                                                                                     \
         "from issue to the first byte on the wire"},                                              \
        {"t_recv",                                                                                 \
         DN_PARAM_TIME,                                                                            \
         "0",                                                                                      \
         0,                                                                                        \
         DN_COSTS_MOST_PS,                                                                         \
         NULL,                                                                                     \
         "from the last byte to completion"},                                                      \
    {                                                                                              \
        "rate", DN_PARAM_RATE, "0", 0, 1e18, NULL, "cap of one message; 0: the links'"             \
    }
static inline void dn_costs_message(const DnParams *params, DnCosts *out)
{
    out->issue_ps = dn_params_int(params, "t_issue");
    out->start_ps = dn_params_int(params, "t_start");
    out->recv_ps = dn_params_int(params, "t_recv");
    out->rate_bps = dn_params_int(params, "rate");
}

/* control_bytes: assumed, a header's order of size (UCX's rendezvous request is some tens of
 * bytes); beside a network's latency it does not show */
#define DN_COSTS_RENDEZVOUS_PARAMS                                                                 \
    {"eager_threshold", DN_PARAM_BYTES, "", 0, 1e15, NULL, "longer messages go by rendezvous"},    \
        {"control_bytes",                                                                          \
         DN_PARAM_BYTES,                                                                           \
         "64 B",                                                                                   \
         0,                                                                                        \
         1e9,                                                                                      \
         NULL,                                                                                     \
         "size of an RTS or CTS on the wire"},                                                     \
    {                                                                                              \
        "t_control", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL,                                \
            "handling of an RTS or CTS at its target"                                              \
    }
static inline void dn_costs_rendezvous(const DnParams *params, DnCosts *out)
{
    if (dn_params_has(params, "eager_threshold"))
        out->rendezvous_from_bytes = dn_params_int(params, "eager_threshold") + 1;
    out->control_bytes = dn_params_int(params, "control_bytes");
    out->control_ps = dn_params_int(params, "t_control");
}

#define DN_COSTS_LOCAL_PARAMS                                                                      \
    {"reduce_rate", DN_PARAM_RATE, "0", 0, 1e18, NULL, "local reduction; 0: free"},                \
        {"copy_rate", DN_PARAM_RATE, "0", 0, 1e18, NULL, "copy within a rank's memory; 0: free"},  \
        {"reduce_start", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL, "of a local reduction"},   \
    {                                                                                              \
        "copy_start", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL,                               \
            "of a copy within a rank's memory"                                                     \
    }
static inline void dn_costs_local(const DnParams *params, DnCosts *out)
{
    out->reduce_bps = dn_params_int(params, "reduce_rate");
    out->copy_bps = dn_params_int(params, "copy_rate");
    out->reduce_ps = dn_params_int(params, "reduce_start");
    out->copy_ps = dn_params_int(params, "copy_start");
}

/* One more stage before the wire, or after it. */
static inline void dn_costs_out(DnCosts *costs, DnStage stage)
{
    g_assert(costs->n_out < DN_MECHANISM_STAGES);
    costs->out[costs->n_out++] = stage;
}
static inline void dn_costs_in(DnCosts *costs, DnStage stage)
{
    g_assert(costs->n_in < DN_MECHANISM_STAGES);
    costs->in[costs->n_in++] = stage;
}
