/* sweep_words.h - `darner sweep submit`, `status` and `collect`. argv[0] is "darner sweep submit",
 * the rest its own arguments; they return the exit status. */
#pragma once
#include "experiment/sweep_plan.h"

int dn_sweep_submit(int argc, char **argv);
int dn_sweep_status(int argc, char **argv);
int dn_sweep_collect(int argc, char **argv);

/* (transfer full): the plan of @file, with all files noted that its results depend on. */
DnPlan *dn_sweep_plan(const char *file, char **set, GError **error);
