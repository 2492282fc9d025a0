/* aware_test.c - the model's time, the choice it leads to, and what counters teach it. */
#include "replay/aware.h"

#include <math.h>

enum { ADAPTIVE_MODE = 3, BIASED_MODE = 5 };

/* Aries: packets of 64 B, a header flit and four of 16 B; a clock of 1 GHz: a cycle is 1 ns. */
static const DnAwareRule rule = {
    .modes = {ADAPTIVE_MODE, BIASED_MODE},
    .lambda = 0.5,
    .sigma = 2,
    .expiry = 2,
    .threshold_bytes = 4096,
    .packet_bytes = 64,
    .flit_bytes = 16,
    .header_flits = 1,
    .clock_hz = 1e9,
};

/* Eq. 2: 512 packets of five flits, L 1000, s 0.5: (512 + 512) / 1024 x 1000 + 2560 x 1.5. */
static void test_model(void)
{
    g_assert_cmpfloat(dn_aware_model(&rule, 512 * 64, 1000, 0.5), ==, 1000 + 2560 * 1.5);
    /* nothing to send is still a packet: a header */
    g_assert_cmpfloat(dn_aware_model(&rule, 0, 1024, 0), ==, 513 + 1);
}

/* Counters as if @packets more had been answered after @latency ns each, their flits stalled for
 * @stalls cycles each. */
static void count(DnNicCounters *nic, guint64 packets, gint64 latency, gint64 stalls)
{
    nic->request_packets += packets;
    nic->responses += packets;
    nic->request_flits += 5 * packets;
    nic->latency_ps_sum += (gint64)packets * latency * 1000;
    nic->stalled_ps += (gint64)packets * 5 * stalls * 1000;
}

/* Small messages go biased until 4 KiB are together. Then: adaptive at first; L 2000, s 1 guess
 * 1000 and 2 for the biased mode: it pays for fewer flits than 1000 (p + 512) / 1024 (eq. 4). For
 * 64 packets, 320 flits: 562 cycles won, 320 lost: biased. For 512 packets, 2560 flits: 1000 won,
 * 2560 lost: adaptive. */
static void test_choice(void)
{
    DnAwareState state = {0};
    DnNicCounters nic = {0};
    g_assert_cmpuint(dn_aware_select(&rule, &state, 1000, 0), ==, BIASED_MODE);
    g_assert_cmpuint(dn_aware_select(&rule, &state, 3095, 0), ==, BIASED_MODE);
    dn_aware_look(&rule, &state, &nic, 10); /* nothing was sent by choice */
    g_assert_false(state.known);
    g_assert_cmpuint(dn_aware_select(&rule, &state, 1, 0), ==, ADAPTIVE_MODE);
    count(&nic, 65, 2000, 1);
    dn_aware_look(&rule, &state, &nic, 10);
    g_assert_true(state.known);
    g_assert_cmpuint(dn_aware_select(&rule, &state, 512 * 64, 0), ==, ADAPTIVE_MODE);
    count(&nic, 512, 2000, 1);
    dn_aware_look(&rule, &state, &nic, 10);
    g_assert_cmpuint(dn_aware_select(&rule, &state, 64 * 64, 0), ==, BIASED_MODE);
    g_assert_cmpuint(state.bytes[0], ==, 1 + 512 * 64);
    g_assert_cmpuint(state.bytes[1], ==, 4095 + 64 * 64);
}

/* The biased mode is worse than guessed: what it counted is believed for two looks, then
 * forgotten. */
static void test_expiry(void)
{
    DnAwareState state = {0};
    DnNicCounters nic = {0};
    static const guint8 modes[] = {ADAPTIVE_MODE, BIASED_MODE,   ADAPTIVE_MODE,
                                   ADAPTIVE_MODE, ADAPTIVE_MODE, BIASED_MODE};
    for (guint i = 0; i < G_N_ELEMENTS(modes); i++) {
        g_assert_cmpuint(dn_aware_select(&rule, &state, 4096, 0), ==, modes[i]);
        count(&nic, 64, modes[i] == BIASED_MODE ? 4000 : 2000, 1);
        dn_aware_look(&rule, &state, &nic, 10);
    }
}

/* x = 1, 2, 3 against y = 2, 4, 6 and y = 1, 3, 2: correlations 1 and 0.5. */
static void test_correlation(void)
{
    DnAwareFit line = {0}, loose = {0};
    for (guint i = 1; i <= 3; i++) {
        double x = i, y = i == 1 ? 1 : i == 2 ? 3 : 2;
        g_assert_true(isnan(dn_aware_correlation(&line)));
        dn_aware_fit_add(&line, &(DnAwareFit){1, x, 2 * x, x * x, 4 * x * x, 2 * x * x});
        dn_aware_fit_add(&loose, &(DnAwareFit){1, x, y, x * x, y * y, x * y});
    }
    g_assert_cmpfloat(fabs(dn_aware_correlation(&line) - 1), <, 1e-12);
    g_assert_cmpfloat(fabs(dn_aware_correlation(&loose) - 0.5), <, 1e-12);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/aware/model", test_model);
    g_test_add_func("/aware/choice", test_choice);
    g_test_add_func("/aware/expiry", test_expiry);
    g_test_add_func("/aware/correlation", test_correlation);
    return g_test_run();
}
