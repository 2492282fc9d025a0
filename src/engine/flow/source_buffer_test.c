/* source_buffer_test.c - When messages leave their source, by the flow and the packet engine. */
#include "engine/flow/flow_test.h"

/* A source whose PCIe is ten times as fast as the wire, with a buffer of 16 KiB at its end: what
 * fits there has left at PCIe's rate, as in the packet engine; a longer message leaves with
 * its transfer's end, in the packet engine a buffer earlier. */
static void test_source_buffer(void)
{
    static const char *const engines[] = {"flow", "packet"};
    static const gint64 kib[] = {8, 16, 1024};
    gint64 sent_ps[G_N_ELEMENTS(engines)][G_N_ELEMENTS(kib)];
    for (guint e = 0; e < G_N_ELEMENTS(engines); e++)
        for (guint i = 0; i < G_N_ELEMENTS(kib); i++) {
            Bench b;
            open_two_nics(&b, "own");
            engine = engines[e];
            DnMessage m = {.src = 0, .dst = 2, .bytes = kib[i] * 1024};
            flow_run(&b, &m, 1, NULL);
            sent_ps[e][i] = b.script.sent_ps[0];
            bench_close(&b);
        }
    engine = "flow";
    double wire = (double)UNIT_PS / 1024;
    for (guint e = 0; e < G_N_ELEMENTS(engines); e++)
        for (guint i = 0; i < 2; i++)
            g_assert_cmpfloat_with_epsilon((double)sent_ps[e][i] / wire, (double)kib[i] / 10, 0.5);
    g_assert_cmpfloat_with_epsilon((double)sent_ps[0][2] / wire, 1024.0, 1.0);
    g_assert_cmpfloat_with_epsilon((double)sent_ps[1][2] / wire, 1024.0 - 16.0, 3.0);
}

/* Two messages of one source, each limited to half of the wire's rate, leave at the same time. */
static void test_rates(void)
{
    static const char *const engines[] = {"flow", "packet"};
    for (guint e = 0; e < G_N_ELEMENTS(engines); e++) {
        Bench b;
        open_two_nics(&b, "own");
        engine = engines[e];
        DnMessage m[2];
        for (guint i = 0; i < 2; i++)
            m[i] = (DnMessage){
                .src = 0, .dst = 2, .bytes = 8 * 1024, .rate_bps = G_GINT64_CONSTANT(40000000000)};
        flow_run(&b, m, 2, NULL);
        double kib = (double)UNIT_PS / 1024; /* on the wire */
        for (guint i = 0; i < 2; i++)
            g_assert_cmpfloat_with_epsilon((double)b.script.sent_ps[i] / kib, 16.0, 2.0);
        bench_close(&b);
    }
    engine = "flow";
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/source-buffer/size", test_source_buffer);
    g_test_add_func("/source-buffer/rates", test_rates);
    return g_test_run();
}
