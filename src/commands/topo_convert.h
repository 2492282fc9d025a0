/* topo_convert.h - `darner topo import` and `darner topo export`. argv[0] is "darner topo import",
 * the rest its own arguments; they return the exit status. */
#pragma once
#include <glib.h>

int dn_topo_import(int argc, char **argv);
int dn_topo_export(int argc, char **argv);

/* Runs the one that argv[1] names, and gives its status; FALSE: neither, so it names a machine. */
gboolean dn_topo_converts(int argc, char **argv, int *status);
