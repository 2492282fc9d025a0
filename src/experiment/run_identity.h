/* run_identity.h - The identity of a run: a text of everything that its results depend on. It is
 * compared before an interrupted run is continued or parts of a run are put together. */
#pragma once
#include "experiment/sweep_plan.h"

/* Returns (transfer full) the identity, as the head of a point store (point_store.h): version and
 * program, requested results (@links: rows of links.csv for each point; @timeline), the run with
 * its sweep, and the files that were read for it since dn_plan_new() (base/input_files.h). */
char *dn_run_identity(const DnPlan *plan, guint links, guint timeline);
/* (transfer full): lines "HASH PATH" of the files in an identity. */
char *dn_run_identity_files(const char *identity);
/* Reads the requested results from an identity. */
void dn_run_identity_options(const char *identity, guint *links, guint *timeline);
