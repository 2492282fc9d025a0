/* file.h - text files: read as a whole; written so that the old one stays until the new one is
 * there; or made longer. */
#pragma once
#include "base/error.h"

#define DN_FILE_MAX_BYTES (256 << 20)

/* (transfer full): what the file has, and a NUL behind it. Reading ends soon after the first zero
 * byte. NULL + `path:1:1: why`, also for more than DN_FILE_MAX_BYTES; DN_ERROR_INTERRUPTED after a
 * signal (interrupt.h) while a pipe has nothing. */
char *dn_file_read_bytes(const char *path, gsize *length, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Waits until the descriptor @in, opened with O_NONBLOCK, has something to read or is at its end. A
 * pipe may never have: FALSE after a signal (interrupt.h), errno is EINTR. */
gboolean dn_file_wait(int in);
/* Bytes of the byte order mark (U+FEFF) that some editors begin a text with; 0: there is none. */
#define DN_FILE_MARK_BYTES 3
gsize dn_file_mark(const char *text, gsize length);
/* (transfer full): UTF-8 without a NUL and without that mark; NULL + `path:1:1: why`. */
char *dn_file_read(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The same of what gzip has packed, at most as many bytes when unpacked; a file that is not packed
 * is read as it is. */
char *dn_file_read_gzip(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* (transfer full): char*, the names of all files in the folder @path, sorted. NULL + `path: cannot
 * read the folder: why`, also when it cannot be read to its end: a file that is not in the list
 * would count as one that is not there. */
GPtrArray *dn_file_list(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Whether a file could be written at @path: asked before what takes long. FALSE + error: its folder
 * is not there or may not be written, or it is a folder itself. */
gboolean dn_file_check_place(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* A link stays, and what it names is replaced; a device or a pipe is written to. */
gboolean dn_file_write(const char *path, const char *text,
                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* (transfer full): where a writer of its own puts a new file for @path, to be published or
 * discarded: a name beside it with @ending, or the device or pipe itself.
 * @target: (transfer full): @path, or what it names as a link. */
char *dn_file_new_path(const char *path, const char *ending, char **target);
/* FALSE: errno. */
gboolean dn_file_publish(const char *part, const char *target) G_GNUC_WARN_UNUSED_RESULT;
void dn_file_discard(const char *part, const char *target);
/* Appends to a file that exists; after an error it is as long as before. */
gboolean dn_file_append(const char *path, const char *text,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
