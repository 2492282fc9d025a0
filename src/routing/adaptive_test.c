/* adaptive_test.c - Tests of what the algorithms decide, on queues the test sets. */
#include <string.h>

#include "routing/group_path.h"
#include "routing/test_setting.h"

/* 9 groups of 4 switches, 2 global links each: one link a pair of groups, so every port set has one
 * port. Switch 0 has links to groups 1 and 2, switch 1 to 3 and 4, ... (absolute arrangement). */
#define FULL                                                                                       \
    "{groups: 9, switches_per_group: 4, terminals_per_switch: 1, global_links_per_switch: 2, "     \
    "arrangement: absolute}"
#define SOURCE 0u
#define TARGET (5u * 4 + 1) /* a switch of group 5; switch 2 is the gateway */

/* Every port of the source so loaded that any detour weighs 3000: over a neighbour 5 hops (local,
 * global, local, global, local) of 600 bytes each, over an own global link 4 of 750. Or 1200:
 * double 600. */
static void load_detours(Setting *s)
{
    const DnGroupRouter *r = (const DnGroupRouter *)s->router;
    for (guint32 p = 0; p < dn_graph_degree(s->g, SOURCE); p++)
        *bytes_at(s, SOURCE, p) =
            dn_group_port_kind(r, SOURCE, p) == DN_PORT_GLOBAL && !r->weigh_double ? 750 : 600;
}

/* The minimal path weighs 3 hops (local, global, local) times its queue. UGAL goes minimally while
 * 3 q <= 3000 + threshold: up to q = 1000 without, 1100 with a threshold of 300; weighed double
 * while q <= 1200 + threshold; and where the detour begins with the very same port, always. */
static void check_flip(const char *routing, gint64 last_minimal)
{
    Setting s = setting_new("dragonfly", FULL, routing);
    const DnGroupRouter *r = (const DnGroupRouter *)s.router;
    guint32 straight = port_to(s.g, SOURCE, 2);
    guint n_detours = 0;
    for (guint i = 0; i < 200; i++) {
        guint64 draw = dn_draw(dn_draw_key(1, DN_DRAW_TEST, 0), i);
        guint32 via = dn_group_draw_via(r, SOURCE, TARGET, dn_mix64(draw));
        DnPortSet set = dn_group_toward_via(r->table, SOURCE, via);
        gboolean same_port = (set & DN_PORT_SET_SINGLE) && (set & 0xffff) == straight;
        load_detours(&s);
        for (gint64 q = last_minimal; q <= last_minimal + 1; q++) {
            *bytes_at(&s, SOURCE, straight) = q;
            DnRouteState state = adaptive_entering(&s, TARGET, 0);
            DnHop hop = adaptive_route(&s, SOURCE, &state, draw);
            gboolean detour = q > last_minimal && !same_port;
            g_assert_cmpuint(state.via, ==, detour ? via : DN_NONE);
            g_assert_cmpuint(hop.port, ==, detour ? (set & 0xffff) : straight);
            n_detours += detour;
        }
    }
    g_assert_cmpuint(n_detours, >, 100);
    setting_clear(&s);
}

static void test_ugal_flips(void)
{
    check_flip("{algorithm: ugal_l}", 1000);
    check_flip("{algorithm: ugal_l, threshold: 300 B}", 1100);
    check_flip("{algorithm: ugal_l, path_weight: double, threshold: 30 B}", 1230);
    check_flip("{algorithm: par}", 1000);
}

/* Detours of any group, with the minimal path too loaded to take: of nine groups one is the
 * source's and one the target's, which mean the minimal path, and one more begins with the
 * loaded port (its other global link); six remain. 9,000 draws have a standard deviation of 45
 * packets. */
static void test_detours_of_any_group(void)
{
    Setting s = setting_new("dragonfly", FULL, "{algorithm: ugal_l, intermediate_groups: any}");
    guint n_detours = 0;
    *bytes_at(&s, SOURCE, port_to(s.g, SOURCE, 2)) = 1 << 20;
    for (guint i = 0; i < 9000; i++) {
        DnRouteState state = adaptive_entering(&s, TARGET, 0);
        adaptive_route(&s, SOURCE, &state, dn_draw(dn_draw_key(3, DN_DRAW_TEST, 0), i));
        n_detours += state.via != DN_NONE;
    }
    g_assert_cmpint(ABS((gint)n_detours - 6000), <, 4 * 45);
    setting_clear(&s);
}

/* Only the global link to the target's group is loaded, at gateway 2, out of the source's sight. */
static void test_global_knowledge(void)
{
    static const char *const routings[] = {"{algorithm: ugal_l}", "{algorithm: ugal_g}",
                                           "{algorithm: ugal_g}"};
    for (guint k = 0; k < G_N_ELEMENTS(routings); k++) {
        Setting s = setting_new("dragonfly", FULL, routings[k]);
        const DnGroupRouter *r = (const DnGroupRouter *)s.router;
        *bytes_at(&s, 2, r->table->toward_group[2 * 9 + 5] & 0xffff) = 1;
        gboolean sees = k == 1; /* the third time the engine shows no remote ports */
        s.load.view.remote_port_bytes = k == 2 ? NULL : test_remote_bytes;
        for (guint i = 0; i < 100; i++) {
            DnRouteState state = adaptive_entering(&s, TARGET, 0);
            adaptive_route(&s, SOURCE, &state, dn_draw(dn_draw_key(2, DN_DRAW_TEST, 0), i));
            g_assert_cmpint(state.via != DN_NONE, ==, sees);
        }
        setting_clear(&s);
    }
}

/* The same state at the gateway itself: PAR changes its mind there, UGAL has none left. */
static void test_par_diverts(void)
{
    for (guint k = 0; k < 2; k++) {
        Setting s =
            setting_new("dragonfly", FULL, k == 0 ? "{algorithm: ugal_l}" : "{algorithm: par}");
        const DnGroupRouter *r = (const DnGroupRouter *)s.router;
        guint32 global = r->table->toward_group[2 * 9 + 5] & 0xffff;
        *bytes_at(&s, 2, global) = 1000;
        guint diverted = 0;
        for (guint i = 0; i < 100; i++) {
            guint64 draw = dn_draw(dn_draw_key(3, DN_DRAW_TEST, 0), i);
            DnRouteState state = adaptive_entering(&s, TARGET, 0);
            DnHop hop = adaptive_route(&s, SOURCE, &state, draw);
            g_assert_cmpuint(test_peer(s.g, SOURCE, hop.port), ==, 2);
            /* ugal_l's minimal packets use the second group's channels from the start */
            g_assert_cmpuint(hop.channel, ==, k == 0 ? 1 : 0);
            hop = adaptive_route(&s, 2, &state, dn_mix64(draw));
            if (state.via == DN_NONE)
                continue;
            diverted++;
            g_assert_cmpuint(hop.port, !=, global);
            /* a second local hop is on the second local channel */
            if (test_peer(s.g, 2, hop.port) < 4)
                g_assert_cmpuint(hop.channel, ==, 1);
        }
        g_assert_cmpuint(diverted, ==, k == 0 ? 0 : 100);
        setting_clear(&s);
    }
}

/* Three groups of a switch, four links a pair of groups: switch 0 has four global ports to group 1
 * (minimal for a target there) and four to group 2 (every detour). */
#define WIDE                                                                                       \
    "{groups: 3, switches_per_group: 1, terminals_per_switch: 1, global_links_per_switch: 8}"
#define TRIALS 20000

/* Share of packets that set out minimally; queues uniform below 1000. @sampled: minimal paths, and
 * detours. */
static double minimal_share(const char *mode, guint sampled)
{
    g_autofree char *yaml = g_strdup_printf("{algorithm: aries, mode: %s, load_unit: 1 B, "
                                            "load_limit: 1000000, bias_1: 50 B, "
                                            "bias_low: 100 B, bias_high: 250 B, shift_high: 0, "
                                            "minimal_paths: %u, detours: %u}",
                                            mode, sampled, sampled);
    Setting s = setting_new("dragonfly", WIDE, yaml);
    guint minimal = 0;
    for (guint i = 0; i < TRIALS; i++) {
        test_load_random(&s.load, i, 1000);
        DnRouteState state = adaptive_entering(&s, 1, s.router->mode);
        DnHop hop = adaptive_route(&s, 0, &state, dn_draw(dn_draw_key(4, DN_DRAW_TEST, 0), i));
        guint32 group = s.g->vertices[test_peer(s.g, 0, hop.port)].group;
        g_assert_cmpint(state.via == DN_NONE, ==, group == 1);
        minimal += group == 1;
    }
    setting_clear(&s);
    return (double)minimal / TRIALS;
}

/* P(X <= Y + b) for queues uniform on [0, 1), X the lesser of two, c = 1 - b:
 *   Y the lesser of two:  1 - (c^2 - c^4/2 - 4 b c^3/3 - b^2 c^2)
 *   Y a single one:       1 - c^3/3
 * The two minimal ports differ; the two detours are drawn apart and begin with the same of four
 * ports once in four. */
static double expected_share(double b)
{
    double c = 1 - b;
    double two = 1 - (c * c - c * c * c * c / 2 - 4 * b * c * c * c / 3 - b * b * c * c);
    double one = 1 - c * c * c / 3;
    return 0.75 * two + 0.25 * one;
}

/* Four standard deviations of a share of 20,000 trials are below 4 * 0.5 / sqrt(20000) = 0.0141. */
#define SHARE_TOLERANCE 0.0142

static void test_aries_shares(void)
{
    static const struct {
        const char *mode;
        double bias;
    } rows[] = {{"ADAPTIVE_0", 0}, {"ADAPTIVE_2", 0.1}, {"ADAPTIVE_3", 0.25}, {"ADAPTIVE_1", 0.05}};
    double share[4];
    for (guint i = 0; i < 4; i++) {
        share[i] = minimal_share(rows[i].mode, 2);
        g_test_message("%s: %.4f of packets set out minimally", rows[i].mode, share[i]);
        g_assert_cmpfloat_with_epsilon(share[i], expected_share(rows[i].bias), SHARE_TOLERANCE);
    }
    /* on the same queues and draws: a higher bias, a larger share */
    g_assert_cmpfloat(share[0], <, share[3]);
    g_assert_cmpfloat(share[3], <, share[1]);
    g_assert_cmpfloat(share[1], <, share[2]);
    /* one path of each kind: either is the lighter one as often */
    g_assert_cmpfloat_with_epsilon(minimal_share("ADAPTIVE_0", 1), 0.5, SHARE_TOLERANCE);
    g_assert_cmpfloat(minimal_share("MIN_HASH", 2), ==, 1);
    g_assert_cmpfloat(minimal_share("IN_ORDER", 2), ==, 1);
    g_assert_cmpfloat(minimal_share("NMIN_HASH", 2), ==, 0);
}

/* Share of packets over the one idle port of four that begin paths of their kind, minimal ones or
 * detours, while the other kind is too loaded to take. */
static double idle_share(const char *params, guint group)
{
    g_autofree char *yaml = g_strdup_printf("{algorithm: ugal_l%s}", params);
    Setting s = setting_new("dragonfly", WIDE, yaml);
    guint32 idle = port_to(s.g, 0, group);
    for (guint32 p = 0; p < dn_graph_degree(s.g, 0); p++)
        *bytes_at(&s, 0, p) = s.g->vertices[test_peer(s.g, 0, p)].group == group ? 1000 : 1 << 20;
    *bytes_at(&s, 0, idle) = 0;
    guint taken = 0;
    for (guint i = 0; i < TRIALS; i++) {
        DnRouteState state = adaptive_entering(&s, 1, 0);
        guint64 draw = dn_draw(dn_draw_key(5, DN_DRAW_TEST, 0), i);
        taken += adaptive_route(&s, 0, &state, draw).port == idle;
        g_assert_cmpint(state.via == DN_NONE, ==, group == 1);
    }
    setting_clear(&s);
    return (double)taken / TRIALS;
}

/* Of n draws with replacement from four ports one is the idle one with 1 - (3/4)^n. */
static void test_ugal_candidates(void)
{
    static const struct {
        const char *params;
        double minimal, detour;
    } rows[] = {{"", 1 / 4.0, 1 / 4.0},
                {", minimal_paths: 2", 7 / 16.0, 1 / 4.0},
                {", non_minimal_paths: 2", 1 / 4.0, 7 / 16.0},
                {", minimal_paths: 2, non_minimal_paths: 4", 7 / 16.0, 175 / 256.0}};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_assert_cmpfloat_with_epsilon(idle_share(rows[i].params, 1), rows[i].minimal,
                                       SHARE_TOLERANCE);
        g_assert_cmpfloat_with_epsilon(idle_share(rows[i].params, 2), rows[i].detour,
                                       SHARE_TOLERANCE);
    }
}

/* IN_ORDER keeps a pair on one path; MIN_HASH spreads it. */
static void test_aries_order(void)
{
    static const char *const modes[] = {"IN_ORDER", "MIN_HASH"};
    for (guint k = 0; k < 2; k++) {
        g_autofree char *yaml = g_strdup_printf("{algorithm: aries, mode: %s}", modes[k]);
        Setting s = setting_new("dragonfly", WIDE, yaml);
        guint64 ports = 0;
        for (guint i = 0; i < 200; i++) {
            DnRouteState state = adaptive_entering(&s, 1, s.router->mode);
            state.flow = 123456789;
            ports |= 1ull << adaptive_route(&s, 0, &state, dn_mix64(i)).port;
        }
        g_assert_cmpint(__builtin_popcountll(ports), ==, k == 0 ? 1 : 4);
        setting_clear(&s);
    }
}

/* Two switches a group, each with four of the eight links to group 1: a minimal packet at switch 0
 * takes the eight alike, those of switch 1 over the one link inside the group, and there the four
 * of its own alike. 8000 packets, 1000 a link: four standard deviations are 4 sqrt(1000 x 7/8). */
static void test_aries_gates(void)
{
    Setting s = setting_new("dragonfly",
                            "{groups: 3, switches_per_group: 2, terminals_per_switch: 1, "
                            "global_links_per_switch: 8}",
                            "{algorithm: aries, mode: MIN_HASH}");
    guint counts[2][64] = {{0}}, links = 0;
    for (guint i = 0; i < 8000; i++) {
        DnRouteState state = adaptive_entering(&s, 2, s.router->mode);
        guint64 draw = dn_draw(dn_draw_key(5, DN_DRAW_TEST, 0), i);
        guint32 at = 0;
        DnHop hop = adaptive_route(&s, at, &state, draw);
        if (test_peer(s.g, 0, hop.port) == 1) {
            g_assert_cmpuint(state.via, ==, 1 | DN_VIA_BITS);
            at = 1;
            state.hops = 1;
            hop = adaptive_route(&s, at, &state, dn_mix64(draw));
        }
        g_assert_cmpuint(state.via, ==, DN_NONE);
        g_assert_cmpuint(s.g->vertices[test_peer(s.g, at, hop.port)].group, ==, 1);
        counts[at][hop.port]++;
    }
    for (guint i = 0; i < 2; i++)
        for (guint p = 0; p < 64; p++) {
            links += counts[i][p] > 0;
            if (counts[i][p] > 0)
                g_assert_cmpfloat_with_epsilon(counts[i][p], 1000, 119);
        }
    g_assert_cmpuint(links, ==, 8);
    setting_clear(&s);
}

/* A minimal packet at the gateway, whose links to the target's group hold two units more than any
 * other global link. It leaves over one of those by ADAPTIVE_0 alone, and not at all where it
 * decides at the source; a detour takes the channels of its stretches. */
static void test_aries_gateway(void)
{
    static const struct {
        const char *routing;
        gboolean diverts;
    } rows[] = {{"{algorithm: aries}", TRUE},
                {"{algorithm: aries, decision: source}", FALSE},
                {"{algorithm: aries, mode: ADAPTIVE_1}", FALSE}, /* two hops, two units */
                {"{algorithm: aries, mode: ADAPTIVE_3}", FALSE}};
    for (guint k = 0; k < G_N_ELEMENTS(rows); k++) {
        Setting s = setting_new("dragonfly",
                                "{groups: 5, switches_per_group: 2, terminals_per_switch: 1, "
                                "global_links_per_switch: 8}",
                                rows[k].routing);
        for (guint32 p = 0; p < dn_graph_degree(s.g, 1); p++)
            if (s.g->vertices[test_peer(s.g, 1, p)].group == 1)
                *bytes_at(&s, 1, p) = 600;
        guint diverted = 0;
        for (guint i = 0; i < 100; i++) {
            DnRouteState state = adaptive_entering(&s, 2, s.router->mode);
            state.hops = 1;
            state.phase = 1;
            DnHop hop = adaptive_route(&s, 1, &state, dn_draw(dn_draw_key(6, DN_DRAW_TEST, 0), i));
            guint32 group = s.g->vertices[test_peer(s.g, 1, hop.port)].group;
            g_assert_cmpuint(hop.channel, ==, 0);
            g_assert_cmpint(dn_route_detours(&state), ==, group != 1);
            if (group != 1)
                g_assert_cmpuint((state.via & ~DN_VIA_SWITCH) / 2, ==, group);
            diverted += group != 1;
        }
        g_assert_cmpuint(diverted > 80, ==, rows[k].diverts);
        if (!rows[k].diverts)
            g_assert_cmpuint(diverted, ==, 0);
        setting_clear(&s);
    }
}

/* Chi-square of @n counts against equal ones. */
static double chi_square(const guint *counts, guint n, guint total)
{
    double expected = (double)total / n, sum = 0;
    for (guint i = 0; i < n; i++)
        sum += (counts[i] - expected) * (counts[i] - expected) / expected;
    return sum;
}

/* @excluded of @n intermediates get nothing, the others equal shares; @critical: chi-square at
 * 0.1 % for the degrees of freedom (n - excluded - 1). */
static void check_uniform(const char *topology, const char *fabric, const char *routing,
                          guint32 source, guint32 target, guint n, guint excluded, double critical)
{
    Setting s = setting_new(topology, fabric, routing);
    g_autofree guint *counts = g_new0(guint, n);
    guint total = 1000 * (n - excluded), used = 0;
    for (guint i = 0; i < total; i++) {
        DnRouteState state = adaptive_entering(&s, target, 0);
        adaptive_route(&s, source, &state, dn_draw(dn_draw_key(5, DN_DRAW_TEST, 0), i));
        guint32 via = state.via & ~DN_VIA_SWITCH;
        g_assert_cmpuint(via, <, n);
        counts[via]++;
    }
    for (guint i = 0; i < n; i++)
        if (counts[i] > 0)
            counts[used++] = counts[i];
    g_assert_cmpuint(used, ==, n - excluded);
    g_assert_cmpfloat(chi_square(counts, used, total), <, critical);
    setting_clear(&s);
}

static void test_valiant_uniform(void)
{
    /* 7 groups: 6 degrees of freedom; 28 switches: 27; 2 switches of the group: 1; 18: 17 */
    check_uniform("dragonfly", FULL, "{algorithm: valiant}", SOURCE, TARGET, 9, 2, 22.46);
    check_uniform("dragonfly", FULL, "{algorithm: valiant, level: switch}", SOURCE, TARGET, 36, 8,
                  55.48);
    check_uniform("dragonfly", FULL, "{algorithm: valiant, level: switch}", 1, 2, 36, 34, 10.83);
    check_uniform("torus", "{dims: [5, 4]}", "{algorithm: valiant}", 3, 17, 20, 2, 40.79);
}

/* 4 x 4 torus from (0, 0) to (1, 1): up in either dimension. */
static void test_escape(void)
{
    Setting s = setting_new("torus", "{dims: [4, 4]}", "{algorithm: minimal_adaptive}");
    guint32 x = port_to(s.g, 0, 1), y = port_to(s.g, 0, 4);
    *bytes_at(&s, 0, x) = 500;
    DnRouteState state = adaptive_entering(&s, 5, 0);
    DnHop hop = adaptive_route(&s, 0, &state, 7); /* the less loaded dimension, adaptive channel */
    g_assert_cmpuint(hop.port, ==, y);
    g_assert_cmpuint(hop.channel, ==, 2);
    s.load.full[s.g->port_first[0] + y] = 1 << 2; /* no space there */
    hop = adaptive_route(&s, 0, &state, 7);
    g_assert_cmpuint(hop.port, ==, x);
    g_assert_cmpuint(hop.channel, ==, 2);
    s.load.full[s.g->port_first[0] + x] = 1 << 2; /* nor there: dimension order, no wrap ahead */
    hop = adaptive_route(&s, 0, &state, 7);
    g_assert_cmpuint(hop.port, ==, x);
    g_assert_cmpuint(hop.channel, ==, 1);
    state =
        adaptive_entering(&s, 15, 0); /* (3, 3): down over the wrap link, the lower ring channel */
    memset(s.load.full, 0xff, s.g->size.links);
    hop = adaptive_route(&s, 0, &state, 7);
    g_assert_cmpuint(hop.port, ==, port_to(s.g, 0, 3));
    g_assert_cmpuint(hop.channel, ==, 0);
    memset(s.load.full, 0, s.g->size.links);
    s.load.view.has_credit = NULL; /* an engine that cannot tell: dimension order always */
    state = adaptive_entering(&s, 5, 0);
    hop = adaptive_route(&s, 0, &state, 7);
    g_assert_cmpuint(hop.port, ==, x);
    g_assert_cmpuint(hop.channel, ==, 1);
    setting_clear(&s);
}

/* Dragonfly+, 5 groups of 2 leaves and 2 spines, every spine with a link to every group. Leaf 0
 * climbs without a detour (both paths begin alike), its spine diverts when its link to group 4 is
 * loaded; in the detour's group the spine goes over a leaf when its own link there is. */
static void test_fpar(void)
{
    Setting s = setting_new("dragonfly_plus",
                            "{groups: 5, leaves_per_group: 2, spines_per_group: 2, "
                            "terminals_per_leaf: 1, global_links_per_spine: 4}",
                            "{algorithm: fpar}");
    const DnGroupRouter *r = (const DnGroupRouter *)s.router;
    g_assert_cmpuint(s.router->channels, ==, 2);
    guint32 target = 16; /* leaf 0 of group 4 */
    DnRouteState state = adaptive_entering(&s, target, 0);
    guint32 spine = test_peer(s.g, 0, adaptive_route(&s, 0, &state, 11).port);
    g_assert_cmpuint(state.via, ==, DN_NONE);
    *bytes_at(&s, spine, r->table->toward_group[spine * 5 + 4] & 0xffff) = 1000;
    DnHop hop = adaptive_route(&s, spine, &state, 12);
    g_assert_cmpuint(state.via, <, 4);
    g_assert_cmpuint(hop.channel, ==, 0);
    guint32 landing = test_peer(s.g, spine, hop.port);
    g_assert_cmpuint(s.g->vertices[landing].group, ==, state.via);
    *bytes_at(&s, landing, r->table->toward_group[landing * 5 + 4] & 0xffff) = 1000;
    hop = adaptive_route(&s, landing, &state, 13);
    g_assert_cmpuint(state.via, ==, DN_NONE);
    guint32 leaf = test_peer(s.g, landing, hop.port);
    g_assert_cmpuint(s.g->vertices[leaf].level, ==, 0);
    g_assert_cmpuint(hop.channel, ==, 0);
    hop = adaptive_route(&s, leaf, &state, 14);
    g_assert_cmpuint(hop.channel, ==, 1);
    guint32 second = test_peer(s.g, leaf, hop.port);
    g_assert_cmpuint(second, !=, DN_NONE);
    hop = adaptive_route(&s, second, &state, 15);
    g_assert_cmpuint(hop.channel, ==, 1);
    guint32 last = test_peer(s.g, second, hop.port);
    g_assert_cmpuint(s.g->vertices[last].group, ==, 4);
    hop = adaptive_route(&s, last, &state, 16);
    g_assert_cmpuint(test_peer(s.g, last, hop.port), ==, target);
    g_assert_cmpuint(hop.channel, ==, 1);
    setting_clear(&s);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/routing/adaptive/ugal flips at the threshold", test_ugal_flips);
    g_test_add_func("/routing/adaptive/detours of any group", test_detours_of_any_group);
    g_test_add_func("/routing/adaptive/global knowledge", test_global_knowledge);
    g_test_add_func("/routing/adaptive/par diverts at the gateway", test_par_diverts);
    g_test_add_func("/routing/adaptive/ugal candidates", test_ugal_candidates);
    g_test_add_func("/routing/adaptive/aries shares", test_aries_shares);
    g_test_add_func("/routing/adaptive/aries order", test_aries_order);
    g_test_add_func("/routing/adaptive/aries gates", test_aries_gates);
    g_test_add_func("/routing/adaptive/aries gateway", test_aries_gateway);
    g_test_add_func("/routing/adaptive/valiant is uniform", test_valiant_uniform);
    g_test_add_func("/routing/adaptive/escape channel", test_escape);
    g_test_add_func("/routing/adaptive/fpar", test_fpar);
    return g_test_run();
}
