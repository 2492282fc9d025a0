/* summary_json.h - summary.json: what ran, with which resolved parameters, and what came out. */
#pragma once
#include "report/results.h"
#include <json-glib/json-glib.h>

/* Members of the point's object, between begin and end. @n_keys sweep values as written. */
void dn_summary_json_point(JsonBuilder *json, const DnSweep *sweep, guint point,
                           const DnScenario *scenario, const DnSimulation *simulation);
/* A number, or null for NAN and infinities, which JSON lacks. */
void dn_json_number(JsonBuilder *json, const char *member, double value);
/* Indented text with a line end: (transfer full). */
char *dn_json_text(JsonNode *root);
