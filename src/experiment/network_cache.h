/* network_cache.h - a scenario's machine and router, built once for all runs that agree on them.
 *
 * Repetitions of a point and points of a sweep mostly do; building a machine of thousands of nodes
 * and its tables, and looking for cycles in them, takes longer than many a run. Machine and router
 * are only read after this. */
#pragma once
#include "config/run_spec.h"
#include "engine/engine.h"

typedef struct {
    gint refs;
    char *key; /* all of the scenario that went into it */
    DnMachine *machine;
    DnRouter *router;
} DnFabric;

/* (transfer full): *@kept when it is of the same machine and routing, else built, checked for
 * deadlock, and left in *@kept, which the caller releases. @kept may be NULL. */
DnFabric *dn_fabric_get(DnFabric **kept, const DnRunSpec *spec, const DnEngineType *engine,
                        GError **error);
void dn_fabric_unref(DnFabric *fabric);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnFabric, dn_fabric_unref)

/* What machine, routing and packet do not allow together is told at @at; other errors have their
 * place. Takes @found; always FALSE. */
gboolean dn_fabric_fail_at(const DnConfigNode *at, GError *found, GError **error);
