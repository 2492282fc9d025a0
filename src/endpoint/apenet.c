/* apenet.c - Costs of an RDMA PUT of an APEnet+ card, from and to host or GPU memory.
 *
 * out  host    the driver and the card's command queue hold each message t_message (the LogP
 *              overhead of short messages); the card reads at host_rate. First byte after t_start.
 *      gpu     the card's Nios II and read engine (GPU_P2P_TX) serve one message after another,
 *              t_message + t_gpu and its reading; first byte after t_start + t_head - t_flight.
 *              Of that t_gpu (v1: for each packet) is the Nios II's, which receives nothing then.
 *      staged  a synchronous cudaMemcpy to one host buffer (t_copy, copy_rate), then as from host;
 *              the buffer is free again when the card has read it. t_copy is also a local copy's.
 * in           the Nios II takes t_packet for each packet (half for translating the address, half
 *              for walking the list of registered buffers, t_buffer for each beyond the first:
 *              `buffers`, and buffers_per_peer for each other rank) and what is left to
 *              receive_rate for its bytes, while packets arrive; into GPU memory gpu_penalty more.
 * Read engines, a block of `prefetch` at a time, requests of `request` each `request_interval`:
 *      v1      t_gpu + t_head + requests, blocks of one packet
 *      v2      t_head + requests: the engine waits for a block before it asks for the next
 *      v3      requests alone: it never waits
 *      bar1    bar1_rate
 * Ammendola et al., "GPU peer-to-peer techniques applied to a cluster interconnect", CASS 2013,
 * sections IV and V: topologies/apenet-4x2.yaml has the source of each key's value. */
#include "base/rate.h"
#include "endpoint/costs.h"

static const char *const sources[] = {"gpu", "host", "staged", NULL};
static const char *const targets[] = {"gpu", "host", "flush", NULL};
static const char *const engines[] = {"v1", "v2", "v3", "bar1", NULL};
enum { FROM_GPU, FROM_HOST, FROM_STAGED };
enum { TO_GPU, TO_HOST, TO_FLUSH };
enum { READ_V1, READ_V2, READ_V3, READ_BAR1 };

#define PS DN_COSTS_MOST_PS
static const DnParamSpec params_[] = {
    {"from", DN_PARAM_CHOICE, "gpu", 0, 0, sources, "memory that is sent"},
    {"into", DN_PARAM_CHOICE, "gpu", 0, 0, targets, "memory that receives; flush: thrown away"},
    {"engine", DN_PARAM_CHOICE, "v2", 0, 0, engines, "that reads GPU memory"},
    {"t_start", DN_PARAM_TIME, NULL, 0, PS, NULL, "from the call to the first byte"},
    {"t_message", DN_PARAM_TIME, NULL, 0, PS, NULL, "of the sender, not overlapped with the next"},
    {"t_gpu", DN_PARAM_TIME, NULL, 0, PS, NULL, "of the read engine before its first request"},
    {"t_head", DN_PARAM_TIME, NULL, 0, PS, NULL, "from a request to a GPU's first byte"},
    {"t_flight", DN_PARAM_TIME, "0", 0, PS, NULL,
     "part of t_head that the machine's links take as well"},
    {"request_interval", DN_PARAM_TIME, NULL, 1, PS, NULL, "between two requests"},
    {"request", DN_PARAM_BYTES, NULL, 1, 1e9, NULL, "bytes that a request asks for"},
    {"prefetch", DN_PARAM_BYTES, "32 KiB", 1, 1e9, NULL, "bytes that v2 asks for ahead"},
    {"bar1_rate", DN_PARAM_RATE, NULL, 1, 1e18, NULL, "of bar1"},
    {"host_rate", DN_PARAM_RATE, NULL, 1, 1e18, NULL, "at which the card reads host memory"},
    {"packet", DN_PARAM_BYTES, "4 KiB", 1, 1e9, NULL, "largest"},
    {"t_packet", DN_PARAM_TIME, NULL, 0, PS, NULL, "of the receiver's Nios II, a packet"},
    {"buffers", DN_PARAM_INT, "1", 1, 1e6, NULL, "registered at the receiver"},
    {"buffers_per_peer", DN_PARAM_INT, "0", 0, 1e6, NULL,
     "further buffers registered for each rank"},
    {"t_buffer", DN_PARAM_TIME, "0", 0, 1e9, NULL, "of the walk, for each buffer but the first"},
    {"receive_rate", DN_PARAM_RATE, NULL, 1, 1e18, NULL, "of full packets into host memory"},
    {"gpu_penalty", DN_PARAM_REAL, "0", 0, 10, NULL,
     "share by which receiving into a GPU takes longer"},
    {"t_copy", DN_PARAM_TIME, NULL, 0, PS, NULL, "of a cudaMemcpy"},
    {"copy_rate", DN_PARAM_RATE, NULL, 1, 1e18, NULL, "of a cudaMemcpy"},
    {0},
};

/* Returns the rate of a transfer that takes @ps for @bytes. */
static gint64 rate_of(double bytes, double ps)
{
    return (gint64)(dn_rate_bps(bytes, ps) + 0.5);
}

static gint64 read_bps(const DnParams *p)
{
    gint64 engine = dn_params_int(p, "engine");
    double head_ps = (double)dn_params_int(p, "t_head");
    double packet = (double)dn_params_int(p, "packet"),
           window = (double)dn_params_int(p, "prefetch");
    double ps_per_byte = (double)dn_params_int(p, "request_interval") /
                         (double)dn_params_int(p, "request");
    switch (engine) {
    case READ_V1:
        return rate_of(packet, (double)dn_params_int(p, "t_gpu") + head_ps + packet * ps_per_byte);
    case READ_V2:
        return rate_of(window, head_ps + window * ps_per_byte);
    case READ_V3:
        return rate_of(1.0, ps_per_byte);
    default:
        return dn_params_int(p, "bar1_rate");
    }
}

static void from_host(const DnParams *p, DnCosts *out)
{
    out->rate_bps = dn_params_int(p, "host_rate");
    dn_costs_out(out, (DnStage){.unit = DN_STAGE_POST,
                                .servers = 1,
                                .pipelined = TRUE,
                                .message_ps = dn_params_int(p, "t_message"),
                                .latency_ps = dn_params_int(p, "t_start")});
    dn_costs_out(out, (DnStage){.unit = DN_STAGE_READ,
                                .servers = 1,
                                .pipelined = TRUE,
                                .rate_bps = out->rate_bps});
}

static void from_gpu(const DnParams *p, DnCosts *out)
{
    gint64 wait_ps = dn_params_int(p, "t_head") - dn_params_int(p, "t_flight");
    gint64 gpu_ps = dn_params_int(p, "t_gpu");
    gboolean software = dn_params_int(p, "engine") == READ_V1;
    out->rate_bps = read_bps(p);
    dn_costs_out(out, (DnStage){.unit = DN_STAGE_RECEIVE,
                                .servers = 1,
                                .pipelined = TRUE,
                                .message_ps = software ? 0 : gpu_ps,
                                .piece_ps = software ? gpu_ps : 0,
                                .piece_bytes = software ? dn_params_int(p, "packet") : 0});
    dn_costs_out(out, (DnStage){.unit = DN_STAGE_READ,
                                .servers = 1,
                                .pipelined = TRUE,
                                .message_ps = dn_params_int(p, "t_message") + gpu_ps,
                                .rate_bps = out->rate_bps,
                                .latency_ps = dn_params_int(p, "t_start") + MAX(0, wait_ps)});
}

static void from_staged(const DnParams *p, DnCosts *out)
{
    gint64 copy_bps = dn_params_int(p, "copy_rate"), copy_ps = dn_params_int(p, "t_copy");
    out->rate_bps = dn_params_int(p, "host_rate");
    double both = 1.0 / (1.0 / (double)copy_bps + 1.0 / (double)out->rate_bps);
    dn_costs_out(out, (DnStage){.unit = DN_STAGE_COPY,
                                .servers = 1,
                                .pipelined = TRUE,
                                .message_ps = copy_ps + dn_params_int(p, "t_message"),
                                .rate_bps = (gint64)(both + 0.5),
                                .pipelined_bps = copy_bps,
                                .latency_ps = copy_ps + dn_params_int(p, "t_start")});
}

static gboolean apenet_receive(const DnParams *p, DnCosts *out, GError **error)
{
    double packet = (double)dn_params_int(p, "packet");
    double packet_ps = (double)dn_params_int(p, "t_packet");
    double full_ps = dn_rate_time(packet, (double)dn_params_int(p, "receive_rate"));
    if (full_ps < packet_ps) {
        dn_params_error(p, "receive_rate", DN_ERROR_RANGE, error,
                        "a packet of %.0f B at receive_rate takes %.0f ns, less than t_packet",
                        packet, full_ps * 1e-3);
        return FALSE;
    }
    double slower = dn_params_int(p, "into") == TO_GPU ? 1.0 + dn_params_real(p, "gpu_penalty")
                                                       : 1.0;
    double buffer_ps = (double)dn_params_int(p, "t_buffer");
    double walk_ps = (double)(dn_params_int(p, "buffers") - 1) * buffer_ps;
    double peer_ps = (double)dn_params_int(p, "buffers_per_peer") * buffer_ps;
    DnStage stage = {.unit = DN_STAGE_RECEIVE,
                     .servers = 1,
                     .pipelined = TRUE,
                     .piece_ps = (gint64)((packet_ps + walk_ps) * slower + 0.5),
                     .piece_bytes = dn_params_int(p, "packet"),
                     .peer_ps = (gint64)(peer_ps * slower + 0.5)};
    if (full_ps > packet_ps)
        stage.rate_bps = rate_of(packet, (full_ps - packet_ps) * slower);
    dn_costs_in(out, stage);
    return TRUE;
}

static gboolean apenet_costs(const DnParams *params, DnCosts *out, GError **error)
{
    switch (dn_params_int(params, "from")) {
    case FROM_GPU:
        from_gpu(params, out);
        break;
    case FROM_HOST:
        from_host(params, out);
        break;
    default:
        from_staged(params, out);
        break;
    }
    out->local.copy_ps = dn_params_int(params, "t_copy");
    out->local.copy_bps = dn_params_int(params, "copy_rate");
    return dn_params_int(params, "into") == TO_FLUSH || apenet_receive(params, out, error);
}

extern const DnMechanismType dn_mechanism_apenet;
const DnMechanismType dn_mechanism_apenet = {
    .name = "apenet",
    .help = "RDMA PUT of an APEnet+ card",
    .source = "Ammendola et al., GPU peer-to-peer techniques applied to a cluster interconnect, "
              "CASS 2013",
    .limits = "translating the source's addresses, also the Nios II's, has no published time and "
              "takes none; no limit to messages posted",
    .params = params_,
    .costs = apenet_costs,
};
