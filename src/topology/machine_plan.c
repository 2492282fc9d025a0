/* machine_plan.c - A machine's YAML is read and checked: fabric, node, their attachment, counts.
 * Keys: topologies/README.md. */
#include "topology/parts.h"
#include "topology/machine_plan.h"
#include "base/registry.h"

#include <string.h>

#define MAX_NODES 0x7fffffff

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
    {"cores", DN_PARAM_INT, "1", 1, DN_MOST_NODE_VERTICES, NULL,
     "of each CPU, where ranks live on CPUs: one rank on each core"},
    {"nic", DN_PARAM_NODE, "", 0, 0, NULL, "{latency} of the NICs of a bare fabric"},
    {"hardware", DN_PARAM_NODE, "", 0, 0, NULL,
     "switches and NICs: what engines need besides the graph"},
    {"parts", DN_PARAM_NODE, "", 0, 0, NULL, "prices and power of switches, NICs and cables"},
    {"routing", DN_PARAM_NODE, "", 0, 0, NULL, "of runs that name none"},
    {"mechanisms", DN_PARAM_NODE, "", 0, 0, NULL, "named sets of endpoint costs"},
    {"default_mechanism", DN_PARAM_NODE, "", 0, 0, NULL,
     "which of them traces and collectives have that name none: of MPI by where the ranks are, of "
     "NCCL's algorithms ccl and ccl_group"},
    {"no_mechanism", DN_PARAM_NODE, "", 0, 0, NULL, "why it has none of a library"},
    {"nccl", DN_PARAM_NODE, "", 0, 0, NULL, "what libraries nccl and rccl find on it"},
    {"mpi", DN_PARAM_NODE, "", 0, 0, NULL,
     "its MPI, of collectives and traces that name no library"},
    {0},
};

const DnParamSpec dn_attach_keys[] = {
    {"switches_per_node", DN_PARAM_INT, "1", 1, 1024, NULL, "switches that share a node's NICs"},
    {"nodes_per_blade", DN_PARAM_INT, "1", 1, 1024, NULL,
     "nodes with consecutive numbers, each on switches of its own"},
    {"nodes_per_group", DN_PARAM_INT, "", 1, MAX_NODES, NULL, "default: as many as fit"},
    {"other_groups", DN_PARAM_NODE, "", 0, 0, NULL,
     "groups with another number of nodes, {23: 126}: the last of 24 has 126"},
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
    {"failures", DN_PARAM_NODE, "", 0, 0, NULL, "links and switches that are out"},
    {0},
};

void dn_machine_plan_clear(DnMachinePlan *plan)
{
    dn_params_free(plan->top);
    if (plan->classes != NULL)
        g_array_unref(plan->classes);
    dn_node_graph_free(plan->node);
    g_free(plan->group_first);
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
    g_autofree char *unknown = dn_registry_unknown(dn_topology_types, at->scalar);
    dn_config_error(at, DN_ERROR_UNKNOWN, error, "unknown fabric type %s", unknown);
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
        g_autofree char *unknown = dn_unknown(name, wanted, "known");
        dn_config_error(links->key_nodes->pdata[i], DN_ERROR_UNKNOWN, error,
                        "unknown link class %s", unknown);
        return FALSE;
    }
    return TRUE;
}

/* `links:` of the fabric: each class that the type needs with these parameters; the others of the
 * type may stand there too. */
static gboolean read_fabric_links(DnMachinePlan *plan, const DnConfigNode *links, GError **error)
{
    const DnTopologyType *type = plan->machine->type;
    const char *const *wanted = type->link_classes;
    guint used = type->classes_used != NULL ? type->classes_used(plan->machine->params)
                                            : g_strv_length((char **)wanted);
    plan->classes = g_array_new(FALSE, TRUE, sizeof(DnLinkClass));
    if (!dn_config_expect(links, DN_CONFIG_MAP, error))
        return FALSE;
    g_assert(g_strv_length((char **)wanted) <= DN_MACHINE_MAX_CLASSES);
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

static gboolean read_fabric(DnMachinePlan *plan, GError **error)
{
    static const char *const others[] = {"type",   "links",   "switch", "failures",
                                         "source", "assumed", NULL};
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

static gboolean read_cores(DnMachinePlan *plan, GError **error)
{
    guint32 cores = (guint32)dn_params_int(plan->top, "cores");
    const DnConfigNode *at = dn_params_node(plan->top, "cores");
    return cores == 1 || dn_node_graph_add_cores(plan->node, cores, at, error);
}

static gboolean read_node(DnMachinePlan *plan, GError **error)
{
    const DnConfigNode *node = dn_params_node(plan->top, "node");
    DnEndpoints endpoints = (DnEndpoints)dn_params_int(plan->top, "endpoints");
    plan->nics = 1;
    if (node != NULL) {
        plan->node = dn_node_graph_read(node, endpoints, plan->fabric_node != NULL, error);
        if (plan->node == NULL || !read_cores(plan, error))
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
        return read_cores(plan, error);
    dn_params_error(plan->top, "endpoints", DN_ERROR_RANGE, error,
                    "a fabric without node: has NICs only; allowed: nic");
    return FALSE;
}

/* Terminals of the first switch that has any: all have as many (topology.h). */
static guint32 terminals_of_a_switch(const DnMachinePlan *plan)
{
    const DnMachine *m = plan->machine;
    guint32 n = 1, first = m->type->terminal_switch(m->params, 0);
    while (n < plan->fabric.terminals && m->type->terminal_switch(m->params, n) == first)
        n++;
    return n;
}

static gboolean too_many_nodes(const DnConfigNode *at, guint64 fit, GError **error)
{
    dn_config_error(at, DN_ERROR_RANGE, error, "a group takes at most %" G_GUINT64_FORMAT " nodes",
                    fit);
    return FALSE;
}

/* `other_groups:`, group: nodes, into @nodes. */
static gboolean read_other_groups(const DnMachinePlan *plan, const DnConfigNode *map, guint64 fit,
                                  guint32 *nodes, GError **error)
{
    static const DnParamSpec count = {"other_groups", DN_PARAM_INT, NULL, 0, MAX_NODES, NULL, NULL};
    if (map == NULL)
        return TRUE;
    if (!dn_config_expect(map, DN_CONFIG_MAP, error))
        return FALSE;
    dn_config_consume(map);
    for (guint i = 0; i < map->children->len; i++) {
        const char *name = map->keys->pdata[i];
        const DnConfigNode *value = map->children->pdata[i];
        guint64 group;
        gint64 n;
        double unused;
        if (g_strv_contains(annotations, name))
            continue;
        if (!g_ascii_string_to_unsigned(name, 10, 0, plan->fabric.groups - 1, &group, NULL)) {
            dn_config_error(map->key_nodes->pdata[i], DN_ERROR_RANGE, error,
                            "'%s' is no group; groups are 0 to %u", name, plan->fabric.groups - 1);
            return FALSE;
        }
        if (!dn_param_parse(value, &count, &n, &unused, error))
            return FALSE;
        if ((guint64)n > fit)
            return too_many_nodes(value, fit, error);
        nodes[group] = (guint32)n;
    }
    return TRUE;
}

/* Reads the number of nodes of each group, of at most @fit. */
static gboolean read_groups(DnMachinePlan *plan, const DnParams *attach, guint64 fit,
                            GError **error)
{
    guint32 groups = plan->fabric.groups;
    gboolean has = dn_params_has(attach, "nodes_per_group");
    guint64 each = has ? (guint64)dn_params_int(attach, "nodes_per_group") : fit;
    if (each > fit)
        return too_many_nodes(dn_params_node(attach, "nodes_per_group"), fit, error);
    g_autofree guint32 *nodes = g_new(guint32, groups + 1);
    for (guint32 i = 0; i < groups; i++)
        nodes[i] = (guint32)each;
    if (!read_other_groups(plan, dn_params_node(attach, "other_groups"), fit, nodes, error))
        return FALSE;
    plan->group_first = g_new0(guint32, groups + 1);
    for (guint32 i = 0; i < groups; i++)
        plan->group_first[i + 1] = plan->group_first[i] + nodes[i];
    return TRUE;
}

static gboolean read_attach(DnMachinePlan *plan, GError **error)
{
    const DnConfigNode *node = dn_params_node(plan->top, "attach");
    g_autoptr(DnParams) p = NULL;
    if (plan->fabric_node == NULL && node != NULL)
        dn_config_error(node, DN_ERROR_COMBINATION, error,
                        "attach: how nodes sit on switches, but there is no fabric:");
    if (plan->fabric_node == NULL)
        return node == NULL;
    if ((node != NULL && !dn_config_expect(node, DN_CONFIG_MAP, error)) ||
        (p = dn_params_read(node, dn_attach_keys, annotations, error)) == NULL)
        return FALSE;
    guint32 s = (guint32)dn_params_int(p, "switches_per_node");
    guint32 b = (guint32)dn_params_int(p, "nodes_per_blade");
    const DnConfigNode *at = node != NULL ? node : plan->fabric_node;
    plan->switch_terminals = terminals_of_a_switch(plan);
    plan->group_terminals = plan->fabric.terminals / plan->fabric.groups;
    plan->switches_per_node = s;
    plan->blade_nodes = b;
    guint32 group_switches = plan->group_terminals / plan->switch_terminals;
    if (plan->nics % s != 0 || s > group_switches || plan->nics / s > plan->switch_terminals) {
        dn_config_error(at, DN_ERROR_RANGE, error,
                        "%u NICs of a node on %u switch(es): does not fit switches of %u "
                        "terminals, %u in a group; wanted: switches_per_node divides the NICs",
                        plan->nics, s, plan->switch_terminals, group_switches);
        return FALSE;
    }
    if (b > group_switches / s) {
        dn_params_error(p, "nodes_per_blade", DN_ERROR_RANGE, error,
                        "nodes_per_blade: %u nodes, each on %u switch(es) of its own; a group has "
                        "%u with terminals",
                        b, s, group_switches);
        return FALSE;
    }
    plan->block_nodes = plan->switch_terminals / (plan->nics / s) * b;
    guint64 fit = (guint64)(group_switches / (s * b)) * plan->block_nodes;
    return read_groups(plan, p, fit, error);
}

/* Nodes of the whole machine, then of this one. */
static gboolean count_nodes(DnMachinePlan *plan, guint32 partial, GError **error)
{
    DnMachine *m = plan->machine;
    guint64 free_ports = plan->fabric_node == NULL ? 1 : plan->group_first[plan->fabric.groups];
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
    {"gpu_reduce", DN_PARAM_STRING, "", 0, 0, NULL,
     "of MPI's reductions on GPUs whose buffer is copied before and after; default: gpu"},
    {"gpu_alltoall", DN_PARAM_STRING, "", 0, 0, NULL, "of MPI's alltoalls on GPUs; default: gpu"},
    {"ccl", DN_PARAM_STRING, "", 0, 0, NULL, "of NCCL's rings and trees, by channel"},
    {"ccl_group", DN_PARAM_STRING, "", 0, 0, NULL,
     "of NCCL's grouped sends and receives; default: ccl"},
    {"ccl_p2p", DN_PARAM_STRING, "", 0, 0, NULL,
     "of ncclSend and ncclRecv, each a call of its own; default: ccl_group"},
    {0},
};

const DnParamSpec dn_no_mechanism_keys[] = {
    {"host", DN_PARAM_STRING, "", 0, 0, NULL, "why none of MPI whose ranks live on CPUs"},
    {"gpu", DN_PARAM_STRING, "", 0, 0, NULL, "why none of MPI whose ranks live on GPUs"},
    {"ccl", DN_PARAM_STRING, "", 0, 0, NULL, "why none of NCCL and RCCL"},
    {0},
};

char *dn_machine_lack_text(const DnMachine *machine, const char *library)
{
    const char *key = g_str_has_prefix(library, "ccl") ? "ccl" : library;
    const DnConfigNode *why =
        machine->no_mechanism != NULL ? dn_config_get(machine->no_mechanism, key) : NULL;
    return g_strdup_printf("machine %s has no default_mechanism for %s%s%s%s; name one by "
                           "`mechanism`",
                           machine->name, library, why != NULL ? " (" : "",
                           why != NULL ? why->scalar : "", why != NULL ? ")" : "");
}

/* A default that another file adds takes the place of a reason. */
static gboolean check_no_mechanism(const DnMachine *m, GError **error)
{
    if (m->no_mechanism == NULL)
        return TRUE;
    g_autoptr(DnParams) p = NULL;
    if (dn_config_expect(m->no_mechanism, DN_CONFIG_MAP, error))
        p = dn_params_read(m->no_mechanism, dn_no_mechanism_keys, annotations, error);
    return p != NULL;
}

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

static gboolean has_key(const DnParamSpec *keys, const char *key)
{
    while (keys->key != NULL && strcmp(keys->key, key) != 0)
        keys++;
    return keys->key != NULL;
}

/* FALSE + error at a key of one of the machine's mappings that stands beside them. */
static gboolean check_level(const DnConfigNode *map, GError **error)
{
    static const DnParamSpec routing_keys[] = {{.key = "algorithm"}, {0}};
    static const struct {
        const DnParamSpec *keys;
        const char *name;
    } parts[] = {{dn_hardware_keys, "hardware"},
                 {dn_fabric_common_keys, "fabric"},
                 {dn_node_keys, "node"},
                 {dn_attach_keys, "attach"},
                 {routing_keys, "routing"}};
    for (guint k = 0; k < map->keys->len; k++)
        for (guint i = 0; i < G_N_ELEMENTS(parts); i++) {
            const char *key = map->keys->pdata[k];
            if (g_strv_contains(annotations, key) || has_key(dn_machine_keys, key) ||
                !has_key(parts[i].keys, key))
                continue;
            dn_config_error(map->key_nodes->pdata[k], DN_ERROR_UNKNOWN, error,
                            "unknown key '%s' here; it is a key of the machine's `%s:`", key,
                            parts[i].name);
            return FALSE;
        }
    return TRUE;
}

/* Lets the rails of processors be the machine's where they are its endpoints. */
static gboolean choose_rails(DnMachinePlan *plan)
{
    const DnNodeGraph *node = plan->node;
    for (guint32 v = 0; node != NULL && v < node->vertices->len; v++) {
        const DnNodeVertex *vertex = &g_array_index(node->vertices, DnNodeVertex, v);
        if (vertex->endpoint && vertex->kind == DN_VERTEX_CPU)
            plan->machine->hardware.rails = plan->machine->hardware.host_rails;
    }
    return TRUE;
}

gboolean dn_machine_plan_read(DnMachinePlan *plan, guint32 partial, GError **error)
{
    DnMachine *m = plan->machine;
    if (!dn_config_expect(m->config, DN_CONFIG_MAP, error) || !check_level(m->config, error) ||
        (plan->top = dn_params_read(m->config, dn_machine_keys, annotations, error)) == NULL)
        return FALSE;
    m->description = g_strdup(
        dn_params_has(plan->top, "description") ? dn_params_string(plan->top, "description") : "");
    plan->fabric_node = dn_params_node(plan->top, "fabric");
    m->mechanisms = dn_params_node(plan->top, "mechanisms");
    m->default_mechanism = dn_params_node(plan->top, "default_mechanism");
    m->no_mechanism = dn_params_node(plan->top, "no_mechanism");
    if (!check_default_mechanism(m, error) || !check_no_mechanism(m, error))
        return FALSE;
    m->nccl = dn_params_node(plan->top, "nccl");
    if (m->nccl != NULL)
        dn_config_consume(m->nccl); /* its readers are those runs that use a library */
    m->mpi = dn_params_node(plan->top, "mpi");
    if (m->mpi != NULL)
        dn_config_consume(m->mpi); /* likewise */
    const DnConfigNode *parts = dn_params_node(plan->top, "parts");
    if (parts != NULL && (m->parts = dn_parts_read(parts, error)) == NULL)
        return FALSE;
    m->routing = dn_params_node(plan->top, "routing");
    if (m->routing != NULL)
        dn_config_consume(m->routing); /* a run that names another does not read it */
    if (plan->fabric_node != NULL && !dn_config_expect(plan->fabric_node, DN_CONFIG_MAP, error))
        return FALSE;
    return read_fabric(plan, error) && read_node(plan, error) && read_attach(plan, error) &&
           count_nodes(plan, partial, error) &&
           read_latency(dn_params_node(plan->top, "nic"), &plan->nic_latency_ps, error) &&
           dn_hardware_read(dn_params_node(plan->top, "hardware"), &m->hardware, error) &&
           choose_rails(plan) &&
           (plan->fabric_node == NULL ||
            dn_hardware_check_buffers(&m->hardware, dn_params_node(plan->top, "hardware"),
                                      plan->fabric_node, plan->classes, error)) &&
           (plan->node == NULL ||
            dn_hardware_check_buffers(&m->hardware, dn_params_node(plan->top, "hardware"),
                                      dn_params_node(plan->top, "node"), plan->node->classes,
                                      error));
}
