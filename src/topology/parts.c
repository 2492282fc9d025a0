/* parts.c - see parts.h. */
#include "topology/parts.h"

#include <math.h>
#include <string.h>

#define MOST 1e9 /* of a price or power: what is more is a mistake */

const DnParamSpec dn_parts_keys[] = {
    {"currency", DN_PARAM_STRING, "USD", 0, 0, NULL, "of all prices"},
    {"switch", DN_PARAM_NODE, "", 0, 0, NULL, "a switch of the fabric"},
    {"nic", DN_PARAM_NODE, "", 0, 0, NULL, "a NIC"},
    {"copper", DN_PARAM_NODE, "", 0, 0, NULL, "a copper cable"},
    {"optics", DN_PARAM_NODE, "", 0, 0, NULL, "an optical cable with its transceivers"},
    {"reach", DN_PARAM_LENGTH, "3 m", 0, 1e3, NULL, "longest copper cable"},
    {"lengths", DN_PARAM_NODE, "", 0, 0, NULL, "of the cables of each link class of the fabric"},
    {0},
};

const DnParamSpec dn_part_keys[] = {
    {"price", DN_PARAM_REAL, "0", 0, MOST, NULL, "of one"},
    {"price_per_m", DN_PARAM_REAL, "0", 0, MOST, NULL, "more for each m of a cable"},
    {"power", DN_PARAM_REAL, "0", 0, MOST, NULL, "W of one"},
    {"ports", DN_PARAM_INT, "0", 0, 1 << 16, NULL, "of a switch; 0: unused ones are not counted"},
    {0},
};

static const char *const annotations[] = {"source", "assumed", NULL};

static gboolean read_part(const DnParams *params, const char *key, DnPart *part, GError **error)
{
    g_autoptr(DnParams)
        p = dn_params_read(dn_params_node(params, key), dn_part_keys, annotations, error);
    if (p == NULL)
        return FALSE;
    part->price = dn_params_real(p, "price");
    part->price_per_m = dn_params_real(p, "price_per_m");
    part->power_w = dn_params_real(p, "power");
    part->ports = (guint32)dn_params_int(p, "ports");
    return TRUE;
}

static gboolean parse_length(const DnConfigNode *node, double *length_m, GError **error)
{
    static const DnParamSpec LENGTH = {"lengths", DN_PARAM_LENGTH, NULL, 0, 1e6, NULL, ""};
    return dn_param_parse(node, &LENGTH, NULL, length_m, error);
}

static gboolean check_lengths(const DnConfigNode *lengths, GError **error)
{
    double length_m = 0.0;
    if (lengths == NULL)
        return TRUE;
    if (!dn_config_expect(lengths, DN_CONFIG_MAP, error))
        return FALSE;
    dn_config_consume(lengths);
    for (guint i = 0; i < lengths->children->len; i++)
        if (!g_strv_contains(annotations, lengths->keys->pdata[i]) &&
            !parse_length(lengths->children->pdata[i], &length_m, error))
            return FALSE;
    return TRUE;
}

DnParts *dn_parts_read(const DnConfigNode *node, GError **error)
{
    g_autoptr(DnParts) parts = g_new0(DnParts, 1);
    g_autoptr(DnParams) p = dn_params_read(node, dn_parts_keys, annotations, error);
    if (p == NULL)
        return NULL;
    parts->currency = g_strdup(dn_params_string(p, "currency"));
    parts->copper_reach_m = dn_params_real(p, "reach");
    parts->lengths = dn_params_node(p, "lengths");
    if (!read_part(p, "switch", &parts->switch_, error) ||
        !read_part(p, "nic", &parts->nic, error) ||
        !read_part(p, "copper", &parts->copper, error) ||
        !read_part(p, "optics", &parts->optics, error) || !check_lengths(parts->lengths, error))
        return NULL;
    return g_steal_pointer(&parts);
}

void dn_parts_free(DnParts *parts)
{
    if (parts == NULL)
        return;
    g_free(parts->currency);
    g_free(parts);
}

/* NAN: the class is not listed. */
static double length_of(const DnParts *parts, const char *link_class)
{
    double length_m = NAN;
    const DnConfigNode *node = parts->lengths != NULL ? dn_config_get(parts->lengths, link_class)
                                                      : NULL;
    if (node == NULL || !parse_length(node, &length_m, NULL))
        return NAN;
    return length_m;
}

/* Counts the cables of a class in the fabric: one end is a switch. */
static guint64 count_cables(const DnGraph *graph, guint32 link_class)
{
    guint64 n = 0;
    for (guint32 l = 0; l < graph->size.links; l += 2) {
        const DnLink *link = &graph->links[l];
        gboolean fabric = graph->vertices[link->src].kind == DN_VERTEX_SWITCH ||
                          graph->vertices[link->dst].kind == DN_VERTEX_SWITCH;
        n += fabric && link->link_class == link_class ? link->width : 0;
    }
    return n;
}

static guint64 count_unused_ports(const DnGraph *graph, guint32 ports)
{
    guint64 unused = 0;
    for (guint32 s = 0; s < graph->size.switches; s++) {
        guint32 used = 0;
        for (guint32 p = graph->port_first[s]; p < graph->port_first[s + 1]; p++)
            used += graph->links[graph->ports[p]].width;
        unused += used < ports ? ports - used : 0;
    }
    return unused;
}

DnFabricCost dn_fabric_cost(const DnMachine *machine)
{
    const DnGraph *graph = machine->graph;
    const DnParts *parts = machine->parts;
    DnFabricCost cost = {.cables = g_array_new(FALSE, FALSE, sizeof(DnCableCount))};
    cost.price = graph->size.switches * parts->switch_.price +
                 graph->size.terminals * parts->nic.price;
    cost.power_w = graph->size.switches * parts->switch_.power_w +
                   graph->size.terminals * parts->nic.power_w;
    cost.unused_ports = count_unused_ports(graph, parts->switch_.ports);
    for (guint32 c = 0; c < graph->n_classes; c++) {
        DnCableCount row = {.link_class = graph->classes[c].name,
                            .cables = count_cables(graph, c),
                            .length_m = length_of(parts, graph->classes[c].name)};
        row.optical = row.length_m > parts->copper_reach_m;
        const DnPart *cable = row.optical ? &parts->optics : &parts->copper;
        if (row.cables == 0)
            continue;
        g_array_append_val(cost.cables, row);
        if (isnan(row.length_m))
            continue;
        cost.price += (double)row.cables * (cable->price + cable->price_per_m * row.length_m);
        cost.power_w += (double)row.cables * cable->power_w;
    }
    return cost;
}

void dn_fabric_cost_clear(DnFabricCost *cost)
{
    g_clear_pointer(&cost->cables, g_array_unref);
}
