/* comparison_text.h - A comparison of the engines as text.
 *
 * An alltoall inside a node has a table of its own, since the goodput of an endpoint is counted by
 * two conventions: bytes to all others over the time; and, as by De Sensi et al., SC 2024, section
 * IV.A, the goodput of a pair times the links to others of the endpoint with the fewest ("600 Gb/s"
 * on LUMI, of 6). */
#pragma once
#include "experiment/engine_comparison.h"

/* A job is "better than the bound" only beyond this: times are rounded to ps at every message, in
 * each engine on its own. */
#define DN_COMPARISON_BETTER_PERCENT 0.1

/* Onto standard output: the run and the limits of the engines, before anything ran. */
void dn_comparison_print_heading(const DnEngineComparison *comparison);
/* Onto standard output: the tables and the worst differences. */
void dn_comparison_print(const DnEngineComparison *comparison);
