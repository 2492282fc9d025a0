/* host_staging.h - staged messages at the hosts on their path, where no rank lives. */
#pragma once
#include "runtime/runtime_internal.h"

void dn_staged_deliver(DnReplay *replay, DnContext *context, guint32 endpoint,
                       const DnMessage *message);
void dn_staged_go_on(DnReplay *replay, DnContext *context, guint32 endpoint, guint32 record);
