/* switch_twins_test.c - tables made by classes of twins against distances by definition. */
#include "routing/switch_twins.h"

#include "routing/group_table.h"
#include "routing/test_machine.h"

/* Hops from every switch to @to, one more round of all links at a time. */
static void find_distances(const DnGraph *g, guint32 to, guint *distance)
{
    for (guint32 s = 0; s < g->size.switches; s++)
        distance[s] = s == to ? 0 : G_MAXUINT16;
    for (guint round = 0; round < g->size.switches; round++)
        for (guint32 l = 0; l < g->size.links; l++)
            if (g->links[l].src < g->size.switches && g->links[l].dst < g->size.switches)
                distance[g->links[l].src] =
                    MIN(distance[g->links[l].src], distance[g->links[l].dst] + 1);
}

static guint check_target(const DnGraph *g, const DnGroupTable *t, guint32 to)
{
    g_autofree guint *distance = g_new(guint, g->size.switches);
    guint farthest = 0;
    find_distances(g, to, distance);
    for (guint32 s = 0; s < g->size.switches; s++) {
        DnPortSet set = t->toward_local[(gsize)s * t->group_switches + t->local[to]];
        guint n = 0, found = 0;
        guint16 single;
        const guint16 *ports =
            set == DN_PORT_SET_EMPTY ? NULL : dn_port_set_list(t->sets, set, &n, &single);
        for (guint32 p = g->port_first[s]; p < g->port_first[s + 1]; p++) {
            guint32 peer = g->links[g->ports[p]].dst;
            if (peer >= g->size.switches || distance[peer] + 1 != distance[s])
                continue;
            g_assert_cmpuint(found, <, n);
            g_assert_cmpuint(ports[found], ==, p - g->port_first[s]);
            found++;
        }
        g_assert_cmpuint(found, ==, n);
        farthest = MAX(farthest, distance[s]);
    }
    return farthest;
}

/* All ports one hop closer, in order, of a @type of @size, whose switches are of @classes. */
static void check_table(const char *type, const char *size, guint32 classes)
{
    DnMachine *m = test_machine_new(type, size, 0);
    const DnGraph *g = m->graph;
    g_autofree guint32 *all = g_new(guint32, g->size.switches);
    DnNeighbours neighbours;
    DnSwitchTwins twins;
    for (guint32 s = 0; s < g->size.switches; s++)
        all[s] = s;
    dn_neighbours_init(&neighbours, g, TRUE);
    dn_switch_twins_init(&twins, &neighbours, all, g->size.switches, g->size.switches);
    g_assert_cmpuint(twins.n, ==, classes);
    dn_switch_twins_clear(&twins);
    dn_neighbours_clear(&neighbours);
    GError *error = NULL;
    DnGroupTable *t = dn_group_table_new(g, 0, &error);
    guint farthest = 0;
    g_assert_no_error(error);
    for (guint32 to = 0; to < g->size.switches; to++)
        farthest = MAX(farthest, check_target(g, t, to));
    g_assert_cmpuint(t->inner_hops, ==, farthest);
    dn_group_table_free(t);
    test_machine_free(m);
}

static void test_trees(void)
{
    check_table("fat_tree", "{levels: 2, down: [4, 4], up: [4]}", 2);
    check_table("fat_tree", "{levels: 2, down: [4, 4], up: [2], parallel_links: [2]}", 2);
    check_table("fat_tree", "{levels: 3, down: [3, 3, 6], up: [3, 3]}", 6 + 18 + 3);
    check_table("fat_tree", "{levels: 3, down: [2, 4, 3], up: [2, 2]}", 3 + 6 + 2);
}

/* No two switches of a full HyperX have the same neighbours. */
static void test_lattice(void)
{
    check_table("hyperx", "{dims: [3, 4], terminals_per_switch: 1}", 12);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/switch-twins/trees", test_trees);
    g_test_add_func("/switch-twins/lattice", test_lattice);
    return g_test_run();
}
