/* topo_convert.h - `darner topo import` and `darner topo export`. argv[0] is "darner topo import",
 * the rest its own arguments; they return the exit status. */
#pragma once
int dn_topo_import(int argc, char **argv);
int dn_topo_export(int argc, char **argv);
