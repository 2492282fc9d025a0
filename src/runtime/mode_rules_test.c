/* mode_rules_test.c - modes by size, the default of alltoall, and wrong rules. */
#include "runtime/mode_rules.h"

#include <string.h>

#define DRAGONFLY                                                                                  \
    "fabric:\n  type: dragonfly\n  groups: 5\n  switches_per_group: 2\n  terminals_per_switch: "   \
    "1\n"                                                                                          \
    "  global_links_per_switch: 2\n"                                                               \
    "  links:\n    terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 8 KiB}\n"                \
    "    local: {bandwidth: 80 Gb/s, latency: 20 ns, buffer: 8 KiB}\n"                             \
    "    global: {bandwidth: 80 Gb/s, latency: 70 ns, buffer: 8 KiB}\n"                            \
    "  switch: {latency: 100 ns}\nhardware: {packet: 1 KiB}\n"

typedef struct {
    DnMachine *machine;
    DnConfigNode *routing;
    DnRouter *router;
} Setting;

static Setting setting_new(const char *routing)
{
    GError *error = NULL;
    Setting s;
    g_autoptr(DnConfigNode) node = dn_config_parse(DRAGONFLY, "machine", &error);
    s.machine = dn_machine_load(node, 0, &error);
    g_assert_no_error(error);
    s.routing = dn_config_parse(routing, "routing", &error);
    s.router = dn_router_new(s.machine, s.routing, &error);
    g_assert_no_error(error);
    return s;
}

static void setting_clear(Setting *s)
{
    dn_router_free(s->router);
    dn_config_free(s->routing);
    dn_machine_free(s->machine);
}

static const char *mode_of(const Setting *s, guint8 mode)
{
    return s->router->type->modes[mode];
}

static void test_by_size(void)
{
    GError *error = NULL;
    Setting s = setting_new("{algorithm: aries}");
    g_autoptr(DnConfigNode)
        list = dn_config_parse("[{to: 4 KiB, mode: IN_ORDER}, {to: 64 KiB, mode: ADAPTIVE_3}, "
                               "{mode: ADAPTIVE_0}]",
                               "list", &error);
    DnModeRules rules;
    g_assert_true(dn_mode_rules_read(list, s.router, &rules, &error));
    static const struct {
        gint64 bytes;
        const char *mode;
    } rows[] = {{0, "IN_ORDER"},       {4096, "IN_ORDER"},    {4097, "ADAPTIVE_3"},
                {65536, "ADAPTIVE_3"}, {65537, "ADAPTIVE_0"}, {G_MAXINT64, "ADAPTIVE_0"}};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        g_assert_cmpstr(mode_of(&s, dn_mode_rules_mode(&rules, rows[i].bytes)), ==, rows[i].mode);
    setting_clear(&s);
}

/* By turns: names and one application-aware item, which no rules by size are. */
static void test_turns(void)
{
    static const struct {
        const char *list, *says;
    } wrong[] = {
        {"[ADAPTIVE_0, ADAPTIVE_7]", "unknown mode 'ADAPTIVE_7'"},
        {"[{}, ADAPTIVE_0, {}]", "list:1:18: a second application-aware turn"},
        {"[IN_ORDER, IN_ORDER, IN_ORDER, IN_ORDER, IN_ORDER, IN_ORDER, IN_ORDER, IN_ORDER, "
         "IN_ORDER]",
         "9 modes in turn"}};
    Setting s = setting_new("{algorithm: aries}");
    GError *error = NULL;
    DnModeTurns turns;
    const DnConfigNode *aware;
    g_autoptr(DnConfigNode)
        list = dn_config_parse("[ADAPTIVE_1, {sigma: 2}, IN_ORDER]", "list", &error);
    g_assert_true(dn_mode_turns_are(list));
    g_assert_true(dn_mode_turns_read(list, s.router, &turns, &aware, &error));
    g_assert_cmpuint(turns.n, ==, 3);
    g_assert_cmpstr(mode_of(&s, turns.modes[0]), ==, "ADAPTIVE_1");
    g_assert_cmpuint(turns.modes[1], ==, DN_MODE_AWARE);
    g_assert_cmpstr(mode_of(&s, turns.modes[2]), ==, "IN_ORDER");
    g_assert_true(aware == g_ptr_array_index(list->children, 1));
    g_autoptr(DnConfigNode) rules = dn_config_parse("[{to: 4 KiB}, {mode: IN_ORDER}]", "l", &error);
    g_assert_false(dn_mode_turns_are(rules));
    for (guint i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autoptr(DnConfigNode) bad = dn_config_parse(wrong[i].list, "list", &error);
        g_assert_no_error(error);
        g_assert_false(dn_mode_turns_read(bad, s.router, &turns, &aware, &error));
        g_assert_nonnull(strstr(error->message, wrong[i].says));
        g_clear_error(&error);
    }
    setting_clear(&s);
}

static void test_default(void)
{
    Setting aries = setting_new("{algorithm: aries}");
    Setting high = setting_new("{algorithm: aries, mode: ADAPTIVE_3}");
    Setting ugal = setting_new("{algorithm: ugal_l}");
    const Setting *a = &aries, *h = &high, *u = &ugal;
    g_assert_cmpstr(mode_of(a, dn_mode_default(a->router, a->routing, "ring")), ==, "ADAPTIVE_0");
    g_assert_cmpstr(mode_of(a, dn_mode_default(a->router, a->routing, "alltoall")), ==,
                    "ADAPTIVE_1");
    g_assert_cmpstr(mode_of(h, dn_mode_default(h->router, h->routing, "alltoall")), ==,
                    "ADAPTIVE_3");
    g_assert_cmpstr(mode_of(u, dn_mode_default(u->router, NULL, "alltoall")), ==, "ugal_l");
    setting_clear(&aries);
    setting_clear(&high);
    setting_clear(&ugal);
}

static void test_wrong_rules(void)
{
    static const struct {
        const char *list, *says;
    } rows[] = {
        {"[]", "0 rules"},
        {"[ADAPTIVE_0]", "list:1:2: "},
        {"[{to: 4 KiB, mode: ADAPTIVE_0}]", "the last rule is for the rest"},
        {"[{to: 4 KiB, mode: ADAPTIVE_0}, {to: 2 KiB, mode: ADAPTIVE_1}, {mode: IN_ORDER}]",
         "list:1:33: rules rise in size"},
        {"[{mode: ADAPTIVE_0}, {mode: IN_ORDER}]", "list:1:22: rules rise in size"},
        {"[{to: 4 KiB}, {mode: IN_ORDER}]", "list:1:2: a rule without a mode"},
        {"[{mode: ADAPTIVE_7}]", "unknown mode 'ADAPTIVE_7'"},
        {"[{mode: IN_ORDER, upto: 3 B}]", "'upto'"},
    };
    Setting s = setting_new("{algorithm: aries}");
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        GError *error = NULL;
        DnModeRules rules;
        g_autoptr(DnConfigNode) list = dn_config_parse(rows[i].list, "list", &error);
        g_assert_no_error(error);
        g_assert_false(dn_mode_rules_read(list, s.router, &rules, &error));
        if (strstr(error->message, rows[i].says) == NULL)
            g_error("%s: %s", rows[i].list, error->message);
        g_clear_error(&error);
    }
    setting_clear(&s);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/mode-rules/by-size", test_by_size);
    g_test_add_func("/mode-rules/turns", test_turns);
    g_test_add_func("/mode-rules/default", test_default);
    g_test_add_func("/mode-rules/wrong", test_wrong_rules);
    return g_test_run();
}
