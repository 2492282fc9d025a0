/* app_aware_routing_test.c - the choice that counters lead to, and whose counters they are. */
#include "runtime/app_aware_routing.h"

enum { ADAPTIVE_MODE = 3, BIASED_MODE = 5 };

/* Aries: packets of 64 B, a header flit and four of 16 B; a clock of 1 GHz: a cycle is 1 ns. */
static const DnAppAwareRule rule = {
    .modes = {ADAPTIVE_MODE, BIASED_MODE},
    .lambda = 0.5,
    .sigma = 2,
    .expiry = 3,
    .threshold_bytes = 4095,
    .nic =
        {.packet_bytes = 64, .flit_bytes = 16, .header_flits = 1, .window = 1024, .clock_hz = 1e9},
};

static void app_aware_sent(DnNicCounters *nic, guint64 packets)
{
    nic->request_packets += packets;
    nic->request_flits += 5 * packets;
}

/* Responses after @latency ns each, their flits stalled for @stalls cycles each. */
static void app_aware_answered(DnNicCounters *nic, guint64 packets, gint64 latency, gint64 stalls)
{
    nic->responses += packets;
    nic->latency_ps_sum += (gint64)packets * latency * 1000;
    nic->stalled_ps += (gint64)packets * 5 * stalls * 1000;
}

static void app_aware_count(DnNicCounters *nic, guint64 packets, gint64 latency, gint64 stalls)
{
    app_aware_sent(nic, packets);
    app_aware_answered(nic, packets, latency, stalls);
}

static guint8 app_aware_next(DnAppAwareState *state, gint64 bytes, const DnNicCounters *nic,
                             gboolean by_choice)
{
    gboolean chosen;
    guint8 mode = dn_app_aware_select(&rule, state, 0, bytes, FALSE, nic, &chosen);
    g_assert_cmpint(chosen, ==, by_choice);
    return mode;
}

/* Small messages go biased until more than 4,095 B are together. Then: adaptive until a reading has
 * an answer. L 2000, s 1 guess 1000 and 2 for the biased mode: it pays for fewer flits than the
 * latency won, of one window (eq. 4): 1000 cycles. 512 packets are 2560 flits: adaptive. 64 are
 * 320: biased. */
static void test_choice(void)
{
    DnAppAwareState state = {0};
    DnNicCounters nic = {0};
    g_assert_cmpuint(app_aware_next(&state, 1000, &nic, FALSE), ==, BIASED_MODE);
    g_assert_cmpuint(app_aware_next(&state, 3095, &nic, FALSE), ==, BIASED_MODE);
    g_assert_cmpuint(app_aware_next(&state, 1, &nic, TRUE), ==, ADAPTIVE_MODE);
    app_aware_count(&nic, 65, 2000, 1);
    g_assert_cmpuint(app_aware_next(&state, 4096, &nic, TRUE), ==, ADAPTIVE_MODE);
    g_assert_true(state.known);
    app_aware_count(&nic, 64, 2000, 1);
    g_assert_cmpuint(app_aware_next(&state, 512 * 64, &nic, TRUE), ==, ADAPTIVE_MODE);
    app_aware_count(&nic, 512, 2000, 1);
    g_assert_cmpuint(app_aware_next(&state, 64 * 64, &nic, TRUE), ==, BIASED_MODE);
    g_assert_cmpuint(state.bytes[0], ==, 1 + 4096 + 512 * 64);
    g_assert_cmpuint(state.bytes[1], ==, 4095 + 64 * 64);
}

/* The biased mode is worse than guessed. What a reading says is late by one choice, so it is taken
 * twice; remembered for two choices, and tried again at the third one. */
static void test_expiry(void)
{
    DnAppAwareState state = {0};
    DnNicCounters nic = {0};
    static const guint8 modes[] = {ADAPTIVE_MODE, ADAPTIVE_MODE, BIASED_MODE,   BIASED_MODE,
                                   ADAPTIVE_MODE, ADAPTIVE_MODE, ADAPTIVE_MODE, BIASED_MODE};
    for (guint i = 0; i < G_N_ELEMENTS(modes); i++) {
        g_assert_cmpuint(app_aware_next(&state, 4096, &nic, TRUE), ==, modes[i]);
        app_aware_count(&nic, 64, modes[i] == BIASED_MODE ? 4000 : 2000, 1);
    }
}

/* Two messages to one receiver, then two to another: what the adaptive mode counted is of the first
 * one, so that by the factors the biased mode looks better for good. By `memory: any` it is not
 * forgotten. */
static void test_memory(void)
{
    for (guint any = 0; any < 2; any++) {
        DnAppAwareRule own = rule;
        DnAppAwareState state = {0};
        DnNicCounters nic = {0};
        own.any_memory = any == 1;
        for (guint i = 0; i < 6; i++) {
            gboolean chosen, biased = i == 2 || i == 3 || (i > 3 && !own.any_memory);
            guint8 mode = dn_app_aware_select(&own, &state, i / 2, 4096, FALSE, &nic, &chosen);
            g_assert_cmpuint(mode, ==, biased ? BIASED_MODE : ADAPTIVE_MODE);
            app_aware_count(&nic, 64, biased ? 4000 : 2000, 1);
        }
    }
}

/* A reading holds what was answered since the one before, and is taken for the mode chosen last;
 * where nothing was, the last one stays. Stalls below 0, of more responses than requests, are 0. */
static void test_reading(void)
{
    DnAppAwareState state = {0};
    DnNicCounters nic = {0};
    (void)app_aware_next(&state, 4096, &nic, TRUE);
    app_aware_count(&nic, 64, 2000, 1);
    (void)app_aware_next(&state, 4096, &nic, TRUE);
    g_assert_cmpfloat(state.read_latency, ==, 2000);
    app_aware_sent(&nic, 64); /* not answered */
    g_assert_cmpuint(app_aware_next(&state, 4096, &nic, TRUE), ==, BIASED_MODE);
    g_assert_cmpfloat(state.latency[0], ==, 2000);
    g_assert_cmpfloat(state.read_latency, ==, 2000);
    app_aware_sent(&nic, 64);
    app_aware_answered(&nic, 128, 7000, -3); /* half of them went by the adaptive mode */
    (void)app_aware_next(&state, 4096, &nic, TRUE);
    g_assert_cmpfloat(state.latency[1], ==, 2000); /* late */
    (void)app_aware_next(&state, 4096, &nic, TRUE);
    g_assert_cmpfloat(state.latency[1], ==, 7000);
    g_assert_cmpfloat(state.stalls[1], ==, 0);
}

/* Turns: what other modes send in between is not read, what the own turn sent is. */
static void test_pause(void)
{
    DnAppAwareState state = {0};
    DnNicCounters nic = {0};
    (void)app_aware_next(&state, 4096, &nic, TRUE);
    app_aware_count(&nic, 64, 2000, 1);
    dn_app_aware_pause(&rule, &state, &nic);
    g_assert_false(state.reading);
    app_aware_count(&nic, 64, 9000, 9);
    g_assert_cmpuint(app_aware_next(&state, 4096, &nic, TRUE), ==, BIASED_MODE);
    g_assert_cmpfloat(state.latency[0], ==, 2000);
    g_assert_cmpfloat(state.read_latency, ==, 2000);
    app_aware_count(&nic, 64, 4000, 1);
    dn_app_aware_pause(&rule, &state, &nic);
    g_assert_cmpuint(app_aware_next(&state, 4096, &nic, TRUE), ==, ADAPTIVE_MODE);
}

/* Equation 4 compares flits with a quotient: where the biased mode is remembered to stall less,
 * and to have less latency, too, the adaptive one is taken. */
static void test_fewer_stalls(void)
{
    DnAppAwareState state = {.reading = TRUE,
                             .known = TRUE,
                             .learned = TRUE,
                             .latency = {0, 1000},
                             .stalls = {0, 1},
                             .size_bytes = {0, 4096},
                             .read_latency = 2000,
                             .read_stalls = 3};
    DnNicCounters nic = {0};
    g_assert_cmpuint(app_aware_next(&state, 4096, &nic, TRUE), ==, ADAPTIVE_MODE);
    state.latency[1] = 3000; /* 1000 cycles more for 320 flits of 2 cycles less */
    g_assert_cmpuint(app_aware_next(&state, 4096, &nic, TRUE), ==, BIASED_MODE);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/aware/choice", test_choice);
    g_test_add_func("/aware/expiry", test_expiry);
    g_test_add_func("/aware/memory", test_memory);
    g_test_add_func("/aware/reading", test_reading);
    g_test_add_func("/aware/pause", test_pause);
    g_test_add_func("/aware/fewer-stalls", test_fewer_stalls);
    return g_test_run();
}
