/* fabric.c - counts, parallel links and global links shared by the fabric types (fabric.h). */
#include "topology/fabric.h"

const char *const dn_parallel_choices[] = {"separate", "bundled", NULL};
const char *const dn_arrangement_choices[] = {"absolute", "relative", "circulant", NULL};

guint64 dn_count_mul(guint64 a, guint64 b)
{
    guint64 product;
    return g_uint64_checked_mul(&product, a, b) ? product : G_MAXUINT64;
}

gboolean dn_fabric_size_set(const DnParams *params, const char *key, guint64 switches,
                            guint64 terminals, guint64 cables, guint64 groups, DnFabricSize *size,
                            GError **error)
{
    if (switches > DN_MAX_SWITCHES || terminals > DN_MAX_TERMINALS || cables > DN_MAX_CABLES) {
        dn_params_error(params, key, DN_ERROR_RANGE, error,
                        "the fabric is too large; at most %u switches, %u terminals, %u cables",
                        DN_MAX_SWITCHES, DN_MAX_TERMINALS, DN_MAX_CABLES);
        return FALSE;
    }
    *size = (DnFabricSize){.switches = (guint32)switches,
                           .terminals = (guint32)terminals,
                           .cables = (guint32)cables,
                           .groups = (guint32)groups,
                           .group_switches = (guint32)(switches / groups),
                           .planes = 1};
    return TRUE;
}

void dn_add_parallel(DnGraphBuilder *graph, guint32 a, guint32 b, guint32 link_class, guint32 n,
                     DnParallel parallel)
{
    if (parallel == DN_PARALLEL_BUNDLED) {
        dn_graph_add_cable(graph, a, b, link_class, n);
        return;
    }
    for (guint32 i = 0; i < n; i++)
        dn_graph_add_cable(graph, a, b, link_class, 1);
}

gboolean dn_global_links_fit(DnGlobalLinks *links, guint32 ports, guint32 wanted,
                             const DnParams *params, const char *copies_key, const char *groups_key,
                             GError **error)
{
    links->copies = 0;
    if (links->groups == 1) {
        if (wanted == 0)
            return TRUE;
        dn_params_error(params, copies_key, DN_ERROR_RANGE, error,
                        "%u links for each pair of groups, but there is one group; leave the key "
                        "out",
                        wanted);
        return FALSE;
    }
    guint64 free_ports = (guint64)links->carriers * ports, peers = links->groups - 1;
    if (free_ports < peers) {
        dn_params_error(params, groups_key, DN_ERROR_RANGE, error,
                        "%u groups, but a group has %u x %u global ports; at "
                        "most %" G_GUINT64_FORMAT " groups",
                        links->groups, links->carriers, ports, free_ports + 1);
        return FALSE;
    }
    if (wanted * peers > free_ports) {
        dn_params_error(params, copies_key, DN_ERROR_RANGE, error,
                        "%u links to each of %" G_GUINT64_FORMAT
                        " other groups exceed the group's %" G_GUINT64_FORMAT
                        " global ports; at most %" G_GUINT64_FORMAT,
                        wanted, peers, free_ports, free_ports / peers);
        return FALSE;
    }
    links->copies = wanted != 0 ? wanted : (guint32)MIN(free_ports / peers, G_MAXUINT32);
    return TRUE;
}

static guint32 global_peer(const DnGlobalLinks *links, guint32 group, guint32 port)
{
    guint32 g = links->groups, step = port / 2 + 1;
    switch (links->arrangement) {
    case DN_ARRANGE_ABSOLUTE:
        return port < group ? port : port + 1;
    case DN_ARRANGE_RELATIVE:
        return (group + port + 1) % g;
    case DN_ARRANGE_CIRCULANT:
        return port % 2 == 0 ? (group + step) % g : (group + g - step) % g;
    }
    g_assert_not_reached();
}

/* The logical port of @group that leads to @peer. */
static guint32 global_port(const DnGlobalLinks *links, guint32 group, guint32 peer)
{
    guint32 g = links->groups, ahead = (peer + g - group) % g;
    g_assert(ahead != 0);
    switch (links->arrangement) {
    case DN_ARRANGE_ABSOLUTE:
        return peer < group ? peer : peer - 1;
    case DN_ARRANGE_RELATIVE:
        return ahead - 1;
    case DN_ARRANGE_CIRCULANT:
        return ahead <= g / 2 ? 2 * (ahead - 1) : 2 * (g - ahead - 1) + 1;
    }
    g_assert_not_reached();
}

/* Slots of a group, N. */
static guint64 fabric_slots(const DnGlobalLinks *links)
{
    return (guint64)(links->groups - 1) * links->copies;
}

/* Switch in @group that holds copy @copy of the link to @peer. */
static guint32 global_switch(const DnGlobalLinks *links, guint32 group, guint32 peer, guint32 copy)
{
    guint64 slot = (guint64)copy * (links->groups - 1) + global_port(links, group, peer);
    guint32 carrier = (guint32)(slot * links->carriers / fabric_slots(links));
    return group * links->group_switches + links->first + carrier;
}

/* Links of copy @copy, @copy + 1, ... between @i and @j that join the same two switches. A switch
 * index never falls as the copy grows, so equal pairs stand side by side. */
static guint32 run_length(const DnGlobalLinks *links, guint32 i, guint32 j, guint32 copy)
{
    guint32 src = global_switch(links, i, j, copy), dst = global_switch(links, j, i, copy);
    guint32 n = 1;
    while (copy + n < links->copies && global_switch(links, i, j, copy + n) == src &&
           global_switch(links, j, i, copy + n) == dst)
        n++;
    return n;
}

const char *const dn_global_link_classes[] = {"terminal", "local", "global", NULL};

guint dn_global_classes_used(const DnParams *params)
{
    return dn_params_int(params, "groups") == 1 ? 2 : 3;
}

guint64 dn_global_cables(const DnGlobalLinks *links)
{
    guint64 pairs = (guint64)links->groups * (links->groups - 1) / 2, cables = 0;
    if (links->parallel == DN_PARALLEL_SEPARATE)
        return dn_count_mul(pairs, links->copies);
    if (dn_count_mul(pairs, links->copies) > DN_MAX_CABLES)
        return G_MAXUINT64; /* too many to look at, and bundling would hardly help */
    for (guint32 i = 0; i < links->groups; i++)
        for (guint32 j = i + 1; j < links->groups; j++)
            for (guint32 c = 0; c < links->copies; c += run_length(links, i, j, c))
                cables++;
    return cables;
}

void dn_global_build(const DnGlobalLinks *links, DnGraphBuilder *graph, guint32 link_class)
{
    for (guint32 i = 0; i < links->groups; i++) {
        for (guint32 j = i + 1; j < links->groups; j++) {
            guint32 n = 1;
            for (guint32 c = 0; c < links->copies; c += n) {
                n = links->parallel == DN_PARALLEL_BUNDLED ? run_length(links, i, j, c) : 1;
                dn_graph_add_cable(graph, global_switch(links, i, j, c),
                                   global_switch(links, j, i, c), link_class, n);
            }
        }
    }
}

typedef struct {
    const DnGlobalLinks *links;
    DnLocalDistance local;
    const void *shape;
    guint32 target;
} Search;

static gboolean fabric_reach(const Search *search, guint32 from, guint hops);

/* TRUE when the target is within @hops of some far end of the global links of @carrier. */
static gboolean reach_by_carrier(const Search *search, guint32 group, guint32 carrier, guint hops)
{
    const DnGlobalLinks *links = search->links;
    guint64 n = fabric_slots(links), peers = links->groups - 1;
    /* Slots with floor(slot * carriers / n) == carrier. */
    guint64 slot = (carrier * n + links->carriers - 1) / links->carriers;
    guint64 end = ((carrier + 1) * n + links->carriers - 1) / links->carriers;
    for (; slot < end; slot++) {
        guint32 peer = global_peer(links, group, (guint32)(slot % peers));
        guint32 entry = global_switch(links, peer, group, (guint32)(slot / peers));
        if (fabric_reach(search, entry, hops))
            return TRUE;
    }
    return FALSE;
}

/* TRUE when the target is within @hops of @from. */
static gboolean fabric_reach(const Search *search, guint32 from, guint hops)
{
    const DnGlobalLinks *links = search->links;
    guint32 size = links->group_switches, group = from / size;
    if (group == search->target / size)
        return search->local(search->shape, from % size, search->target % size) <= hops;
    if (hops == 0)
        return FALSE;
    for (guint32 carrier = 0; carrier < links->carriers; carrier++) {
        guint d = search->local(search->shape, from % size, links->first + carrier);
        if (d + 1 <= hops && reach_by_carrier(search, group, carrier, hops - d - 1))
            return TRUE;
    }
    return FALSE;
}

guint dn_global_distance(const DnGlobalLinks *links, DnLocalDistance local, const void *shape,
                         guint32 a, guint32 b)
{
    Search search = {links, local, shape, b};
    guint hops = 0;
    while (!fabric_reach(&search, a, hops))
        hops++;
    return hops;
}
