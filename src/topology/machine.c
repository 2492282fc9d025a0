/* machine.c - a machine's YAML to one sealed graph: the fabric's switches, every node's vertices,
 * and the cables that join them. Keys: topologies/README.md.
 *
 * Nodes on switches. A blade is `nodes_per_blade` = B nodes with consecutive numbers; each node of
 * it is attached to `switches_per_node` = S switches of its own. Terminals of a group are taken in
 * blocks of S * B neighbouring switches (a chassis). Node j of a blade takes nics / S neighbouring
 * terminals on each of the block's switches j * S to j * S + S - 1; blades fill a block one after
 * another, then the next block. `nodes_per_group` and, where groups differ, `other_groups` leave
 * the rest of a group unused. S = B = 1 is the packed order.
 * LIMITATIONS: one kind of node; no service, login or storage nodes. */
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "topology/parts.h"
#include "topology/failures.h"
#include "topology/machine_plan.h"
#include "topology/provenance.h"

void dn_machine_free(DnMachine *machine)
{
    if (machine == NULL)
        return;
    g_free(machine->name);
    g_free(machine->description);
    dn_params_free(machine->params);
    dn_graph_free(machine->graph);
    dn_parts_free(machine->parts);
    if (machine->provenance != NULL)
        g_ptr_array_unref(machine->provenance);
    dn_config_free(machine->config);
    g_free(machine);
}

/* Returns the node of the file that made a machine too large, for the error's position. */
static const DnConfigNode *size_node(const DnMachinePlan *plan)
{
    const DnConfigNode *nodes = dn_params_node(plan->top, "nodes");
    return nodes != NULL               ? nodes
           : plan->fabric_node != NULL ? plan->fabric_node
                                       : plan->machine->config;
}

static gboolean check_memory(const DnMachinePlan *plan, const DnGraphSize *size, GError **error)
{
    const DnMachineMemory *memory = plan->memory;
    guint64 needed = dn_graph_memory_bytes(size);
    gboolean alone = memory->others == NULL;
    if (!alone)
        needed += memory->others(memory->data, plan->machine->type, size);
    if (needed <= dn_memory_limit(memory->max_bytes))
        return TRUE;
    char text[DN_UNIT_BUF];
    g_autofree char *limit = dn_memory_limit_text(memory->max_bytes);
    dn_config_error(size_node(plan), DN_ERROR_MEMORY, error,
                    "the machine%s take%s at least %s; %s; a part of it: nodes: n",
                    alone ? "" : ", its routing and the engine", alone ? "s" : "",
                    dn_format_bytes((gint64)needed, text), limit);
    return FALSE;
}

static gboolean count_graph(const DnMachinePlan *plan, DnGraphSize *size, GError **error)
{
    const DnNodeGraph *node = plan->node;
    guint64 nodes = plan->nodes, members = node != NULL ? node->vertices->len : 1;
    guint64 uplinks = plan->fabric_node != NULL ? nodes * plan->nics : 0;
    guint64 cables = plan->fabric.cables + uplinks + nodes * (node != NULL ? node->cables->len : 0);
    guint64 endpoints = nodes * (node != NULL ? node->n_endpoints : 1);
    guint64 vertices = plan->fabric.switches + nodes * members;
    if (vertices >= G_MAXINT32 || cables >= G_MAXINT32 / 2) {
        dn_config_error(size_node(plan), DN_ERROR_RANGE, error,
                        "%" G_GUINT64_FORMAT " vertices and %" G_GUINT64_FORMAT
                        " cables; at most 2^31 vertices and 2^30 cables; a part: nodes: n",
                        vertices, cables);
        return FALSE;
    }
    *size = (DnGraphSize){
        .switches = plan->fabric.switches,
        .nodes = plan->nodes,
        .node_vertices = (guint32)members,
        .terminals = (guint32)(nodes * plan->nics),
        .endpoints = (guint32)endpoints,
        .links = (guint32)(2 * cables),
        .groups = plan->fabric_node != NULL ? plan->fabric.groups : 1,
        .group_switches = plan->fabric_node != NULL ? plan->fabric.group_switches : 0,
        .blade_nodes = plan->blade_nodes,
        .planes = plan->fabric.planes,
        .n_dims = plan->fabric.n_dims,
        .leave_by_target = plan->machine->hardware.rails == DN_RAILS_TARGET ||
                           plan->fabric.planes > 1,
    };
    memcpy(size->dims, plan->fabric.dims, sizeof size->dims);
    return check_memory(plan, size, error);
}

/* Fabric classes first, then the node's, from id @node_first on. FALSE + error where a name of the
 * node's is the fabric's too. */
static gboolean add_classes(const DnMachinePlan *plan, DnGraphBuilder *b, guint32 *node_first,
                            GError **error)
{
    guint32 n = plan->classes != NULL ? plan->classes->len : 0;
    for (guint32 i = 0; i < n; i++)
        dn_graph_add_class(b, &g_array_index(plan->classes, DnLinkClass, i));
    *node_first = n;
    for (guint32 i = 0; plan->node != NULL && i < plan->node->classes->len; i++) {
        const DnLinkClass *class_ = &g_array_index(plan->node->classes, DnLinkClass, i);
        for (guint32 k = 0; k < n; k++) {
            if (!g_str_equal(class_->name, g_array_index(plan->classes, DnLinkClass, k).name))
                continue;
            dn_config_error(dn_config_get(dn_params_node(plan->top, "node"), "links"),
                            DN_ERROR_RANGE, error,
                            "link class '%s' is the fabric's name; take another", class_->name);
            return FALSE;
        }
        dn_graph_add_class(b, class_);
    }
    return TRUE;
}

static guint32 group_of(const DnMachinePlan *plan, guint32 n)
{
    guint32 low = 0, high = plan->fabric.groups - 1;
    while (low < high) {
        guint32 mid = low + (high - low) / 2;
        if (plan->group_first[mid + 1] > n)
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

/* Terminal of NIC @nic of node @n; the rule is in the head of this file. */
static guint32 terminal_of(const DnMachinePlan *plan, guint32 n, guint32 nic)
{
    guint32 share = plan->nics / plan->switches_per_node; /* NICs of a node on one switch */
    guint32 group = group_of(plan, n), in_group = n - plan->group_first[group];
    guint32 block = in_group / plan->block_nodes, in_block = in_group % plan->block_nodes;
    guint32 blade = in_block / plan->blade_nodes, in_blade = in_block % plan->blade_nodes;
    guint32 at = (block * plan->blade_nodes + in_blade) * plan->switches_per_node + nic / share;
    return group * plan->group_terminals + at * plan->switch_terminals + blade * share +
           nic % share;
}

guint32 dn_machine_plan_switch(const DnMachinePlan *plan, guint32 n, guint32 nic)
{
    const DnMachine *m = plan->machine;
    return m->type->terminal_switch(m->params, terminal_of(plan, n, nic));
}

static void add_bare_node(const DnMachinePlan *plan, DnGraphBuilder *b, guint32 n)
{
    guint32 v = plan->fabric.switches + n;
    DnVertex *vertex = dn_graph_vertex(b, v);
    vertex->kind = DN_VERTEX_NIC;
    vertex->transit = 0;
    vertex->latency_ps = plan->nic_latency_ps;
    dn_graph_set_endpoint(b, v, n);
}

static void add_node(const DnMachinePlan *plan, DnGraphBuilder *b, guint32 n, guint32 first_class)
{
    const DnNodeGraph *node = plan->node;
    guint32 base = plan->fabric.switches + n * node->vertices->len;
    for (guint32 i = 0; i < node->vertices->len; i++) {
        const DnNodeVertex *from = &g_array_index(node->vertices, DnNodeVertex, i);
        DnVertex *to = dn_graph_vertex(b, base + i);
        to->kind = from->kind;
        to->transit = from->transit;
        to->latency_ps = from->latency_ps;
        guint32 terminal = from->nic == DN_NONE ? DN_NONE : n * plan->nics + from->nic;
        if (from->endpoint)
            dn_graph_set_endpoint(b, base + i, terminal);
        else if (from->kind == DN_VERTEX_CPU)
            dn_graph_set_host(b, base + i, terminal);
    }
    for (guint32 i = 0; i < node->cables->len; i++) {
        const DnNodeCable *cable = &g_array_index(node->cables, DnNodeCable, i);
        dn_graph_add_cable(b, base + cable->a, base + cable->b, first_class + cable->link_class,
                           cable->width);
    }
}

static void add_uplinks(const DnMachinePlan *plan, DnGraphBuilder *b, guint32 n,
                        guint32 terminal_class)
{
    guint32 members = plan->node != NULL ? plan->node->vertices->len : 1;
    for (guint32 nic = 0; nic < plan->nics; nic++) {
        guint32 local = plan->node != NULL ? g_array_index(plan->node->nics, guint32, nic) : 0;
        guint32 at = dn_machine_plan_switch(plan, n, nic);
        dn_graph_add_cable(b, plan->fabric.switches + n * members + local, at, terminal_class, 1);
    }
}

static gboolean machine_build(const DnMachinePlan *plan, GError **error)
{
    DnMachine *m = plan->machine;
    DnGraphSize size;
    if (!count_graph(plan, &size, error))
        return FALSE;
    DnGraphBuilder *b = dn_graph_builder_new(&size);
    guint32 first_class = 0;
    if (!add_classes(plan, b, &first_class, error)) {
        dn_graph_builder_free(b);
        return FALSE;
    }
    if (m->type != NULL)
        m->type->build(m->params, b, plan->class_ids);
    if (!dn_failures_apply(plan, b, error)) {
        dn_graph_builder_free(b);
        return FALSE;
    }
    for (guint32 s = 0; s < size.switches; s++)
        dn_graph_vertex(b, s)->latency_ps = plan->switch_latency_ps;
    for (guint32 i = 0; plan->node != NULL && i < plan->node->vertices->len; i++)
        dn_graph_name_vertex(b, i, g_array_index(plan->node->vertices, DnNodeVertex, i).name);
    for (guint32 n = 0; n < plan->nodes; n++) {
        if (plan->node != NULL)
            add_node(plan, b, n, first_class);
        else
            add_bare_node(plan, b, n);
        if (m->type != NULL)
            add_uplinks(plan, b, n, plan->class_ids[0]);
    }
    g_autoptr(GError) fault = NULL;
    m->graph = dn_graph_builder_seal_checked(b, &fault);
    if (m->graph != NULL)
        return TRUE;
    const DnConfigNode *at = dn_params_node(plan->top, "node");
    dn_config_error(at != NULL ? at : m->config, (DnError)fault->code, error, "%s", fault->message);
    return FALSE;
}

/* Sets each value below @from at the same place in @root. */
static gboolean set_keys(DnConfigNode *root, const DnConfigNode *from, const char *prefix,
                         GError **error)
{
    for (guint i = 0; i < from->children->len; i++) {
        const char *key = from->keys->pdata[i];
        const DnConfigNode *child = from->children->pdata[i];
        if (prefix == NULL && g_str_equal(key, "name"))
            continue;
        g_autofree char *path = prefix == NULL ? g_strdup(key)
                                               : g_strconcat(prefix, ".", key, NULL);
        gboolean ok = child->kind == DN_CONFIG_MAP
                          ? set_keys(root, child, path, error)
                          : dn_config_replace(root, path, dn_config_copy(child), child, error);
        if (!ok)
            return FALSE;
    }
    return TRUE;
}

/* The machine's own tree, and its name from the file's. */
static DnConfigNode *load_tree(const DnConfigNode *node, char **name, GError **error)
{
    const DnConfigNode *by_name = node;
    if (node->kind == DN_CONFIG_MAP) {
        dn_config_consume(node);
        by_name = dn_config_get(node, "name");
        if (by_name == NULL) {
            *name = g_strdup("inline");
            return dn_config_copy(node);
        }
    }
    if (!dn_config_expect(by_name, DN_CONFIG_SCALAR, error))
        return NULL;
    g_autofree char *file = dn_machine_find(by_name->scalar, by_name, error);
    if (file == NULL)
        return NULL;
    g_autoptr(DnConfigNode) root = dn_config_load(file, NULL, error);
    if (root == NULL || !dn_config_expect(root, DN_CONFIG_MAP, error) ||
        (node != by_name && !set_keys(root, node, NULL, error)))
        return NULL;
    g_autofree char *base = g_path_get_basename(file);
    *name = g_str_has_suffix(base, ".yaml") ? g_strndup(base, strlen(base) - 5) : g_strdup(base);
    return g_steal_pointer(&root);
}

static guint32 count_gpus(const DnGraph *g)
{
    guint32 n = 0;
    for (guint32 i = 0; i < g->size.node_vertices && g->size.nodes > 0; i++)
        n += g->vertices[g->size.switches + i].kind == DN_VERTEX_GPU;
    return n;
}

DnMachine *dn_machine_load(const DnConfigNode *node, guint32 nodes, GError **error)
{
    return dn_machine_load_within(node, nodes, &(DnMachineMemory){0}, error);
}

DnMachine *dn_machine_load_within(const DnConfigNode *node, guint32 nodes,
                                  const DnMachineMemory *memory, GError **error)
{
    g_autoptr(DnMachine) machine = g_new0(DnMachine, 1);
    machine->config = load_tree(node, &machine->name, error);
    if (machine->config == NULL)
        return NULL;
    g_auto(DnMachinePlan) plan = {.machine = machine, .asked = node, .memory = memory};
    machine->provenance = dn_provenance_collect(machine->config);
    if (!dn_machine_plan_read(&plan, nodes, error) || !machine_build(&plan, error))
        return NULL;
    machine->nics_per_node = plan.nics;
    machine->gpus_per_node = count_gpus(machine->graph);
    return g_steal_pointer(&machine);
}

const char *dn_machine_arrangement(const DnMachine *machine)
{
    const DnTopologyType *type = machine->type;
    if (type == NULL || type->shape != DN_SHAPE_GROUPS || machine->graph->size.groups < 2)
        return NULL;
    return dn_params_string(machine->params, "arrangement");
}

double dn_machine_link_bps(const DnMachine *machine, guint32 l)
{
    const DnGraph *g = machine->graph;
    const DnLink *link = &g->links[l];
    double bps = (double)dn_link_bandwidth_bps(g, l) * g->classes[link->link_class].efficiency;
    gboolean injects = link->src >= g->size.switches && link->dst < g->size.switches;
    gint64 most_bps = machine->hardware.injection_bps;
    return injects && most_bps > 0 ? MIN(bps, (double)most_bps) : bps;
}
