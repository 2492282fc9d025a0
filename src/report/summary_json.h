/* summary_json.h - summary.json: what ran, with which resolved parameters, and what came out. */
#pragma once
#include "report/reference_table.h"
#include "experiment/results.h"

/* Version of the whole file's schema. It rises when a member is renamed or removed, or changes its
 * meaning or unit; a new member alone does not raise it.
 * scripts/report.py reads this version and no other. */
#define DN_SUMMARY_SCHEMA_VERSION 2

/* Members of the point's object, between begin and end. @references: [jobs], or NULL. */
void dn_summary_json_point(JsonBuilder *json, const DnSweep *sweep, guint point,
                           const DnRunSpec *spec, const DnRunResult *result,
                           const DnReferences *references);
