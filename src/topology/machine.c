/* machine.c - a machine's YAML to one sealed graph: the fabric's switches, every node's vertices,
 * and the cables that join them. Keys: topologies/README.md.
 *
 * Nodes on switches. Terminals of a group are taken in blocks of `switches_per_node` = S
 * neighbouring switches; a node takes nics / S neighbouring terminals on each switch of its block,
 * nodes fill a block one after another, then the next block; `nodes_per_group` leaves the rest of
 * a group unused. S = 1 is the packed order.
 * LIMITATIONS: one kind of node; no service, login or storage nodes; no failed parts. */
#include <string.h>

#include "base/units.h"
#include "topology/machine.h"
#include "topology/node_graph.h"
#include "topology/provenance.h"

#define MAX_NODES 0x7fffffff
#define MAX_CLASSES 16

static const char *const annotations[] = {"source", "assumed", NULL};
static const char *const endpoint_choices[] = {"auto", "gpu", "cpu", "nic", NULL};

const DnParamSpec dn_machine_keys[] = {
    {"description", DN_PARAM_STRING, "", 0, 0, NULL, "one line"},
    {"fabric", DN_PARAM_NODE, "", 0, 0, NULL,
     "switches and cables; absent: one node, nothing around it"},
    {"node", DN_PARAM_NODE, "", 0, 0, NULL,
     "inside a node; absent: a bare fabric, one NIC a terminal, and ranks live on the NICs"},
    {"nodes", DN_PARAM_INT, "", 1, MAX_NODES, NULL, "default: as many as the fabric takes"},
    {"attach", DN_PARAM_NODE, "", 0, 0, NULL, "how nodes sit on switches"},
    {"endpoints", DN_PARAM_CHOICE, "auto", 0, 0, endpoint_choices,
     "what ranks live on; auto: GPUs, else CPUs, else NICs"},
    {"nic", DN_PARAM_NODE, "", 0, 0, NULL, "{latency} of the NICs of a bare fabric"},
    {"hardware", DN_PARAM_NODE, "", 0, 0, NULL,
     "switches and NICs: what engines need besides the graph"},
    {"routing", DN_PARAM_NODE, "", 0, 0, NULL, "of runs that name none"},
    {"mechanisms", DN_PARAM_NODE, "", 0, 0, NULL, "named sets of endpoint costs"},
    {"default_mechanism", DN_PARAM_NODE, "", 0, 0, NULL,
     "which of them traces and collectives have that name none: of MPI by where the ranks are, of "
     "NCCL's algorithms ccl"},
    {0},
};

const DnParamSpec dn_attach_keys[] = {
    {"switches_per_node", DN_PARAM_INT, "1", 1, 1024, NULL, "switches that share a node's NICs"},
    {"nodes_per_group", DN_PARAM_INT, "", 1, MAX_NODES, NULL, "default: as many as fit"},
    {0},
};

const DnParamSpec dn_latency_keys[] = {
    {"latency", DN_PARAM_TIME, "0 ps", 0, 1e12, NULL, "forwarding, head in to head out"},
    {0},
};

const DnParamSpec dn_fabric_common_keys[] = {
    {"type", DN_PARAM_STRING, NULL, 0, 0, NULL, "shape of the fabric"},
    {"links", DN_PARAM_NODE, NULL, 0, 0, NULL,
     "a class of links by each name that the type uses; a level left out is as the one below"},
    {"switch", DN_PARAM_NODE, "", 0, 0, NULL, "forwarding in its switches"},
    {0},
};

/* All that is read before anything is built. */
typedef struct {
    DnMachine *machine;
    const DnConfigNode *asked; /* where the machine was asked for */
    DnParams *top;
    const DnConfigNode *fabric_node; /* or NULL */
    DnFabricSize fabric;
    GArray *classes;                /* DnLinkClass of the fabric */
    guint32 class_ids[MAX_CLASSES]; /* which of them serves each of type->link_classes */
    gint64 switch_latency_ps, nic_latency_ps;
    DnNodeGraph *node; /* NULL: bare fabric */
    guint32 nics;      /* per node */
    guint32 nodes;
    /* attachment, in terminals and nodes */
    guint32 switch_terminals, group_terminals, switches_per_node, block_nodes, group_nodes;
} Plan;

static void plan_clear(Plan *plan)
{
    dn_params_free(plan->top);
    if (plan->classes != NULL)
        g_array_unref(plan->classes);
    dn_node_graph_free(plan->node);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Plan, plan_clear)

void dn_machine_free(DnMachine *machine)
{
    if (machine == NULL)
        return;
    g_free(machine->name);
    g_free(machine->description);
    dn_params_free(machine->params);
    dn_graph_free(machine->graph);
    if (machine->provenance != NULL)
        g_ptr_array_unref(machine->provenance);
    dn_config_free(machine->config);
    g_free(machine);
}

static gboolean read_latency(const DnConfigNode *node, gint64 *out, GError **error)
{
    if (node == NULL)
        return TRUE;
    g_autoptr(DnParams) p = NULL;
    if (!dn_config_expect(node, DN_CONFIG_MAP, error) ||
        (p = dn_params_read(node, dn_latency_keys, annotations, error)) == NULL)
        return FALSE;
    *out = dn_params_int(p, "latency");
    return TRUE;
}

static const DnTopologyType *find_type(const DnConfigNode *at, GError **error)
{
    if (!dn_config_expect(at, DN_CONFIG_SCALAR, error))
        return NULL;
    const DnTopologyType *type = dn_topology_find(at->scalar);
    if (type != NULL)
        return type;
    g_autoptr(GPtrArray) known = g_ptr_array_new();
    for (const DnTopologyType *const *t = dn_topology_types; *t != NULL; t++)
        g_ptr_array_add(known, (char *)(*t)->name);
    g_ptr_array_add(known, NULL);
    g_autofree char *shown = dn_quote(at->scalar);
    g_autofree char *tail = dn_suggest(at->scalar, (const char *const *)known->pdata, "known");
    dn_config_error(at, DN_ERROR_UNKNOWN, error, "unknown fabric type %s%s", shown, tail);
    return NULL;
}

/* "level2" and on may be left out: then it is as the level below. */
static gboolean may_repeat(const char *name, guint32 index)
{
    return index >= 2 && g_ascii_isdigit(name[strlen(name) - 1]);
}

static gboolean refuse_other_classes(const DnConfigNode *links, const char *const *wanted,
                                     GError **error)
{
    for (guint i = 0; i < links->children->len; i++) {
        const char *name = links->keys->pdata[i];
        if (g_strv_contains(wanted, name) || g_strv_contains(annotations, name))
            continue;
        g_autofree char *shown = dn_quote(name);
        g_autofree char *tail = dn_suggest(name, wanted, "known");
        dn_config_error(links->key_nodes->pdata[i], DN_ERROR_UNKNOWN, error,
                        "unknown link class %s%s", shown, tail);
        return FALSE;
    }
    return TRUE;
}

/* `links:` of the fabric: each class that the type needs with these parameters; the others of the
 * type may stand there too. */
static gboolean read_fabric_links(Plan *plan, const DnConfigNode *links, GError **error)
{
    const DnTopologyType *type = plan->machine->type;
    const char *const *wanted = type->link_classes;
    guint used = type->classes_used != NULL ? type->classes_used(plan->machine->params)
                                            : g_strv_length((char **)wanted);
    plan->classes = g_array_new(FALSE, TRUE, sizeof(DnLinkClass));
    if (!dn_config_expect(links, DN_CONFIG_MAP, error))
        return FALSE;
    g_assert(g_strv_length((char **)wanted) <= MAX_CLASSES);
    for (guint32 i = 0; wanted[i] != NULL; i++) {
        DnLinkClass class_;
        const DnConfigNode *node = dn_config_get(links, wanted[i]);
        if (node == NULL && i >= used) {
            plan->class_ids[i] = DN_NONE;
            continue;
        }
        if (node == NULL && may_repeat(wanted[i], i)) {
            plan->class_ids[i] = plan->class_ids[i - 1];
            continue;
        }
        if ((node = dn_config_require(links, wanted[i], error)) == NULL ||
            !dn_link_class_read(node, wanted[i], &class_, error))
            return FALSE;
        plan->class_ids[i] = plan->classes->len;
        g_array_append_val(plan->classes, class_);
    }
    return refuse_other_classes(links, wanted, error);
}

static gboolean read_fabric(Plan *plan, GError **error)
{
    static const char *const others[] = {"type", "links", "switch", "source", "assumed", NULL};
    DnMachine *machine = plan->machine;
    const DnConfigNode *node = plan->fabric_node, *type, *links;
    if (node == NULL)
        return TRUE;
    if ((type = dn_config_require(node, "type", error)) == NULL ||
        (machine->type = find_type(type, error)) == NULL)
        return FALSE;
    machine->params = dn_params_read(node, machine->type->params, others, error);
    return machine->params != NULL && machine->type->size(machine->params, &plan->fabric, error) &&
           (links = dn_config_require(node, "links", error)) != NULL &&
           read_fabric_links(plan, links, error) &&
           read_latency(dn_config_get(node, "switch"), &plan->switch_latency_ps, error);
}

static gboolean read_node(Plan *plan, GError **error)
{
    const DnConfigNode *node = dn_params_node(plan->top, "node");
    DnEndpoints endpoints = (DnEndpoints)dn_params_int(plan->top, "endpoints");
    plan->nics = 1;
    if (node != NULL) {
        plan->node = dn_node_graph_read(node, endpoints, plan->fabric_node != NULL, error);
        if (plan->node == NULL)
            return FALSE;
        plan->nics = plan->node->nics->len;
        if (plan->nics > 0 || plan->fabric_node == NULL)
            return TRUE;
        dn_config_error(node, DN_ERROR_MISSING, error,
                        "a node on a fabric needs NICs: vertices of kind nic, listed in nics:");
        return FALSE;
    }
    if (plan->fabric_node == NULL) {
        dn_config_error(plan->machine->config, DN_ERROR_MISSING, error,
                        "a machine needs fabric: or node:, or both");
        return FALSE;
    }
    if (endpoints == DN_ENDPOINTS_AUTO || endpoints == DN_ENDPOINTS_NIC)
        return TRUE;
    dn_params_error(plan->top, "endpoints", DN_ERROR_RANGE, error,
                    "a fabric without node: has NICs only; allowed: nic");
    return FALSE;
}

/* Terminals of the first switch that has any: all have as many (topology.h). */
static guint32 terminals_of_a_switch(const Plan *plan)
{
    const DnMachine *m = plan->machine;
    guint32 n = 1, first = m->type->terminal_switch(m->params, 0);
    while (n < plan->fabric.terminals && m->type->terminal_switch(m->params, n) == first)
        n++;
    return n;
}

static gboolean read_attach(Plan *plan, GError **error)
{
    const DnConfigNode *node = dn_params_node(plan->top, "attach");
    g_autoptr(DnParams) p = NULL;
    if ((node != NULL && !dn_config_expect(node, DN_CONFIG_MAP, error)) ||
        (p = dn_params_read(node, dn_attach_keys, annotations, error)) == NULL)
        return FALSE;
    guint32 s = (guint32)dn_params_int(p, "switches_per_node");
    const DnConfigNode *at = node != NULL ? node : plan->fabric_node;
    plan->switch_terminals = terminals_of_a_switch(plan);
    plan->group_terminals = plan->fabric.terminals / plan->fabric.groups;
    plan->switches_per_node = s;
    guint32 group_switches = plan->group_terminals / plan->switch_terminals;
    if (plan->nics % s != 0 || s > group_switches || plan->nics / s > plan->switch_terminals) {
        dn_config_error(at, DN_ERROR_RANGE, error,
                        "%u NICs of a node on %u switch(es): does not fit switches of %u "
                        "terminals, %u in a group; wanted: switches_per_node divides the NICs",
                        plan->nics, s, plan->switch_terminals, group_switches);
        return FALSE;
    }
    plan->block_nodes = plan->switch_terminals / (plan->nics / s);
    guint64 fit = (guint64)(group_switches / s) * plan->block_nodes;
    plan->group_nodes = (guint32)fit;
    if (!dn_params_has(p, "nodes_per_group"))
        return TRUE;
    if ((guint64)dn_params_int(p, "nodes_per_group") > fit) {
        dn_params_error(p, "nodes_per_group", DN_ERROR_RANGE, error,
                        "a group takes at most %" G_GUINT64_FORMAT " nodes", fit);
        return FALSE;
    }
    plan->group_nodes = (guint32)dn_params_int(p, "nodes_per_group");
    return TRUE;
}

/* Nodes of the whole machine, then of this one. */
static gboolean count_nodes(Plan *plan, guint32 partial, GError **error)
{
    DnMachine *m = plan->machine;
    guint64 free_ports =
        plan->fabric_node == NULL ? 1 : (guint64)plan->group_nodes * plan->fabric.groups;
    guint64 whole = free_ports;
    if (dn_params_has(plan->top, "nodes"))
        whole = (guint64)dn_params_int(plan->top, "nodes");
    if (whole > free_ports || free_ports == 0) {
        dn_params_error(plan->top, "nodes", DN_ERROR_RANGE, error,
                        plan->fabric_node == NULL
                            ? "%" G_GUINT64_FORMAT
                              " nodes and no fabric: to join them; at most %" G_GUINT64_FORMAT
                            : "%" G_GUINT64_FORMAT
                              " nodes; the fabric takes at most %" G_GUINT64_FORMAT,
                        whole, free_ports);
        return FALSE;
    }
    m->whole_nodes = (guint32)whole;
    plan->nodes = partial != 0 ? partial : m->whole_nodes;
    if (partial <= whole)
        return TRUE;
    dn_config_error(plan->asked, DN_ERROR_RANGE, error, "%u nodes of %s; it has %u", partial,
                    m->name, m->whole_nodes);
    return FALSE;
}

const DnParamSpec dn_default_mechanism_keys[] = {
    {"host", DN_PARAM_STRING, "", 0, 0, NULL, "of MPI whose ranks live on CPUs"},
    {"gpu", DN_PARAM_STRING, "", 0, 0, NULL, "of MPI whose ranks live on GPUs"},
    {"ccl", DN_PARAM_STRING, "", 0, 0, NULL, "of NCCL's algorithms"},
    {0},
};

/* {host: x, gpu: y, ccl: z}: names among the machine's mechanisms. */
static gboolean check_default_mechanism(const DnMachine *m, GError **error)
{
    const DnConfigNode *node = m->default_mechanism;
    if (node == NULL)
        return TRUE;
    if (!dn_config_expect(node, DN_CONFIG_MAP, error))
        return FALSE;
    g_autoptr(DnParams) p = dn_params_read(node, dn_default_mechanism_keys, annotations, error);
    if (p == NULL)
        return FALSE;
    for (const DnParamSpec *key = dn_default_mechanism_keys; key->key != NULL; key++) {
        const DnConfigNode *name = dn_config_get(node, key->key);
        if (name == NULL)
            continue;
        if (m->mechanisms != NULL && dn_config_get(m->mechanisms, name->scalar) != NULL)
            continue;
        dn_config_error(name, DN_ERROR_UNKNOWN, error,
                        "default_mechanism: '%s' is none of the machine's `mechanisms:`",
                        name->scalar);
        return FALSE;
    }
    return TRUE;
}

static gboolean read_plan(Plan *plan, guint32 partial, GError **error)
{
    DnMachine *m = plan->machine;
    if (!dn_config_expect(m->config, DN_CONFIG_MAP, error) ||
        (plan->top = dn_params_read(m->config, dn_machine_keys, annotations, error)) == NULL)
        return FALSE;
    m->description = g_strdup(
        dn_params_has(plan->top, "description") ? dn_params_string(plan->top, "description") : "");
    plan->fabric_node = dn_params_node(plan->top, "fabric");
    m->mechanisms = dn_params_node(plan->top, "mechanisms");
    m->default_mechanism = dn_params_node(plan->top, "default_mechanism");
    if (!check_default_mechanism(m, error))
        return FALSE;
    m->routing = dn_params_node(plan->top, "routing");
    if (m->routing != NULL)
        dn_config_consume(m->routing); /* a run that names another does not read it */
    if (plan->fabric_node != NULL && !dn_config_expect(plan->fabric_node, DN_CONFIG_MAP, error))
        return FALSE;
    return read_fabric(plan, error) && read_node(plan, error) &&
           (plan->fabric_node == NULL || read_attach(plan, error)) &&
           count_nodes(plan, partial, error) &&
           read_latency(dn_params_node(plan->top, "nic"), &plan->nic_latency_ps, error) &&
           dn_hardware_read(dn_params_node(plan->top, "hardware"), &m->hardware, error);
}

/* What the kernel says new work can have, bytes; 0: unknown. */
static guint64 available_memory(void)
{
    g_autofree char *text = NULL;
    if (!g_file_get_contents("/proc/meminfo", &text, NULL, NULL))
        return 0;
    const char *line = strstr(text, "MemAvailable:");
    return line == NULL ? 0 : g_ascii_strtoull(line + strlen("MemAvailable:"), NULL, 10) * 1024;
}

/* Where to point when a machine is too large: what made it so. */
static const DnConfigNode *size_node(const Plan *plan)
{
    const DnConfigNode *nodes = dn_params_node(plan->top, "nodes");
    return nodes != NULL               ? nodes
           : plan->fabric_node != NULL ? plan->fabric_node
                                       : plan->machine->config;
}

static gboolean count_graph(const Plan *plan, DnGraphSize *size, GError **error)
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
    };
    guint64 needed = dn_graph_memory_bytes(size), available = available_memory();
    if (available == 0 || needed <= available)
        return TRUE;
    char need_text[DN_UNIT_BUF], have_text[DN_UNIT_BUF];
    dn_config_error(size_node(plan), DN_ERROR_MEMORY, error,
                    "the machine needs %s and %s are free; a part of it: nodes: n",
                    dn_format_bytes((gint64)needed, need_text),
                    dn_format_bytes((gint64)available, have_text));
    return FALSE;
}

/* Fabric classes first, then the node's, from id @node_first on. FALSE + error where a name of the
 * node's is the fabric's too. */
static gboolean add_classes(const Plan *plan, DnGraphBuilder *b, guint32 *node_first,
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

/* Terminal of NIC @nic of node @n; the rule is in the head of this file. */
static guint32 terminal_of(const Plan *plan, guint32 n, guint32 nic)
{
    guint32 share = plan->nics / plan->switches_per_node; /* NICs of a node on one switch */
    guint32 group = n / plan->group_nodes, in_group = n % plan->group_nodes;
    guint32 block = in_group / plan->block_nodes, in_block = in_group % plan->block_nodes;
    guint32 at = block * plan->switches_per_node + nic / share;
    return group * plan->group_terminals + at * plan->switch_terminals + in_block * share +
           nic % share;
}

static void add_bare_node(const Plan *plan, DnGraphBuilder *b, guint32 n)
{
    guint32 v = plan->fabric.switches + n;
    DnVertex *vertex = dn_graph_vertex(b, v);
    vertex->kind = DN_VERTEX_NIC;
    vertex->transit = 0;
    vertex->latency_ps = plan->nic_latency_ps;
    dn_graph_set_endpoint(b, v, n);
}

static void add_node(const Plan *plan, DnGraphBuilder *b, guint32 n, guint32 first_class)
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

static void add_uplinks(const Plan *plan, DnGraphBuilder *b, guint32 n, guint32 terminal_class)
{
    const DnMachine *m = plan->machine;
    guint32 members = plan->node != NULL ? plan->node->vertices->len : 1;
    for (guint32 nic = 0; nic < plan->nics; nic++) {
        guint32 local = plan->node != NULL ? g_array_index(plan->node->nics, guint32, nic) : 0;
        guint32 at = m->type->terminal_switch(m->params, terminal_of(plan, n, nic));
        dn_graph_add_cable(b, plan->fabric.switches + n * members + local, at, terminal_class, 1);
    }
}

static gboolean machine_build(const Plan *plan, GError **error)
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
    g_autoptr(DnMachine) machine = g_new0(DnMachine, 1);
    machine->config = load_tree(node, &machine->name, error);
    if (machine->config == NULL)
        return NULL;
    g_auto(Plan) plan = {.machine = machine, .asked = node};
    machine->provenance = dn_provenance_collect(machine->config);
    if (!read_plan(&plan, nodes, error) || !machine_build(&plan, error))
        return NULL;
    machine->nics_per_node = plan.nics;
    machine->gpus_per_node = count_gpus(machine->graph);
    return g_steal_pointer(&machine);
}
