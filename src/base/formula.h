/* formula.h - arithmetic over named values: "1 - {case a 4KiB} / {case b 4KiB}".
 *
 * Numbers, + - * / ( ), min(a, b, ...), max(a, b, ...), log10(a), above(a, b, c, d), which is c
 * where a is above b and d otherwise, and {...}: a name that the caller looks up. Division by zero
 * and NAN give what IEEE 754 says. */
#pragma once
#include "base/error.h"

/* The value of what stands in braces. */
typedef gboolean (*DnFormulaLookup)(void *data, const char *name, double *value, GError **error);

/* FALSE + DN_ERROR_SYNTAX ("column 7: ..."), or what @look_up said. */
gboolean dn_formula(const char *text, DnFormulaLookup look_up, void *data, double *value,
                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
