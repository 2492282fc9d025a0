/* arrival_table.h - The bytes that have arrived of messages from other processes, by number.
 *
 * Open addressing with linear probing: an entry is one place in one array, since every packet of a
 * message that comes in parts asks for it. */
#pragma once
#include <glib.h>

typedef struct {
    guint64 number; /* of the message; 0: free */
    gint64 bytes;
} DnArrival;

typedef struct {
    DnArrival *entries; /* [1 << bits]; NULL: none yet */
    guint bits;
    guint32 n;
} DnArrivalTable;

void dn_arrival_table_clear(DnArrivalTable *table);
/* @bytes more of message @number (> 0) of @total bytes; TRUE: all of it is here, and its entry is
 * free again. */
gboolean dn_arrival_table_add(DnArrivalTable *table, guint64 number, gint64 bytes, gint64 total);
