/* sweep_words.h - functions that the words of `darner sweep` share: submit, status, collect. */
#pragma once
#include "experiment/sweep_plan.h"

/* Runs `darner sweep submit`: argv[0] is these words, the rest its own arguments. Returns the exit
 * status. */
int dn_sweep_submit(int argc, char **argv);

/* (transfer full): the plan of @file, with all files noted that its results depend on. */
DnPlan *dn_sweep_plan(const char *file, char **set, GError **error);
