/* machine_test.h - Machines read from YAML text, for the tests of the loader. */
#pragma once
#include <string.h>

#include <glib/gstdio.h>
#include "topology/machine.h"

static inline DnMachine *load_text(const char *text, guint32 nodes, GError **error)
{
    g_autoptr(DnConfigNode) node = dn_config_parse(text, "run.yaml", error);
    return node != NULL ? dn_machine_load(node, nodes, error) : NULL;
}

#define LINK_KEYS "bandwidth: 100 Gb/s, latency: 10 ns, buffer: 16 KiB"
#define LINK "{" LINK_KEYS "}"
#define MESH_LINKS "links: {terminal: " LINK ", link: " LINK "}"
/* 4 switches of 8 terminals */
#define MESH "fabric: {type: full_mesh, switches: 4, terminals_per_switch: 8, " MESH_LINKS "}\n"
#define NODE_LINKS "  links: {bus: " LINK "}\n"
#define NODE                                                                                       \
    "node:\n"                                                                                      \
    "  vertices: [{name: gpu, kind: gpu, count: 4}, {name: nic, kind: nic, count: "                \
    "4}]\n" NODE_LINKS                                                                             \
    "  edges: [{pairwise: [gpu, nic], class: bus}, {all_to_all: gpu, class: bus, count: 3}]\n"     \
    "  nics: [{nic: nic0, serves: [gpu0]}, {nic: nic1, serves: [gpu1]},\n"                         \
    "         {nic: nic2, serves: [gpu2]}, {nic: nic3, serves: [gpu3]}]\n"
