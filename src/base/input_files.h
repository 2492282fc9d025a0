/* input_files.h - The files that a run has read, so that whoever goes on with it later can tell
 * whether one of them has changed.
 *
 * Readers of run files, machines, workloads, CSV and traces call dn_input_files_note(); it has an
 * effect between dn_input_files_begin() and dn_input_files_end() only, which one thread of a
 * program calls. */
#pragma once
#include <glib.h>

/* Beyond this size a file that is not in memory is known by size and time of change, not by its
 * contents. */
#define DN_INPUT_FILES_HASHED (G_GINT64_CONSTANT(16) << 20)

void dn_input_files_begin(void);
/* @bytes: [@length] what was read; NULL: not in memory. */
void dn_input_files_note(const char *path, const void *bytes, gsize length);
/* Between dn_input_files_begin() and dn_input_files_end(). */
gboolean dn_input_files_asked(void);
/* (transfer full): a line "HASH PATH" for each different file since dn_input_files_begin(), sorted
 * by path; paths are absolute. */
char *dn_input_files_end(void);

/* (transfer full): of such lines those of other files than @path. */
char *dn_input_files_without(const char *lines, const char *path);
/* TRUE: the file of such a line is as it was; else *@path, within @line, names it. */
gboolean dn_input_files_unchanged(const char *line, const char **path);

/* (transfer full): 16 hex digits that differ between any two programs: of the SHA-256 of the build
 * identifier that the linker put into the running one, or without one of all its bytes; "unknown"
 * without that and /proc. */
char *dn_program_hash(void);
