/* send_records.c - A send in a record of its endpoint's pool, while it waits. */
#include "runtime/protocol.h"

guint32 dn_send_keep(DnRankContext *s, const DnSend *send)
{
    return dn_record_keep(&s->endpoint->pool, (DnRecord){.kind = DN_RECORD_SEND,
                                                         .rule = send->rule,
                                                         .peer = send->peer,
                                                         .tag = send->tag,
                                                         .bytes = send->bytes,
                                                         .send = {.number = send->number,
                                                                  .remote = send->remote,
                                                                  .request = (guint16)send->request,
                                                                  .stream = send->stream,
                                                                  .flags = send->flags,
                                                                  .granted = send->granted,
                                                                  .turn = send->turn}});
}

DnSend dn_send_take(DnRankContext *s, guint32 record)
{
    const DnRecord *r = dn_record_at(&s->endpoint->pool, record, DN_RECORD_SEND);
    DnSend send = {.bytes = r->bytes,
                   .peer = r->peer,
                   .tag = r->tag,
                   .request = r->send.request,
                   .number = r->send.number,
                   .remote = r->send.remote,
                   .flags = r->send.flags,
                   .stream = r->send.stream,
                   .rule = r->rule,
                   .granted = r->send.granted,
                   .turn = r->send.turn};
    dn_record_give(&s->endpoint->pool, record);
    return send;
}

DnCompletion dn_send_completion(const DnRankContext *s, const DnSend *send)
{
    const DnCosts *costs = dn_rank_context_costs(s, send->rule);
    return (DnCompletion){.request = send->request,
                          .stream = send->stream,
                          .entries = costs->send_entries,
                          .serial = costs->serial & 1};
}
