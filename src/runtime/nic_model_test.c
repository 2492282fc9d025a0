/* nic_model_test.c - the model's time, and what counters say of an iteration. */
#include "runtime/nic_model.h"

/* Aries: packets of 64 B, a header flit and four of 16 B; a clock of 1 GHz: a cycle is 1 ns. */
static const DnNicModel model = {
    .packet_bytes = 64, .flit_bytes = 16, .header_flits = 1, .window = 1024, .clock_hz = 1e9};

/* 512 packets of five flits each; nothing to send is still a packet: a header. */
static void test_message(void)
{
    g_assert_cmpfloat(dn_nic_model_packets(&model, 512 * 64), ==, 512);
    g_assert_cmpfloat(dn_nic_model_flits(&model, 512 * 64), ==, 2560);
    g_assert_cmpfloat(dn_nic_model_packets(&model, 0), ==, 1);
    g_assert_cmpfloat(dn_nic_model_flits(&model, 0), ==, 1);
}

static void test_init(void)
{
    DnNicModel read;
    DnHardware hardware = {.window_packets = 1024,
                           .packet_bytes = 64,
                           .flit_bytes = 16,
                           .header_flits = 1,
                           .clock_hz = 1e9};
    g_assert_true(dn_nic_model_init(&read, &hardware, 256));
    g_assert_cmpint(read.packet_bytes, ==, 256);
    g_assert_cmpuint(read.window, ==, 256); /* 64 KiB */
    hardware.window_packets = 0;
    g_assert_false(dn_nic_model_init(&read, &hardware, 256));
}

/* Two ranks, two iterations. Rank 0 sends 512 packets as one message, their responses after 2 us
 * each, flits stalled for 1 ns: 1024 / 1024 x 2000 + 2560 x 2 = 7120 ns. Rank 1 sends 64 packets as
 * two messages at 4 us: (64 + 1024) / 1024 x 4000 + 320 = 4570 ns. Then rank 1 alone: 512 packets
 * after 1 us each: 1000 + 2560 = 3560 ns. */
static void test_iterations(void)
{
    DnNicIteration it[2] = {{0}};
    DnNicWatch watch[2] = {{.sent = 1}, {.sent = 2}};
    DnNicCounters nic[2] = {
        {.request_flits = 2560,
         .request_packets = 512,
         .responses = 512,
         .stalled_ps = 2560000,
         .latency_ps_sum = 512 * 2000000},
        {.request_flits = 320,
         .request_packets = 64,
         .responses = 64,
         .latency_ps_sum = 64 * 4000000},
    };
    dn_nic_watch_end(&model, &watch[0], &nic[0], &it[0]);
    dn_nic_watch_end(&model, &watch[1], &nic[1], &it[0]);
    g_assert_cmpuint(it[0].responses, ==, 576);
    g_assert_cmpuint(it[0].flits, ==, 2880);
    g_assert_cmpint(it[0].latency_ps, ==, 512 * 2000000 + 64 * 4000000);
    g_assert_cmpint(it[0].stalled_ps, ==, 2560000);
    g_assert_cmpint(it[0].network_ps, ==, 7120000);
    nic[1].request_flits += 2560;
    nic[1].request_packets += 512;
    nic[1].responses += 512;
    nic[1].latency_ps_sum += 512 * 1000000;
    watch[1].sent = 1;
    dn_nic_watch_end(&model, &watch[0], &nic[0], &it[1]);
    dn_nic_watch_end(&model, &watch[1], &nic[1], &it[1]);
    g_assert_cmpuint(it[1].responses, ==, 512);
    g_assert_cmpint(it[1].network_ps, ==, 3560000);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/nic-model/message", test_message);
    g_test_add_func("/nic-model/init", test_init);
    g_test_add_func("/nic-model/iterations", test_iterations);
    return g_test_run();
}
