/* topology.c - a fabric type by its name. */
#include "topology/topology.h"
#include "base/registry.h"

const DnTopologyType *dn_topology_find(const char *name)
{
    return dn_registry_find(dn_topology_types, name);
}
