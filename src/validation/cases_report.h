/* cases_report.h - the results of several cases: overview, JSON, pages of agreement. */
#pragma once
#include "base/error.h"

/* (transfer full): a line a case (DnCase*) and role; *@missed: adds the cases that missed. */
char *dn_cases_overview(const GPtrArray *cases, guint *missed);
/* Writes every point into the file @json, and a page of the agreement into each of @pages,
 * NULL-terminated, by its ending .md or .html; either may be NULL. @own_case: the only one of
 * @cases has a user's measurements. *@missed: with pages, the papers' numbers that missed. */
gboolean dn_cases_write(const GPtrArray *cases, gboolean own_case, const char *json, char **pages,
                        guint *missed, GError **error);
