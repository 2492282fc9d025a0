/* placement.c - see placement.h. */
#include "experiment/placement.h"

#include <string.h>

#include "base/compare.h"
#include "base/rng.h"
#include "experiment/placement_nodes.h"

/* The first endpoint after those of @from's node; endpoints come node by node. */
static guint32 node_end(const DnSite *site, guint32 from)
{
    guint32 end = from + 1;
    while (end < site->graph->size.endpoints && dn_site_node(site, end) == dn_site_node(site, from))
        end++;
    return end;
}

static gboolean somebody_is_on(const DnSite *site, guint32 from, guint32 end)
{
    return memchr(site->taken + from, TRUE, end - from) != NULL;
}

/* Lists the free endpoints, at most job->ranks_per_node of each node (0: all). */
static void find_free(DnSite *site, const DnJobSpec *job)
{
    guint32 end = 0, here = 0;
    gboolean open = TRUE;
    site->n_free = 0;
    for (guint32 e = 0; e < site->graph->size.endpoints; e++) {
        if (e == end) {
            end = node_end(site, e);
            here = 0;
            open = !job->exclusive || !somebody_is_on(site, e, end);
        }
        if (!open || site->taken[e] || (job->ranks_per_node > 0 && here == job->ranks_per_node))
            continue;
        here++;
        site->free[site->n_free++] = e;
    }
}

/* More than any node has is a mistake in the number or of the machine. */
static gboolean check_ranks_per_node(const DnJobSpec *job, const DnSite *site, GError **error)
{
    guint32 most = 0, endpoints = site->graph->size.endpoints;
    if (job->ranks_per_node == 0)
        return TRUE;
    for (guint32 e = 0, end; e < endpoints && most < job->ranks_per_node; e = end) {
        end = node_end(site, e);
        most = MAX(most, end - e);
    }
    if (job->ranks_per_node <= most)
        return TRUE;
    dn_config_error(dn_job_place(job, "ranks_per_node"), DN_ERROR_RANGE, error,
                    "ranks_per_node: %u; a node of this machine has %u endpoint%s, %s",
                    job->ranks_per_node, most, most == 1 ? "" : "s", dn_site_hint(site));
    return FALSE;
}

static gboolean place_list(const DnJobSpec *job, DnSite *site, DnPlacement *out, GError **error)
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

/* ---- orders: endpoints in units, units in turn or one after the other ---- */

typedef struct {
    guint32 unit, within, endpoint;
} Seat;

static guint32 unit_of(const DnSite *site, DnPlacementKind kind, guint32 endpoint)
{
    switch (kind) {
    case DN_PLACE_RANDOM_NODE:
    case DN_PLACE_RANDOM_NODE_SORTED:
    case DN_PLACE_SPREAD:
        return dn_site_node(site, endpoint);
    case DN_PLACE_RANDOM_SWITCH:
    case DN_PLACE_SPREAD_SWITCH:
        return dn_site_switch(site, endpoint);
    case DN_PLACE_RANDOM_GROUP:
    case DN_PLACE_SPREAD_GROUP:
        return dn_site_group(site, endpoint);
    default:
        return endpoint;
    }
}

/* A seat for each free endpoint, units numbered by first appearance: returns how many. */
static guint32 find_units(const DnSite *site, DnPlacementKind kind, Seat *seats)
{
    g_autoptr(GHashTable) numbers = g_hash_table_new(NULL, NULL);
    g_autoptr(GArray) members = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (guint32 i = 0; i < site->n_free; i++) {
        gpointer key = GSIZE_TO_POINTER(unit_of(site, kind, site->free[i]));
        gpointer found;
        guint32 unit = members->len, none = 0;
        if (g_hash_table_lookup_extended(numbers, key, NULL, &found))
            unit = GPOINTER_TO_UINT(found);
        else {
            g_hash_table_insert(numbers, key, GUINT_TO_POINTER(unit));
            g_array_append_val(members, none);
        }
        seats[i] = (Seat){unit, g_array_index(members, guint32, unit)++, site->free[i]};
    }
    return members->len;
}

/* Units change places at random (Fisher & Yates). */
static void shuffle_units(Seat *seats, guint32 n_seats, guint32 units, guint64 key)
{
    g_autofree guint32 *order = g_new(guint32, units);
    g_autofree guint32 *place = g_new(guint32, units);
    for (guint32 u = 0; u < units; u++)
        order[u] = u;
    for (guint32 u = 0; u < units; u++) {
        guint32 pick = u + dn_draw_below(dn_draw(key, u), units - u);
        guint32 drawn = order[pick];
        order[pick] = order[u];
        place[drawn] = u;
    }
    for (guint32 i = 0; i < n_seats; i++)
        seats[i].unit = place[seats[i].unit];
}

static int one_after_the_other(gconstpointer a, gconstpointer b)
{
    const Seat *x = a, *y = b;
    if (x->unit != y->unit)
        return x->unit < y->unit ? -1 : 1;
    return x->within < y->within ? -1 : x->within > y->within;
}

static int in_turn(gconstpointer a, gconstpointer b)
{
    const Seat *x = a, *y = b;
    if (x->within != y->within)
        return x->within < y->within ? -1 : 1;
    return x->unit < y->unit ? -1 : x->unit > y->unit;
}

/* The free endpoints in the job's order. */
static void order_free(DnSite *site, DnPlacementKind kind, guint64 key)
{
    if (kind == DN_PLACE_CONTIGUOUS)
        return;
    g_autofree Seat *seats = g_new(Seat, site->n_free);
    guint32 units = find_units(site, kind, seats);
    gboolean spread = kind == DN_PLACE_SPREAD || kind == DN_PLACE_SPREAD_SWITCH ||
                      kind == DN_PLACE_SPREAD_GROUP;
    if (!spread)
        shuffle_units(seats, site->n_free, units, key);
    qsort(seats, site->n_free, sizeof *seats, spread ? in_turn : one_after_the_other);
    for (guint32 i = 0; i < site->n_free; i++)
        site->free[i] = seats[i].endpoint;
}

/* Sorts the free endpoints of the nodes that the first @ranks are on. */
static void sort_nodes(DnSite *site, guint32 ranks)
{
    guint32 n = ranks;
    while (n < site->n_free &&
           dn_site_node(site, site->free[n]) == dn_site_node(site, site->free[n - 1]))
        n++;
    qsort(site->free, n, sizeof *site->free, dn_compare_numbers);
}

static gboolean place_free(const DnRunSpec *spec, guint j, DnSite *site, DnPlacement *out,
                           GError **error)
{
    const DnJobSpec *job = &spec->jobs[j];
    out->ranks = job->ranks > 0 ? job->ranks : site->n_free;
    if (out->ranks > site->n_free || out->ranks == 0) {
        g_autofree char *most = job->ranks_per_node > 0
                                    ? g_strdup_printf(", %u a node", job->ranks_per_node)
                                    : g_strdup("");
        g_autofree char *limit =
            g_strconcat(most, job->exclusive ? " on nodes of its own" : "", NULL);
        dn_config_error(dn_job_place(job, "ranks"), DN_ERROR_RANGE, error,
                        "job %s wants %u ranks; %u of the machine's %u endpoints are free%s, %s",
                        job->name, MAX(1, out->ranks), site->n_free, site->graph->size.endpoints,
                        limit, dn_site_hint(site));
        return FALSE;
    }
    order_free(site, job->placement, dn_draw_key(spec->seed, DN_DRAW_PLACEMENT, j));
    if (job->placement == DN_PLACE_RANDOM_NODE_SORTED)
        sort_nodes(site, out->ranks);
    out->endpoints = g_memdup2(site->free, out->ranks * sizeof(guint32));
    return TRUE;
}

/* Takes all endpoints of the nodes on which the job has ranks (`exclusive`). */
static void take_nodes(const DnSite *site, const DnPlacement *placement)
{
    g_autofree guint8 *own = g_new0(guint8, site->graph->size.endpoints);
    for (guint32 r = 0; r < placement->ranks; r++)
        own[placement->endpoints[r]] = TRUE;
    for (guint32 e = 0, end; e < site->graph->size.endpoints; e = end) {
        end = node_end(site, e);
        if (memchr(own + e, TRUE, end - e) != NULL)
            memset(site->taken + e, TRUE, end - e);
    }
}

/* 0: lists, 1: nodes, 2: the rest. */
static guint turn_of(DnPlacementKind kind)
{
    return kind == DN_PLACE_LIST ? 0 : kind == DN_PLACE_NODES ? 1 : 2;
}

static gboolean place_job(const DnRunSpec *spec, guint j, DnSite *site, DnPlacement *out,
                          GError **error)
{
    const DnJobSpec *job = &spec->jobs[j];
    gboolean ok;
    if (!check_ranks_per_node(job, site, error))
        return FALSE;
    if (job->placement == DN_PLACE_LIST) {
        ok = place_list(job, site, out, error);
    } else {
        find_free(site, job);
        ok = job->placement == DN_PLACE_NODES ? dn_place_on_nodes(spec, j, site, out, error)
                                              : place_free(spec, j, site, out, error);
        for (guint32 r = 0; ok && r < out->ranks; r++)
            site->taken[out->endpoints[r]] = TRUE;
    }
    if (ok && job->exclusive)
        take_nodes(site, out);
    return ok;
}

/* FALSE + error: @job has one of the endpoints that are taken, those of @owner's nodes. */
static gboolean check_apart(const DnSite *site, const DnJobSpec *owner, const DnJobSpec *job,
                            const DnPlacement *placement, GError **error)
{
    for (guint32 r = 0; r < placement->ranks; r++) {
        if (!site->taken[placement->endpoints[r]])
            continue;
        dn_config_error(dn_job_place(job, "placement"), DN_ERROR_RANGE, error,
                        "endpoint %u is on a node that job %s has alone (exclusive)",
                        placement->endpoints[r], owner->name);
        return FALSE;
    }
    return TRUE;
}

/* Lists may name nodes that an exclusive job has. */
static gboolean check_exclusive(const DnRunSpec *spec, const DnSite *site,
                                const DnPlacement *placements, GError **error)
{
    for (guint j = 0; j < spec->n_jobs; j++) {
        if (!spec->jobs[j].exclusive)
            continue;
        memset(site->taken, FALSE, site->graph->size.endpoints);
        take_nodes(site, &placements[j]);
        for (guint k = 0; k < spec->n_jobs; k++)
            if (k != j && !check_apart(site, &spec->jobs[j], &spec->jobs[k], &placements[k], error))
                return FALSE;
    }
    return TRUE;
}

gboolean dn_place_jobs(const DnRunSpec *spec, const DnGraph *graph, DnPlacement *placements,
                       GError **error)
{
    g_autofree guint8 *taken = g_new0(guint8, graph->size.endpoints);
    g_autofree guint32 *free_ = g_new(guint32, graph->size.endpoints);
    DnSite site = {.graph = graph, .taken = taken, .free = free_};
    for (guint turn = 0; turn <= 2; turn++)
        for (guint j = 0; j < spec->n_jobs; j++)
            if (turn_of(spec->jobs[j].placement) == turn &&
                !place_job(spec, j, &site, &placements[j], error))
                return FALSE;
    return check_exclusive(spec, &site, placements, error);
}

guint32 *dn_placement_nodes(const DnPlacement *placement, const DnGraph *graph)
{
    guint32 *node_of = g_new(guint32, placement->ranks);
    for (guint32 r = 0; r < placement->ranks; r++)
        node_of[r] = graph->vertices[graph->endpoints[placement->endpoints[r]]].node;
    return node_of;
}
