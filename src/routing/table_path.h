/* table_path.h - Steps shared by routing from computed tables (path_table.h), which serves any
 * fabric, also one with failed links and switches.
 *
 * A path is shortest from switch to switch; a detour is two of them, over a random switch that has
 * terminals. Virtual channels, by the parameter `channels`:
 *   hop      one for each hop of the path: every hop goes up in them, so no cycle can close
 *            (Günther, "Prevention of Deadlocks in Packet-Switched Data Transport Systems", IEEE
 *            Trans. Communications 29(4), 1981); as many as the longest path has hops
 *   up_down  paths go up and then down (path_table.h): one channel, two with detours, a half each
 *   auto     hop while that takes no more than 8 channels, else up_down
 *
 * phase: bit 0: goes down (up_down); bit 1: has reached its detour; above: hops so far (hop). */
#pragma once
#include "routing/path_table.h"

#define DN_TABLE_LIMITS                                                                            \
    "shortest paths and detours of two of them, the same for every fabric: groups, dimensions "    \
    "and "                                                                                         \
    "levels are not looked at; tables of all pairs of switches"

typedef enum { DN_CHANNELS_AUTO, DN_CHANNELS_HOP, DN_CHANNELS_UP_DOWN } DnTableChannels;

typedef struct {
    DnRouter base;
    DnPathTable *table; /* NULL: no fabric */
    const DnGraph *graph;
    guint8 *is_end; /* [R] */
    guint32 *ends;  /* [n_ends] switches with terminals */
    guint32 n_ends;
    gboolean up_down, detours, always; /* always: minimal only when there is no detour */
    DnPick pick;
    guint samples; /* ugal: detours looked at */
    gint64 threshold_bytes;
    gboolean in_flight; /* as in group_path.h */
} DnTableRouter;

extern const char *const dn_table_topologies[]; /* served without failures */
extern const char *const dn_table_channels[];
extern const char *const dn_table_levels[];
#define DN_TABLE_PARAM_CHANNELS                                                                    \
    {                                                                                              \
        "channels", DN_PARAM_CHOICE, "auto", 0, 0, dn_table_channels,                              \
            "free of deadlock by a virtual channel a hop, or by going up, then down"               \
    }
/* Dragonflies' routing has this key; detours from tables lead over a switch in any case. */
#define DN_TABLE_PARAM_LEVEL                                                                       \
    {                                                                                              \
        "level", DN_PARAM_CHOICE, "switch", 0, 0, dn_table_levels, "a detour leads over a switch"  \
    }

/* @r zeroed but for what make() knows. FALSE + error: nothing is left to free but @r itself. */
gboolean dn_table_router_init(DnTableRouter *r, const DnMachine *machine, const DnParams *params,
                              GError **error);
void dn_table_router_free(DnRouter *router);
DnHop dn_table_next(const DnRouter *router, guint32 vertex, DnRouteState *state,
                    const DnLoadView *load, guint64 draw);
guint dn_table_choices(const DnRouter *router, guint32 vertex, const DnRouteState *state,
                       DnHop *hops, DnRouteState *after, guint max);
guint dn_table_starts(const DnRouter *router, guint32 vertex, const DnRouteState *state,
                      DnRouteState *after, guint max);
gboolean dn_table_ascends(const DnRouter *router);
void dn_table_moves(const DnRouter *router, guint32 goal, guint32 vertex, guint8 phase,
                    GArray *moves);

static inline DnPortSet dn_table_toward(const DnTableRouter *r, guint32 vertex, guint32 to,
                                        guint8 phase)
{
    return r->table->toward[dn_path_at(r->table, phase & 1, vertex, to)];
}

/* Channel of the hop over @port, and the phase after it. */
static inline guint8 dn_table_take(const DnTableRouter *r, guint32 vertex, guint32 port,
                                   guint8 *phase)
{
    if (!r->up_down) {
        guint8 hops = *phase >> 2;
        *phase = (guint8)(*phase + 4);
        return hops;
    }
    *phase |= r->table->down[r->graph->port_first[vertex] + port];
    return *phase >> 1 & 1;
}

/* A random detour between two switches, or DN_NONE when there is none. */
static inline guint32 dn_table_draw_via(const DnTableRouter *r, guint32 vertex, guint32 target,
                                        guint64 draw)
{
    if (r->n_ends < 3)
        return DN_NONE;
    guint32 via = r->ends[dn_draw_below(draw, r->n_ends)];
    for (guint i = 0; via == vertex || via == target; i++)
        via = r->ends[(dn_draw_below(draw, r->n_ends) + i + 1) % r->n_ends];
    return via;
}
