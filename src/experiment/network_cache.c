/* network_cache.c - see network_cache.h. */
#include "experiment/network_cache.h"

#include "experiment/what_if.h"

#include <string.h>

void dn_fabric_unref(DnFabric *fabric)
{
    if (fabric == NULL || --fabric->refs > 0)
        return;
    dn_router_free(fabric->router);
    dn_machine_free(fabric->machine);
    g_free(fabric->key);
    g_free(fabric);
}

gboolean dn_fabric_fail_at(const DnConfigNode *at, GError *found, GError **error)
{
    if (!g_error_matches(found, DN_ERROR, DN_ERROR_RANGE) &&
        !g_error_matches(found, DN_ERROR, DN_ERROR_CYCLE)) {
        g_propagate_error(error, found);
        return FALSE;
    }
    dn_config_error(at, (DnError)found->code, error, "%s", found->message);
    g_error_free(found);
    return FALSE;
}

/* Too few channels are the deadlock check's business: it shows the cycle. */
static gboolean set_channels(const DnRunSpec *spec, DnRouter *router, GError **error)
{
    if (spec->virtual_channels == 0)
        return TRUE;
    const DnConfigNode *packet = dn_config_get(spec->root, "packet");
    const DnConfigNode *at = dn_config_get(packet, "virtual_channels");
    return dn_router_set_channels(router, spec->virtual_channels, at, error);
}

static char *key_of(const DnRunSpec *spec, const DnEngineType *engine)
{
    g_autofree char *machine = dn_config_to_string(spec->machine);
    g_autofree char *routing = spec->routing != NULL ? dn_config_to_string(spec->routing) : NULL;
    return g_strdup_printf("%s\n%s\n%s %u %u %u %s", machine, routing != NULL ? routing : "-",
                           spec->ideal != 0 ? engine->name : "", spec->nodes, spec->ideal,
                           spec->virtual_channels,
                           spec->ideal_class != NULL ? spec->ideal_class : "");
}

static gboolean build(DnFabric *fabric, const DnRunSpec *spec, const DnEngineType *engine,
                      GError **error)
{
    GError *cycle = NULL;
    fabric->machine = dn_machine_load(spec->machine, spec->nodes, error);
    if (fabric->machine == NULL)
        return FALSE;
    dn_idealise(fabric->machine, engine, spec->ideal, spec->ideal_class);
    fabric->router = dn_router_new(fabric->machine, spec->routing, error);
    if (fabric->router == NULL || !set_channels(spec, fabric->router, error))
        return FALSE;
    if (dn_deadlock_check(fabric->router, &cycle))
        return TRUE;
    return dn_fabric_fail_at(spec->routing != NULL ? spec->routing : spec->machine, cycle, error);
}

DnFabric *dn_fabric_get(DnFabric **kept, const DnRunSpec *spec, const DnEngineType *engine,
                        GError **error)
{
    g_autofree char *key = key_of(spec, engine);
    if (kept != NULL && *kept != NULL && strcmp((*kept)->key, key) == 0) {
        dn_config_consume(spec->machine); /* the same keys were read then */
        if (spec->routing != NULL)
            dn_config_consume(spec->routing);
        (*kept)->refs++;
        return *kept;
    }
    g_autoptr(DnFabric) fabric = g_new0(DnFabric, 1);
    fabric->refs = 1;
    fabric->key = g_steal_pointer(&key);
    if (kept != NULL)
        g_clear_pointer(kept, dn_fabric_unref); /* not two machines at once */
    if (!build(fabric, spec, engine, error))
        return NULL;
    if (kept != NULL) {
        fabric->refs++;
        *kept = fabric;
    }
    return g_steal_pointer(&fabric);
}
