/* network_cache.h - A cache of machines with their routers, each built once for all runs that use
 * it, and of workload files, each read once.
 *
 * Repetitions of a point and most points of a sweep use the same machine; building one of thousands
 * of nodes with its routing tables and checking it for deadlock takes longer than many runs.
 * Machine and router are not changed after that. A cache keeps the network used last, and as many
 * of the others as fit into DN_NETWORK_CACHE_BYTES, so that two large machines are not in memory at
 * the same time. */
#pragma once
#include "config/run_spec.h"
#include "experiment/run_options.h"

#define DN_NETWORK_CACHE_BYTES (G_GUINT64_CONSTANT(64) << 20)

typedef struct {
    gint refs;
    char *key; /* the parts of specification and options on which it depends */
    DnMachine *machine;
    DnRouter *router;
} DnNetworkModel;

void dn_network_model_unref(DnNetworkModel *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnNetworkModel, dn_network_model_unref)

typedef struct {
    GPtrArray *models;     /* DnNetworkModel*, the one used last comes last */
    guint built;           /* so far */
    GHashTable *workloads; /* "folder\nname" to DnConfigNode* */
} DnNetworkCache;

DnNetworkCache *dn_network_cache_new(void);
void dn_network_cache_free(DnNetworkCache *cache);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnNetworkCache, dn_network_cache_free)
/* Drops the models; the cache may be used on. */
void dn_network_cache_clear(DnNetworkCache *cache);

/* (transfer full): the model of @spec's machine and routing, from @cache (or NULL), else built and
 * checked for deadlock. */
DnNetworkModel *dn_network_cache_get(DnNetworkCache *cache, const DnRunSpec *spec,
                                     const DnEngineType *engine, const DnWhatIf *what_if,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Returns the mapping that dn_program_new() takes: @node itself, or the mapping in the file that it
 * names, which @cache keeps. With no cache (NULL): @node. */
const DnConfigNode *dn_network_cache_workload(DnNetworkCache *cache, const DnConfigNode *node,
                                              GError **error);

/* Reports an invalid combination of machine, routing and packet at @at; other errors keep their
 * place, and ranks that stopped as the run was interrupted are no error of their own. Takes @found;
 * always FALSE. */
gboolean dn_network_fail_at(const DnConfigNode *at, GError *found, GError **error);
