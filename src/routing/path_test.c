/* path_test.c - paths of any length: along a line of switches from end to end. */
#include "routing/path.h"
#include "routing/test_machine.h"

#define SWITCHES 600u
#define LINE "{dims: [600], wrap: [false], terminals_per_switch: 1}"

typedef struct {
    DnMachine *machine;
    DnRouter *router;
} Line;

static void line_make(Line *l, gconstpointer routing)
{
    l->machine = test_machine_new("torus", LINE, 0);
    l->router = test_router_new(l->machine, routing);
}

static void line_free(Line *l, gconstpointer unused)
{
    dn_router_free(l->router);
    test_machine_free(l->machine);
}

static DnPath line_begin(const Line *l)
{
    const guint32 *endpoints = l->machine->graph->endpoints;
    return dn_path_begin(l->router, endpoints[0], endpoints[SWITCHES - 1], 0, DN_RAIL_OWN);
}

/* Both ends' terminal links, and one link fewer than switches between them. */
static void test_next(Line *l, gconstpointer unused)
{
    DnPath path = line_begin(l);
    while (dn_path_next(&path, &dn_load_idle, 0))
        ;
    g_assert_cmpuint(path.vertex, ==, path.target);
    g_assert_cmpuint(path.hops, ==, SWITCHES + 1);
}

static void test_first(Line *l, gconstpointer unused)
{
    DnHop hops[8];
    DnRouteState after[8];
    DnPath path = line_begin(l);
    while (dn_path_first(&path, hops, after, G_N_ELEMENTS(hops)))
        ;
    g_assert_cmpuint(path.vertex, ==, path.target);
    g_assert_cmpuint(path.hops, ==, SWITCHES + 1);
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"dimension_order", "minimal_adaptive"};
    g_test_init(&argc, &argv, NULL);
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *routing = g_strdup_printf("{algorithm: %s}", names[i]);
        g_autofree char *next = g_strconcat("/routing/path/next/", names[i], NULL);
        g_autofree char *first = g_strconcat("/routing/path/first/", names[i], NULL);
        const char *kept = g_intern_string(routing);
        g_test_add(next, Line, kept, line_make, test_next, line_free);
        g_test_add(first, Line, kept, line_make, test_first, line_free);
    }
    return g_test_run();
}
