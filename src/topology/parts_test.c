/* parts_test.c - cables, ports, price and power of a small machine against a count by hand. */
#include "topology/parts.h"
#include <math.h>

/* Three switches, each linked to both others by two cables, two terminals each. */
#define MACHINE(parts_)                                                                            \
    "fabric: {assumed: a test, type: full_mesh, switches: 3, terminals_per_switch: 2,\n"           \
    "  links: {terminal: {bandwidth: 100 Gb/s, latency: 10 ns, buffer: 64 KiB},\n"                 \
    "          link: {bandwidth: 100 Gb/s, latency: 10 ns, buffer: 64 KiB}}}\n"                    \
    "hardware: {assumed: a test, packet: 1 kB}\n" parts_

static DnMachine *load_machine(const char *text, GError **error)
{
    g_autoptr(DnConfigNode) node = dn_config_parse(text, "m.yaml", error);
    return node != NULL ? dn_machine_load(node, 0, error) : NULL;
}

static void test_count(void)
{
    GError *error = NULL;
    g_autoptr(DnMachine)
        m = load_machine(MACHINE("parts:\n  assumed: round numbers\n"
                                 "  switch: {price: 1000, power: 100, ports: 8}\n"
                                 "  nic: {price: 200, power: 10}\n"
                                 "  copper: {price: 20, price_per_m: 5}\n"
                                 "  optics: {price: 300, price_per_m: 2, power: 4}\n"
                                 "  lengths: {terminal: 2 m, link: 10 m}\n"),
                         &error);
    g_assert_no_error(error);
    g_auto(DnFabricCost) cost = dn_fabric_cost(m);
    g_assert_cmpuint(cost.cables->len, ==, 2);
    const DnCableCount *c = (const DnCableCount *)(const void *)cost.cables->data;
    g_assert_cmpuint(c[0].cables, ==, 6);
    g_assert_cmpuint(c[1].cables, ==, 3);
    g_assert_true(!c[0].optical && c[1].optical);
    g_assert_cmpuint(cost.unused_ports, ==, 3 * (8 - 4));
    g_assert_cmpfloat(cost.price, ==, 3 * 1000 + 6 * 200 + 6 * (20 + 10) + 3 * (300 + 20));
    g_assert_cmpfloat(cost.power_w, ==, 3 * 100 + 6 * 10 + 3 * 4);
}

static void test_without(void)
{
    GError *error = NULL;
    g_autoptr(DnMachine) m = load_machine(MACHINE(""), &error);
    g_assert_no_error(error);
    g_assert_null(m->parts);
    g_assert_null(load_machine(MACHINE("parts: {switch: {cost: 3}}\n"), &error));
    g_assert_error(error, DN_ERROR, (gint)DN_ERROR_UNKNOWN);
    g_clear_error(&error);
    g_assert_null(load_machine(MACHINE("parts: {lengths: {link: far}}\n"), &error));
    g_assert_nonnull(error);
    g_clear_error(&error);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/topology/parts/count", test_count);
    g_test_add_func("/topology/parts/without", test_without);
    return g_test_run();
}
