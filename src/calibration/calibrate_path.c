/* calibrate_path.c - see calibrate_path.h. */
#include "calibration/calibrate_path.h"

#include "experiment/checked_machine.h"
#include "routing/path.h"
#include "topology/hop_latency.h"

#define MAX_CHOICES 4096 /* links of one switch */

static gboolean read_ends(const char *between, const DnGraph *g, guint32 ends[2], GError **error)
{
    g_auto(GStrv) words = g_strsplit(between, ",", -1);
    gboolean fine = g_strv_length(words) == 2;
    for (guint i = 0; fine && i < 2; i++) {
        guint64 n;
        fine = g_ascii_string_to_unsigned(g_strstrip(words[i]), 10, 0, g->size.endpoints - 1, &n,
                                          NULL);
        ends[i] = fine ? g->endpoints[n] : 0;
    }
    if (fine && ends[0] != ends[1])
        return TRUE;
    g_autofree char *shown = dn_quote(between);
    g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                "--between %s; expected two different endpoints of 0 to %u, e.g. 0,1", shown,
                g->size.endpoints - 1);
    return FALSE;
}

static void calibrate_path_walk(const DnRouter *router, const guint32 ends[2],
                                DnCalibratePath *path)
{
    const DnMachine *machine = router->machine;
    const DnGraph *g = machine->graph;
    double least = G_MAXDOUBLE;
    gint64 latency_ps = 0;
    g_autofree DnHop *hops = g_new(DnHop, MAX_CHOICES);
    g_autofree DnRouteState *after = g_new(DnRouteState, MAX_CHOICES);
    DnPath at = dn_path_begin(router, ends[0], ends[1], router->mode, DN_RAIL_OWN);
    while (dn_path_first(&at, hops, after, MAX_CHOICES)) {
        double bps = dn_machine_link_bps(machine, at.link);
        if (bps < least) {
            least = bps;
            path->bandwidth_bps = (double)dn_link_bandwidth_bps(g, at.link);
            path->efficiency = bps / path->bandwidth_bps;
        }
        latency_ps += dn_hop_latency_ps(g, at.link);
    }
    double packet = (double)machine->hardware.packet_bytes;
    path->payload = packet / (packet + (double)machine->hardware.header_bytes);
    path->latency_us = (double)latency_ps * 1e-6;
}

gboolean dn_calibrate_path(const char *name, const char *between, DnCalibratePath *path,
                           GError **error)
{
    guint32 ends[2];
    g_autofree char *text = g_strdup_printf("machine: %s\n", name);
    g_autoptr(DnConfigNode) root = dn_config_parse(text, "--machine", error);
    if (root == NULL)
        return FALSE;
    g_autoptr(DnMachine)
        machine = dn_checked_machine_load(dn_config_get(root, "machine"), 0, NULL, error);
    if (machine == NULL || !read_ends(between, machine->graph, ends, error))
        return FALSE;
    g_autoptr(DnRouter) router = dn_router_new(machine, NULL, error);
    if (router == NULL)
        return FALSE;
    calibrate_path_walk(router, ends, path);
    return TRUE;
}
