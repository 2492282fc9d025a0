/* case_inputs.h - The inputs of a case: the values that its results depend on, of its own files and
 * of the machines, workloads and populations that they name, directly or by way of each other. */
#pragma once
#include <glib.h>

/* (transfer full): 16 hex digits, another text after any change of an input in the case's folder
 * @dir or in a file named there. Comments, layout, source:, assumed: and description:, expected.csv
 * and case.yaml are no inputs, nor is a file that the case does not name.
 * LIMITATION: of a folder that a case names, as one of traces, the files are not looked at. */
char *dn_case_inputs_hash(const char *dir);
