/* file.h - text files: read as a whole; written so that the old one stays until the new one is
 * there; or made longer. */
#pragma once
#include "base/error.h"

#define DN_FILE_MAX_BYTES (256 << 20)

/* (transfer full): what the file has, and a NUL behind it. Reading ends soon after the first zero
 * byte. NULL + `path:1:1: why`, also for more than DN_FILE_MAX_BYTES. */
char *dn_file_read_bytes(const char *path, gsize *length, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Bytes of the byte order mark (U+FEFF) that some editors begin a text with; 0: there is none. */
#define DN_FILE_MARK_BYTES 3
gsize dn_file_mark(const char *text, gsize length);
/* (transfer full): UTF-8 without a NUL and without that mark; NULL + `path:1:1: why`. */
char *dn_file_read(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean dn_file_write(const char *path, const char *text,
                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Appends to a file that exists; after an error it is as long as before. */
gboolean dn_file_append(const char *path, const char *text,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
