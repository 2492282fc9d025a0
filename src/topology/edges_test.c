/* edges_test.c - an arbitrary fabric: the same graph from the file itself, CSV and GraphML; what is
 * wrong in a list is named where it stands. */
#include "topology/fabric_test.h"

#include <glib/gstdio.h>

extern const DnTopologyType dn_topology_edges;
#define TYPE (&dn_topology_edges)
#define INLINE                                                                                     \
    "{switches: 5, terminals_per_switch: 2, switches_with_terminals: 3, "                          \
    "edges: [[0, 3], [1, 3, 2], [2, 4], [3, 4]]}"

static char *write_file(const char *name, const char *text)
{
    g_autoptr(GError) error = NULL;
    char *file = g_build_filename(g_get_tmp_dir(), name, NULL);
    g_file_set_contents(file, text, -1, &error);
    g_assert_no_error(error);
    return file;
}

static void check_graph(const char *yaml, guint32 between_1_and_3)
{
    TestFabric f = test_fabric_new(TYPE, yaml);
    g_assert_cmpuint(f.size.switches, ==, 5);
    g_assert_cmpuint(f.size.terminals, ==, 6);
    g_assert_cmpuint(f.size.cables, ==, 3 + between_1_and_3);
    g_assert_cmpuint(test_links_between(f.graph, 1, 3, 1), ==, between_1_and_3);
    g_assert_cmpuint(TYPE->distance(f.params, 0, 2), ==, 3);
    test_distances(TYPE, &f);
    test_fabric_clear(&f);
}

static void test_formats(void)
{
    g_autofree char *csv =
        write_file("darner-edges.csv", "a,b,count\n0,3,1\n1,3,2\n2,4,1\n3,4,1\n");
    g_autofree char *xml = write_file(
        "darner-edges.graphml",
        "<graphml><graph edgedefault=\"undirected\"><node id=\"p\"/><node id=\"q\"/>"
        "<node id=\"r\"/><node id=\"s\"/><node id=\"t\"/><edge source=\"p\" target=\"s\"/>"
        "<edge source=\"q\" target=\"s\"/><edge source=\"r\" target=\"t\"/>"
        "<edge source=\"s\" target=\"t\"/></graph></graphml>");
    g_autofree char *from_csv = g_strdup_printf(
        "{switches: 5, terminals_per_switch: 2, switches_with_terminals: 3, file: %s}", csv);
    g_autofree char *from_xml = g_strdup_printf(
        "{switches: 5, terminals_per_switch: 2, switches_with_terminals: 3, file: %s}", xml);
    check_graph(INLINE, 2);
    check_graph(from_csv, 2);
    check_graph(from_xml, 1);
    g_unlink(csv);
    g_unlink(xml);
}

static void test_errors(void)
{
    test_refused(TYPE, "{switches: 3, terminals_per_switch: 1}", DN_ERROR_MISSING,
                 "t.yaml:1:1:", "neither is there");
    test_refused(TYPE, "{switches: 3, terminals_per_switch: 1, edges: [[0, 3]]}", DN_ERROR_RANGE,
                 "t.yaml:1:48:", "switch 3; the fabric has 0 to 2");
    test_refused(TYPE, "{switches: 3, terminals_per_switch: 1, edges: [[1, 1]]}", DN_ERROR_RANGE,
                 "t.yaml:1:48:", "to itself");
    test_refused(TYPE, "{switches: 3, terminals_per_switch: 1, edges: [[1]]}", DN_ERROR_RANGE,
                 "t.yaml:1:48:", "1 numbers");
    test_refused(TYPE, "{switches: 3, terminals_per_switch: 1, file: net.txt}", DN_ERROR_RANGE,
                 "t.yaml:1:46:", "neither in .csv nor .graphml");
    g_autofree char *csv = write_file("darner-wrong.csv", "a,b\n0,1\n0,7\n");
    g_autofree char *yaml =
        g_strdup_printf("{switches: 3, terminals_per_switch: 1, file: %s}", csv);
    g_autofree char *place = g_strdup_printf("%s:3:1:", csv);
    test_refused(TYPE, yaml, DN_ERROR_RANGE, place, "switch 7");
    g_unlink(csv);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/edges/formats", test_formats);
    g_test_add_func("/edges/errors", test_errors);
    return g_test_run();
}
