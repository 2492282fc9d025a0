/* nic.c - A NIC limits the rate of its messages and its requests without response, and counts.
 *
 * With `hardware.window` above 0 every request packet is answered (responses.c), and a NIC has at
 * most `window` requests without response, or as many bytes in packets that are larger than the
 * machine's: 1,024 on Aries (Alverson, Froese, Kaplan, Roweth, "Cray XC Series Network", Cray
 * 2012). A PUT of 64 B is one header flit and four data flits there, its response one flit. */
#include "engine/packet/nic.h"

#include "engine/packet/hooks.h"

/* A message's first packet at the NIC: not sooner than the message rate allows. */
gint64 dn_nic_message_start(DnPartition *partition, DnVertexState *v)
{
    const DnPacketEngine *e = partition->engine;
    DnNic *nic = &e->net.nics[v->nic];
    gint64 start = MAX(partition->now_ps, nic->next_message_ps);
    nic->next_message_ps = start + e->net.nic.message_gap_ps;
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

void dn_nic_sends(DnPartition *partition, DnVertexState *v, DnPort *uplink, DnPacket *packet)
{
    const DnPacketEngine *e = partition->engine;
    if (packet->response)
        return;
    guint32 count = dn_packets_represented(e, packet);
    guint32 payload = packet->read ? 0 : dn_payload(e, packet);
    guint32 flits = payload == e->net.packet_bytes ? e->net.packet_flits
                                                   : dn_nic_data_flits(e, payload);
    gint64 last_ps = partition->now_ps;
    if (G_UNLIKELY(e->features.aggregation != NULL))
        last_ps += e->features.aggregation->span_ps(e, uplink, packet);
    packet->birth_ps = MAX(packet->birth_ps, last_ps);
    v->request_packets += count;
    v->request_flits += count * e->net.hardware->header_flits + flits;
    if (e->net.nic.window > 0)
        e->net.nics[v->nic].unanswered += count;
}

void dn_nic_note_stall(const DnPartition *partition, const DnVertexState *v, const DnPort *uplink,
                       gboolean stalled)
{
    const DnPacketEngine *e = partition->engine;
    DnNic *nic = &e->net.nics[v->nic];
    gboolean now = stalled && e->net.answers && (uplink->mask & e->net.nic.response_mask) != 0;
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
