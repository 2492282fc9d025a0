/* load_matrix.c - see load_matrix.h. */
#include "report/load_matrix.h"

typedef enum { PART_GROUP, PART_SWITCH, PART_VERTEX } PartKind;

typedef struct {
    guint links;
    guint64 bytes;
    gint64 busy_ps, stalled_ps;
} Cell;

typedef struct {
    const DnSimulation *simulation;
    const DnGraph *graph;
    PartKind kind;
    guint parts;
} Parts;

static guint parts_of(const DnGraph *graph, PartKind kind)
{
    const DnGraphSize *size = &graph->size;
    return kind == PART_GROUP    ? size->groups
           : kind == PART_SWITCH ? size->switches
                                 : graph->n_vertices - size->switches;
}

/* DN_NONE: not in the picture. */
static guint32 part_of(const Parts *p, guint32 v)
{
    const DnVertex *vertex = &p->graph->vertices[v];
    if (p->kind == PART_VERTEX)
        return v < p->graph->size.switches ? DN_NONE : v - p->graph->size.switches;
    if (vertex->kind != DN_VERTEX_SWITCH)
        return DN_NONE;
    return p->kind == PART_SWITCH ? v : vertex->group;
}

/* *@bytes: of all cells. */
static Cell *add_up(const Parts *p, guint64 *bytes)
{
    Cell *cells = g_new0(Cell, p->parts * p->parts);
    *bytes = 0;
    for (guint32 l = 0; l < p->graph->size.links; l++) {
        guint32 from = part_of(p, p->graph->links[l].src), to = part_of(p, p->graph->links[l].dst);
        const DnLinkCounters *link = &p->simulation->engine.links[l];
        if (from >= p->parts || to >= p->parts)
            continue;
        Cell *cell = &cells[from * p->parts + to];
        cell->links++;
        cell->bytes += link->bytes;
        *bytes += link->bytes;
        cell->busy_ps = MAX(cell->busy_ps, link->busy_ps);
        cell->stalled_ps = MAX(cell->stalled_ps, link->stalled_ps);
    }
    return cells;
}

static void add_names(JsonBuilder *json, const Parts *p)
{
    dn_json_list(json, "names");
    for (guint i = 0; i < p->parts; i++) {
        char name[64];
        g_autofree char *number = g_strdup_printf("%u", i);
        json_builder_add_string_value(
            json, p->kind == PART_VERTEX
                      ? dn_vertex_name(p->graph, p->graph->size.switches + i, name)
                      : number);
    }
    json_builder_end_array(json);
}

static void add_cells(JsonBuilder *json, const Parts *p, const Cell *cells)
{
    double end_ps = (double)p->simulation->engine.end_ps;
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
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
}

/* The coarsest parts between which something moved. */
void dn_load_matrix_json(JsonBuilder *json, const DnSimulation *simulation)
{
    static const char *const kinds[] = {"group", "switch", "vertex"};
    Parts p = {.simulation = simulation, .graph = simulation->machine->graph};
    for (p.kind = PART_GROUP; p.kind <= PART_VERTEX && simulation->engine.end_ps > 0; p.kind++) {
        guint64 bytes;
        p.parts = parts_of(p.graph, p.kind);
        if (p.parts < 2 || p.parts > DN_LOAD_PARTS)
            continue;
        g_autofree Cell *cells = add_up(&p, &bytes);
        if (bytes == 0)
            continue;
        dn_json_object(json, "loads");
        dn_json_string(json, "parts", kinds[p.kind]);
        add_names(json, &p);
        add_cells(json, &p, cells);
        json_builder_end_object(json);
        return;
    }
}
