/* test_setting.h - A router on a machine, and loads that a test sets. */
#pragma once
#include "routing/test_machine.h"

typedef struct {
    DnMachine *machine;
    const DnGraph *g;
    DnRouter *router;
    TestLoad load;
} Setting;

static inline Setting setting_new(const char *topology, const char *fabric, const char *routing)
{
    Setting s = {.machine = test_machine_new(topology, fabric, 0)};
    s.g = s.machine->graph;
    s.router = test_router_new(s.machine, routing);
    test_load_init(&s.load, s.g);
    return s;
}

static inline void setting_clear(Setting *s)
{
    test_load_clear(&s->load);
    dn_router_free(s->router);
    test_machine_free(s->machine);
}

/* A packet that has just entered the fabric, for some terminal of @target_switch. */
static inline DnRouteState adaptive_entering(const Setting *s, guint32 target_switch, guint8 mode)
{
    guint32 t = 0;
    while (s->g->terminal_switch[t] != target_switch)
        t++;
    return (DnRouteState){.target = s->g->terminals[t],
                          .target_switch = target_switch,
                          .via = DN_NONE,
                          .mode = mode,
                          .exit = DN_EXIT_NONE};
}

static inline DnHop adaptive_route(Setting *s, guint32 vertex, DnRouteState *state, guint64 draw)
{
    s->load.vertex = vertex;
    return dn_route_next(s->router, vertex, state, &s->load.view, draw);
}

static inline guint32 port_to(const DnGraph *g, guint32 from, guint32 to)
{
    guint32 p = 0;
    while (test_peer(g, from, p) != to)
        p++;
    return p;
}

static inline gint64 *bytes_at(Setting *s, guint32 vertex, guint32 port)
{
    return &s->load.bytes[s->g->port_first[vertex] + port];
}
