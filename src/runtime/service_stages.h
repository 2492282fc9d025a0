/* service_stages.h - Service stages say when a message has passed a stage of its mechanism; see
 * DnStage. */
#pragma once
#include "runtime/runtime_internal.h"

void dn_stages_init(DnRunningJob *job);
/* The process's processor (DN_STAGE_CPU) works for @work_ps as soon as it is free; returns when it
 * has, which is @work_ps from now in a job whose mechanism has no progress_ns. */
gint64 dn_cpu_work(const DnRankContext *s, gint64 work_ps);
/* Likewise, for a copy or reduction of @bytes by @costs, also until the CPU's memory has passed
 * them. */
gint64 dn_cpu_copy(const DnRankContext *s, gint64 work_ps, gint64 bytes, const DnCosts *costs);
/* The rank's proxy thread begins a receive as soon as it is free; nobody waits for it. */
void dn_proxy_post(const DnRankContext *s, const DnCosts *costs);
/* Returns when a message to or from @peer that comes to @stage now may go on; it is sent as
 * @wire_messages. */
gint64 dn_stage_pass(DnRankContext *s, const DnStage *stage, guint32 peer, gint64 bytes,
                     guint32 wire_messages);
/* Takes an initiator of dynamic connections for an eager message or an RTS to @peer, which is ready
 * at @from_ps; returns when it leaves. One that is connected to @peer takes it at once. */
gint64 dn_initiator_take(const DnRankContext *s, guint32 peer, guint32 tag, gint64 from_ps);
/* Returns when a message of @stream to @peer that could go at @from_ps has the channel between
 * them, which is then occupied for @turn_ps. */
gint64 dn_channel_take(const DnRankContext *s, guint32 stream, guint32 peer, gint64 from_ps,
                       gint64 turn_ps);
/* Likewise after the wire, where it came at no more than @rate_bps (0: at once). */
gint64 dn_stage_arrive(DnRankContext *s, const DnStage *stage, guint32 peer, gint64 bytes,
                       gint64 rate_bps);
