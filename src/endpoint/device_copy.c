/* device_copy.c - copies that the host asks the GPU's copy engines for (cudaMemcpyPeerAsync).
 *
 *   t_issue   the host's time in the call
 *   engines   of them work at once; with one, copies run one after another until the last byte has
 *             left. With more, each is busy for t_start and the bytes at engine_rate, which is also
 *             the most that a copy gets of the links; engine and wire work at the same time
 *   t_start, t_setup (from setup_threshold on)  of the engine
 *   t_recv    until the host knows it is done
 * NVIDIA, CUDA C++ Programming Guide, asynchronous concurrent execution. */
#include "endpoint/costs.h"

static const DnParamSpec params_[] = {
    DN_COSTS_MESSAGE_PARAMS,
    {"t_setup", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL, "extra start-up of a large copy"},
    {"setup_threshold", DN_PARAM_BYTES, "0", 0, 1e15, NULL, "sizes from here pay t_setup"},
    {"engines", DN_PARAM_INT, "1", 1, 16, NULL, "copies of one GPU that run at once"},
    {"engine_rate", DN_PARAM_RATE, "0", 0, 1e18, NULL, "of one of several engines"},
    DN_COSTS_LOCAL_PARAMS,
    {0},
};

static const DnCostsKey device_copy_keys[] = {
    DN_COSTS_KEY("t_setup", setup_ps), DN_COSTS_KEY("setup_threshold", setup_threshold_bytes), {0}};

/* Adds one of several engines, for messages of @min_bytes to @max_bytes (0: any longer one), each
 * of which begins on the wire @start_ps after its engine began. */
static void add_engine(DnCosts *out, gint64 engines, gint64 engine_bps, gint64 start_ps,
                       gint64 min_bytes, gint64 max_bytes)
{
    dn_costs_out(out, (DnStage){.unit = DN_STAGE_COPY,
                                .servers = (guint16)engines,
                                .pipelined = TRUE,
                                .message_ps = start_ps,
                                .latency_ps = start_ps,
                                .rate_bps = engine_bps,
                                .min_bytes = min_bytes,
                                .max_bytes = max_bytes});
}

/* Makes the start-up a part of what an engine is busy with. */
static void several_engines(DnCosts *out, gint64 engines, gint64 engine_bps)
{
    gint64 start_ps = out->start_ps, setup_from = out->setup_threshold_bytes;
    gint64 setup_ps = start_ps + out->setup_ps;
    out->start_ps = out->setup_ps = out->setup_threshold_bytes = 0;
    if (out->rate_bps == 0 || engine_bps < out->rate_bps)
        out->rate_bps = engine_bps;
    gboolean two = setup_from > 1 && setup_ps > start_ps; /* max_bytes 0: no limit */
    if (two)
        add_engine(out, engines, engine_bps, start_ps, 0, setup_from - 1);
    add_engine(out, engines, engine_bps, setup_ps, two ? setup_from : 0, 0);
}

static gboolean device_copy_costs(const DnParams *params, DnCosts *out, GError **error)
{
    gint64 engines = dn_params_int(params, "engines");
    gint64 engine_bps = dn_params_int(params, "engine_rate");
    dn_costs_message(params, out);
    dn_costs_local(params, out);
    dn_costs_read_keys(params, device_copy_keys, out);
    out->serial = engines == 1;
    if (engines > 1 && engine_bps == 0) {
        dn_params_error(params, "engines", DN_ERROR_MISSING, error,
                        "several engines need `engine_rate`, how long each is busy");
        return FALSE;
    }
    if (engines == 1)
        return TRUE;
    several_engines(out, engines, engine_bps);
    return TRUE;
}

extern const DnMechanismType dn_mechanism_device_copy;
const DnMechanismType dn_mechanism_device_copy = {
    .name = "device_copy",
    .help = "the GPU's copy engines, asked by the host",
    .source = "NVIDIA, CUDA C++ Programming Guide, asynchronous concurrent execution",
    .limits = "with several engines one that waits for a full link is free too early",
    .params = params_,
    .costs = device_copy_costs,
};
