/* by_nics_test.c - messages between endpoints of a node over its NICs (`via: nic`), in closed form.
 *
 * Every link: 100 Gb/s, 80 ps a byte, 1 us; a message of 125,000 B is one packet of T = 10 us and
 * whole after T + 1 us a link. GPUs 0 and 1 share NIC 0, which hangs on GPU 1; GPU 2 has NIC 1.
 * Each request has a response, so that NICs count both. */
#include "experiment/simulate.h"
#include "config/test_run_spec.h"

#include <string.h>

#define US G_GINT64_CONSTANT(1000000)
#define LINK "{bandwidth: 100 Gb/s, latency: 1 us, buffer: 1 MiB}"
#define NODE                                                                                       \
    "  node:\n    vertices: [{name: gpu, kind: gpu, count: 3, transit: true}, "                    \
    "{name: nic, kind: nic, count: 2, latency: 0}]\n    links: {wire: " LINK "}\n    edges:\n"     \
    "      - {link: [gpu0, gpu1], class: wire}\n      - {link: [gpu1, gpu2], class: wire}\n"       \
    "      - {link: [gpu1, nic0], class: wire}\n      - {link: [gpu2, nic1], class: wire}\n"       \
    "    nics: [{nic: nic0, serves: [gpu0, gpu1]}, {nic: nic1, serves: gpu2}]\n"
#define MACHINE                                                                                    \
    "machine:\n  hardware: {packet: 1 MiB, response: 16 B, window: 64}\n  nodes: 2\n  fabric:\n"   \
    "    type: full_mesh\n    switches: 1\n    terminals_per_switch: 4\n"                          \
    "    links: {terminal: " LINK "}\n    switch: {latency: 0}\n" NODE

static DnRunResult *flow_simulate(const char *machine, const char *pair, const char *costs,
                                  const char *engine, GError **error)
{
    g_autofree char *text =
        g_strdup_printf("%sengine: %s\njobs:\n - {workload: {type: flows, bytes: 125000 B, flows: "
                        "[[%s]]}, mechanism: {%s}}\n",
                        machine, engine, pair, costs);
    g_autoptr(DnRunSpec) spec = test_run_spec(text, NULL, error);
    return spec != NULL ? dn_simulate(spec, NULL, NULL, error) : NULL;
}

/* Each path has its links in the node, to the switch and back, though that to GPU 1 passes it on
 * the way out; between nodes it is the same either way. */
static void test_paths(void)
{
    static const struct {
        const char *pair;
        gint64 by_links_ps, by_nics_ps;
    } runs[] = {{"0, 1", 11 * US, 15 * US},
                {"1, 0", 11 * US, 15 * US},
                {"0, 2", 12 * US, 15 * US},
                {"2, 1", 11 * US, 14 * US},
                {"0, 3", 16 * US, 16 * US}};
    static const char *const engines[] = {"packet", "flow", "bound"};
    for (guint i = 0; i < G_N_ELEMENTS(runs) * G_N_ELEMENTS(engines) * 2; i++) {
        gboolean by_nics = i % 2 > 0;
        guint run = i / 2 % G_N_ELEMENTS(runs);
        const char *engine = engines[i / 2 / G_N_ELEMENTS(runs)];
        g_autoptr(GError) error = NULL;
        g_autoptr(DnRunResult)
            r = flow_simulate(MACHINE, runs[run].pair, by_nics ? "via: nic" : "", engine, &error);
        g_assert_no_error(error);
        gint64 expected = by_nics ? runs[run].by_nics_ps : runs[run].by_links_ps;
        g_assert_cmpint(ABS(r->jobs[0].iteration_ps[0] - expected), <=, 100);
    }
}

/* The words of a rendezvous, of 1,000 B each, go there and back by the NICs as the data do. What is
 * sent once a word is here leaves behind the response to it, of 16 B. */
static void test_rendezvous(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnRunResult) r = flow_simulate(
        MACHINE, "0, 2", "via: nic, eager_threshold: 0, control_bytes: 1000 B", "packet", &error);
    g_assert_no_error(error);
    gint64 word_ps = (1000 + 16) * 80 + 5 * US;
    g_assert_cmpint(r->jobs[0].iteration_ps[0], ==, 2 * word_ps + 15 * US);
}

static void test_errors(void)
{
    static const char *const no_network = "machine:\n  hardware: {packet: 1 MiB}\n"
                                          "  node:\n    vertices: [{name: gpu, kind: gpu, "
                                          "count: 2}]\n    links: {wire: " LINK "}\n    edges:\n"
                                          "      - {link: [gpu0, gpu1], class: wire}\n";
    g_autoptr(GError) error = NULL;
    g_assert_null(flow_simulate(no_network, "0, 1", "via: nic", "packet", &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_RANGE);
    g_assert_nonnull(strstr(error->message, "`via: nic`, and the machine has no network"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/by-nics/paths", test_paths);
    g_test_add_func("/by-nics/rendezvous", test_rendezvous);
    g_test_add_func("/by-nics/errors", test_errors);
    return g_test_run();
}
