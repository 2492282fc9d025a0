/* case_choice.h - the cases that the words of a command line mean. */
#pragma once
#include "base/error.h"

/* (transfer full): the first folder `validation` (data_folders.h) with a case in it; *@known: the
 * names of its cases, sorted and NULL-terminated; or NULL. NULL + DN_ERROR_FILE. */
char *dn_case_folder(GPtrArray **known, GError **error);
/* (transfer full): folders (char*) of the cases that @words ask for: a path, a name, or a pattern
 * such as h200x4-*; without words all of the quick tier, with @full or @list of both. NULL +
 * DN_ERROR_UNKNOWN. */
GPtrArray *dn_case_choose(char **words, gboolean list, gboolean full, GError **error);
