/* engine.c - finds an engine by name; limits that engines have in common; clears results. */
#include "engine/engine.h"
#include "base/registry.h"
#include "base/rng.h"

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

static guint32 choose_rail(const DnRouter *router, const DnMessage *message, guint32 *next)
{
    guint32 rails = router->rails;
    guint32 part = message->rail == DN_RAIL_FIRST ? 0 : message->rail;
    if (rails == 0)
        return dn_router_rail_after(router, part);
    if (router->machine->hardware.rails == DN_RAILS_FIRST)
        return part % rails;
    if (message->rail > 0)
        return dn_router_next_rail(router, router->machine->graph->endpoints[message->src], part);
    if (router->machine->hardware.rails == DN_RAILS_HASHED)
        return (guint32)(dn_mix64((guint64)message->src << 32 | message->dst) % rails);
    return (*next)++ % rails;
}

guint32 dn_engine_choose_rail(const DnRouter *router, const DnMessage *message, guint32 *next)
{
    guint32 rail = choose_rail(router, message, next);
    return message->by_nics ? dn_rail_by_nics(rail) : rail;
}

void dn_engine_set_too_long(GError **error)
{
    g_set_error_literal(
        error, DN_ERROR, DN_ERROR_STALLED,
        "messages are under way after more than the 1,000,000 s that a run may take");
}

gint64 dn_engine_message_gap_ps(const DnHardware *hardware)
{
    double rate = hardware->message_rate_per_s;
    return rate > 0 ? (gint64)MIN(1e12 / rate + 0.5, 2.0 * (double)DN_RUN_MOST_PS) : 0;
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
