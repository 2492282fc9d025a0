#include "experiment/endpoint_tables.h"
#include "topology/machine.h"

static DnMachine *load_machine(const char *name, guint32 nodes)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnConfigNode) node = dn_config_parse(name, "test", &error);
    g_assert_no_error(error);
    DnMachine *m = dn_machine_load(node, nodes, &error);
    g_assert_no_error(error);
    return m;
}

/* A group has 8 switches of 4 terminals; an endpoint is one. */
static void test_addresses(void)
{
    g_autoptr(DnMachine) m = load_machine("dragonfly-1056", 0);
    g_autofree guint32 *address = dn_endpoint_nic_addresses(m->graph);
    g_autofree guint32 *node_of = dn_endpoint_nodes(m->graph);
    g_autofree guint32 *adapter_of = dn_endpoint_adapters(m->graph);
    static const guint32 ports[] = {51, 50, 3, 2};
    for (guint32 e = 0; e < m->graph->size.endpoints; e++) {
        g_assert_cmphex(address[e], ==, e / 32 << 11 | (e / 4 % 8) << 6 | ports[e % 4]);
        g_assert_cmpuint(adapter_of[e], ==, e);
        g_assert_cmpuint(node_of[e], ==, e);
    }
}

/* LUMI: the two dies of a module share a NIC; node 0 has two ports of each of two switches, as
 * addresses of such nodes show. */
static void test_adapters(void)
{
    g_autoptr(DnMachine) m = load_machine("lumi", 2);
    g_autofree guint32 *address = dn_endpoint_nic_addresses(m->graph);
    g_autofree guint32 *adapter_of = dn_endpoint_adapters(m->graph);
    guint owners = 0;
    for (guint32 e = 0; e < 8; e++) {
        g_assert_cmpuint(adapter_of[e], <=, e);
        g_assert_cmpuint(adapter_of[adapter_of[e]], ==, adapter_of[e]);
        g_assert_cmphex(address[e], ==, address[adapter_of[e]]);
        g_assert_cmphex(address[e] & ~0x41u, ==, 50); /* port 50 or 51 of switch 0 or 1 */
        owners += adapter_of[e] == e;
    }
    g_assert_cmpuint(owners, ==, 4);
}

/* Three cores of each of LUMI's four CPUs a node, which are no endpoints then; without `cores` each
 * CPU is one, and a die of a GPU has none. */
static void test_cpus(void)
{
    g_autoptr(DnMachine) cores = load_machine("{name: lumi, endpoints: cpu, cores: 3}", 2);
    g_autoptr(DnMachine) cpus = load_machine("{name: lumi, endpoints: cpu}", 2);
    g_autoptr(DnMachine) dies = load_machine("lumi", 2);
    g_autofree guint32 *of_core = dn_endpoint_cpus(cores->graph);
    g_autofree guint32 *of_cpu = dn_endpoint_cpus(cpus->graph);
    g_autofree guint32 *of_die = dn_endpoint_cpus(dies->graph);
    for (guint32 e = 0; e < 24; e++)
        g_assert_cmpuint(of_core[e], ==, e / 3 * 3);
    for (guint32 e = 0; e < 8; e++)
        g_assert_cmpuint(of_cpu[e], ==, e);
    for (guint32 e = 0; e < 16; e++)
        g_assert_cmpuint(of_die[e], ==, e);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/endpoint-tables/addresses", test_addresses);
    g_test_add_func("/endpoint-tables/adapters", test_adapters);
    g_test_add_func("/endpoint-tables/cpus", test_cpus);
    return g_test_run();
}
