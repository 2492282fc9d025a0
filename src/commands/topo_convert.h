/* topo_convert.h - `darner topo import` and `darner topo export`. argv[0] is "darner topo import",
 * the rest its own arguments; they return the exit status. */
#pragma once
#include "config/config.h"

int dn_topo_import(int argc, char **argv);
int dn_topo_export(int argc, char **argv);
/* The machine as a run would name it: "x", or {name: x} with @set applied. (transfer full) */
DnConfigNode *dn_topo_argument(const char *machine, char **set, GError **error);
/* The way of a router (@data) on an idle network, a draw a pair and hop: for exporters. */
gboolean dn_topo_route(gpointer router, guint32 source, guint32 target, GArray *links,
                       GError **error);
