/* hardware.c - see hardware.h. */
#include "topology/hardware.h"

#include "topology/graph.h"

#define LEAST_TIMER_PS 1000000

static const char *const arbitrations[] = {"round_robin", "weighted", "strict", NULL};
static const char *const input_buffers[] = {"virtual_output", "fifo", NULL};
static const char *const rails[] = {"own", "round_robin", "hashed", "first", "target", NULL};
static const char *const host_rails[] = {"own", "round_robin", "hashed", "first", NULL};
static const char *const congestions[] = {"none", "endpoint_throttle", "infiniband", NULL};

const DnParamSpec dn_hardware_keys[] = {
    {"lanes", DN_PARAM_INT, "1", 1, DN_MAX_LANES, NULL,
     "buffers and queues of their own on every link, for service levels"},
    {"service_levels", DN_PARAM_INT_LIST, "", 0, DN_MAX_LANES - 1, NULL,
     "lane of each service level; default: level s has lane s"},
    {"arbitration", DN_PARAM_CHOICE, "round_robin", 0, 0, arbitrations, "between lanes"},
    {"lane_weights", DN_PARAM_INT_LIST, "", 1, 1000, NULL,
     "shares of the lanes in bytes, with weighted"},
    {"input_buffers", DN_PARAM_CHOICE, "virtual_output", 0, 0, input_buffers,
     "of switches: packets queue for their output, or (fifo) the first of a buffer holds up those "
     "behind it"},
    {"speedup", DN_PARAM_REAL, "0", 0, 64, NULL,
     "of a switch's crossbar, times the link's rate; 0: no limit"},
    {"header", DN_PARAM_BYTES, "0 B", 0, 1e6, NULL, "wire bytes added to each packet"},
    {"packet", DN_PARAM_BYTES, "4 KiB", 1, 1e9, NULL, "largest payload of a packet"},
    {"injection", DN_PARAM_RATE, "0", 0, 1e16, NULL, "a NIC's injection limit; 0: its link's"},
    {"rails", DN_PARAM_CHOICE, "own", 0, 0, rails,
     "which NIC a message to another node takes, at both ends: of the endpoint, message by "
     "message, one a pair, the node's first, or of the target, so that rails are changed inside "
     "the node (PXN)"},
    {"host_rails", DN_PARAM_CHOICE, "own", 0, 0, host_rails,
     "`rails` between processors (endpoints: cpu); default as `rails`"},
    {"message_rate", DN_PARAM_PER_SECOND, "0", 0, 1e12, NULL, "of a NIC; 0: no limit"},
    {"window", DN_PARAM_INT, "0", 0, 1 << 20, NULL,
     "request packets of a NIC without a response (as many bytes of a run's larger packets); 0: "
     "responses are not modelled"},
    {"response", DN_PARAM_BYTES, "16 B", 1, 1e6, NULL, "wire bytes of a response packet"},
    {"flit", DN_PARAM_BYTES, "16 B", 1, 1e6, NULL, "payload of a data flit, for counters"},
    {"header_flits", DN_PARAM_INT, "1", 0, 64, NULL, "flits of a request before its data"},
    {"clock", DN_PARAM_PER_SECOND, "1 G/s", 1, 1e12, NULL, "of the NIC, for its stall counters"},
    {"congestion_control", DN_PARAM_CHOICE, "none", 0, 0, congestions,
     "at the endpoints: endpoint_throttle as Slingshot has it"},
    {"throttle_target", DN_PARAM_TIME, "5 us", 1, 1e12, NULL,
     "endpoint_throttle: queueing at the last switch that senders are held to"},
    {"cc_threshold", DN_PARAM_INT, "8", 0, 15, NULL,
     "infiniband: how soon a port marks, 15 soonest (a sixteenth of an input buffer); 0: never"},
    {"cc_marking_rate", DN_PARAM_INT, "0", 0, 65535, NULL,
     "infiniband: packets between two marked ones, in the mean"},
    {"cc_packet", DN_PARAM_BYTES, "512 B", 0, 1e6, NULL, "infiniband: smallest that is marked"},
    {"ccti_increase", DN_PARAM_INT, "1", 1, 255, NULL,
     "infiniband: what a notification adds to a flow's index"},
    {"ccti_timer", DN_PARAM_TIME, "0", 0, 1e12, NULL,
     "infiniband: after each timer a flow's index is one less; 0: as cct_longest senders need"},
    {"ccti_limit", DN_PARAM_INT, "127", 1, 16383, NULL, "infiniband: the largest index"},
    {"cct_longest", DN_PARAM_REAL, "128", 1, 16383, NULL,
     "infiniband: the pause between two packets at the largest index, in packet times; it grows "
     "with the square of the index"},
    {0},
};

static gboolean read_levels(const DnParams *p, DnHardware *out, GError **error)
{
    guint n = 0;
    const gint64 *list =
        dn_params_has(p, "service_levels") ? dn_params_list(p, "service_levels", &n) : NULL;
    if (n > DN_MAX_SERVICE_LEVELS) {
        dn_params_error(p, "service_levels", DN_ERROR_RANGE, error, "%u service levels; at most %d",
                        n, DN_MAX_SERVICE_LEVELS);
        return FALSE;
    }
    out->n_levels = n == 0 ? out->lanes : n;
    for (guint s = 0; s < out->n_levels; s++) {
        gint64 lane = n == 0 ? s : list[s];
        if (lane >= out->lanes) {
            dn_params_error(p, "service_levels", DN_ERROR_RANGE, error,
                            "service level %u has lane %" G_GINT64_FORMAT
                            "; there are lanes 0 to %u",
                            s, lane, out->lanes - 1);
            return FALSE;
        }
        out->level_lane[s] = (guint8)lane;
    }
    return TRUE;
}

static gboolean read_weights(const DnParams *p, DnHardware *out, GError **error)
{
    guint n = 0;
    const gint64 *list = dn_params_has(p, "lane_weights") ? dn_params_list(p, "lane_weights", &n)
                                                          : NULL;
    gboolean weighted = out->arbitration == DN_ARBITRATION_WEIGHTED;
    if (weighted && n != out->lanes) {
        dn_params_error(p, n == 0 ? "arbitration" : "lane_weights", DN_ERROR_RANGE, error,
                        "weighted arbitration of %u lanes needs as many lane_weights, not %u",
                        out->lanes, n);
        return FALSE;
    }
    if (!weighted && n > 0) {
        dn_params_error(p, "lane_weights", DN_ERROR_RANGE, error,
                        "lane_weights have no meaning with arbitration '%s'; only with 'weighted'",
                        arbitrations[out->arbitration]);
        return FALSE;
    }
    for (guint lane = 0; lane < out->lanes; lane++)
        out->lane_weights[lane] = n > 0 ? (guint32)list[lane] : 1;
    return TRUE;
}

static gboolean read_limits(const DnParams *p, DnHardware *out, GError **error)
{
    out->speedup = dn_params_real(p, "speedup");
    if (out->speedup > 0 && out->speedup < 1) {
        dn_params_error(p, "speedup", DN_ERROR_RANGE, error,
                        "a crossbar slower than its links; allowed: 0 (no limit), or 1 to 64");
        return FALSE;
    }
    if (out->congestion == DN_CONGESTION_ENDPOINT_THROTTLE && out->window_packets == 0) {
        dn_params_error(p, "congestion_control", DN_ERROR_RANGE, error,
                        "endpoint_throttle listens to responses; set hardware.window (requests "
                        "without response) above 0");
        return FALSE;
    }
    if (out->ccti_timer_ps > 0 && out->ccti_timer_ps < LEAST_TIMER_PS) {
        dn_params_error(p, "ccti_timer", DN_ERROR_RANGE, error,
                        "timers of InfiniBand are no shorter; allowed: 0 (as cct_longest "
                        "senders need), or from 1 us");
        return FALSE;
    }
    return TRUE;
}

gboolean dn_hardware_read(const DnConfigNode *node, DnHardware *out, GError **error)
{
    static const char *const annotations[] = {"source", "assumed", "description", NULL};
    g_autoptr(DnParams) p = NULL;
    if ((node != NULL && !dn_config_expect(node, DN_CONFIG_MAP, error)) ||
        (p = dn_params_read(node, dn_hardware_keys, annotations, error)) == NULL)
        return FALSE;
    *out = (DnHardware){
        .lanes = (guint32)dn_params_int(p, "lanes"),
        .arbitration = (DnArbitration)dn_params_int(p, "arbitration"),
        .input_buffers = (DnInputBuffers)dn_params_int(p, "input_buffers"),
        .header_bytes = dn_params_int(p, "header"),
        .packet_bytes = dn_params_int(p, "packet"),
        .injection_bps = dn_params_int(p, "injection"),
        .rails = (DnRails)dn_params_int(p, "rails"),
        .host_rails =
            (DnRails)dn_params_int(p, dn_params_given(p, "host_rails") ? "host_rails" : "rails"),
        .message_rate_per_s = dn_params_real(p, "message_rate"),
        .window_packets = (guint32)dn_params_int(p, "window"),
        .response_bytes = dn_params_int(p, "response"),
        .flit_bytes = dn_params_int(p, "flit"),
        .header_flits = (guint32)dn_params_int(p, "header_flits"),
        .clock_hz = dn_params_real(p, "clock"),
        .congestion = (DnCongestion)dn_params_int(p, "congestion_control"),
        .throttle_target_ps = dn_params_int(p, "throttle_target"),
        .cc_threshold = (guint32)dn_params_int(p, "cc_threshold"),
        .cc_marking_rate = (guint32)dn_params_int(p, "cc_marking_rate"),
        .cc_packet_bytes = dn_params_int(p, "cc_packet"),
        .ccti_increase = (guint32)dn_params_int(p, "ccti_increase"),
        .ccti_timer_ps = dn_params_int(p, "ccti_timer"),
        .ccti_limit = (guint32)dn_params_int(p, "ccti_limit"),
        .cct_longest = dn_params_real(p, "cct_longest"),
    };
    return read_levels(p, out, error) && read_weights(p, out, error) && read_limits(p, out, error);
}

static gboolean check_response(const DnHardware *hardware, const DnConfigNode *keys,
                               const DnConfigNode *link, const DnLinkClass *class_, GError **error)
{
    const DnConfigNode *response = dn_config_get(keys, "response");
    if (hardware->window_packets == 0 || class_->buffer_bytes >= hardware->response_bytes)
        return TRUE;
    dn_config_error(response != NULL ? response : dn_config_get(link, "buffer"), DN_ERROR_RANGE,
                    error,
                    "links of class '%s' have %" G_GINT64_FORMAT
                    " B of buffer, a response has %" G_GINT64_FORMAT
                    " B; raise the buffer or lower hardware.response",
                    class_->name, class_->buffer_bytes, hardware->response_bytes);
    return FALSE;
}

gboolean dn_hardware_check_buffers(const DnHardware *hardware, const DnConfigNode *keys,
                                   const DnConfigNode *part, const GArray *classes, GError **error)
{
    gint64 packet = hardware->packet_bytes + hardware->header_bytes;
    for (guint i = 0; i < classes->len; i++) {
        const DnLinkClass *class_ = &g_array_index(classes, DnLinkClass, i);
        const DnConfigNode *link = dn_config_get(dn_config_get(part, "links"), class_->name);
        if (!check_response(hardware, keys, link, class_, error))
            return FALSE;
        if (class_->shared_buffer_bytes == 0 || class_->shared_buffer_bytes >= packet)
            continue;
        dn_config_error(dn_config_get(link, "shared_buffer"), DN_ERROR_RANGE, error,
                        "%" G_GINT64_FORMAT " B hold no packet, which has %" G_GINT64_FORMAT
                        " B with its header; 0, or at least as many",
                        class_->shared_buffer_bytes, packet);
        return FALSE;
    }
    return TRUE;
}

guint32 dn_hardware_window(const DnHardware *hardware, gint64 packet_bytes)
{
    guint32 window = hardware->window_packets;
    if (packet_bytes <= hardware->packet_bytes || window == 0)
        return window;
    return (guint32)MAX(1, window * hardware->packet_bytes / packet_bytes);
}
