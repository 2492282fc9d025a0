/* machine_test.c - shipped machines against published counts; the loader against bad input. */
#include "topology/machine_test.h"

static DnMachine *machine_load(const char *text)
{
    g_autoptr(GError) error = NULL;
    DnMachine *m = load_text(text, 0, &error);
    g_assert_no_error(error);
    return m;
}

static guint64 cables_of(const DnMachine *m, const char *class_name)
{
    guint64 n = 0;
    for (guint32 l = 0; l < m->graph->size.links; l += 2)
        if (g_str_equal(m->graph->classes[m->graph->links[l].link_class].name, class_name))
            n += m->graph->links[l].width;
    return n;
}

typedef struct {
    const char *name;
    guint32 switches, groups, nodes, gpus, nics, endpoints;
    guint64 local, global; /* physical links */
} Published;

/* Counts:
 * alps       24 groups of 32, 2688 nodes, 4 GPUs and NICs (CSCS); local 24*32*31/2 = 11904;
 *            global 276 pairs * 20 (assumed, as LUMI)
 * leonardo   23 groups of 18 + 18, 3456 nodes, 13824 GPUs (De Sensi et al., SC 2024); local
 *            23*18*18 = 7452; global 253 pairs * 18 (each spine one link to each of 22 groups)
 * lumi       24 groups of 32 with 124 nodes of 8 GCDs, one with 126; local as Alps; global 276
 *            pairs * 20 (276 TB/s both ways, LUMI documentation)
 * frontier   74 groups of 32, 9408 nodes; 75264 GCDs; local 74*496; global 2701 pairs * 4
 * tuolumne   1152 nodes of 4 APUs (CPU-free MPI paper); 9 groups; local 9*496; 36 pairs * 32
 * piz-daint  15 Aries groups of 96; local 15 * (6*C(16,2) + 16*C(6,2)*3) = 15 * (720 + 720);
 *            global 105 pairs * 68
 * cori       34 Aries groups, 12076 nodes, 6 cables of 4 links a pair (NERSC); local 34*1440;
 * global
 *            561 pairs * 24
 * fugaku-rack 384 nodes of four core memory groups and six network interfaces (RIKEN; Ajima et al.,
 *            2018)
 * dragonfly-1056: a=8 p=4 h=4 g=33: local 33*28, global 33*32/2 = 528
 * dragonfly-16512: a=16 p=8 h=8 g=129: local 129*120, global 129*128/2 = 8256 */
static const Published published[] = {
    {"alps", 768, 24, 2688, 4, 4, 10752, 11904, 5520},
    {"leonardo", 828, 23, 3456, 4, 4, 13824, 7452, 4554},
    {"lumi", 768, 24, 2978, 8, 4, 23824, 11904, 5520},
    {"frontier", 2368, 74, 9408, 8, 4, 75264, 36704, 10804},
    {"tuolumne", 288, 9, 1152, 4, 4, 4608, 4464, 1152},
    {"piz-daint", 1440, 15, 5704, 1, 1, 5704, 21600, 7140},
    {"cori", 3264, 34, 12076, 0, 1, 12076, 48960, 13464},
    {"apenet-4x2", 8, 1, 8, 1, 1, 8, 0, 0},
    {"apenet-ib8", 1, 1, 8, 1, 1, 8, 0, 0},
    {"apenet-ib12", 1, 1, 12, 2, 1, 24, 0, 0},
    {"dgx-a100-4", 1, 1, 4, 8, 8, 32, 0, 0},
    {"h200x4", 0, 1, 1, 4, 0, 4, 0, 0},
    {"fugaku-rack", 384, 1, 384, 0, 6, 1536, 0, 0},
    {"torus-4x4x4", 64, 1, 64, 0, 1, 64, 0, 0},
    {"dragonfly-1056", 264, 33, 1056, 0, 1, 1056, 924, 528},
    {"dragonfly-16512", 2064, 129, 16512, 0, 1, 16512, 15480, 8256},
};

static void test_published(gconstpointer data)
{
    const Published *p = data;
    gint64 start = g_get_monotonic_time();
    g_autoptr(DnMachine) m = machine_load(p->name);
    const DnGraphSize *s = &m->graph->size;
    g_test_message("%s: %" G_GINT64_FORMAT " us", p->name, g_get_monotonic_time() - start);
    g_assert_cmpstr(m->name, ==, p->name);
    g_assert_cmpuint(s->switches, ==, p->switches);
    g_assert_cmpuint(s->groups, ==, p->groups);
    g_assert_cmpuint(s->nodes, ==, p->nodes);
    g_assert_cmpuint(m->whole_nodes, ==, p->nodes);
    g_assert_cmpuint(m->gpus_per_node, ==, p->gpus);
    g_assert_cmpuint(m->nics_per_node, ==, p->nics);
    g_assert_cmpuint(s->terminals, ==, p->nodes * p->nics);
    g_assert_cmpuint(s->endpoints, ==, p->endpoints);
    g_assert_cmpuint(cables_of(m, "local"), ==, p->local);
    g_assert_cmpuint(cables_of(m, "global"), ==, p->global);
    g_assert_cmpuint(cables_of(m, "terminal"), ==, p->switches > 0 ? s->terminals : 0);
    g_assert_cmpuint(strlen(m->description), >, 10);
    for (guint32 e = 0; e < s->endpoints && p->switches > 0; e++)
        g_assert_cmpuint(m->graph->endpoint_terminal[e], !=, DN_NONE);
    for (guint32 e = 0; e < s->endpoints; e++)
        g_assert_cmpuint(dn_endpoint_vertex(m->graph, e), ==, m->graph->endpoints[e]);
}

/* A machine with GPUs has MPI between hosts and between GPUs and a library of collectives, or it
 * says why not. */
static void check_mechanisms(const DnMachine *m)
{
    for (const DnParamSpec *key = dn_no_mechanism_keys; key->key != NULL; key++) {
        gboolean has = m->default_mechanism != NULL &&
                       dn_config_get(m->default_mechanism, key->key) != NULL;
        gboolean why = m->no_mechanism != NULL && dn_config_get(m->no_mechanism, key->key) != NULL;
        if (m->gpus_per_node > 0 && has == why)
            g_error("%s: %s wants one of default_mechanism and no_mechanism", m->name, key->key);
    }
}

/* Each shipped machine stands in the table above, and accounts for each of its numbers. */
static void test_shipped(void)
{
    g_autofree char *folder = g_build_filename(g_getenv("DARNER_ROOT"), "topologies", NULL);
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    g_assert_nonnull(dir);
    guint n = 0;
    for (const char *file = g_dir_read_name(dir); file != NULL; file = g_dir_read_name(dir)) {
        if (!g_str_has_suffix(file, ".yaml"))
            continue;
        g_autofree char *name = g_strndup(file, strlen(file) - strlen(".yaml"));
        gboolean listed = FALSE;
        for (guint i = 0; i < G_N_ELEMENTS(published); i++)
            listed |= g_str_equal(published[i].name, name);
        g_assert_true(listed);
        g_autoptr(DnMachine) m = machine_load(name);
        check_mechanisms(m);
        g_assert_cmpuint(m->provenance->len, >, 10);
        for (guint i = 0; i < m->provenance->len; i++) {
            const DnProvenance *p = m->provenance->pdata[i];
            if ((p->source == NULL) == (p->assumed == NULL))
                g_error("%s:%u: %s = %s wants one of source and assumed", p->file, p->line, p->key,
                        p->text);
        }
        n++;
    }
    g_assert_cmpuint(n, ==, G_N_ELEMENTS(published));
}

static const DnProvenance *provenance_of(const DnMachine *m, const char *key)
{
    for (guint i = 0; i < m->provenance->len; i++)
        if (g_str_equal(((DnProvenance *)m->provenance->pdata[i])->key, key))
            return m->provenance->pdata[i];
    return NULL;
}

/* Own note, then the nearest mapping's, then the next outer one's; none: neither. */
static void test_provenance_rule(void)
{
    g_autoptr(DnMachine) m = machine_load("fabric:\n"
                                          "  source: outer\n"
                                          "  type: full_mesh\n"
                                          "  switches: {value: 2, assumed: own}\n"
                                          "  terminals_per_switch: 1\n"
                                          "  links:\n"
                                          "    terminal: {" LINK_KEYS ", assumed: inner}\n"
                                          "    link: " LINK "\n"
                                          "hardware: {lanes: 2}\n");
    g_assert_cmpstr(provenance_of(m, "fabric.switches")->assumed, ==, "own");
    g_assert_null(provenance_of(m, "fabric.switches")->source);
    g_assert_cmpstr(provenance_of(m, "fabric.terminals_per_switch")->source, ==, "outer");
    g_assert_cmpstr(provenance_of(m, "fabric.links.link.latency")->source, ==, "outer");
    g_assert_cmpstr(provenance_of(m, "fabric.links.terminal.latency")->assumed, ==, "inner");
    g_assert_null(provenance_of(m, "fabric.links.terminal.latency")->source);
    const DnProvenance *lanes = provenance_of(m, "hardware.lanes");
    g_assert_null(lanes->source);
    g_assert_null(lanes->assumed);
    g_assert_cmpstr(lanes->text, ==, "2");
    g_assert_cmpuint(lanes->line, ==, 9);
    g_assert_cmpuint(m->provenance->len, ==, 9); /* 2 + 2 * 3 + 1 */
    g_assert_cmpuint(m->hardware.lanes, ==, 2);
    g_assert_cmpint(m->hardware.packet_bytes, ==, 4096);
}

static guint32 switch_of(const DnMachine *m, guint32 node, guint32 nic)
{
    return m->graph->terminal_switch[node * m->nics_per_node + nic];
}

/* Leonardo: ten nodes a leaf, all ports on it, 180 nodes a group of 36 switches. LUMI: NICs 0, 1 on
 * one switch and 2, 3 on the next, the other node of the blade on the two after these, eight blades
 * on the four; group 1 starts at node 124. */
static void test_attach(void)
{
    g_autoptr(DnMachine) leonardo = machine_load("leonardo");
    for (guint32 n = 0; n < 3456; n++)
        for (guint32 nic = 0; nic < 4; nic++)
            g_assert_cmpuint(switch_of(leonardo, n, nic), ==, n / 180 * 36 + n % 180 / 10);
    g_autoptr(DnMachine) lumi = machine_load("lumi");
    for (guint32 n = 0; n < 2978; n++)
        for (guint32 nic = 0; nic < 4; nic++) {
            guint32 group = MIN(n / 124, 23), in_group = n - group * 124;
            g_assert_cmpuint(switch_of(lumi, n, nic), ==,
                             group * 32 + in_group / 16 * 4 + in_group % 2 * 2 + nic / 2);
        }
    /* no switch has more nodes than ports */
    for (guint32 s = 0; s < lumi->graph->size.switches; s++)
        g_assert_cmpuint(dn_graph_degree(lumi->graph, s), <=, 64);
}

static guint32 width_between(const DnGraph *g, guint32 a, guint32 b)
{
    guint32 width = 0;
    for (guint32 p = g->port_first[a]; p < g->port_first[a + 1]; p++)
        if (g->links[g->ports[p]].dst == b)
            width += g->links[g->ports[p]].width;
    return width;
}

/* De Sensi et al., SC 2024, figure 2 and section II.C, for the first and the last node of LUMI. */
static void test_mi250x(void)
{
    static const guint8 links[8][8] = {
        {0, 4, 1, 0, 0, 0, 2, 0}, {4, 0, 0, 1, 0, 1, 0, 0}, {1, 0, 0, 4, 2, 0, 0, 0},
        {0, 1, 4, 0, 0, 0, 0, 1}, {0, 0, 2, 0, 0, 4, 1, 0}, {0, 1, 0, 0, 4, 0, 0, 1},
        {2, 0, 0, 0, 1, 0, 0, 4}, {0, 0, 0, 1, 0, 1, 4, 0},
    };
    g_autoptr(DnMachine) m = machine_load("lumi");
    const DnGraph *g = m->graph;
    for (guint32 n = 0; n < 2978; n += 2977) {
        guint32 base = g->size.switches + n * g->size.node_vertices;
        for (guint32 a = 0; a < 8; a++)
            for (guint32 b = 0; b < 8; b++)
                g_assert_cmpuint(width_between(g, base + a, base + b), ==, links[a][b]);
        for (guint32 a = 0; a < 8; a++)
            g_assert_cmpuint(g->endpoint_terminal[g->endpoint_of[base + a]], ==, n * 4 + a / 2);
    }
    g_assert_cmpstr(g->vertex_names[7], ==, "gcd7");
}

/* 18 links of 26.562 GB/s from each GPU into one plane, 478.1 GB/s. */
static void test_h200(void)
{
    g_autoptr(DnMachine) m = machine_load("h200x4");
    const DnGraph *g = m->graph;
    g_assert_null(m->type);
    g_assert_nonnull(m->mechanisms);
    g_assert_cmpuint(g->size.links, ==, 8);
    for (guint32 l = 0; l < 8; l++)
        g_assert_cmpint(dn_link_bandwidth_bps(g, l), ==, (gint64)18 * 212496000000);
    /* flag latency: two links and the plane, 0.65 us */
    g_assert_cmpint(2 * dn_link_latency_ps(g, 0) + g->vertices[4].latency_ps, ==, 652000);
    g_assert_cmpint(g->vertices[4].kind, ==, DN_VERTEX_NVSWITCH);
}

/* One switch, two switches, two groups: 1-byte times on Leonardo are 1.045, 1.389, 1.610 us (De
 * Sensi et al., SC 2024, figure 8b). Differences are latencies of the graph alone. */
static void test_leonardo_latency(void)
{
    g_autoptr(DnMachine) m = machine_load("leonardo");
    gint64 local = 0, global = 0, hop = m->graph->vertices[0].latency_ps;
    for (guint32 c = 0; c < m->graph->n_classes; c++) {
        if (g_str_equal(m->graph->classes[c].name, "local"))
            local = m->graph->classes[c].latency_ps;
        if (g_str_equal(m->graph->classes[c].name, "global"))
            global = m->graph->classes[c].latency_ps;
    }
    g_assert_cmpint(2 * local + 2 * hop, ==, 344000);
    g_assert_cmpint(global + hop, ==, 221000);
}

static void test_endpoints(void)
{
    g_autoptr(DnMachine) cpu = machine_load("{name: leonardo, endpoints: cpu, nodes: 400}");
    g_assert_cmpuint(cpu->graph->size.nodes, ==, 400);
    g_assert_cmpuint(cpu->graph->size.endpoints, ==, 1600);
    for (guint32 e = 0; e < 1600; e++) {
        g_assert_cmpint(cpu->graph->vertices[cpu->graph->endpoints[e]].kind, ==, DN_VERTEX_CPU);
        g_assert_cmpuint(cpu->graph->endpoint_terminal[e], ==, e);
    }
    g_autoptr(DnMachine)
        deep = machine_load("{name: leonardo, nodes: 2, "
                            "fabric: {links: {global: {latency: 1 us}}, groups: 5}}");
    g_assert_cmpuint(deep->graph->size.groups, ==, 5);
    gboolean found = FALSE;
    for (guint32 c = 0; c < deep->graph->n_classes; c++)
        found |= deep->graph->classes[c].latency_ps == 1000000;
    g_assert_true(found);
}

/* Ranks on 14 cores of each of four CPUs, which forward for them; a CPU's NIC serves its cores. */
static void test_cores(void)
{
    g_autoptr(DnMachine) m = machine_load("{name: lumi, endpoints: cpu, cores: 14, nodes: 2}");
    const DnGraph *g = m->graph;
    g_assert_cmpuint(g->size.endpoints, ==, 2 * 4 * 14);
    g_assert_cmpuint(g->size.hosts, ==, 2 * 4);
    for (guint32 e = 0; e < g->size.endpoints; e++) {
        guint32 core = g->endpoints[e];
        g_assert_cmpint(g->vertices[core].kind, ==, DN_VERTEX_CPU);
        g_assert_false(g->vertices[core].transit);
        g_assert_cmpuint(g->endpoint_terminal[e], ==, e / 14);
        g_assert_cmpuint(g->port_first[core + 1] - g->port_first[core], ==, 1);
        guint32 cpu = g->links[g->ports[g->port_first[core]]].dst;
        g_assert_true(g->vertices[cpu].transit);
        g_assert_false(g->vertices[cpu].endpoint);
    }
    g_assert_cmpstr(g->vertex_names[g->vertices[g->endpoints[15]].local], ==, "cpu1-core1");
    g_autoptr(DnMachine) one = machine_load("{name: lumi, endpoints: cpu, cores: 1, nodes: 2}");
    g_assert_cmpuint(one->graph->size.endpoints, ==, 8);
}

static void test_partial(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnMachine) m = load_text("frontier", 3, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(m->graph->size.nodes, ==, 3);
    g_assert_cmpuint(m->whole_nodes, ==, 9408);
    g_assert_cmpuint(m->graph->size.switches, ==, 2368);
    g_assert_cmpuint(m->graph->size.endpoints, ==, 24);
}

/* A node of 4 NICs on switches of 8 ports: 2 nodes a switch; links: 6 mesh + 8 * (4 up + 4 + 6). */
static void test_inline(void)
{
    g_autoptr(DnMachine) m = machine_load(MESH NODE);
    g_assert_cmpstr(m->name, ==, "inline");
    g_assert_cmpuint(m->graph->size.nodes, ==, 8);
    g_assert_cmpuint(m->graph->size.links, ==, 2 * (6 + 8 * 14));
    g_assert_cmpuint(switch_of(m, 7, 3), ==, 3);
    g_assert_cmpuint(width_between(m->graph, 4, 5), ==, 3);
    g_autoptr(DnMachine)
        split = machine_load(MESH NODE "attach: {switches_per_node: 4, nodes_per_group: 5}\n");
    g_assert_cmpuint(split->graph->size.nodes, ==, 5);
    for (guint32 nic = 0; nic < 4; nic++)
        g_assert_cmpuint(switch_of(split, 4, nic), ==, nic);
}

/* Blades of two nodes on the mesh's four switches of 8 ports. On two switches a node: node 0 has 0
 * and 1, node 1 has 2 and 3, and four blades fill all. On one: two blades a pair of switches. */
static void test_blades(void)
{
    g_autoptr(DnMachine)
        two = machine_load(MESH NODE "attach: {switches_per_node: 2, nodes_per_blade: 2}\n");
    g_autoptr(DnMachine) one = machine_load(MESH NODE "attach: {nodes_per_blade: 2}\n");
    g_assert_cmpuint(two->graph->size.nodes, ==, 8);
    g_assert_cmpuint(one->graph->size.nodes, ==, 8);
    for (guint32 n = 0; n < 8; n++)
        for (guint32 nic = 0; nic < 4; nic++) {
            g_assert_cmpuint(switch_of(two, n, nic), ==, n % 2 * 2 + nic / 2);
            g_assert_cmpuint(switch_of(one, n, nic), ==, n / 4 * 2 + n % 2);
        }
}

/* LUMI's last group has two nodes more; those before it are where they were. */
static void test_unequal_groups(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnMachine) m = load_text("lumi", 0, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(m->graph->size.nodes, ==, 2978);
    const DnGraph *g = m->graph;
    g_autofree guint32 *nodes = g_new0(guint32, g->size.groups);
    for (guint32 n = 0; n < g->size.nodes; n++)
        nodes[g->vertices[switch_of(m, n, 0)].group]++;
    for (guint32 i = 0; i < g->size.groups; i++)
        g_assert_cmpuint(nodes[i], ==, i < 23 ? 124 : 126);
    g_assert_cmpuint(g->vertices[switch_of(m, 123, 0)].group, ==, 0);
    g_assert_cmpuint(g->vertices[switch_of(m, 124, 0)].group, ==, 1);
}

/* Classes that these parameters leave without a link need not stand there, and may. */
static void test_unused_classes(void)
{
    g_autoptr(DnMachine) group =
        machine_load("fabric: {type: dragonfly, groups: 1, switches_per_group: 4, "
                     "terminals_per_switch: 2, global_links_per_switch: 0, links: {terminal: " LINK
                     ", local: " LINK "}}\n");
    g_assert_cmpuint(cables_of(group, "local"), ==, 6); /* every two of 4 */
    g_autoptr(DnMachine)
        star = machine_load("fabric: {type: full_mesh, switches: 1, terminals_per_switch: 3, "
                            "links: {terminal: " LINK "}}\n");
    g_assert_cmpuint(cables_of(star, "terminal"), ==, 3);
    g_autoptr(DnMachine) more = machine_load("fabric: {type: full_mesh, switches: 1, "
                                             "terminals_per_switch: 3, " MESH_LINKS "}\n");
    g_assert_cmpuint(cables_of(more, "link"), ==, 0);
}

/* Parallel links of a mesh; a fat tree's level2 is as level1. */
static void test_parallel_and_levels(void)
{
    g_autoptr(DnMachine)
        mesh = machine_load("fabric: {type: full_mesh, switches: 2, terminals_per_switch: 1,"
                            " parallel_links: 3, " MESH_LINKS "}\n");
    g_assert_cmpuint(cables_of(mesh, "link"), ==, 3);
    g_autoptr(DnMachine)
        tree = machine_load("fabric: {type: fat_tree, levels: 3, down: [2, 2, 2], "
                            "up: [2, 2], links: {terminal: " LINK ", level1: " LINK "}}\n");
    g_assert_cmpuint(cables_of(tree, "level1"), ==, 16); /* 4 leaves * 2 up, twice */
}

/* A `topologies` folder above the run file comes before $DARNER_ROOT. */
static void test_find(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *root = g_dir_make_tmp("darner-XXXXXX", &error);
    g_assert_no_error(error);
    g_autofree char *folder = g_build_filename(root, "topologies", NULL);
    g_autofree char *runs = g_build_filename(root, "runs", NULL);
    g_autofree char *run = g_build_filename(runs, "run.yaml", NULL);
    g_autofree char *own = g_build_filename(folder, "lumi.yaml", NULL);
    g_assert_cmpint(g_mkdir(folder, 0700), ==, 0);
    g_assert_cmpint(g_mkdir(runs, 0700), ==, 0);
    g_assert_true(g_file_set_contents(own, MESH, -1, &error));
    g_autoptr(DnConfigNode) node = dn_config_parse("lumi", run, &error);
    g_autofree char *found = dn_machine_find("lumi", node, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(found, ==, own);
    g_autofree char *other = dn_machine_find("frontier", node, &error);
    g_assert_no_error(error);
    g_assert_true(g_str_has_prefix(other, g_getenv("DARNER_ROOT")));
    g_autofree char *path = dn_machine_find("../topologies/lumi.yaml", node, &error);
    g_assert_no_error(error);
    g_autofree char *plain = g_canonicalize_filename(path, NULL);
    g_assert_cmpstr(plain, ==, own);
    g_assert_cmpint(g_remove(own) | g_rmdir(folder) | g_rmdir(runs) | g_rmdir(root), ==, 0);
}

/* Equal files make bit-identical graphs. */
static void test_repeatable(void)
{
    g_autoptr(DnMachine) a = machine_load("lumi");
    g_autoptr(DnMachine) b = machine_load("lumi");
    g_assert_cmpmem(a->graph->links, a->graph->size.links * sizeof(DnLink), b->graph->links,
                    b->graph->size.links * sizeof(DnLink));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (guint i = 0; i < G_N_ELEMENTS(published); i++) {
        g_autofree char *path = g_strconcat("/machine/published/", published[i].name, NULL);
        g_test_add_data_func(path, &published[i], test_published);
    }
    g_test_add_func("/machine/shipped", test_shipped);
    g_test_add_func("/machine/provenance-rule", test_provenance_rule);
    g_test_add_func("/machine/attach", test_attach);
    g_test_add_func("/machine/unequal_groups", test_unequal_groups);
    g_test_add_func("/machine/mi250x", test_mi250x);
    g_test_add_func("/machine/h200", test_h200);
    g_test_add_func("/machine/leonardo-latency", test_leonardo_latency);
    g_test_add_func("/machine/endpoints", test_endpoints);
    g_test_add_func("/machine/cores", test_cores);
    g_test_add_func("/machine/partial", test_partial);
    g_test_add_func("/machine/inline", test_inline);
    g_test_add_func("/machine/blades", test_blades);
    g_test_add_func("/machine/parallel-and-levels", test_parallel_and_levels);
    g_test_add_func("/machine/unused-classes", test_unused_classes);
    g_test_add_func("/machine/find", test_find);
    g_test_add_func("/machine/repeatable", test_repeatable);
    return g_test_run();
}
