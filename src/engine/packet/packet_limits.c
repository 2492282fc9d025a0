/* packet_limits.c - The limits of the packet engine: queues of a port, sizes of packets against
 * buffers and against the time that a link may take for one. */
#include "engine/packet/packet_limits.h"

#include "base/rate.h"
#include "engine/packet/packet_aggregation.h"

#define SLOWEST_PACKET_PS 1e13 /* times 2^20 it fits 64 bits */

/* Returns the bytes on the wire of the response to an aggregated packet, if there are any. */
static gint64 aggregated_response_bytes(const DnPacketEngine *e)
{
    return e->net.answers ? e->net.hardware->response_bytes * e->features.max_aggregation : 0;
}

/* Returns the bytes on the wire of the largest packet: those that stand for several, and responses
 * to them, included. */
static gint64 most_wire_bytes(const DnPacketEngine *e)
{
    gint64 parts = (e->net.packet_bytes + e->net.sizes.own_bytes - 1) / e->net.sizes.own_bytes;
    return MAX((gint64)e->net.sizes.most_wire_bytes * e->features.max_aggregation,
               aggregated_response_bytes(e) * parts);
}

static gboolean check_buffer(const DnPacketEngine *e, const DnLinkClass *class_, GError **error)
{
    guint32 wire = MIN(e->net.sizes.most_wire_bytes, e->net.sizes.first_wire_bytes);
    if (class_->buffer_bytes == 0)
        return TRUE;
    if (dn_larger_buffer(e, class_) < (gint64)wire) {
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    "links of class '%s' have %" G_GINT64_FORMAT
                    " B of buffer, a packet has %u B on the wire; raise the buffer or lower "
                    "packet.size",
                    class_->name, class_->buffer_bytes, wire);
        return FALSE;
    }
    if (dn_larger_buffer(e, class_) < aggregated_response_bytes(e)) {
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    "links of class '%s' have %" G_GINT64_FORMAT
                    " B of buffer, the response to %u packets in one (packet_aggregation) has "
                    "%" G_GINT64_FORMAT
                    " B; raise the buffer, or lower hardware.response or packet_aggregation",
                    class_->name, class_->buffer_bytes, e->features.max_aggregation,
                    aggregated_response_bytes(e));
        return FALSE;
    }
    return TRUE;
}

static gboolean check_class(const DnPacketEngine *e, const DnLinkClass *class_, GError **error)
{
    double bps = (double)class_->bandwidth_bps * class_->efficiency;
    if (dn_rate_time((double)most_wire_bytes(e), bps) > SLOWEST_PACKET_PS) {
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    "links of class '%s' are too slow for the packet engine: a packet of "
                    "%" G_GINT64_FORMAT " B takes longer than 10 s",
                    class_->name, most_wire_bytes(e));
        return FALSE;
    }
    return check_buffer(e, class_, error);
}

/* Checks that the credits of aggregated packets fit 32 bits (dn_aggregation_credit()). */
static gboolean check_aggregation(const DnPacketEngine *e, GError **error)
{
    guint32 wire = e->net.packet_bytes + e->net.header_bytes;
    gint64 beyond = 2 * (gint64)(e->features.max_aggregation - 1) * wire;
    if (beyond <= G_MAXINT32 - DN_MOST_BUFFER_BYTES - DN_MOST_SHARED_BUFFER_BYTES)
        return TRUE;
    g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                "packet_aggregation: %u packets of %u B with their headers are too large for the "
                "packet engine; at most 256 MiB together",
                e->features.max_aggregation, wire);
    return FALSE;
}

gboolean dn_packet_limits_check(const DnPacketEngine *e, GError **error)
{
    guint32 lanes = e->features.aggregate_lane > 0 ? e->features.aggregate_lane : e->net.lanes;
    if (lanes * e->net.channels > DN_MAX_QUEUES) {
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    "%u lanes of %u virtual channels are %u queues a port; at most %d", lanes,
                    e->net.channels, lanes * e->net.channels, DN_MAX_QUEUES);
        return FALSE;
    }
    if (!check_aggregation(e, error))
        return FALSE;
    double injection_bps = (double)e->net.hardware->injection_bps;
    double bytes = (double)most_wire_bytes(e);
    if (injection_bps > 0 && dn_rate_time(bytes, injection_bps) > SLOWEST_PACKET_PS) {
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    "hardware.injection is too slow for the packet engine: a packet of %.0f B "
                    "takes longer than 10 s",
                    bytes);
        return FALSE;
    }
    for (guint32 i = 0; i < e->graph->n_classes; i++)
        if (!check_class(e, &e->graph->classes[i], error))
            return FALSE;
    return TRUE;
}
