/* nic.c - A NIC limits the rate of its messages and its requests without response, and counts.
 *
 * With `hardware.window` above 0 every request packet is answered (responses.c), and a NIC has at
 * most `window` requests without response, or as many bytes in packets that are larger than the
 * machine's: 1,024 on Aries (Alverson, Froese, Kaplan, Roweth, "Cray XC Series Network", Cray
 * 2012). A PUT of 64 B is one header flit and four data flits there, its response one flit.
 *
 * Stalls are what equation 2 of SC 2019 (runtime/nic_model.h) needs, in which a flit lasts one
 * cycle of the NIC and its stalls: cycles without credit, and those that a packet's flits last
 * longer on the link than at the NIC, where it follows another without a gap. A stream that fills
 * Aries' 10.5 GB/s at 800 MHz and 16 B a flit stalls for 0.22 cycles a flit even when credits never
 * lack. LIMITATIONS: a packet that the link was idle for does not stall in itself. */
#include "engine/packet/nic.h"

#include "engine/packet/hooks.h"

/* A message's first packet at the NIC: not sooner than the message rate allows. */
gint64 dn_nic_message_start(DnPartition *partition, DnVertexState *v)
{
    const DnPacketEngine *e = partition->engine;
    DnNic *nic = &e->net.nics[v->nic];
    gint64 start = MAX(partition->now_ps, nic->next_message_ps);
    nic->next_message_ps = MIN(start + e->net.nic.message_gap_ps, 2 * DN_RUN_MOST_PS);
    return start;
}

gboolean dn_nic_may_send(const DnPartition *partition, const DnVertexState *v)
{
    const DnPacketEngine *e = partition->engine;
    if (e->net.nic.window == 0 || e->net.nics[v->nic].unanswered < e->net.nic.window)
        return TRUE;
    /* responses of this NIC pass in any case */
    const DnPort *port = dn_port(e, v->first_port + e->net.uplink_of[v->nic]);
    return (port->mask & e->net.nic.response_mask) != 0;
}

/* Counts as stalled what @flits of a request, 0 of a response, last longer on the link than at the
 * NIC, if the link was busy until the packet set out. */
static void nic_count_link(const DnPacketEngine *e, DnNic *nic, const DnPort *uplink,
                           const DnPacket *packet, guint32 flits)
{
    gint64 serial_ps = dn_port_serial_ps(e, uplink, packet->wire_bytes);
    gint64 stalled_ps = serial_ps - flits * e->net.nic.flit_ps;
    gint64 start_ps = uplink->free_ps - serial_ps;
    if (flits > 0 && stalled_ps > 0 && start_ps > 0 && nic->link_busy_until_ps == start_ps)
        nic->counters.stalled_ps += stalled_ps;
    nic->link_busy_until_ps = uplink->free_ps;
}

void dn_nic_sends(DnPartition *partition, DnVertexState *v, DnPort *uplink, DnPacket *packet)
{
    const DnPacketEngine *e = partition->engine;
    if (packet->response) {
        nic_count_link(e, &e->net.nics[v->nic], uplink, packet, 0);
        return;
    }
    guint32 count = dn_packets_represented(e, packet);
    guint32 payload = packet->read ? 0 : dn_payload(e, packet);
    guint32 flits = payload == e->net.packet_bytes ? e->net.sizes.flits
                                                   : dn_nic_data_flits(e, payload);
    gint64 last_ps = partition->now_ps;
    if (G_UNLIKELY(e->features.aggregation != NULL))
        last_ps += e->features.aggregation->span_ps(e, uplink, packet);
    packet->birth_ps = MAX(packet->birth_ps, last_ps);
    v->request_packets += count;
    flits += count * e->net.hardware->header_flits;
    v->request_flits += flits;
    if (e->net.nic.window == 0)
        return;
    e->net.nics[v->nic].unanswered += count;
    nic_count_link(e, &e->net.nics[v->nic], uplink, packet, flits);
}

void dn_nic_note_stall(const DnPartition *partition, const DnVertexState *v, const DnPort *uplink,
                       gboolean stalled)
{
    const DnPacketEngine *e = partition->engine;
    if (!e->net.answers)
        return;
    DnNic *nic = &e->net.nics[v->nic];
    gboolean now = stalled && (uplink->mask & e->net.nic.response_mask) != 0;
    if (now == nic->response_stalled)
        return;
    nic->response_stalled_ps = dn_nic_response_stalled_ps(nic, partition->now_ps);
    nic->response_stalled_since_ps = partition->now_ps;
    nic->response_stalled = now;
}

gint64 dn_nic_response_stalled_ps(const DnNic *nic, gint64 now_ps)
{
    return nic->response_stalled_ps +
           (nic->response_stalled ? MAX(0, now_ps - nic->response_stalled_since_ps) : 0);
}
