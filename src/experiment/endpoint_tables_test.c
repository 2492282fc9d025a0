#include "experiment/endpoint_tables.h"
#include "topology/machine.h"

/* A group has 8 switches of 4 terminals; an endpoint is one. */
static void test_addresses(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnConfigNode) node = dn_config_parse("dragonfly-1056", "test", &error);
    g_assert_no_error(error);
    g_autoptr(DnMachine) m = dn_machine_load(node, 0, &error);
    g_assert_no_error(error);
    g_autofree guint32 *address = dn_endpoint_nic_addresses(m->graph);
    g_autofree guint32 *node_of = dn_endpoint_nodes(m->graph);
    for (guint32 e = 0; e < m->graph->size.endpoints; e++) {
        g_assert_cmphex(address[e], ==, e / 32 << 11 | (e / 4 % 8) << 6 | e % 4);
        g_assert_cmpuint(node_of[e], ==, e);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/endpoint-tables/addresses", test_addresses);
    return g_test_run();
}
