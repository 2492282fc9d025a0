/* engine.c - finds an engine by name; clears results. */
#include "engine/engine.h"
#include "base/registry.h"

#include <string.h>

const DnEngineType *dn_engine_find(const char *name)
{
    return dn_registry_find(dn_engine_types, name);
}

gboolean dn_engine_queues(const char *name)
{
    const DnEngineType *type = dn_engine_find(name);
    return type != NULL && type->queues;
}

void dn_engine_result_clear(DnEngineResult *result)
{
    g_clear_pointer(&result->links, g_free);
    g_clear_pointer(&result->lane_bytes, g_free);
    g_clear_pointer(&result->nics, g_free);
    g_clear_pointer(&result->job_packets, g_free);
}

const char *dn_delay_kind_name(DnDelayKind kind)
{
    static const char *const names[] = {"latency", "serial", "inject",
                                        "queue",   "credit", "crossbar"};
    return names[kind];
}
