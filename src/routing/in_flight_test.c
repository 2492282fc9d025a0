/* in_flight_test.c - Tests of loads without what is merely under way. */
#include "routing/group_path.h"
#include "routing/test_setting.h"

/* 9 groups of 4 switches, 2 global links each: one link a pair of groups, so every port set has one
 * port. Switch 0 has links to groups 1 and 2, switch 1 to 3 and 4, ... (absolute arrangement). */
#define FULL                                                                                       \
    "{groups: 9, switches_per_group: 4, terminals_per_switch: 1, global_links_per_switch: 2, "     \
    "arrangement: absolute}"
#define SOURCE 0u
#define TARGET (5u * 4 + 1) /* a switch of group 5; switch 2 is the gateway */

/* An engine whose busy links have 400 bytes under way that wait for nothing. */
static gint64 waiting_bytes(const DnLoadView *view, guint32 port)
{
    return MAX(0, test_port_bytes(view, port) - 400);
}

/* The gateway's global link has @q bytes not yet credited, all others none: whether PAR diverts. */
static void check_par(const char *routing, gint64 q, gboolean diverts)
{
    Setting s = setting_new("dragonfly", FULL, routing);
    const DnGroupRouter *r = (const DnGroupRouter *)s.router;
    s.load.view.waiting_bytes = waiting_bytes;
    *bytes_at(&s, 2, r->table->toward_group[2 * 9 + 5] & 0xffff) = q;
    guint diverted = 0;
    for (guint i = 0; i < 50; i++) {
        guint64 draw = dn_draw(dn_draw_key(5, DN_DRAW_TEST, 0), i);
        DnRouteState state = adaptive_entering(&s, TARGET, 0);
        adaptive_route(&s, SOURCE, &state, draw);
        adaptive_route(&s, 2, &state, dn_mix64(draw));
        diverted += state.via != DN_NONE;
    }
    setting_clear(&s);
    g_assert_cmpuint(diverted, ==, diverts ? 50 : 0);
}

/* What is merely under way diverts nobody; a byte more does. `counted` takes all of it. */
static void test_in_flight(void)
{
    check_par("{algorithm: par}", 400, FALSE);
    check_par("{algorithm: par}", 401, TRUE);
    check_par("{algorithm: par, in_flight: counted}", 1, TRUE);
    check_par("{algorithm: par, level: switch}", 400, FALSE);
    check_par("{algorithm: par, level: switch, in_flight: counted}", 1, TRUE);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/routing/in flight/diverts", test_in_flight);
    return g_test_run();
}
