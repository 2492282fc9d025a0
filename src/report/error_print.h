/* error_print.h - an error as people see it. */
#pragma once
#include "base/error.h"

/* The message on stderr; on a terminal with the source line and a caret. @set: the arguments of
 * --set, NULL-terminated, or NULL. */
void dn_error_print(const GError *error, const char *const *set);
