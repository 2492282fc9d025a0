/* throttle_test.c - The window of the endpoint throttle holds what a path has under way, so that an
 * idle network takes as long with the control as without; and a flow's packets share it. */
#include "engine/packet/longest_path.h"
#include "engine/packet/packet_bench.h"

/* A line of six switches; gpu0 is behind gpu1, which has the NIC. */
#define LINE(nodes, hardware)                                                                      \
    "fabric:\n  type: torus\n  dims: [6]\n  wrap: [false]\n"                                       \
    "  links:\n    terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 64 KiB}\n"               \
    "    link: {bandwidth: 80 Gb/s, latency: 20 ns, buffer: 64 KiB}\n"                             \
    "  switch: {latency: 100 ns}\n"                                                                \
    "node:\n  vertices:\n    - {name: gpu, kind: gpu, count: 2, transit: true}\n"                  \
    "    - {name: nic, kind: nic, latency: 40 ns}\n"                                               \
    "  links: {wire: {bandwidth: 160 Gb/s, latency: 300 ns, buffer: 64 KiB}}\n"                    \
    "  edges: [{link: [gpu0, gpu1], class: wire}, {link: [gpu1, nic], class: wire}]\n"             \
    "  nics: [{nic: nic, serves: [gpu0, gpu1]}]\n"                                                 \
    "nodes: " nodes "\n"                                                                           \
    "hardware: {packet: 1 KiB, header: 0 B, window: 1024, response: 16 B" hardware "}\n"
#define FIRST_GPU 0
#define LAST_GPU (5 * 2)
#define LONGEST_PS (4 * 300000 + 2 * 40000 + 2 * 10000 + 5 * 20000 + 6 * 100000)

/* Both wires of either node, both NICs, the whole line, also where nodes are on a part of it. */
static void test_longest_path(void)
{
    static const char *const machines[] = {LINE("6", ""), LINE("2", "")};
    for (guint i = 0; i < G_N_ELEMENTS(machines); i++) {
        Bench b;
        bench_open(&b, machines[i], NULL);
        gint64 longest_ps[DN_APARTS];
        dn_longest_paths(b.router, longest_ps);
        g_assert_cmpint(longest_ps[DN_APART_SWITCH], ==, LONGEST_PS - 5 * (20000 + 100000));
        g_assert_cmpint(longest_ps[DN_APART_GROUP], ==, LONGEST_PS);
        g_assert_cmpint(longest_ps[DN_APART_FABRIC], ==, LONGEST_PS);
        bench_close(&b);
    }
}

/* Rails in turn: from a GPU to the other's NIC the path is longer than to its own. The CPU behind a
 * GPU has no NIC, and where GPUs do not forward it has no path to one. */
static void test_longest_rail(void)
{
    static const char *const rails[] = {"own", "round_robin"}, *const forwards[] = {"no", "yes"};
    for (guint i = 0; i < G_N_ELEMENTS(rails); i++) {
        Bench b;
        g_autofree char *yaml = g_strdup_printf(
            "fabric:\n  type: full_mesh\n  switches: 1\n  terminals_per_switch: 4\n"
            "  links: {terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 16 KiB}}\n"
            "  switch: {latency: 100 ns}\n"
            "node:\n  vertices:\n    - {name: gpu, kind: gpu, count: 2, transit: %s}\n"
            "    - {name: nic, kind: nic, count: 2}\n    - {name: cpu, kind: cpu}\n"
            "  links: {wire: {bandwidth: 80 Gb/s, latency: 70 ns, buffer: 16 KiB}}\n"
            "  edges:\n    - {link: [gpu0, gpu1], class: wire}\n    - {link: [gpu0, cpu], class: "
            "wire}\n"
            "    - {link: [gpu0, nic0], class: wire}\n    - {link: [gpu1, nic1], class: wire}\n"
            "  nics: [{nic: nic0, serves: [gpu0]}, {nic: nic1, serves: [gpu1]}]\n"
            "hardware: {packet: 1 KiB, header: 0 B, rails: %s}\n",
            forwards[i], rails[i]);
        bench_open(&b, yaml, NULL);
        gint64 legs_ps = 2 * (1 + i) * G_GINT64_CONSTANT(70000);
        gint64 longest_ps[DN_APARTS];
        dn_longest_paths(b.router, longest_ps);
        g_assert_cmpint(longest_ps[DN_APART_SWITCH], ==, legs_ps + 2 * 10000 + 100000);
        bench_close(&b);
    }
}

/* One message, of any size, over the longest path: within 1 % of the time without control. */
static void test_idle(void)
{
    static const char *const machines[] = {
        LINE("6", ""), LINE("6", ", congestion_control: endpoint_throttle, throttle_target: 1 us")};
    for (gint64 kib = 1; kib <= 1024; kib *= 2) {
        gint64 time_ps[2];
        for (guint on = 0; on < 2; on++) {
            Bench b;
            bench_open(&b, machines[on], NULL);
            DnMessage m = {.src = FIRST_GPU, .dst = LAST_GPU, .bytes = kib * 1024};
            bench_run(&b, &m, 1, FALSE, 1024);
            time_ps[on] = packet_bench_at(&b, 0);
            bench_close(&b);
        }
        g_assert_cmpint(time_ps[0], >=, LONGEST_PS + kib * 102400);
        g_assert_cmpfloat_with_epsilon((double)time_ps[1] / (double)time_ps[0], 1.0, 0.01);
    }
}

#define SENDERS 8
#define MESH(control)                                                                              \
    "fabric:\n  type: full_mesh\n  switches: 5\n  terminals_per_switch: 4\n"                       \
    "  links:\n    terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 64 KiB}\n"               \
    "    link: {bandwidth: 80 Gb/s, latency: 30 ns, buffer: 64 KiB}\n  switch: {latency: 50 ns}\n" \
    "hardware: {packet: 1 KiB, header: 0 B, window: 1024, response: 16 B" control "}\n"

/* Returns the mean latency of the packets of an incast of 1 MiB a sender, in messages of @bytes,
 * all sent at once. */
static double incast_latency_ps(const char *machine, gint64 bytes)
{
    Bench b;
    bench_open(&b, machine, NULL);
    guint each = (guint)((1 << 20) / bytes);
    g_autofree DnMessage *m = g_new0(DnMessage, SENDERS * each);
    for (guint i = 0; i < SENDERS * each; i++)
        m[i] = (DnMessage){.src = 4 + i % SENDERS, .dst = 0, .bytes = bytes};
    bench_run(&b, m, SENDERS * each, FALSE, 1024);
    gint64 last_ps = 0;
    for (guint i = 0; i < SENDERS * each; i++)
        last_ps = MAX(last_ps, packet_bench_at(&b, i));
    /* the link to the receiver is busy all the time, but for a hundredth */
    g_assert_cmpint(last_ps, <, G_GINT64_CONSTANT(101) * SENDERS * (1 << 20));
    double latency_ps = (double)b.result.packet_latency_ps_sum / (double)b.result.packets;
    bench_close(&b);
    return latency_ps;
}

/* A source has as few packets to a congested destination in flight whether they are one message's
 * or many messages'. */
static void test_short_messages(void)
{
    const char *on = MESH(", congestion_control: endpoint_throttle, throttle_target: 2 us");
    double longer_ps = incast_latency_ps(on, 1 << 20);
    g_assert_cmpfloat(incast_latency_ps(MESH(""), 1 << 10), >, 10 * longer_ps);
    for (gint64 bytes = 1 << 10; bytes <= 1 << 18; bytes *= 4)
        g_assert_cmpfloat(incast_latency_ps(on, bytes), <, 1.25 * longer_ps);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/throttle/longest-path", test_longest_path);
    g_test_add_func("/throttle/longest-rail", test_longest_rail);
    g_test_add_func("/throttle/short-messages", test_short_messages);
    g_test_add_func("/throttle/idle", test_idle);
    return g_test_run();
}
