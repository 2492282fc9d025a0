/* host_staging.h - Staged messages at the hosts on their path, where no rank lives, and the turns
 * of the processes that stage them (dn_costs_stages_in_turn()). A process is busy with a message
 * that it sends until that is in the memory of the other process's host, or has left for it, or
 * until an adapter takes it from here; and with one that it gets until that is on its GPU. */
#pragma once
#include "runtime/runtime_internal.h"

void dn_staged_deliver(DnReplay *replay, DnContext *context, guint32 endpoint,
                       const DnMessage *message);
/* A timer of DN_COOKIE_STAGED at a host. */
void dn_staged_timer(DnReplay *replay, DnContext *context, guint32 endpoint, DnCookie cookie);
/* A staged message has left the host of its sender's process, which is free from now on. */
void dn_staged_left(DnReplay *replay, DnContext *context, DnCookie cookie);

/* TRUE: the rank's process was free; it is busy now with @messages. */
gboolean dn_staged_take(const DnRankContext *s, guint32 messages);
/* The rank's process has done its part of a message; TRUE: it is free. If a message waits for it in
 * its host's memory, it goes on with that. */
gboolean dn_staged_give(DnRankContext *s);
/* Returns whether @message, which reaches the rank, is one that its process copied to its GPU. */
gboolean dn_staged_ends(const DnRankContext *s, const DnMessage *message);
