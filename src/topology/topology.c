/* topology.c - a fabric type by its name. */
#include "topology/topology.h"

const DnTopologyType *dn_topology_find(const char *name)
{
    for (const DnTopologyType *const *type = dn_topology_types; *type != NULL; type++)
        if (g_str_equal((*type)->name, name))
            return *type;
    return NULL;
}
