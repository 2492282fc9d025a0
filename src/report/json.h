/* json.h - one line for each member of a JSON object that is being built. */
#pragma once
#include <json-glib/json-glib.h>

void dn_json_int(JsonBuilder *json, const char *member, gint64 value);
/* A number, or null for NAN and infinities, which JSON lacks. */
void dn_json_number(JsonBuilder *json, const char *member, double value);
void dn_json_flag(JsonBuilder *json, const char *member, gboolean value);
/* NULL: null. */
void dn_json_string(JsonBuilder *json, const char *member, const char *value);
/* Opened: json_builder_end_object() and json_builder_end_array() close them. */
void dn_json_object(JsonBuilder *json, const char *member);
void dn_json_list(JsonBuilder *json, const char *member);
/* Indented text with a line end: (transfer full). */
char *dn_json_text(JsonNode *root);
