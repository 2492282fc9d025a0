/* network_cache.c - see network_cache.h. */
#include "experiment/network_cache.h"

#include "base/interrupt.h"
#include "base/memory.h"
#include "experiment/checked_machine.h"
#include "experiment/what_if.h"
#include "workload/program.h"

#include <string.h>

void dn_network_model_unref(DnNetworkModel *model)
{
    if (model == NULL || --model->refs > 0)
        return;
    dn_router_free(model->router);
    dn_machine_free(model->machine);
    g_free(model->key);
    g_free(model);
}

gboolean dn_network_fail_at(const DnConfigNode *at, GError *found, GError **error)
{
    if (g_error_matches(found, DN_ERROR, DN_ERROR_STALLED) && !dn_interrupt_check(error)) {
        g_error_free(found);
        return FALSE;
    }
    if (!g_error_matches(found, DN_ERROR, DN_ERROR_RANGE) &&
        !g_error_matches(found, DN_ERROR, DN_ERROR_MEMORY) &&
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

/* Paths of machines and workloads are relative to the file that they stand in, names are looked up
 * from there or from the file in which --set puts them. */
static char *folder_of(const DnConfigNode *node)
{
    g_autofree char *file = g_canonicalize_filename(node->file, NULL);
    g_autofree char *base = g_canonicalize_filename(dn_config_base(node), NULL);
    g_autofree char *paths = g_path_get_dirname(file), *names = g_path_get_dirname(base);
    return g_strdup_printf("%s\n%s", paths, names);
}

/* The largest `read_rails` in mechanisms below @node: what is read may go over so many NICs. */
static guint most_parts(const DnConfigNode *node)
{
    guint parts = 1;
    for (guint i = 0; node != NULL && node->kind != DN_CONFIG_SCALAR && i < node->children->len;
         i++) {
        const DnConfigNode *child = node->children->pdata[i];
        gboolean is_value = child->kind == DN_CONFIG_SCALAR && node->kind == DN_CONFIG_MAP &&
                            strcmp(node->keys->pdata[i], "read_rails") == 0;
        guint64 value = is_value ? g_ascii_strtoull(child->scalar, NULL, 10) : most_parts(child);
        parts = MAX(parts, (guint)MIN(value, DN_MAX_PARTS));
    }
    return parts;
}

/* The what-ifs that change the network: endpoint costs are no part of it. */
#define NETWORK_CHANGES (DN_WHAT_IF_BANDWIDTH | DN_WHAT_IF_LATENCY | DN_WHAT_IF_INJECTION)

static char *key_of(const DnRunSpec *spec, const DnEngineType *engine, const DnWhatIf *what_if)
{
    guint unlimited = what_if->unlimited & NETWORK_CHANGES;
    g_autofree char *folder = folder_of(spec->machine);
    g_autofree char *machine = dn_config_to_string(spec->machine);
    g_autofree char *routing = spec->routing != NULL ? dn_config_to_string(spec->routing) : NULL;
    return g_strdup_printf("%s\n%s\n%s\n%s %u %u %u %u %s", folder, machine,
                           routing != NULL ? routing : "-", unlimited != 0 ? engine->name : "",
                           spec->nodes, unlimited, spec->virtual_channels, most_parts(spec->root),
                           what_if->link_class != NULL ? what_if->link_class : "");
}

/* DnMachineMemory.others: returns the memory of routing and the engine. */
static guint64 model_bytes(const void *data, const DnTopologyType *type, const DnGraphSize *size)
{
    const DnEngineType *engine = data;
    return dn_router_memory_bytes(type, size) +
           (engine->memory_bytes != NULL ? engine->memory_bytes(size) : 0);
}

/* Returns the memory that machine and routing leave for the deadlock check, which is over before
 * the engine begins. */
static guint64 check_bytes(const DnRunSpec *spec, const DnMachine *machine)
{
    const DnGraphSize *size = &machine->graph->size;
    guint64 limit = dn_memory_limit((guint64)spec->max_memory_bytes);
    guint64 taken = dn_graph_memory_bytes(size) + dn_router_memory_bytes(machine->type, size);
    return limit - MIN(limit, taken);
}

static gboolean check_deadlock(const DnNetworkModel *model, const DnRunSpec *spec, GError **error)
{
    GError *found = NULL;
    const DnConfigNode *routing = spec->routing != NULL ? spec->routing : model->machine->routing;
    if (dn_deadlock_check_within(model->router, check_bytes(spec, model->machine), &found))
        return TRUE;
    return dn_network_fail_at(routing != NULL ? routing : spec->machine, found, error);
}

static gboolean cache_build(DnNetworkModel *model, const DnRunSpec *spec,
                            const DnEngineType *engine, const DnWhatIf *what_if, GError **error)
{
    DnMachineMemory memory = {(guint64)spec->max_memory_bytes, model_bytes, engine};
    model->machine = dn_checked_machine_load(spec->machine, spec->nodes, &memory, error);
    if (model->machine == NULL || !dn_interrupt_check(error))
        return FALSE;
    dn_what_if_apply(model->machine, engine, what_if);
    const DnConfigNode *routing = spec->routing != NULL ? spec->routing : model->machine->routing;
    model->router = dn_router_new(model->machine, routing, error);
    guint parts = MAX(most_parts(spec->root), most_parts(model->machine->mechanisms));
    return model->router != NULL && dn_router_split(model->router, parts, error) &&
           set_channels(spec, model->router, error) && check_deadlock(model, spec, error);
}

/* ---- the cache ---- */

DnNetworkCache *dn_network_cache_new(void)
{
    DnNetworkCache *cache = g_new0(DnNetworkCache, 1);
    cache->models = g_ptr_array_new_with_free_func((GDestroyNotify)dn_network_model_unref);
    cache->workloads =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)dn_config_free);
    return cache;
}

void dn_network_cache_clear(DnNetworkCache *cache)
{
    g_ptr_array_set_size(cache->models, 0);
}

void dn_network_cache_free(DnNetworkCache *cache)
{
    if (cache == NULL)
        return;
    g_ptr_array_unref(cache->models);
    g_hash_table_unref(cache->workloads);
    g_free(cache);
}

/* (transfer full): the model of @key, which then is the one used last; or NULL. */
static DnNetworkModel *find_kept(DnNetworkCache *cache, const char *key)
{
    for (guint i = cache->models->len; i-- > 0;) {
        DnNetworkModel *model = cache->models->pdata[i];
        if (strcmp(model->key, key) != 0)
            continue;
        g_ptr_array_add(cache->models, g_ptr_array_steal_index(cache->models, i));
        model->refs++;
        return model;
    }
    return NULL;
}

/* Drops the models used longest ago until the others fit. */
static void make_space(DnNetworkCache *cache)
{
    guint64 bytes = 0;
    guint keep = 0;
    for (guint i = cache->models->len; i-- > 0; keep++) {
        const DnNetworkModel *model = cache->models->pdata[i];
        const DnMachine *machine = model->machine;
        bytes += dn_graph_memory_bytes(&machine->graph->size) +
                 dn_router_memory_bytes(machine->type, &machine->graph->size);
        if (bytes > DN_NETWORK_CACHE_BYTES)
            break;
    }
    if (keep < cache->models->len)
        g_ptr_array_remove_range(cache->models, 0, cache->models->len - keep);
}

DnNetworkModel *dn_network_cache_get(DnNetworkCache *cache, const DnRunSpec *spec,
                                     const DnEngineType *engine, const DnWhatIf *what_if,
                                     GError **error)
{
    g_autofree char *key = key_of(spec, engine, what_if);
    DnNetworkModel *kept = cache != NULL ? find_kept(cache, key) : NULL;
    if (kept != NULL) {
        dn_config_consume(spec->machine); /* the same keys were read when it was built */
        if (spec->routing != NULL)
            dn_config_consume(spec->routing);
        return kept;
    }
    g_autoptr(DnNetworkModel) model = g_new0(DnNetworkModel, 1);
    model->refs = 1;
    model->key = g_steal_pointer(&key);
    if (cache != NULL) {
        make_space(cache);
        cache->built++;
    }
    if (!cache_build(model, spec, engine, what_if, error))
        return NULL;
    dn_memory_trim(); /* the deadlock check takes several times what it leaves */
    if (cache != NULL) {
        model->refs++;
        g_ptr_array_add(cache->models, model);
    }
    return g_steal_pointer(&model);
}

const DnConfigNode *dn_network_cache_workload(DnNetworkCache *cache, const DnConfigNode *node,
                                              GError **error)
{
    if (cache == NULL || node->kind != DN_CONFIG_SCALAR)
        return node;
    g_autofree char *folder = folder_of(node);
    g_autofree char *key = g_strconcat(folder, "\n", node->scalar, NULL);
    DnConfigNode *root = g_hash_table_lookup(cache->workloads, key);
    if (root != NULL)
        return root;
    root = dn_workload_load(node, error);
    if (root != NULL)
        g_hash_table_insert(cache->workloads, g_steal_pointer(&key), root);
    return root;
}
