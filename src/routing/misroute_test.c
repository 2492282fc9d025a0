/* misroute_test.c - Tests of what OFAR and RLM decide, on queues the test sets. */
#include "routing/group_path.h"
#include "routing/test_setting.h"

/* One link a pair of groups; switch 0 has links to groups 1 and 2, switch 1 to 3 and 4, ... */
#define FULL                                                                                       \
    "{groups: 13, switches_per_group: 6, terminals_per_switch: 1, global_links_per_switch: 2, "    \
    "arrangement: absolute}"
#define A 6u             /* switches of a group */
#define FAR (5u * A + 1) /* a switch of group 5; switch 2 is the gateway of group 0 */
#define GATEWAY 2u

static guint64 test_draw(guint i)
{
    return dn_draw(dn_draw_key(7, DN_DRAW_TEST, 0), i);
}

static guint32 gateway_port(const Setting *s, guint32 vertex, guint32 group)
{
    const DnGroupRouter *r = (const DnGroupRouter *)s->router;
    return r->table->toward_group[vertex * r->table->groups + group] & 0xffff;
}

/* An idle network is routed minimally. At the gateway a loaded global link is left for the other
 * one of the same switch, unless that is loaded as well. */
static void check_global(const char *routing)
{
    for (guint loaded = 0; loaded < 3; loaded++) {
        Setting s = setting_new("dragonfly", FULL, routing);
        const DnGroupRouter *r = (const DnGroupRouter *)s.router;
        guint32 minimal = gateway_port(&s, GATEWAY, 5);
        *bytes_at(&s, GATEWAY, minimal) = loaded > 0 ? 1000 : 0;
        for (guint32 p = 0; p < dn_graph_degree(s.g, GATEWAY); p++)
            if (p != minimal && dn_group_port_kind(r, GATEWAY, p) == DN_PORT_GLOBAL)
                *bytes_at(&s, GATEWAY, p) = loaded == 2 ? 900 : 899;
        for (guint i = 0; i < 50; i++) {
            DnRouteState state = adaptive_entering(&s, FAR, 0);
            DnHop hop = adaptive_route(&s, 0, &state, test_draw(i));
            g_assert_cmpuint(test_peer(s.g, 0, hop.port), ==, GATEWAY);
            g_assert_false(dn_route_detours(&state));
            hop = adaptive_route(&s, GATEWAY, &state, test_draw(i + 100));
            g_assert_cmpint(hop.port != minimal, ==, loaded == 1);
            g_assert_cmpint(dn_route_detours(&state), ==, loaded == 1);
            g_assert_cmpint(dn_group_port_kind(r, GATEWAY, hop.port), ==, DN_PORT_GLOBAL);
        }
        setting_clear(&s);
    }
}

static void test_global(void)
{
    check_global("{algorithm: rlm}");
    check_global("{algorithm: ofar}");
}

/* 0: odd down, 1: even up, 2: odd up, 3: even down. */
static guint kind_of(guint32 from, guint32 to)
{
    return (to - from) & 1 ? (to > from ? 2 : 0) : (to > from ? 1 : 3);
}

/* Inside a group: over every switch that the order of kinds allows and no other, at least one for
 * each pair, and then straight to the target, both hops on channel 0. */
static void test_local_pairs(void)
{
    Setting s = setting_new("dragonfly", FULL, "{algorithm: rlm}");
    for (guint32 a = 0; a < A; a++)
        for (guint32 c = 0; c < A; c++) {
            if (a == c)
                continue;
            guint32 straight = port_to(s.g, a, c);
            *bytes_at(&s, a, straight) = 1000;
            guint seen = 0, allowed = 0;
            for (guint32 b = 0; b < A; b++)
                allowed |= (guint)(b != a && b != c && kind_of(a, b) <= kind_of(b, c)) << b;
            for (guint i = 0; i < 200; i++) {
                DnRouteState state = adaptive_entering(&s, c, 0);
                DnHop hop = adaptive_route(&s, a, &state, test_draw(i));
                guint32 b = test_peer(s.g, a, hop.port);
                seen |= 1u << b;
                g_assert_cmpuint(hop.channel, ==, 0);
                hop = adaptive_route(&s, b, &state, test_draw(i + 1));
                g_assert_cmpuint(test_peer(s.g, b, hop.port), ==, c);
                g_assert_cmpuint(hop.channel, ==, 0);
            }
            g_assert_cmpuint(allowed, !=, 0);
            g_assert_cmpuint(seen, ==, allowed);
            *bytes_at(&s, a, straight) = 0;
        }
    setting_clear(&s);
}

/* OFAR: without credits on the adaptive channels the escape on the minimal path; with them off it
 * again. */
static void test_escape(void)
{
    Setting s = setting_new("dragonfly", FULL, "{algorithm: ofar}");
    guint32 port = port_to(s.g, 0, GATEWAY), full = 0xfc; /* channels 2 and 3 are adaptive */
    for (guint i = 0; i < 50; i++) {
        DnRouteState state = adaptive_entering(&s, FAR, 0);
        s.load.full[s.g->port_first[0] + port] = (guint8)full;
        DnHop hop = adaptive_route(&s, 0, &state, test_draw(i));
        g_assert_cmpuint(hop.port, ==, port);
        g_assert_cmpuint(hop.channel, ==, 0);
        hop = adaptive_route(&s, GATEWAY, &state, test_draw(i + 1));
        g_assert_cmpuint(hop.port, ==, gateway_port(&s, GATEWAY, 5));
        g_assert_cmpuint(hop.channel, >=, 2);
    }
    setting_clear(&s);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/routing/misroute/global", test_global);
    g_test_add_func("/routing/misroute/local pairs", test_local_pairs);
    g_test_add_func("/routing/misroute/escape", test_escape);
    return g_test_run();
}
