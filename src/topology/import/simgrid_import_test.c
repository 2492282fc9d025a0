/* simgrid_import_test.c - SimGrid platforms: clusters counted by their formulas, graphs by hand. */
#include "topology/import/import_test.h"

static Imported simgrid_import_cluster(const char *hosts, const char *rest)
{
    g_autofree char *text = g_strdup_printf("<?xml version='1.0'?>\n<platform version=\"4.1\">\n"
                                            "<zone id=\"world\" routing=\"Full\">\n"
                                            "<cluster id=\"c\" prefix=\"n-\" radical=\"0-%s\" "
                                            "suffix=\".x\" speed=\"1Gf\" bw=\"125MBps\" "
                                            "lat=\"50us\" %s/></zone></platform>\n",
                                            hosts, rest);
    Imported i = import_string(text, "simgrid");
    assert_accounted(&i);
    return i;
}

/* 125 MB/s is 1 Gb/s. */
static void assert_rate(const Imported *i, const char *name, gint64 bps, gint64 latency_ps)
{
    const DnLinkClass *c = class_named(i, name);
    g_assert_cmpint(c->bandwidth_bps, ==, bps);
    g_assert_cmpint(c->latency_ps, ==, latency_ps);
    g_assert_cmpfloat(c->efficiency, ==, 1.0);
}

/* A star: 100 cables. The backbone's latency is the switch's. */
static void test_flat(void)
{
    g_auto(Imported) i = simgrid_import_cluster("99", "bb_bw=\"2.25GBps\" bb_lat=\"500us\"");
    g_assert_cmpuint(i.machine->graph->size.switches, ==, 1);
    g_assert_cmpuint(i.machine->graph->size.endpoints, ==, 100);
    g_assert_cmpuint(i.machine->graph->size.links, ==, 200);
    g_assert_cmpint(i.machine->graph->vertices[0].latency_ps, ==, 500000000);
    assert_rate(&i, "terminal", 1000000000, 50000000);
    assert_contains(i.yaml, "The backbone's 18 Gb/s");
}

/* 3 x 2 x 2: 12 routers; 12 cables in the dimension of 3, 6 in each of 2 (no second one there), and
 * one to each host. */
static void test_torus(void)
{
    g_auto(Imported) i = simgrid_import_cluster(
        "11", "topology=\"TORUS\" topo_parameters=\"3,2,2\" loopback_bw=\"100MBps\"");
    g_assert_cmpstr(i.machine->type->name, ==, "torus");
    g_assert_cmpuint(i.machine->graph->size.endpoints, ==, 12);
    g_assert_cmpuint(i.machine->graph->size.links, ==, 2 * (12 + 6 + 6 + 12));
    assert_rate(&i, "link", 1000000000, 50000000);
    assert_rate(&i, "terminal", G_GINT64_CONSTANT(6000000000), 1);
    assert_contains(i.yaml, "loopback is left out");
}

/* Figure 1(b) of Zahavi 2010: 4 leaves of 4 hosts, 2 cores, 2 cables from each leaf to each. */
static void test_fat_tree(void)
{
    g_auto(Imported)
        i = simgrid_import_cluster("15", "topology=\"FAT_TREE\" topo_parameters=\"2;4,4;1,2;1,2\"");
    g_assert_cmpuint(i.machine->graph->size.switches, ==, 4 + 2);
    g_assert_cmpuint(i.machine->graph->size.endpoints, ==, 16);
    g_assert_cmpuint(i.machine->graph->size.links, ==, 2 * (16 + 4 * 2 * 2));
    assert_rate(&i, "level1", 1000000000, 50000000);
}

/* 3 groups of 4 chassis of 5 blades of 2 hosts. Green: 5 * 4 / 2 a chassis; black: 4 * 3 / 2 for
 * each of 5 blades a group, three wide; blue: one for each of 3 pairs of groups, of four times the
 * rate. */
static void test_dragonfly(void)
{
    g_auto(Imported) i =
        simgrid_import_cluster("119", "topology=\"DRAGONFLY\" topo_parameters=\"3,4;4,3;5,1;2\" "
                                      "limiter_link=\"100MBps\"");
    const DnGraph *g = i.machine->graph;
    guint wide[5] = {0};
    g_assert_cmpuint(g->size.switches, ==, 60);
    g_assert_cmpuint(g->size.endpoints, ==, 120);
    g_assert_cmpuint(g->size.links, ==, 2 * (120 + 12 * 10 + 3 * 5 * 6 + 3));
    for (guint32 l = 0; l < g->size.links; l += 2)
        wide[g->links[l].width]++;
    g_assert_cmpuint(wide[1], ==, 243);
    g_assert_cmpuint(wide[3], ==, 90);
    assert_rate(&i, "global", G_GINT64_CONSTANT(4000000000), 50000000);
    assert_rate(&i, "terminal", 800000000, 50000000);
}

#define HOSTS                                                                                      \
    "<platform version=\"4\"><AS id=\"a\" routing=\"Full\"><host id=\"x\" speed=\"1f\"/>"          \
    "<host id=\"y\" speed=\"1f\"/><host id=\"z\" speed=\"1f\"/>"
#define END "</AS></platform>"
#define LINK(id) "<link id=\"" id "\" bandwidth=\"1Gbps\" latency=\"2us\"/>"
#define ROUTE(a, b, links) "<route src=\"" a "\" dst=\"" b "\">" links "</route>"
#define HOP(id) "<link_ctn id=\"" id "\"/>"

/* x -1- . -2- y, and z -3- at the same joint: the third route crosses 2 and 3 from their other
 * ends. */
static void test_routes(void)
{
    g_auto(Imported) i = import_string(
        HOSTS LINK("1") LINK("2") LINK("3") LINK("4") ROUTE("x", "y", HOP("1") HOP("2"))
            ROUTE("x", "z", HOP("1") HOP("3")) ROUTE("y", "z", HOP("2") HOP("3")) END,
        "simgrid");
    assert_accounted(&i);
    g_assert_cmpuint(i.machine->graph->size.endpoints, ==, 3);
    g_assert_cmpuint(i.machine->graph->n_vertices, ==, 4);
    g_assert_cmpuint(i.machine->graph->size.links, ==, 6);
    g_assert_cmpint(links_between(&i, "x", "switch0", "link"), ==, 1);
    g_assert_cmpint(links_between(&i, "y", "switch0", "link"), ==, 1);
    g_assert_cmpint(links_between(&i, "z", "switch0", "link"), ==, 1);
    assert_rate(&i, "link", 1000000000, 2000000);
    assert_contains(i.yaml, "1 links are on no route");
}

#define ONE_WAY(a, b, links)                                                                       \
    "<route src=\"" a "\" dst=\"" b "\" symmetrical=\"NO\">" links "</route>"

/* Links of their own for each direction are one cable; y passes on what x sends to z. */
static void test_one_way(void)
{
    g_auto(Imported) i = import_string(
        HOSTS LINK("a") LINK("b") LINK("c") ONE_WAY("x", "y", HOP("a")) ONE_WAY("y", "x", HOP("b"))
            ONE_WAY("x", "z", HOP("a") HOP("c")) ROUTE("y", "z", HOP("c")) END,
        "simgrid");
    g_assert_cmpint(links_between(&i, "x", "y", "link"), ==, 1);
    g_assert_cmpint(links_between(&i, "y", "z", "link"), ==, 1);
    g_assert_cmpuint(i.machine->graph->size.links, ==, 4);
    g_assert_true(i.machine->graph->vertices[vertex_named(&i, "y")].transit);
    g_assert_false(i.machine->graph->vertices[vertex_named(&i, "x")].transit);
}

/* In a Floyd zone routes are put together from others: hosts pass on, too. */
static void test_sample(void)
{
    g_auto(Imported) i = import_sample("simgrid_graph.xml", "simgrid");
    assert_accounted(&i);
    g_assert_cmpuint(i.machine->graph->size.endpoints, ==, 3);
    g_assert_cmpuint(i.machine->graph->size.links, ==, 6);
    g_assert_cmpint(links_between(&i, "login", "core", "link"), ==, 1);
    g_assert_cmpint(class_named(&i, "link-2")->bandwidth_bps, ==, G_GINT64_CONSTANT(25000000000));
    g_assert_cmpint(class_named(&i, "link-2")->latency_ps, ==, 900000);
    g_assert_true(i.machine->graph->vertices[vertex_named(&i, "work0")].transit);
}

#define ZONES                                                                                      \
    "<platform version=\"4\"><zone id=\"w\" routing=\"Full\">" LINK(                               \
        "bb") "<zone id=\"A\" routing=\"Full\"><host id=\"x\" speed=\"1f\"/><host id=\"y\" "       \
              "speed=\"1f\"/>"                                                                     \
              "<router id=\"ra\"/>" LINK("lx") LINK("ly") ROUTE("x", "ra", HOP("lx"))              \
                  ROUTE("y", "ra", HOP("ly"))                                                      \
                      ROUTE("x", "y",                                                              \
                            HOP("lx") HOP(                                                         \
                                "ly")) "</zone>"                                                   \
                                       "<zone id=\"B\" routing=\"Full\"><host id=\"u\" "           \
                                       "speed=\"1f\"/><host id=\"v\" speed=\"1f\"/>" LINK("luv")   \
                                           ROUTE("u", "v", HOP("luv")) "</zone>"
#define JOINED(gateway)                                                                            \
    "<zoneRoute src=\"A\" dst=\"B\" gw_src=\"ra\" gw_dst=\"" gateway                               \
    "\">" HOP("bb") "</zoneRoute>"                                                                 \
                    "</zone></platform>"

/* Two zones are one graph: x and y at the router ra, then u, the other zone's gateway, which passes
 * on what is for v. */
static void test_joined(void)
{
    g_auto(Imported) i = import_string(ZONES JOINED("u"), "simgrid");
    assert_accounted(&i);
    g_assert_cmpuint(i.machine->graph->size.endpoints, ==, 4);
    g_assert_cmpuint(i.machine->graph->n_vertices, ==, 5);
    g_assert_cmpuint(i.machine->graph->size.links, ==, 8);
    g_assert_cmpint(links_between(&i, "ra", "u", "link"), ==, 1);
    g_assert_cmpint(links_between(&i, "u", "v", "link"), ==, 1);
    g_assert_true(i.machine->graph->vertices[vertex_named(&i, "u")].transit);
    g_assert_false(i.machine->graph->vertices[vertex_named(&i, "v")].transit);
}

static void test_refused(void)
{
    const struct {
        const char *text;
        DnError code;
        const char *said;
    } cases[] = {
        {"<platform></platform>", DN_ERROR_MISSING, "sample:1:1: no <host> and no <cluster>"},
        {"<platform><cluster radical=\"0-3\" bw=\"1\" lat=\"fast\"/></platform>", DN_ERROR_UNIT,
         "sample:1:11: <cluster> with lat 'fast'; wanted: like 50us or 1.5ms"},
        {"<platform><cluster radical=\"3-0\" bw=\"1\" lat=\"0\"/></platform>", DN_ERROR_SYNTAX,
         "sample:1:11: radical '3-0'"},
        {"<platform><cluster radical=\"0\" bw=\"0\" lat=\"0\"/></platform>", DN_ERROR_RANGE,
         "sample:1:11: <cluster>: bw is zero"},
        {"<platform><cluster radical=\"0-3\" bw=\"1\" lat=\"0\" topology=\"TORUS\" "
         "topo_parameters=\"3,2\"/></platform>",
         DN_ERROR_RANGE, "sample:1:11: radical names 4 hosts; topo_parameters has space for 6"},
        {"<platform><cluster radical=\"0-3\" bw=\"1\" lat=\"0\" topology=\"TORUS\" "
         "topo_parameters=\"3,0\"/></platform>",
         DN_ERROR_SYNTAX, "sample:1:11: topo_parameters: '3,0'"},
        {"<platform><cluster radical=\"0-3\" bw=\"1\" lat=\"0\" topology=\"FATTREE\"/></platform>",
         DN_ERROR_UNKNOWN, "sample:1:11: unknown topology 'FATTREE'; did you mean 'FAT_TREE'?"},
        {"<platform><cluster radical=\"0-3\" bw=\"1\" lat=\"0\" topology=\"FAT_TREE\" "
         "topo_parameters=\"2;2,2;2,1;1,1\"/></platform>",
         DN_ERROR_RANGE, "sample:1:11: hosts with 2 parents over 1 links"},
        {"<platform><cluster radical=\"0-3\" bw=\"1\" lat=\"0\" topology=\"FAT_TREE\" "
         "topo_parameters=\";;;\"/></platform>",
         DN_ERROR_SYNTAX, "sample:1:11: topo_parameters: ''; wanted: 1 to"},
        {"<platform><cluster radical=\"0-3\" bw=\"1\" lat=\"0\" topology=\"TORUS\" "
         "topo_parameters=\"\"/></platform>",
         DN_ERROR_SYNTAX, "sample:1:11: topo_parameters: ''; wanted: 1 to"},
        {"<platform><cluster radical=\"0-3\" bw=\"1\" lat=\"0\" topology=\"DRAGONFLY\" "
         "topo_parameters=\"2;2,2;2,1;1,1\"/></platform>",
         DN_ERROR_SYNTAX, "sample:1:11: topo_parameters of a DRAGONFLY"},
        {HOSTS LINK("1") LINK("1") END, DN_ERROR_RANGE, "sample:1:170: '1' is there twice"},
        {HOSTS ROUTE("x", "y", HOP("7")) END, DN_ERROR_UNKNOWN,
         "sample:1:147: <link_ctn>: '7' is no link"},
        {HOSTS LINK("1") ROUTE("x", "y", HOP("1")) ROUTE("x", "z", HOP("1")) END, DN_ERROR_RANGE,
         "sample:1:99: by their routes 'y' and 'z' would be one vertex"},
        {ZONES JOINED("q"), DN_ERROR_UNKNOWN,
         "sample:1:649: <zoneRoute>: 'q' is no host or router"},
        {ZONES "</zone></platform>", DN_ERROR_RANGE, "sample:1:1: what it describes is no machine"},
        {"<platform><zone><host id=\"x\"/><zone><cluster id=\"c\"/></zone></zone></platform>",
         DN_ERROR_RANGE, "sample:1:37: a second network"},
        {"<platform><zone routing=\"Vivaldi\"><host id=\"x\"/></zone></platform>", DN_ERROR_UNKNOWN,
         "sample:1:11: zones with routing 'Vivaldi' are not read"},
        {"<platform><zone><host id=\"x\"/><peer id=\"p\"/></zone></platform>", DN_ERROR_UNKNOWN,
         "sample:1:31: <peer> is not read"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
        assert_refused(cases[i].text, "simgrid", cases[i].code, cases[i].said);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/import/simgrid/flat", test_flat);
    g_test_add_func("/import/simgrid/torus", test_torus);
    g_test_add_func("/import/simgrid/fat_tree", test_fat_tree);
    g_test_add_func("/import/simgrid/dragonfly", test_dragonfly);
    g_test_add_func("/import/simgrid/routes", test_routes);
    g_test_add_func("/import/simgrid/one_way", test_one_way);
    g_test_add_func("/import/simgrid/sample", test_sample);
    g_test_add_func("/import/simgrid/joined", test_joined);
    g_test_add_func("/import/simgrid/refused", test_refused);
    return g_test_run();
}
