/* run_identity.h - The identity of a run says what its points depend on: whoever goes on with a
 * run, or puts parts of it together, compares it. */
#pragma once
#include "experiment/sweep_plan.h"

/* (transfer full): the version and the program, what of the results was asked for (@links: rows of
 * links.csv a point; @timeline), the run with its sweep, and the files that were read since
 * dn_plan_new() for it (base/input_files.h); as the head of a point store (point_store.h). */
char *dn_run_identity(const DnPlan *plan, guint links, guint timeline);
/* Reads from such a text which results were asked for. */
void dn_run_identity_options(const char *identity, guint *links, guint *timeline);
