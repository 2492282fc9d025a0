/* help_schema.h - The keys of files as a JSON schema (draft 2020-12), for editors and checks.
 *
 * One document: a file with `jobs` is checked against $defs/run, one with `type` against
 * $defs/workload, any other against $defs/machine. Ranges of numbers without a unit are in it; of
 * quantities ("350 ns") only the unit is, since a schema cannot compare text. */
#pragma once
#include "report/help_topics.h"

/* (transfer full): indented JSON with a line end. */
char *dn_help_schema(const GPtrArray *topics);
