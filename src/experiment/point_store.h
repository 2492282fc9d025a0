/* point_store.h - The point store keeps what a run yields, a record for each finished point, so
 * that no point is simulated twice.
 *
 * A file that is only appended to: a head that says of which run and which program it is, and then
 * records, each with its length and a checksum. A record is complete on the disk, or it is not
 * there: the incomplete end that a killed process leaves is cut off when the file is opened. After
 * records the file is synced, so that a power cut loses none either; synchronising takes at most
 * 5 % of the time (DN_POINT_STORE_SYNC), so of points that finish within milliseconds the last few
 * may wait for the next.
 * LIMITATIONS: numbers are in the byte order of the computer. */
#pragma once
#include "base/error.h"

/* A sync is at least so many times its own duration after the one before. */
#define DN_POINT_STORE_SYNC 20

typedef struct DnPointStore DnPointStore;

/* (transfer full). Opens @path, which is made when it is not there, for @n_points points. @head:
 * lines "NAME VALUE" or "NAME:" with a text in the indented lines that follow.
 * NULL + DN_ERROR_RANGE when the file has another head: with the lines that differ;
 * DN_ERROR_SYNTAX: not such a file; DN_ERROR_FILE. */
DnPointStore *dn_point_store_open(const char *path, const char *head, guint n_points,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The same of a file that is there, to read it only: also while another process appends to it.
 * @head: NULL: any. */
DnPointStore *dn_point_store_read_only(const char *path, const char *head, guint n_points,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Syncs what is not yet on the disk. */
void dn_point_store_free(DnPointStore *store);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnPointStore, dn_point_store_free)

/* Points with a record; and whether @point is one of them. */
guint dn_point_store_done(const DnPointStore *store);
gboolean dn_point_store_has(const DnPointStore *store, guint point);
const char *dn_point_store_head(const DnPointStore *store);
/* Bytes at the end of the file that were no complete record, and are gone. */
gsize dn_point_store_cut(const DnPointStore *store);

/* Appends @record (floating or not), a dictionary "a{sv}". After an error the file is as it was. */
gboolean dn_point_store_add(DnPointStore *store, guint point, GVariant *record, GError **error);
/* (transfer full): the record of a point that has one; NULL + error when it cannot be read. */
GVariant *dn_point_store_get(DnPointStore *store, guint point, GError **error);
