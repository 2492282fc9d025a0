/* congestion_control.c - chooses the kind of congestion control. */
#include "engine/packet/congestion_control.h"

/* Returns the time of one of the machine's packets on the fastest terminal link. */
static gint64 packet_ps(DnPacketEngine *e)
{
    gint64 serial = G_MAXINT64;
    for (guint32 t = 0; t < e->graph->size.terminals; t++) {
        guint32 first = e->graph->port_first[e->graph->terminals[t]];
        guint32 l = e->graph->ports[first + e->net.uplink_of[t]];
        const DnLinkTiming *timing = &e->net.link_timings[dn_link_timing_of(e, l)];
        serial = MIN(serial, dn_link_serial_ps(timing, MIN(e->net.sizes.most_wire_bytes,
                                                           e->net.sizes.first_wire_bytes)));
    }
    return MAX(1, serial);
}

void dn_control_init(DnPacketEngine *e)
{
    static const struct DnControl *const controls[] = {
        [DN_CONGESTION_NONE] = NULL,
        [DN_CONGESTION_ENDPOINT_THROTTLE] = &dn_control_throttle,
        [DN_CONGESTION_INFINIBAND] = &dn_control_infiniband,
    };
    e->features.control = e->graph->size.terminals == 0 ? NULL
                                                        : controls[e->net.hardware->congestion];
    if (e->features.control == NULL)
        return;
    e->features.packet_ps = packet_ps(e);
    e->features.control->init(e);
}

void dn_control_clear(DnPacketEngine *e)
{
    if (e->features.control == NULL)
        return;
    e->features.control->clear(e);
    for (guint32 s = 0; s < e->graph->n_vertices; s++) {
        if (e->net.states[s].throttled != NULL)
            g_free(e->net.states[s].throttled->flows);
        g_free(e->net.states[s].throttled);
    }
}
