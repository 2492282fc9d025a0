/* help_schema_keys.h - The keys of a topic, and their values, in a JSON schema. Each function adds
 * members to the object that is open in @json. */
#pragma once
#include <json-glib/json-glib.h>

#include "report/help_topics.h"

/* (transfer full): the name of @topic's definition. */
char *dn_schema_definition(const char *topic);
/* "$ref" to the definition of @topic, or of a scalar. */
void dn_schema_ref(JsonBuilder *json, const char *topic);
/* @member, which may be anything. */
void dn_schema_empty(JsonBuilder *json, const char *member);
/* The members that a mapping of a machine may have besides its keys. */
void dn_schema_notes(JsonBuilder *json);
/* Each key of @topic, with what it may be. */
void dn_schema_keys(JsonBuilder *json, const DnTopic *topic);
/* The definitions of sizes, times and so on. */
void dn_schema_scalars(JsonBuilder *json);
