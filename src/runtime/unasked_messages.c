/* unasked_messages.c - see unasked_messages.h. */
#include "runtime/unasked_messages.h"

guint64 dn_wire_tag_to(const DnRankContext *s, DnWire kind, guint32 peer, guint32 tag)
{
    return dn_wire_tag_pack((DnWireTag){
        .tag = tag, .source = s->rank->rank, .kind = kind, .local = s->job->local[peer]});
}

void dn_send_unasked(const DnRankContext *s, DnWireTag wire, guint32 peer, DnWireWord word,
                     DnMessage message)
{
    const DnReplayJob *job = &s->job->job;
    message.src = job->endpoints[s->rank->rank];
    message.dst = job->endpoints[peer];
    message.tag = dn_wire_tag_to(s, wire.kind, peer, wire.tag);
    message.job = (guint16)s->rank->job;
    message.lane = job->lane & 63;
    message.mode = job->mode;
    message.word = dn_wire_word_pack(word);
    dn_rank_context_send(s, &message);
}
