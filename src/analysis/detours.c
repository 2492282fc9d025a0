/* detours.c - see detours.h. */
#include "analysis/detours.h"

#include "analysis/routing_index.h"

#include <string.h>

#define SOURCES 8
#define TARGETS 4

/* The @i-th of @n switches with terminals in @group, spread over the group; DN_NONE: none has. */
static guint32 pick_switch(const DnGraph *g, guint32 group, guint i, guint n)
{
    g_autofree guint8 *is = g_new0(guint8, g->size.switches + 1);
    g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (guint32 t = 0; t < g->size.terminals; t++)
        is[g->terminal_switch[t]] = 1;
    for (guint32 s = 0; s < g->size.switches; s++)
        if (is[s] && g->vertices[s].group == group)
            g_array_append_val(all, s);
    return all->len == 0 ? DN_NONE : g_array_index(all, guint32, (gsize)i * all->len / n);
}

/* Returns the load that detours bring into the group of @target from third groups. */
static double detours_into(const DnGraph *g, const DnNet *net, guint32 from, guint32 target,
                           const double *load)
{
    double sum = 0;
    guint32 own = g->vertices[from].group, to = g->vertices[target].group;
    for (guint32 a = 0; a < net->n_arcs; a++) {
        guint32 u = g->vertices[net->vertex[net->from[a]]].group;
        if (u != own && u != to && g->vertices[net->vertex[net->to[a]]].group == to)
            sum += load[a];
    }
    return sum;
}

static void weigh_pair(const DnGraph *g, const DnNet *net, guint32 from, guint32 target,
                       const double *load, DnDetourMeeting *meeting)
{
    double detours = detours_into(g, net, from, target, load);
    guint32 group = g->vertices[target].group;
    for (guint32 a = 0; detours > 0 && a < net->n_arcs; a++) {
        if (g->vertices[net->vertex[net->from[a]]].group != group ||
            g->vertices[net->vertex[net->to[a]]].group != group)
            continue;
        double share = load[a] / detours;
        if (share > meeting->share)
            *meeting = (DnDetourMeeting){MIN(share, 1), a, from, target};
    }
}

gboolean dn_detours_meet(const DnRouter *router, const DnNet *fabric, guint64 max_steps,
                         DnDetourMeeting *meeting)
{
    const DnGraph *g = router->machine->graph;
    guint32 r = g->size.switches;
    *meeting = (DnDetourMeeting){0, DN_NONE, DN_NONE, DN_NONE};
    if (g->size.groups < 4 || r != fabric->n)
        return FALSE;
    g_autofree double *demand = g_new0(double, (gsize)r *r);
    g_autofree double *load = g_new(double, fabric->n_arcs + 1);
    DnTrafficShares shares = {.fabric = (DnNet *)fabric, .switches = demand};
    for (guint i = 0; i < SOURCES * TARGETS; i++) {
        guint32 from = pick_switch(g, 0, i % SOURCES, SOURCES);
        guint32 target = pick_switch(g, 1, i / SOURCES, TARGETS);
        double hops;
        if (from == DN_NONE || target == DN_NONE)
            return FALSE;
        memset(load, 0, fabric->n_arcs * sizeof *load);
        demand[(gsize)from * r + target] = 1;
        if (!dn_routing_load(router, &shares, max_steps, load, &hops, NULL))
            return FALSE;
        demand[(gsize)from * r + target] = 0;
        weigh_pair(g, fabric, from, target, load, meeting);
    }
    return meeting->arc != DN_NONE;
}
