/* file_columns.c - the cells of links.csv and nics.csv; see file_columns.h. */
#include "report/file_columns.h"

#include <math.h>

#include "base/csv.h"

static const DnLinkCounters *file_columns_counters(const DnCellSource *s)
{
    return &s->result->engine.links[s->id];
}

static const DnNicCounters *file_columns_nic(const DnCellSource *s)
{
    return &s->result->engine.nics[s->id];
}

/* In the same two steps as other times, so that equal times print alike. */
static void add_seconds(GString *out, gint64 ps)
{
    dn_csv_number(out, (double)ps * 1e-6 * 1e-6, DN_TIME_DECIMALS);
}

static void cell_link_name(GString *out, const DnCellSource *s)
{
    char name[160];
    dn_csv_cell(out, dn_link_name(s->result->machine->graph, s->id, name));
}

static void cell_link_class(GString *out, const DnCellSource *s)
{
    const DnGraph *graph = s->result->machine->graph;
    dn_csv_cell(out, graph->classes[graph->links[s->id].link_class].name);
}

static void cell_link_busy(GString *out, const DnCellSource *s)
{
    double end_ps = (double)s->result->engine.end_ps;
    dn_csv_number(out, end_ps > 0.0 ? (double)file_columns_counters(s)->busy_ps / end_ps : NAN, 6);
}

/* "1024 0 16": wire bytes of each lane, requests' lanes, then responses'; empty with one lane. */
static void cell_link_lanes(GString *out, const DnCellSource *s)
{
    const DnEngineResult *engine = &s->result->engine;
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint32 lane = 0; engine->lane_bytes != NULL && lane < engine->lanes; lane++)
        g_string_append_printf(text, "%s%" G_GUINT64_FORMAT, lane > 0 ? " " : "",
                               engine->lane_bytes[(gsize)s->id * engine->lanes + lane]);
    dn_csv_cell(out, text->str);
}

static void cell_nic_name(GString *out, const DnCellSource *s)
{
    char name[64];
    const DnGraph *graph = s->result->machine->graph;
    dn_csv_cell(out, dn_vertex_name(graph, graph->terminals[s->id], name));
}

static void cell_nic_stalled(GString *out, const DnCellSource *s)
{
    double clock_hz = s->result->machine->hardware.clock_hz;
    dn_csv_number(out, floor((double)file_columns_nic(s)->stalled_ps * 1e-12 * clock_hz), 0);
}

/* clang-format off */
#define CELL(name_, statement_)                                                                    \
    static void name_(GString *out, const DnCellSource *s) { statement_; }
CELL(cell_point, dn_csv_int(out, s->point))
CELL(cell_link, dn_csv_int(out, s->id))
CELL(cell_link_bytes, dn_csv_int(out, (gint64)file_columns_counters(s)->bytes))
CELL(cell_link_packets, dn_csv_int(out, (gint64)file_columns_counters(s)->packets))
CELL(cell_link_busy_s, add_seconds(out, file_columns_counters(s)->busy_ps))
CELL(cell_link_stalled_s, add_seconds(out, file_columns_counters(s)->stalled_ps))
CELL(cell_nic_packets, dn_csv_int(out, (gint64)file_columns_nic(s)->request_packets))
CELL(cell_nic_flits, dn_csv_int(out, (gint64)file_columns_nic(s)->request_flits))
CELL(cell_nic_responses, dn_csv_int(out, (gint64)file_columns_nic(s)->responses))
CELL(cell_nic_latency, add_seconds(out, file_columns_nic(s)->latency_ps_sum))

const DnFileColumn dn_link_columns[] = {
    {"point", "", "number of the point in the sweep, from 0", cell_point},
    {"link", "", "the link's number in the graph", cell_link},
    {"name", "", "from vertex to vertex", cell_link_name},
    {"class", "", "class of links", cell_link_class},
    {"wire_bytes", "B", "bytes sent, with headers", cell_link_bytes},
    {"packets", "", "packets sent", cell_link_packets},
    {"busy_s", "s", "time it was sending", cell_link_busy_s},
    {"stalled_s", "s", "time it had packets and no credit", cell_link_stalled_s},
    {"busy", "", "time it was sending, as a share of the run", cell_link_busy},
    {"lane_bytes", "B", "bytes by lane, requests' lanes before responses'; empty with one lane",
     cell_link_lanes},
    {0},
};

const DnFileColumn dn_nic_columns[] = {
    {"point", "", "number of the point in the sweep, from 0", cell_point},
    {"nic", "", "the NIC's vertex", cell_nic_name},
    {"request_packets", "", "request packets sent", cell_nic_packets},
    {"request_flits", "", "flits of them", cell_nic_flits},
    {"stalled_cycles", "", "cycles of the NIC's clock that a flit waited for credit",
     cell_nic_stalled},
    {"responses", "", "responses that came back", cell_nic_responses},
    {"latency_sum_s", "s", "sum over the requests of the time until their response",
     cell_nic_latency},
    {0},
};
/* clang-format on */
