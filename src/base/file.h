/* file.h - text files: read as a whole; written so that the old one stays until the new one is
 * there; or made longer. */
#pragma once
#include "base/error.h"

/* (transfer full): UTF-8 without a NUL; NULL + `path:1:1: why`. */
char *dn_file_read(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean dn_file_write(const char *path, const char *text,
                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Appends to a file that exists; after an error it is as long as before. */
gboolean dn_file_append(const char *path, const char *text,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
