/* dumpi.h - the parts of DUMPI's reader: layouts of records (dumpi_layout.c), files and records
 * (dumpi.c), what a record means (dumpi_calls.c). */
#pragma once
#include "trace/input.h"
#include "trace/trace.h"

#define DN_DUMPI_FUNCTIONS 293
#define DN_DUMPI_END 293 /* the label after the last record */
extern const char *const dn_dumpi_layouts[DN_DUMPI_FUNCTIONS];

#define DN_DUMPI_VALUES 16
#define DN_DUMPI_LISTS 8

/* A record as read: numbers and lists in the order of the layout. */
typedef struct {
    guint16 function;
    guint64 at;
    gint64 start_ns, stop_ns; /* -1: not recorded */
    guint n_values, n_lists, n_statuses;
    gint64 values[DN_DUMPI_VALUES];
    GArray *lists[DN_DUMPI_LISTS]; /* gint64 */
    gint32 source, tag;            /* of the first status */
} DnDumpiRecord;

typedef struct {
    DnTraceSink *sink;
    GError **error;
    guint32 rank, ranks;
    guint version[3];
    GArray *type_bytes; /* gint64 by number of datatype; -1: not known */
    GHashTable *groups; /* number -> GArray of gint64, ranks of the world; NULL: not known */
    gint64 last_stop_ns;
    GArray *list; /* gint64, of the operation at hand */
} DnDumpi;

gboolean dn_dumpi_call(DnDumpi *d, const DnDumpiRecord *record);
