/* simgrid.c - a SimGrid platform (version 4.1) with every route spelled out, one host an endpoint.
 *
 * A zone of routing "Full": N (N - 1) routes, each the links that our own routing takes, so that
 * SimGrid's models run over the same paths. Where routing has a choice, one path is taken, drawn by
 * source and destination on an idle machine.
 * A directed link becomes a link of its rate (dn_machine_link_bps()) and of its hop
 * latency (hop_latency.h), so that a route's latencies add up to what every engine takes for the
 * path, endpoints included.
 * LIMITATIONS: no buffers, no credits, no packets, no adaptive routing in a platform; endpoint
 * costs (mechanisms) are not in it; compute speed is a placeholder. */
#include <string.h>

#include "topology/export/export.h"
#include "topology/hop_latency.h"

#define MAX_HOSTS 512    /* 261,632 routes, some 60 MB of text */
#define HOST_SPEED "1Gf" /* no computing is modelled */

static void write_hosts(const DnGraph *g, GString *out)
{
    char name[64];
    for (guint32 e = 0; e < g->size.endpoints; e++) {
        g_autofree char *escaped =
            g_markup_escape_text(dn_vertex_name(g, g->endpoints[e], name), -1);
        g_string_append_printf(out,
                               "    <host id=\"e%u\" speed=\"" HOST_SPEED
                               "\"><prop id=\"name\" value=\"%s\"/></host>\n",
                               e, escaped);
    }
}

/* Bytes a second of payload, and ps. */
static void write_links(const DnMachine *machine, GString *out)
{
    const DnGraph *g = machine->graph;
    for (guint32 l = 0; l < g->size.links; l++) {
        double rate = dn_machine_link_bps(machine, l) / 8;
        gint64 latency = dn_hop_latency_ps(g, l);
        char number[G_ASCII_DTOSTR_BUF_SIZE];
        g_string_append_printf(
            out, "    <link id=\"l%u\" bandwidth=\"%sBps\" latency=\"%" G_GINT64_FORMAT "ps\"/>\n",
            l, g_ascii_formatd(number, sizeof number, "%.3f", rate), latency);
    }
}

static gboolean write_routes(const DnGraph *g, DnExportRoute route, gpointer data, GString *out,
                             GError **error)
{
    g_autoptr(GArray) links = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (guint32 a = 0; a < g->size.endpoints; a++)
        for (guint32 b = 0; b < g->size.endpoints; b++) {
            if (a == b)
                continue;
            g_array_set_size(links, 0);
            if (!route(data, g->endpoints[a], g->endpoints[b], links, error))
                return FALSE;
            g_string_append_printf(out, "    <route src=\"e%u\" dst=\"e%u\" symmetrical=\"NO\">", a,
                                   b);
            for (guint i = 0; i < links->len; i++)
                g_string_append_printf(out, "<link_ctn id=\"l%u\"/>",
                                       g_array_index(links, guint32, i));
            g_string_append(out, "</route>\n");
        }
    return TRUE;
}

static gboolean write_machine(const DnMachine *machine, DnExportRoute route, gpointer data,
                              GString *out, GError **error)
{
    const DnGraph *g = machine->graph;
    if (g->size.endpoints > MAX_HOSTS) {
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    "%s: %u endpoints; a platform spells out every route, so at most %d; a part of "
                    "the machine: --nodes N",
                    machine->name, g->size.endpoints, MAX_HOSTS);
        return FALSE;
    }
    g_string_append(out,
                    "<?xml version='1.0'?>\n"
                    "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                    "<platform version=\"4.1\">\n"
                    "  <!-- Rates are of payload. To share links as max-min fairness over these"
                    " rates does, run with\n       cfg network/model:CM02,"
                    " network/crosstraffic:no, network/TCP-gamma:0. -->\n"
                    "  <zone id=\"machine\" routing=\"Full\">\n");
    write_hosts(g, out);
    write_links(machine, out);
    if (!write_routes(g, route, data, out, error))
        return FALSE;
    g_string_append(out, "  </zone>\n</platform>\n");
    return TRUE;
}

const DnExporter dn_exporter_simgrid = {
    .name = "simgrid",
    .summary = "SimGrid platform, routes spelled out (small machines)",
    .limits =
        "one path for each pair, that of an idle machine: no adaptive routing; no buffers, no "
        "credits, no packets; endpoint costs (mechanisms) are left out; compute speed is a "
        "placeholder",
    .write = write_machine,
};
