/* request_table.h - From the handles of a rank's live requests to their numbers: a hash table with
 * linear probing (Knuth, TAOCP 3, 6.4, algorithms L and R) that never shrinks, since a program
 * begins and ends requests all the time. */
#pragma once
#include <glib.h>

#define DN_REQUEST_NONE G_MAXUINT32

typedef struct {
    guint64 handle;
    guint32 number; /* DN_REQUEST_NONE: free */
} DnRequestEntry;

/* Zeros: empty. */
typedef struct {
    DnRequestEntry *entries; /* [1 << bits] */
    guint32 n, bits;
} DnRequestTable;

void dn_request_table_clear(DnRequestTable *table);
/* DN_REQUEST_NONE: there is no such handle. */
guint32 dn_request_table_find(const DnRequestTable *table, guint64 handle);
/* @handle is not there; @number below DN_REQUEST_NONE. */
void dn_request_table_add(DnRequestTable *table, guint64 handle, guint32 number);
/* @handle is there. */
void dn_request_table_remove(DnRequestTable *table, guint64 handle);
