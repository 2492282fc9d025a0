/* network_import_test.c - importers of networks: Slurm, ibnetdiscover, GraphML. */
#include "topology/import/import_test.h"

/* Three leaves of four nodes below one switch: the XGFT(2; 4, 3; 1, 1), 2 hops between leaves. */
static void test_slurm_tree(void)
{
    g_auto(Imported) i = import_string("# comment\nSwitchName=leaf0 Nodes=tux[0-3] LinkSpeed=200\n"
                                       "switchname=leaf1 nodes=tux[4-7]\n"
                                       "SwitchName=leaf2 \\\n   Nodes=tux[8-10],login1\n"
                                       "SwitchName=spine Switches=leaf[0-2]\n",
                                       "slurm");
    g_assert_cmpstr(i.machine->type->name, ==, "fat_tree");
    g_assert_cmpuint(i.machine->graph->size.switches, ==, 4);
    g_assert_cmpuint(i.machine->graph->size.nodes, ==, 12);
    assert_contains(i.yaml, "down: [4, 3]");
    assert_contains(i.yaml, "leaf leaf0 (LinkSpeed=200): tux0 tux1 tux2 tux3");
    assert_contains(i.yaml, "leaf leaf2: tux8 tux9 tux10 login1");
    assert_accounted(&i);
}

/* Leaves listed out of the order of their parents: nodes must follow the fabric's leaves, which
 * stand parent by parent. */
static void test_slurm_order(void)
{
    g_auto(Imported) i = import_string("SwitchName=a Nodes=n0\nSwitchName=b Nodes=n1\n"
                                       "SwitchName=c Nodes=n2\nSwitchName=d Nodes=n3\n"
                                       "SwitchName=x Switches=a,c\nSwitchName=y Switches=b,d\n"
                                       "SwitchName=top Switches=x,y\n",
                                       "slurm");
    const char *a = strstr(i.yaml, "leaf a:"), *b = strstr(i.yaml, "leaf b:");
    const char *c = strstr(i.yaml, "leaf c:"), *d = strstr(i.yaml, "leaf d:");
    g_assert_true(a < c && c < b && b < d);
    assert_contains(i.yaml, "down: [1, 2, 2]");
}

/* Leaves of unequal size: no regular shape, so switches and nodes are vertices; names are kept. */
static void test_slurm_irregular(void)
{
    g_auto(Imported) i = import_string("SwitchName=leaf0 Nodes=tux[00-03]\n"
                                       "SwitchName=leaf1 Nodes=tux[04-05]\n"
                                       "SwitchName=spine Switches=leaf[0-1]\n",
                                       "slurm");
    g_assert_null(i.machine->type);
    g_assert_cmpuint(i.machine->graph->size.endpoints, ==, 6);
    g_assert_cmpint(links_between(&i, "tux03", "leaf0", "link"), ==, 1);
    g_assert_cmpint(links_between(&i, "tux04", "leaf1", "link"), ==, 1);
    g_assert_cmpint(links_between(&i, "leaf1", "spine", "link"), ==, 1);
    assert_accounted(&i);
}

/* Four blocks of four, larger ones of eight: two switches above the blocks, one above those. */
static void test_slurm_blocks(void)
{
    g_auto(Imported) i = import_string("BlockName=b1 Nodes=n[01-04]\nBlockName=b2 Nodes=n[05-08]\n"
                                       "BlockName=b3 Nodes=n[09-12]\nBlockName=b4 Nodes=n[13-16]\n"
                                       "BlockSizes=4,8\n",
                                       "slurm");
    assert_contains(i.yaml, "down: [4, 2, 2]");
    assert_contains(i.yaml, "BlockSizes=4,8");
    g_assert_cmpuint(i.machine->graph->size.nodes, ==, 16);
}

/* "a[1-2]b[0,2]" is a1b0, a1b2, a2b0, a2b2; zeros in front are kept. */
static void test_slurm_host_list(void)
{
    g_auto(Imported) i = import_string("SwitchName=s Nodes=a[1-2]b[0,2],c[08-10]\n", "slurm");
    assert_contains(i.yaml, "leaf s: a1b0 a1b2 a2b0 a2b2 c08 c09 c10");
    g_assert_cmpuint(i.machine->graph->size.nodes, ==, 7);
}

static void test_slurm_refused(void)
{
    assert_refused("SwitchName=s Nods=a\n", "slurm", DN_ERROR_UNKNOWN,
                   "sample:1:14: unknown key 'Nods'; did you mean 'Nodes'?");
    assert_refused("\nSwitchName=s Nodes=a[1-\n", "slurm", DN_ERROR_SYNTAX,
                   "sample:2:1: 'a[1-': not a host list");
    assert_refused("SwitchName=s Nodes=a[0-999999999]\n", "slurm", DN_ERROR_SYNTAX, "sample:1:1: ");
    assert_refused("SwitchName=s Nodes=a[0-999]b[0-999]\n", "slurm", DN_ERROR_SYNTAX,
                   "sample:1:1: ");
    assert_refused("SwitchName=s\n", "slurm", DN_ERROR_SYNTAX,
                   "sample:1:1: 'SwitchName=s': wanted: SwitchName=.. with Nodes=..");
    assert_refused("SwitchName=s Switches=s\n", "slurm", DN_ERROR_CYCLE,
                   "sample:1:1: 's': a switch below itself");
    assert_refused("SwitchName=s Nodes=ALL\n", "slurm", DN_ERROR_RANGE, "sample:1:1: 'ALL': ");
    assert_refused("BlockName=b Nodes=a\nSwitchName=s Nodes=c\n", "slurm", DN_ERROR_RANGE,
                   "sample:2:1: 's': SwitchName and BlockName in one file");
    assert_refused("BlockSizes=8,4\n", "slurm", DN_ERROR_RANGE, "sample:1:1: '8,4': ");
    assert_refused("SwitchName=a Nodes=a1\nSwitchName=b Nodes=b[1-2]\n", "slurm", DN_ERROR_RANGE,
                   "sample:1:1: what it describes is no machine Darner can load: ");
    assert_refused("# nothing\n", "slurm", DN_ERROR_MISSING, "sample:1:1: 0 switches and 0 hosts");
}

/* Two leaves, two spines, two cables from each to each, two hosts a leaf: XGFT(2; 2, 2; 1, 2) with
 * two parallel links; every cable stands twice in the file and counts once. 4xHDR: 200 Gb/s. */
static void test_ib_two_levels(void)
{
    g_auto(Imported) i = import_sample("two_level_ib.txt", "ibnetdiscover");
    const DnGraph *g = i.machine->graph;
    g_assert_cmpstr(i.machine->type->name, ==, "fat_tree");
    assert_contains(i.yaml, "down: [2, 2]");
    assert_contains(i.yaml, "up: [2]");
    g_assert_cmpuint(g->size.switches, ==, 4);
    g_assert_cmpuint(g->size.terminals, ==, 4);
    g_assert_cmpuint(g->size.links, ==, 2 * (8 + 4)); /* 2 leaves * 2 spines * 2, and the hosts */
    g_assert_cmpint(class_named(&i, "terminal")->bandwidth_bps, ==, 200000000000);
    assert_contains(i.yaml, "(MF0;leaf2:MQM8700/U1): node03 node04");
    assert_accounted(&i);
}

/* Two adapters of one host at two switches, one of them EDR: the host is a CPU behind both. Ports
 * with [ext n], and a router. 4xEDR: 100 Gb/s; 2xHDR: 100 Gb/s. */
static void test_ib_several_ports(void)
{
    g_auto(Imported) i = import_string(
        "Switch 36 \"S-01\" # \"one\" base port 0 lid 1 lmc 0\n"
        "[1][ext 3] \"H-0a\"[1](a) # \"node1 mlx5_0\" lid 3 4xEDR\n"
        "[2] \"S-02\"[7][ext 2] # \"two\" lid 2 4xEDR\n"
        "Switch 36 \"S-02\" # \"two\" base port 0 lid 2 lmc 0\n"
        "[7] \"S-01\"[2] # \"one\" lid 1 4xEDR\n"
        "[1] \"H-0b\"[1](b) # \"node1 mlx5_1\" lid 4 2xHDR\n"
        "[2] \"R-0c\"[1](c) # \"gate\" lid 5 4xEDR\n"
        "Ca 1 \"H-0a\" # \"node1 mlx5_0\"\n[1](a) \"S-01\"[1] # lid 3 lmc 0 \"one\" lid 1 4xEDR\n"
        "Ca 1 \"H-0b\" # \"node1 mlx5_1\"\n[1](b) \"S-02\"[1] # lid 4 lmc 0 \"two\" lid 2 2xHDR\n"
        "Rt 1 \"R-0c\" # \"gate\"\n",
        "ibnetdiscover");
    g_assert_cmpint(links_between(&i, "node1.mlx5_0-port1", "S-01", "edr"), ==, 1);
    g_assert_cmpint(links_between(&i, "node1.mlx5_1-port1", "S-02", "hdr-2x"), ==, 1);
    g_assert_cmpint(links_between(&i, "node1", "node1.mlx5_0-port1", "pcie"), ==, 1);
    g_assert_cmpint(links_between(&i, "S-01", "S-02", "edr"), ==, 1);
    g_assert_cmpint(class_named(&i, "edr")->bandwidth_bps, ==, 100000000000);
    g_assert_cmpint(class_named(&i, "hdr-2x")->bandwidth_bps, ==, 100000000000);
    g_assert_cmpuint(i.machine->graph->size.endpoints, ==, 2); /* node1 and gate */
    g_assert_false(i.machine->graph->vertices[vertex_named(&i, "node1")].transit);
    assert_accounted(&i);
}

/* A switch's aggregation node (SHARP) stands in the list as an adapter on its last port; it is no
 * host. */
static void test_ib_aggregation(void)
{
    g_auto(Imported) i = import_string(
        "Switch 41 \"S-01\" # \"one\" base port 0 lid 1 lmc 0\n"
        "[1] \"H-0a\"[1](a) # \"node1 HCA-1\" lid 3 4xHDR\n"
        "[2] \"H-0b\"[1](b) # \"node2 HCA-1\" lid 4 4xHDR\n"
        "[41] \"H-0c\"[1](c) # \"Mellanox Technologies Aggregation Node\" lid 5 4xHDR\n"
        "Ca 1 \"H-0a\" # \"node1 HCA-1\"\nCa 1 \"H-0b\" # \"node2 HCA-1\"\n"
        "Ca 1 \"H-0c\" # \"Mellanox Technologies Aggregation Node\"\n",
        "ibnetdiscover");
    g_assert_cmpuint(i.machine->graph->size.endpoints, ==, 2);
    assert_contains(i.yaml, "1 aggregation node(s)");
}

static void test_ib_refused(void)
{
    assert_refused("[1] \"S-01\"[2] # 4xHDR\n", "ibnetdiscover", DN_ERROR_SYNTAX,
                   "sample:1:1: wanted: a line Switch or Ca before");
    assert_refused("Switch 36 S-01\n", "ibnetdiscover", DN_ERROR_SYNTAX,
                   "sample:1:1: wanted: Switch, Ca or Rt");
    assert_refused("Switch 36 \"S-01\"\n[1] \"S-02\" # x\n", "ibnetdiscover", DN_ERROR_SYNTAX,
                   "sample:2:3: wanted: [port]");
    assert_refused("Switch 36 \"S-01\"\n[x] \"S-02\"[1]\n", "ibnetdiscover", DN_ERROR_SYNTAX,
                   "sample:2:1: wanted: [port]");
    assert_refused("Switch 36 \"S-01\"\n[1] \"S-02\"[1] # 4xHDR\n", "ibnetdiscover",
                   DN_ERROR_UNKNOWN,
                   "sample:2:1: a cable to 'S-02', which has no Switch or Ca line");
    assert_refused("Ca 1 \"H-01\"\n[1] \"H-02\"[1] # 4xHDR\nCa 1 \"H-02\"\n", "ibnetdiscover",
                   DN_ERROR_RANGE, "sample:2:1: a cable from an adapter to an adapter");
    assert_refused("nothing\n", "ibnetdiscover", DN_ERROR_SYNTAX, "sample:1:1: wanted: lines like");
}

/* As the Topology Zoo has it: labels, LinkSpeedRaw; a ring of four, each taken for a switch with a
 * host. */
static void test_graphml_foreign(void)
{
    g_auto(Imported) i = import_sample("zoo.graphml", "graphml");
    g_assert_cmpint(links_between(&i, "North", "East", "link"), ==, 1);
    g_assert_cmpint(links_between(&i, "South", "West", "link-2"), ==, 1);
    g_assert_cmpint(class_named(&i, "link")->bandwidth_bps, ==, 10000000000);
    g_assert_cmpint(class_named(&i, "link-2")->bandwidth_bps, ==, 2500000000);
    g_assert_cmpuint(i.machine->graph->size.endpoints, ==, 4);
    assert_contains(i.yaml, "Attributes that say nothing here: latitude.");
    assert_accounted(&i);
}

/* A star: its leaves are hosts. Directed, both ways written: four edges are two cables; units in
 * text; defaults of keys. */
static void test_graphml_star(void)
{
    g_auto(Imported) i = import_string(
        "<graphml><key id=\"b\" for=\"edge\" attr.name=\"bandwidth\" attr.type=\"string\">"
        "<default>40 Gb/s</default></key>"
        "<key id=\"l\" for=\"edge\" attr.name=\"latency\" attr.type=\"string\"/>"
        "<graph edgedefault=\"directed\"><node id=\"hub\"/><node id=\"x\"/><node id=\"y\"/>"
        "<edge source=\"hub\" target=\"x\"/><edge source=\"x\" target=\"hub\"/>"
        "<edge source=\"y\" target=\"hub\"><data key=\"l\">2 us</data></edge>"
        "<edge source=\"hub\" target=\"y\"/></graph></graphml>",
        "graphml");
    g_assert_cmpuint(i.machine->graph->size.links, ==, 4);
    g_assert_cmpuint(i.machine->graph->size.endpoints, ==, 2);
    g_assert_cmpint(class_named(&i, "link")->bandwidth_bps, ==, 40000000000);
    g_assert_cmpint(class_named(&i, "link-2")->latency_ps, ==, 2000000);
}

/* One line of many elements, each of whose places is found without reading the line again: 300,000
 * nodes take less than a second, and took minutes. */
static void test_graphml_long_line(void)
{
    enum { NODES = 300000 };
    g_autoptr(GError) error = NULL;
    GString *text = g_string_new("<graphml><graph>");
    for (guint i = 0; i < NODES; i++)
        g_string_append_printf(text, "<node id='%u'/>", i);
    g_string_append(text, "</graph></graphml>");
    g_autoptr(DnImportText) sample = dn_import_text_new("sample", text->str, text->len, &error);
    g_string_free(text, TRUE);
    g_assert_no_error(error);
    gint64 begin_us = g_get_monotonic_time();
    g_assert_null(dn_import(sample, "graphml", NULL, &error));
    /* 16 characters, then 4096 nodes of 13 and the digits of 0 to 4095 */
    g_assert_cmpstr(error->message, ==, "sample:1:68539: more than 4096 vertices or 1000000 edges");
    g_assert_cmpint(g_get_monotonic_time() - begin_us, <, 60 * G_USEC_PER_SEC);
}

static void test_graphml_refused(void)
{
#define GRAPH(inside) "<graphml>\n<graph>" inside "</graph></graphml>"
    assert_refused("<graphml/>", "graphml", DN_ERROR_MISSING, "sample:1:1: no <graph>");
    assert_refused("<x/>", "graphml", DN_ERROR_SYNTAX, "sample:1:1: root element <x>");
    assert_refused(GRAPH(""), "graphml", DN_ERROR_MISSING, "sample:2:1: no <node>");
    assert_refused(GRAPH("<node/>"), "graphml", DN_ERROR_MISSING, "sample:2:8: <node> has no id");
    assert_refused(GRAPH("<node id='a'/>\n<node id='a'/>"), "graphml", DN_ERROR_RANGE,
                   "sample:3:1: node 'a' is there twice");
    assert_refused(GRAPH("<node id='a'/>\n<edge source='a' target='b'/>"), "graphml",
                   DN_ERROR_UNKNOWN, "sample:3:1: <edge> to 'b', which is no <node>");
    assert_refused(GRAPH("<node id='a'/><hyperedge/>"), "graphml", DN_ERROR_RANGE, "sample:2:");
    assert_refused("<graphml><key id='k' for='node' attr.name='kind'/>\n<graph><node id='a'>"
                   "<data key='k'>gpo</data></node></graph></graphml>",
                   "graphml", DN_ERROR_UNKNOWN,
                   "sample:2:8: <node> of unknown kind 'gpo'; did you mean 'gpu'?");
    assert_refused(
        "<graphml><key id='k' for='edge' attr.name='bandwidth'/>\n<graph><node id='a'/>"
        "<node id='b'/><edge source='a' target='b'><data key='k'>40</data></edge></graph>"
        "</graphml>",
        "graphml", DN_ERROR_UNIT, "sample:2:36: <edge> with bandwidth: '40' has no unit");
    assert_refused("<graphml><key id='k' for='edge' attr.name='width'/>\n<graph><node id='a'/>"
                   "<node id='b'/><edge source='a' target='b'><data key='k'>0</data></edge></graph>"
                   "</graphml>",
                   "graphml", DN_ERROR_RANGE,
                   "sample:2:36: <edge> with width '0'; wanted: a number");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/import/slurm/tree", test_slurm_tree);
    g_test_add_func("/import/slurm/order", test_slurm_order);
    g_test_add_func("/import/slurm/irregular", test_slurm_irregular);
    g_test_add_func("/import/slurm/blocks", test_slurm_blocks);
    g_test_add_func("/import/slurm/host-list", test_slurm_host_list);
    g_test_add_func("/import/slurm/refused", test_slurm_refused);
    g_test_add_func("/import/ibnetdiscover/two-levels", test_ib_two_levels);
    g_test_add_func("/import/ibnetdiscover/several-ports", test_ib_several_ports);
    g_test_add_func("/import/ibnetdiscover/aggregation", test_ib_aggregation);
    g_test_add_func("/import/ibnetdiscover/refused", test_ib_refused);
    g_test_add_func("/import/graphml/foreign", test_graphml_foreign);
    g_test_add_func("/import/graphml/star", test_graphml_star);
    g_test_add_func("/import/graphml/long-line", test_graphml_long_line);
    g_test_add_func("/import/graphml/refused", test_graphml_refused);
    return g_test_run();
}
