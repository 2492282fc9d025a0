/* help_fabrics.c - Which routing algorithms serve which fabric, for `darner help routing`. */
#include "report/help_results.h"
#include "routing/routing.h"

static gboolean help_serves(const DnRoutingType *routing, const DnTopologyType *fabric)
{
    return routing->topologies == NULL || g_strv_contains(routing->topologies, fabric->name);
}

static char *serving_names(const DnTopologyType *fabric)
{
    GString *names = g_string_new(NULL);
    for (guint i = 0; dn_routing_types[i] != NULL; i++)
        if (fabric != NULL ? help_serves(dn_routing_types[i], fabric)
                           : dn_routing_types[i]->computed)
            g_string_append_printf(names, "%s%s", names->len > 0 ? ", " : "",
                                   dn_routing_types[i]->name);
    return g_string_free(names, FALSE);
}

void dn_help_fabrics(GString *out, gboolean markdown)
{
    if (markdown) /* the table of the algorithms stands there */
        return;
    g_string_append(out, "\nAlgorithms of each fabric, the default first:\n");
    for (guint i = 0; dn_topology_types[i] != NULL; i++) {
        g_autofree char *names = serving_names(dn_topology_types[i]);
        g_string_append_printf(out, "  %-16s %s\n", dn_topology_types[i]->name, names);
    }
    g_autofree char *names = serving_names(NULL);
    g_string_append_printf(out, "  %-16s %s\n", "with failures", names);
}
