/* load_matrix.c - see load_matrix.h. */
#include "report/load_matrix.h"

typedef enum { PART_GROUP, PART_SWITCH, PART_VERTEX } PartKind;

typedef struct {
    guint links;
    guint64 bytes;
    gint64 busy_ps, stalled_ps;
} Cell;

/* [parts * parts] */
typedef struct {
    Cell *cells;
    gint64 *lane_busy_ps; /* [parts * parts * lanes]; NULL with one lane */
    guint32 lanes;
} Cells;

static void cells_clear(Cells *cells)
{
    g_free(cells->cells);
    g_free(cells->lane_busy_ps);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Cells, cells_clear)

typedef struct {
    const DnRunResult *result;
    const DnGraph *graph;
    PartKind kind;
    guint parts;
    guint32 *shown; /* which of all there are, ascending; NULL: all */
} Parts;

static guint all_of(const DnGraph *graph, PartKind kind)
{
    const DnGraphSize *size = &graph->size;
    return kind == PART_GROUP    ? size->groups
           : kind == PART_SWITCH ? size->switches
                                 : graph->n_vertices - size->switches;
}

/* Returns the part that vertex @v belongs to; DN_NONE: to none. */
static guint32 part_of(const Parts *p, guint32 v)
{
    const DnVertex *vertex = &p->graph->vertices[v];
    if (p->kind == PART_VERTEX)
        return v < p->graph->size.switches ? DN_NONE : v - p->graph->size.switches;
    if (vertex->kind != DN_VERTEX_SWITCH)
        return DN_NONE;
    return p->kind == PART_SWITCH ? v : vertex->group;
}

/* Finds the parts with traffic from or to others. FALSE: no traffic between two parts. */
static gboolean find_shown(Parts *p)
{
    guint all = all_of(p->graph, p->kind);
    g_autofree guint8 *used = g_new0(guint8, all + 1);
    gboolean between = FALSE;
    for (guint32 l = 0; l < p->graph->size.links; l++) {
        guint32 from = part_of(p, p->graph->links[l].src), to = part_of(p, p->graph->links[l].dst);
        if (from >= all || to >= all || p->result->engine.links[l].bytes == 0)
            continue;
        used[from] = used[to] = TRUE;
        between = between || from != to;
    }
    p->parts = all;
    if (all <= DN_LOAD_PARTS)
        return between;
    p->shown = g_new(guint32, all);
    p->parts = 0;
    for (guint32 i = 0; i < all; i++)
        if (used[i])
            p->shown[p->parts++] = i;
    return between;
}

/* Returns the row of the part of vertex @v; DN_NONE: it has none. */
static guint32 place_of(const Parts *p, guint32 v)
{
    guint32 part = part_of(p, v), low = 0, high = p->parts;
    if (p->shown == NULL)
        return part < p->parts ? part : DN_NONE;
    while (low < high) {
        guint32 middle = low + (high - low) / 2;
        if (p->shown[middle] < part)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->parts && p->shown[low] == part ? low : DN_NONE;
}

/* A lane's share of the time the link was sending is its share of the bytes. */
static void add_lanes(const Parts *p, guint32 link, gsize at, Cells *cells)
{
    const DnEngineResult *e = &p->result->engine;
    double busy_ps = (double)e->links[link].busy_ps, bytes = (double)e->links[link].bytes;
    for (guint32 lane = 0; cells->lane_busy_ps != NULL && lane < cells->lanes; lane++) {
        guint64 own = e->lane_bytes[(gsize)link * e->lanes + lane];
        gint64 *most = &cells->lane_busy_ps[at * cells->lanes + lane];
        if (own > 0)
            *most = MAX(*most, (gint64)(busy_ps * (double)own / bytes));
    }
}

/* Drops the lanes if fewer than two carried anything: they would repeat the totals. */
static void forget_idle_lanes(Cells *cells, gsize n)
{
    guint used = 0;
    for (guint32 lane = 0; cells->lane_busy_ps != NULL && lane < cells->lanes; lane++) {
        gboolean any = FALSE;
        for (gsize i = 0; !any && i < n; i++)
            any = cells->lane_busy_ps[i * cells->lanes + lane] > 0;
        used += any;
    }
    if (used < 2)
        cells->lanes = 1;
}

static void add_up(const Parts *p, Cells *cells)
{
    const DnEngineResult *e = &p->result->engine;
    gsize n = (gsize)p->parts * p->parts;
    cells->cells = g_new0(Cell, n);
    cells->lanes = e->lane_bytes != NULL ? e->lanes : 1;
    cells->lane_busy_ps = cells->lanes > 1 ? g_new0(gint64, n * cells->lanes) : NULL;
    for (guint32 l = 0; l < p->graph->size.links; l++) {
        guint32 from = place_of(p, p->graph->links[l].src);
        guint32 to = place_of(p, p->graph->links[l].dst);
        const DnLinkCounters *link = &e->links[l];
        if (from == DN_NONE || to == DN_NONE)
            continue;
        gsize at = (gsize)from * p->parts + to;
        Cell *cell = &cells->cells[at];
        cell->links++;
        cell->bytes += link->bytes;
        cell->busy_ps = MAX(cell->busy_ps, link->busy_ps);
        cell->stalled_ps = MAX(cell->stalled_ps, link->stalled_ps);
        add_lanes(p, l, at, cells);
    }
    forget_idle_lanes(cells, n);
}

static void add_names(JsonBuilder *json, const Parts *p)
{
    dn_json_list(json, "names");
    for (guint i = 0; i < p->parts; i++) {
        char name[64];
        guint32 part = p->shown != NULL ? p->shown[i] : i;
        g_autofree char *number = g_strdup_printf("%u", part);
        json_builder_add_string_value(
            json, p->kind == PART_VERTEX
                      ? dn_vertex_name(p->graph, p->graph->size.switches + part, name)
                      : number);
    }
    json_builder_end_array(json);
}

static void add_lane_names(JsonBuilder *json, const Parts *p, const Cells *cells)
{
    guint32 requests = MAX(1, (guint32)p->result->machine->hardware.lanes);
    if (cells->lanes < 2)
        return;
    dn_json_list(json, "lanes");
    for (guint32 lane = 0; lane < cells->lanes; lane++) {
        g_autofree char *name =
            g_strdup_printf("%slane %u", lane < requests ? "" : "responses, ", lane % requests);
        json_builder_add_string_value(json, name);
    }
    json_builder_end_array(json);
}

static void add_cells(JsonBuilder *json, const Parts *p, const Cells *all)
{
    const Cell *cells = all->cells;
    double end_ps = (double)p->result->engine.end_ps;
    dn_json_list(json, "cells");
    for (guint i = 0; i < p->parts * p->parts; i++) {
        if (cells[i].bytes == 0)
            continue;
        json_builder_begin_object(json);
        dn_json_int(json, "from", i / p->parts);
        dn_json_int(json, "to", i % p->parts);
        dn_json_int(json, "links", cells[i].links);
        dn_json_int(json, "bytes", (gint64)cells[i].bytes);
        dn_json_number(json, "busy", (double)cells[i].busy_ps / end_ps);
        dn_json_number(json, "stalled", (double)cells[i].stalled_ps / end_ps);
        if (all->lanes > 1)
            dn_json_list(json, "lanes");
        for (guint32 lane = 0; all->lanes > 1 && lane < all->lanes; lane++)
            json_builder_add_double_value(
                json, (double)all->lane_busy_ps[(gsize)i * all->lanes + lane] / end_ps);
        if (all->lanes > 1)
            json_builder_end_array(json);
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
}

static void add_loads(JsonBuilder *json, const Parts *p)
{
    static const char *const kinds[] = {"group", "switch", "vertex"};
    g_auto(Cells) cells = {0};
    add_up(p, &cells);
    dn_json_object(json, "loads");
    dn_json_string(json, "parts", kinds[p->kind]);
    add_names(json, p);
    add_lane_names(json, p, &cells);
    add_cells(json, p, &cells);
    json_builder_end_object(json);
}

/* Writes the matrix of the largest parts with traffic between them. */
void dn_load_matrix_json(JsonBuilder *json, const DnRunResult *result)
{
    gboolean found = result->engine.end_ps <= 0;
    for (PartKind kind = PART_GROUP; kind <= PART_VERTEX && !found; kind++) {
        Parts p = {.result = result, .graph = result->machine->graph, .kind = kind};
        found = find_shown(&p) && p.parts <= DN_LOAD_PARTS;
        if (found)
            add_loads(json, &p);
        g_free(p.shown);
    }
}
