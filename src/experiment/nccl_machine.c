/* nccl_machine.c - see nccl_machine.h.
 *
 * Between nodes NCCL's search gives each adapter a ring, of the highest of its steps of speed that
 * adapter and wire reach (NCCL 2.18 to 2.28, src/graph/search.cc, speedArrayInter: the steps that
 * all generations have), and doubles the rings (src/graph/connect.cc). On nodes of MI250X RCCL's
 * table has two rings an adapter (RCCL 2.12, src/graph/rome_models.cc, rome_model_63). Inside a
 * node a GPU's rings carry what its links to other GPUs and NVSwitches do, of which NCCL counts
 * each at a rate of its own (src/graph/topo.h); on nodes of MI250X four rings over one link each
 * (rome_model_62).
 * Orders of a node's GPUs in rings: on MI250X those of RCCL's tables; of four GPUs that are linked
 * each to each all six; with NVSwitches by rank. Between nodes of NVIDIA's a ring for each adapter,
 * from that adapter's GPU on.
 * LIMITATIONS: one ring an adapter, whatever its speed; adapters of one node are alike. */
#include "experiment/nccl_machine.h"

#include <string.h>

#define GBS G_GINT64_CONSTANT(8000000000)

/* Bandwidth of one link between GPUs, GB/s. */
static const double link_gbs[DN_NCCL_GPUS] = {
    [DN_NCCL_VOLTA] = 20, [DN_NCCL_AMPERE] = 20, [DN_NCCL_HOPPER] = 20.6, [DN_NCCL_MI250X] = 36};
#define MI250X_NODE_RINGS 4
#define MI250X_NIC_RINGS 2

/* rome_models.cc: `ringBase` of rome_model_63, whose last four rings repeat the first, and of
 * rome_model_62. */
static const guint32 rome_63[4 * 8] = {0, 1, 5, 4, 6, 7, 3, 2, 2, 3, 7, 6, 4, 5, 1, 0,
                                       7, 6, 0, 1, 3, 2, 4, 5, 5, 4, 2, 3, 1, 0, 6, 7};
static const guint32 rome_62[4 * 8] = {0, 1, 3, 2, 4, 5, 7, 6, 6, 7, 5, 4, 2, 3, 1, 0,
                                       0, 1, 5, 4, 6, 7, 3, 2, 2, 3, 7, 6, 4, 5, 1, 0};
static const guint32 each_to_each[6 * 4] = {0, 1, 2, 3, 3, 2, 1, 0, 0, 1, 3, 2,
                                            2, 3, 1, 0, 0, 2, 1, 3, 3, 1, 2, 0};

static gint64 speed_step(gint64 bps)
{
    static const double steps_gbs[] = {48, 30, 24, 20, 15, 12, 6, 3, 2.4, 1.2};
    for (guint i = 0; i < G_N_ELEMENTS(steps_gbs); i++)
        if (bps >= (gint64)(steps_gbs[i] * GBS))
            return (gint64)(steps_gbs[i] * GBS);
    return bps;
}

/* Returns the bandwidth of terminal 0's link into the fabric; 0: there is none. */
static gint64 adapter_bps(const DnGraph *graph)
{
    if (graph->size.terminals == 0)
        return 0;
    guint32 nic = graph->terminals[0];
    for (guint32 p = graph->port_first[nic]; p < graph->port_first[nic + 1]; p++) {
        guint32 link = graph->ports[p];
        if (graph->vertices[graph->links[link].dst].kind == DN_VERTEX_SWITCH)
            return dn_link_bandwidth_bps(graph, link);
    }
    return 0;
}

/* Returns how many links lead from the first GPU to others, directly or over an NVSwitch. */
static guint32 gpu_links(const DnGraph *graph)
{
    guint32 gpu = graph->endpoints[0], links = 0;
    for (guint32 p = graph->port_first[gpu]; p < graph->port_first[gpu + 1]; p++) {
        const DnLink *link = &graph->links[graph->ports[p]];
        guint8 kind = graph->vertices[link->dst].kind;
        if (kind == DN_VERTEX_GPU || kind == DN_VERTEX_NVSWITCH)
            links += link->width;
    }
    return links;
}

/* Returns the number of GPUs to which the first GPU has a direct link. */
static guint32 gpu_neighbours(const DnGraph *graph)
{
    guint32 gpu = graph->endpoints[0], neighbours = 0;
    for (guint32 p = graph->port_first[gpu]; p < graph->port_first[gpu + 1]; p++) {
        const DnLink *link = &graph->links[graph->ports[p]];
        if (graph->vertices[link->dst].kind == DN_VERTEX_GPU)
            neighbours++;
    }
    return neighbours;
}

static void machine_orders(const DnMachine *machine, gboolean amd, DnCollMachine *out)
{
    out->gpus = machine->gpus_per_node;
    out->nics = machine->nics_per_node;
    if (amd && out->gpus == 8) {
        out->orders = rome_63;
        out->node_orders = rome_62;
        out->n_orders = out->n_node_orders = 4;
    } else if (!amd && out->gpus == 4 && gpu_neighbours(machine->graph) == 3) {
        out->node_orders = each_to_each;
        out->n_node_orders = 6;
    }
}

/* (transfer full); NULL + error. */
static DnParams *read_keys(const DnMachine *machine, GError **error)
{
    static const char *const annotations[] = {"source", "assumed", NULL};
    return dn_params_read(machine->nccl, dn_nccl_machine_keys, annotations, error);
}

gboolean dn_nccl_machine_check(const DnMachine *machine, GError **error)
{
    g_autoptr(DnParams) keys = machine->nccl != NULL ? read_keys(machine, error) : NULL;
    return machine->nccl == NULL || keys != NULL;
}

gboolean dn_nccl_machine_read(const DnMachine *machine, DnCollMachine *out, GError **error)
{
    const DnGraph *graph = machine->graph;
    *out = (DnCollMachine){0};
    if (machine->nccl == NULL || graph->vertices[graph->endpoints[0]].kind != DN_VERTEX_GPU)
        return TRUE;
    g_autoptr(DnParams) keys = read_keys(machine, error);
    if (keys == NULL)
        return FALSE;
    DnNcclGpu gpu = (DnNcclGpu)dn_params_int(keys, "gpu");
    gboolean amd = gpu == DN_NCCL_MI250X;
    guint32 rings = machine->nics_per_node * (amd ? MI250X_NIC_RINGS : 1);
    guint32 node_links = amd ? MI250X_NODE_RINGS : gpu_links(graph);
    gint64 node_bps = (gint64)(link_gbs[gpu] * GBS * node_links);
    gint64 net_bps = rings * speed_step(adapter_bps(graph));
    out->known = TRUE;
    out->node_channels = (guint32)dn_params_int(keys, "node_channels");
    out->channels = net_bps > 0 ? 2 * rings : out->node_channels;
    out->nccl = (DnNcclMachine){.bus_bps = net_bps > 0 ? net_bps : node_bps,
                                .node_bus_bps = node_bps,
                                .nics = net_bps > 0 ? machine->nics_per_node : 0,
                                .gpu = gpu,
                                .version = (DnNcclVersion)dn_params_int(keys, "version"),
                                .nic_path = (DnNcclPath)dn_params_int(keys, "nic_path")};
    machine_orders(machine, amd, out);
    return TRUE;
}

gboolean dn_nccl_machine_place(const DnMachine *machine, const DnPlacement *placement,
                               DnCollMachine *out, GError **error)
{
    if (!dn_nccl_machine_read(machine, out, error))
        return FALSE;
    if (out->known)
        out->node_of = dn_placement_nodes(placement, machine->graph);
    return TRUE;
}

/* Returns @library, if the machine has a default mechanism for it, else "ccl". */
static const char *default_choose(const DnMachine *machine, const char *library)
{
    const DnConfigNode *defaults = machine->default_mechanism;
    return defaults != NULL && dn_config_get(defaults, library) != NULL ? library : "ccl";
}

const char *dn_nccl_machine_mechanism(const DnMachine *machine, DnProgramLibrary library)
{
    if (library == DN_LIBRARY_MPI)
        return NULL;
    return library == DN_LIBRARY_NCCL_GROUP ? default_choose(machine, "ccl_group") : "ccl";
}

const char *dn_nccl_machine_pair(const DnMachine *machine)
{
    return default_choose(machine, "ccl_p2p");
}

const DnConfigNode *dn_nccl_machine_without_channels(const DnMachine *machine,
                                                     const DnConfigNode *named,
                                                     DnProgramLibrary library)
{
    const DnConfigNode *defaults = machine->default_mechanism;
    const DnConfigNode *ccl = defaults != NULL ? dn_config_get(defaults, "ccl") : NULL;
    if (ccl == NULL || library == DN_LIBRARY_NCCL || named->kind != DN_CONFIG_SCALAR ||
        strcmp(named->scalar, ccl->scalar) != 0)
        return NULL;
    const DnConfigNode *pair = library == DN_LIBRARY_MPI ? dn_config_get(defaults, "ccl_p2p")
                                                         : NULL;
    const DnConfigNode *found = pair != NULL ? pair : dn_config_get(defaults, "ccl_group");
    return found != NULL && strcmp(found->scalar, named->scalar) != 0 ? found : NULL;
}

void dn_nccl_machine_clear(DnCollMachine *machine)
{
    g_free((gpointer)machine->node_of);
    *machine = (DnCollMachine){0};
}
