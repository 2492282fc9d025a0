/* file.h - text files as a whole: read, or written so that the old one stays until the new one is
 * there. */
#pragma once
#include "base/error.h"

/* (transfer full): UTF-8 without a NUL; NULL + `path:1:1: why`. */
char *dn_file_read(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean dn_file_write(const char *path, const char *text,
                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
