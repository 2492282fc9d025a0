/* placement.c - see placement.h. */
#include "replay/placement.h"

#include <string.h>

#include "base/rng.h"

typedef struct {
    const DnGraph *graph;
    guint8 *taken; /* [endpoints] */
    guint32 *free; /* [n_free] endpoints nobody has, ascending */
    guint32 n_free;
} Site;

static guint32 node_of(const Site *site, guint32 endpoint)
{
    return site->graph->vertices[site->graph->endpoints[endpoint]].node;
}

static void find_free(Site *site)
{
    site->n_free = 0;
    for (guint32 e = 0; e < site->graph->size.endpoints; e++)
        if (!site->taken[e])
            site->free[site->n_free++] = e;
}

static gboolean place_list(const DnScenarioJob *job, Site *site, DnPlacement *out, GError **error)
{
    guint32 endpoints = site->graph->size.endpoints;
    const DnConfigNode *list = dn_config_get(job->node, "placement");
    for (guint32 r = 0; r < job->ranks; r++) {
        guint32 e = job->placement_list[r];
        if (e >= endpoints) {
            dn_config_error(g_ptr_array_index(list->children, r), DN_ERROR_RANGE, error,
                            "endpoint %u; this machine's are 0 to %u", e, endpoints - 1);
            return FALSE;
        }
        site->taken[e] = TRUE;
    }
    out->ranks = job->ranks;
    out->endpoints = g_memdup2(job->placement_list, job->ranks * sizeof(guint32));
    return TRUE;
}

/* The first @ranks of a random permutation of the free endpoints (Fisher & Yates, partial). */
static void draw_random(const Site *site, guint32 ranks, guint64 key, guint32 *out)
{
    for (guint32 r = 0; r < ranks; r++) {
        guint32 pick = r + dn_draw_below(dn_draw(key, r), site->n_free - r);
        out[r] = site->free[pick];
        site->free[pick] = site->free[r];
        site->free[r] = out[r];
    }
}

/* Free endpoints come node by node; in round k every node that has one gives its k-th. */
static void draw_spread(const Site *site, guint32 ranks, guint32 *out)
{
    guint32 placed = 0;
    for (guint32 round = 0; placed < ranks; round++) {
        guint32 within = 0;
        for (guint32 i = 0; i < site->n_free && placed < ranks; i++) {
            gboolean same = i > 0 &&
                            node_of(site, site->free[i]) == node_of(site, site->free[i - 1]);
            within = same ? within + 1 : 0;
            if (within == round)
                out[placed++] = site->free[i];
        }
    }
}

static gboolean place_free(const DnScenario *scenario, guint j, Site *site, DnPlacement *out,
                           GError **error)
{
    const DnScenarioJob *job = &scenario->jobs[j];
    find_free(site);
    const DnConfigNode *at = dn_config_get(job->node, "ranks");
    out->ranks = job->ranks > 0 ? job->ranks : site->n_free;
    if (out->ranks > site->n_free || out->ranks == 0) {
        dn_config_error(at ? at : job->node, DN_ERROR_RANGE, error,
                        "job %s wants %u ranks; %u of the machine's %u endpoints are free, one "
                        "rank each",
                        job->name, MAX(1, out->ranks), site->n_free, site->graph->size.endpoints);
        return FALSE;
    }
    out->endpoints = g_new(guint32, out->ranks);
    if (job->placement == DN_PLACE_RANDOM)
        draw_random(site, out->ranks, dn_draw_key(scenario->seed, DN_DRAW_PLACEMENT, j),
                    out->endpoints);
    else if (job->placement == DN_PLACE_SPREAD)
        draw_spread(site, out->ranks, out->endpoints);
    else
        memcpy(out->endpoints, site->free, out->ranks * sizeof(guint32));
    for (guint32 r = 0; r < out->ranks; r++)
        site->taken[out->endpoints[r]] = TRUE;
    return TRUE;
}

gboolean dn_place_jobs(const DnScenario *scenario, const DnGraph *graph, DnPlacement *placements,
                       GError **error)
{
    g_autofree guint8 *taken = g_new0(guint8, graph->size.endpoints);
    g_autofree guint32 *free_ = g_new(guint32, graph->size.endpoints);
    Site site = {.graph = graph, .taken = taken, .free = free_};
    for (guint j = 0; j < scenario->n_jobs; j++)
        if (scenario->jobs[j].placement == DN_PLACE_LIST &&
            !place_list(&scenario->jobs[j], &site, &placements[j], error))
            return FALSE;
    for (guint j = 0; j < scenario->n_jobs; j++)
        if (scenario->jobs[j].placement != DN_PLACE_LIST &&
            !place_free(scenario, j, &site, &placements[j], error))
            return FALSE;
    return TRUE;
}
