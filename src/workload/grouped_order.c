/* grouped_order.c - see grouped_order.h. */
#include "workload/grouped_order.h"

extern const DnCollAlgorithm dn_coll_alltoall_grouped, dn_coll_alltoall_grouped_pxn;

gboolean dn_coll_is_grouped(const DnCollAlgorithm *algorithm)
{
    return algorithm == &dn_coll_alltoall_grouped || algorithm == &dn_coll_alltoall_grouped_pxn;
}

guint dn_grouped_distances(guint32 nodes, guint32 d, guint32 distances[4])
{
    const guint32 all[4] = {d, (nodes - d) % nodes, nodes / 2 - d, (nodes - nodes / 2 + d) % nodes};
    guint n = 0;
    for (guint i = 0; i < 4; i++) {
        gboolean known = FALSE;
        for (guint j = 0; j < n; j++)
            known |= distances[j] == all[i];
        if (!known)
            distances[n++] = all[i];
    }
    return n;
}

guint32 dn_grouped_next(const DnCollCall *call, guint32 nodes, guint32 each, guint32 d, guint64 *k)
{
    if (d > 0)
        return d + 1;
    guint32 last = nodes / 2 % 2 == 0 ? MAX(nodes / 4, 1) - 1 : nodes / 4; /* with four distances */
    guint32 periods = (guint32)MIN(*k / (4 * each), last / call->channels);
    *k -= (guint64)periods * 4 * each;
    return 1 + periods * call->channels;
}

guint32 dn_grouped_pieces(const DnCollCall *call, guint32 nodes)
{
    gboolean power = call->channels > 0 && dn_is_power_of_two(call->channels);
    if (call->segment <= 0 || call->unequal || !power || nodes == 1)
        return 1;
    return (guint32)CLAMP(dn_segments(call->bytes, call->segment), 1, call->channels);
}

guint32 dn_grouped_blocks(const DnCollCall *call, guint32 size)
{
    return call->algorithm == &dn_coll_alltoall_grouped_pxn ? size : 1;
}

guint32 dn_grouped_first_channel(const DnCollCall *call, guint32 base)
{
    guint32 channel = 0;
    for (guint32 bit = 1, up = call->channels / 2; bit < call->channels; bit *= 2, up /= 2)
        channel |= base & bit ? up : 0;
    return channel;
}

DnSpan dn_grouped_piece(const DnCollCall *call, guint32 piece, guint32 pieces, DnSpan block)
{
    if (pieces == 1)
        return block;
    gint64 from = piece * call->segment;
    gboolean last = piece + 1 == pieces;
    return (DnSpan){block.area, block.offset + from, last ? block.bytes - from : call->segment};
}
