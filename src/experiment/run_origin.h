/* run_origin.h - The origin leads from a folder that a run wrote back to the run. */
#pragma once
#include "config/run_spec.h"

typedef struct {
    char *folder, *file; /* the run file */
    char **set;          /* its --set */
    char **inputs;       /* "HASH PATH" of the other files that it read (base/input_files.h) */
    char *name;
    GPtrArray *hashes; /* char*, of the points that are complete */
} DnRunOrigin;

/* (transfer full). DN_ERROR_FILE, _SYNTAX, _MISSING: not such a folder, or of an older version. */
DnRunOrigin *dn_run_origin_read(const char *folder, GError **error);
void dn_run_origin_free(DnRunOrigin *origin);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnRunOrigin, dn_run_origin_free)
/* (transfer full): point @point as it was run; DN_ERROR_FILE when the run file is not there,
 * DN_ERROR_RANGE when it says something else by now, or a file that it reads has changed. */
DnRunSpec *dn_run_origin_spec(const DnRunOrigin *origin, guint point, GError **error);
