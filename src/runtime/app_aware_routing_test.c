/* app_aware_routing_test.c - the choice that counters lead to, and whose counters they are. */
#include "runtime/app_aware_routing.h"

enum { ADAPTIVE_MODE = 3, BIASED_MODE = 5 };

/* Aries: packets of 64 B, a header flit and four of 16 B; a clock of 1 GHz: a cycle is 1 ns. */
static const DnAppAwareRule rule = {
    .modes = {ADAPTIVE_MODE, BIASED_MODE},
    .lambda = 0.5,
    .sigma = 2,
    .expiry = 2,
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

/* Small messages go biased until more than 4,095 B are together. Then: adaptive at first; L 2000,
 * s 1 guess 1000 and 2 for the biased mode: it pays for fewer flits than 1000 (p + 512) / 1024
 * (eq. 4). For 64 packets, 320 flits: 562 cycles won, 320 lost: biased. For 512 packets, 2560
 * flits: 1000 won, 2560 lost: adaptive. */
static void test_choice(void)
{
    DnAppAwareState state = {0};
    DnNicCounters nic = {0};
    g_assert_cmpuint(app_aware_next(&state, 1000, &nic, FALSE), ==, BIASED_MODE);
    g_assert_cmpuint(app_aware_next(&state, 3095, &nic, FALSE), ==, BIASED_MODE);
    g_assert_cmpuint(app_aware_next(&state, 1, &nic, TRUE), ==, ADAPTIVE_MODE);
    g_assert_false(state.known);
    app_aware_count(&nic, 65, 2000, 1);
    g_assert_cmpuint(app_aware_next(&state, 512 * 64, &nic, TRUE), ==, ADAPTIVE_MODE);
    g_assert_true(state.known);
    app_aware_count(&nic, 512, 2000, 1);
    g_assert_cmpuint(app_aware_next(&state, 64 * 64, &nic, TRUE), ==, BIASED_MODE);
    g_assert_cmpuint(state.bytes[0], ==, 1 + 512 * 64);
    g_assert_cmpuint(state.bytes[1], ==, 4095 + 64 * 64);
}

/* The biased mode is worse than guessed: what it counted is forgotten at the second reading
 * after. */
static void test_expiry(void)
{
    DnAppAwareState state = {0};
    DnNicCounters nic = {0};
    static const guint8 modes[] = {ADAPTIVE_MODE, BIASED_MODE, ADAPTIVE_MODE,
                                   ADAPTIVE_MODE, BIASED_MODE, ADAPTIVE_MODE};
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
        for (guint i = 0; i < 4; i++) {
            gboolean chosen, biased = i == 1 || (i > 1 && !own.any_memory);
            guint8 mode = dn_app_aware_select(&own, &state, i / 2, 4096, FALSE, &nic, &chosen);
            g_assert_cmpuint(mode, ==, biased ? BIASED_MODE : ADAPTIVE_MODE);
            app_aware_count(&nic, 64, biased ? 4000 : 2000, 1);
        }
    }
}

/* A message of 64 packets is still unanswered when three more go: the second, of 512 packets, by
 * the other mode than the first. What comes back then belongs to the first one's mode, and is not
 * read before half of all packets are answered. */
static void test_whose(void)
{
    DnAppAwareState state = {0};
    DnNicCounters nic = {0};
    g_assert_cmpuint(app_aware_next(&state, 4096, &nic, TRUE), ==, ADAPTIVE_MODE);
    app_aware_count(&nic, 64, 2000, 1);
    g_assert_cmpuint(app_aware_next(&state, 4096, &nic, TRUE), ==, BIASED_MODE); /* watched */
    app_aware_sent(&nic, 64);
    g_assert_cmpuint(app_aware_next(&state, 512 * 64, &nic, TRUE), ==, ADAPTIVE_MODE);
    app_aware_sent(&nic, 512);
    app_aware_answered(&nic, 64, 7000, 3);
    g_assert_cmpuint(app_aware_next(&state, 512 * 64, &nic, TRUE), ==, ADAPTIVE_MODE);
    g_assert_cmpfloat(state.latency[0], ==, 2000);
    g_assert_cmpfloat(state.latency[1], ==, 1000); /* still guessed */
    app_aware_sent(&nic, 512);
    app_aware_answered(&nic, 1024, 7000, 3);
    g_assert_cmpuint(app_aware_next(&state, 4096, &nic, TRUE), ==, ADAPTIVE_MODE);
    g_assert_cmpfloat(state.latency[0], ==, 2000);
    g_assert_cmpfloat(state.stalls[0], ==, 1);
    g_assert_cmpfloat(state.latency[1], ==, 7000);
    g_assert_cmpfloat(state.stalls[1], ==, 3);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/aware/choice", test_choice);
    g_test_add_func("/aware/expiry", test_expiry);
    g_test_add_func("/aware/memory", test_memory);
    g_test_add_func("/aware/whose", test_whose);
    return g_test_run();
}
