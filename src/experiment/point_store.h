/* point_store.h - The point store keeps the results of a run, a record for each finished point, so
 * that no point is simulated twice.
 *
 * It is a file to which data are only appended: a head that identifies the run and the program,
 * then records, each with its length and a checksum. An incomplete record at the end, left by a
 * process that was killed, is removed when the file is opened. The file is synced after records, so
 * that a power failure loses none. Syncing takes at most 5 % of the time (DN_POINT_STORE_SYNC), so
 * that of points that finish within milliseconds the last few may be synced with the next ones.
 * LIMITATIONS: numbers are in the byte order of the computer. */
#pragma once
#include "base/error.h"

/* The least time between two syncs, in durations of a sync. */
#define DN_POINT_STORE_SYNC 20

typedef struct DnPointStore DnPointStore;

/* (transfer full). Opens @path, which is made when it is not there, for @n_points points. @head:
 * lines "NAME VALUE" or "NAME:" with a text in the indented lines that follow.
 * NULL + DN_ERROR_RANGE when the file has another head: with the lines that differ;
 * DN_ERROR_SYNTAX: not such a file; DN_ERROR_FILE. */
DnPointStore *dn_point_store_open(const char *path, const char *head, guint n_points,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Opens an existing file for reading, even while another process appends to it. @head: NULL
 * accepts any. */
DnPointStore *dn_point_store_read_only(const char *path, const char *head, guint n_points,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Syncs what is not yet on the disk. */
void dn_point_store_free(DnPointStore *store);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnPointStore, dn_point_store_free)

/* Returns the number of points with a record; and whether @point is one of them. */
guint dn_point_store_done(const DnPointStore *store);
gboolean dn_point_store_has(const DnPointStore *store, guint point);
const char *dn_point_store_head(const DnPointStore *store);
/* Returns the bytes of an incomplete record that were removed from the file's end. */
gsize dn_point_store_cut(const DnPointStore *store);

/* Appends @record (floating or not), a dictionary "a{sv}". After an error the file is as it was. */
gboolean dn_point_store_add(DnPointStore *store, guint point, GVariant *record, GError **error);
/* (transfer full): the record of a point that has one; NULL + error when it cannot be read. */
GVariant *dn_point_store_get(DnPointStore *store, guint point, GError **error);
