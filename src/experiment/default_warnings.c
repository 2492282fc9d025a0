/* default_warnings.c - see default_warnings.h. */
#include "experiment/default_warnings.h"

#include "experiment/mpi_machine.h"
#include "workload/collective.h"

void dn_warn_free_calls(DnRunResult *result, const char *name, const char *library)
{
    g_autofree char *lack = dn_machine_lack_text(result->machine, library);
    g_ptr_array_add(
        result->warnings,
        g_strdup_printf("job %s: its calls are free, only the wires take time: %s", name, lack));
}

void dn_warn_free_pattern(DnRunResult *result, const char *name, const DnProgram *program,
                          const DnPlacement *placement)
{
    const DnConfigNode *defaults = result->machine->default_mechanism;
    if (defaults == NULL || program->offered_bps > 0)
        return;
    const DnConfigNode *costs =
        dn_config_get(defaults, dn_mpi_machine_mechanism(result->machine, placement, FALSE, FALSE));
    if (costs != NULL)
        g_ptr_array_add(result->warnings,
                        g_strdup_printf("job %s: its messages are free, only the wires take time, "
                                        "as by `mechanism: direct`; MPI's costs are `mechanism: "
                                        "%s`",
                                        name, costs->scalar));
}

void dn_warn_idle_library(DnRunResult *result, const char *name, const DnProgram *program,
                          const DnConfigNode *workload)
{
    const DnConfigNode *library = dn_config_get(workload, "library");
    if (program->type->collective == 0 || program->chosen != NULL || library == NULL ||
        dn_config_get(workload, "algorithm") != NULL)
        return;
    g_ptr_array_add(result->warnings,
                    g_strdup_printf("job %s: `library: %s` chooses nothing, %s goes by its own "
                                    "default; `algorithm: auto` lets the library choose",
                                    name, library->scalar, program->type->name));
}

void dn_warn_overlap(DnRunResult *result, const char *name, const DnProgram *program)
{
    if (program->type->collective == 0 || !program->apart || program->iterations < 2 ||
        program->ranks < 2)
        return;
    g_ptr_array_add(result->warnings,
                    g_strdup_printf("job %s: its iterations overlap, since a rank of a %s goes on "
                                    "when its own part is done: after the first one, times are "
                                    "those between two ends, as of calls without a barrier; "
                                    "`barrier: yes` of the workload begins each with one, as "
                                    "benchmarks do, `iterations: 1` takes the time of one alone",
                                    name, program->type->name));
}

void dn_warn_no_channels(DnRunResult *result, const char *name, const DnConfigNode *named,
                         const DnConfigNode *fits, const DnProgram *program)
{
    g_ptr_array_add(result->warnings,
                    g_strdup_printf("job %s: `mechanism: %s` has the rates of one channel of a "
                                    "ring or tree; %s has none, so that its messages go by `%s`, "
                                    "as ncclSend and ncclRecv",
                                    name, named->scalar, program->type->name, fits->scalar));
}

void dn_warn_channel_rates(DnRunResult *result, const char *name, const DnMechanism *mechanism,
                           const DnProgram *program)
{
    if (!dn_mechanism_by_channel(mechanism))
        return;
    g_ptr_array_add(result->warnings,
                    g_strdup_printf("job %s: `mechanism: %s` chooses by protocol or algorithm of "
                                    "NCCL's rings and trees, whose rates are of one channel; %s "
                                    "has none, and gets that rate for whole messages",
                                    name, mechanism->name, program->type->name));
}

/* Returns whether some node has other nodes' ranks between its own. */
static gboolean nodes_interleave(const guint32 *node_of, guint32 n)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    for (guint32 r = 0; node_of != NULL && r < n; r++)
        if ((r == 0 || node_of[r] != node_of[r - 1]) &&
            !g_hash_table_add(seen, GUINT_TO_POINTER(node_of[r])))
            return TRUE;
    return FALSE;
}

void dn_warn_rank_order(DnRunResult *result, const char *name, const DnProgram *program,
                        const DnCollMachine *machine)
{
    if (program->type->collective == 0 || program->library != DN_LIBRARY_NCCL || program->by_node ||
        !nodes_interleave(machine->node_of, program->ranks))
        return;
    g_ptr_array_add(
        result->warnings,
        g_strdup_printf("job %s: ranks of one node do not follow one another, and its rings and "
                        "trees go in the order of ranks, so more often over the network than "
                        "NCCL's, which pass nodes one after another; `library: nccl` (or rccl) "
                        "without `group` orders them so",
                        name));
}

/* Returns whether ranks of several nodes are there, more than one of some node. */
static gboolean nodes_share(const DnPlacement *placement, const DnGraph *graph, guint32 n)
{
    gboolean several = FALSE, shared = FALSE;
    g_autofree guint32 *node_of = dn_placement_nodes(placement, graph);
    for (guint32 r = 1; node_of != NULL && r < n; r++) {
        several |= node_of[r] != node_of[0];
        shared |= node_of[r] == node_of[r - 1];
    }
    return several && shared;
}

void dn_warn_one_adapter(DnRunResult *result, const char *name, const DnProgram *program,
                         const DnCollMachine *machine, const DnPlacement *placement)
{
    const DnGraphSize *size = &result->machine->graph->size;
    guint32 nics = size->nodes > 0 ? size->terminals / size->nodes : 0;
    if (program->type->collective == 0 || program->library != DN_LIBRARY_NCCL || program->by_node ||
        machine->known || nics < 2 ||
        !nodes_share(placement, result->machine->graph, program->ranks))
        return;
    g_ptr_array_add(
        result->warnings,
        g_strdup_printf("job %s: its rings and trees all pass nodes in the order of ranks, and "
                        "leave each by one of its %u adapters; NCCL's use all of them: on a "
                        "machine that has `nccl:`, or rings by `rings: by_node`",
                        name, nics));
}

/* A rule has costs, and none of @m has any of a local reduction. */
static gboolean reduces_free(const DnMechanism *m)
{
    gboolean costs = FALSE;
    for (guint i = 0; i < m->n_rules; i++) {
        const DnLocalCosts *local = &m->rules[i].costs.local;
        costs |= m->rules[i].type != NULL;
        if (local->reduce_bps > 0 || local->reduce_byte_bps > 0 || local->reduce_ps > 0)
            return FALSE;
    }
    return costs;
}

void dn_warn_free_reductions(DnRunResult *result, const char *name, const DnMechanism *mechanism,
                             const DnProgram *program)
{
    guint collective = program->type->collective;
    if (collective == 0 || !dn_coll_kind_reduces((DnCollKind)(collective - 1)) ||
        program->library == DN_LIBRARY_NCCL || program->ranks < 2 || !reduces_free(mechanism))
        return;
    g_ptr_array_add(result->warnings,
                    g_strdup_printf("job %s: its reductions are free, only its messages take time: "
                                    "its mechanism, %s, has no `reduce_rate`, which says how fast "
                                    "a rank adds up what it received",
                                    name, mechanism->name));
}

/* Returns the rate of the widest link from @from to @to; 0: there is none. */
static gint64 link_bps(const DnGraph *g, guint32 from, guint32 to)
{
    gint64 widest = 0;
    for (guint32 p = g->port_first[from]; p < g->port_first[from + 1]; p++)
        if (g->links[g->ports[p]].dst == to)
            widest = MAX(widest, dn_link_bandwidth_bps(g, g->ports[p]));
    return widest;
}

/* Returns over how many switches of node 0 its endpoints @a and @b have equally wide paths, wider
 * than over all others; 0: they have a link. */
static guint equal_switches(const DnGraph *g, guint32 a, guint32 b)
{
    guint n = 0;
    gint64 widest = 0;
    if (link_bps(g, a, b) > 0)
        return 0;
    for (guint32 i = 0; i < g->size.node_vertices; i++) {
        guint32 v = g->size.switches + i;
        gint64 bps = g->vertices[v].kind == DN_VERTEX_NVSWITCH
                         ? MIN(link_bps(g, a, v), link_bps(g, v, b))
                         : 0;
        if (bps > widest)
            n = 0;
        widest = MAX(widest, bps);
        n += bps > 0 && bps == widest;
    }
    return n;
}

void dn_warn_parallel_switches(DnRunResult *result)
{
    const DnGraph *g = result->machine->graph;
    guint32 own = g->size.nodes > 0 ? g->size.endpoints / g->size.nodes : 0;
    char from[64], to[64];
    for (guint32 e = 1; e < own; e++) {
        guint32 a = g->endpoints[0], b = g->endpoints[e];
        guint n = equal_switches(g, a, b);
        if (n < 2)
            continue;
        g_ptr_array_add(
            result->warnings,
            g_strdup_printf(
                "%u equal switches join %s and %s, and all messages between two endpoints "
                "go over one switch, the same for all; switches over "
                "which hardware spreads each message, as NVSwitches, are one vertex "
                "that has the links of all of them",
                n, dn_vertex_name(g, a, from), dn_vertex_name(g, b, to)));
        return;
    }
}
