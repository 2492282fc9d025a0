/* dumpi.h - the parts of DUMPI's reader: layouts of records (dumpi_layout.c), files and records
 * (dumpi.c), datatypes and groups (dumpi_objects.c), what a record means (dumpi_calls.c). */
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
    GHashTable *nobody; /* gint64 *, requests with MPI_PROC_NULL; NULL: none */
    guint64 ordered[4]; /* a bit for each number of an operation: it does not commute */
    gint64 last_stop_ns;
    GArray *list; /* gint64, of the operation at hand */
} DnDumpi;

enum { DN_DUMPI_COMM_NULL = 1, DN_DUMPI_COMM_WORLD = 2, DN_DUMPI_COMM_SELF = 3 };

gint64 dn_dumpi_value(const DnDumpiRecord *r, guint i);
const GArray *dn_dumpi_list(const DnDumpiRecord *r, guint i);

/* A record that defines a datatype, a group or an operation; others are passed over. */
void dn_dumpi_define(DnDumpi *d, const DnDumpiRecord *r);
/* @count elements of datatype @type. */
gboolean dn_dumpi_bytes(DnDumpi *d, const DnDumpiRecord *r, gint64 count, gint64 type,
                        gint64 *bytes);
/* gint64, ranks of the world; NULL: not known. */
GArray *dn_dumpi_group(DnDumpi *d, gint64 number);

/* Whether operation @number was made as one that does not commute. */
static inline gboolean dn_dumpi_is_ordered(const DnDumpi *d, gint64 number)
{
    guint bit = (guint8)number;
    return d->ordered[bit / 64] >> bit % 64 & 1;
}

gboolean dn_dumpi_call(DnDumpi *d, const DnDumpiRecord *record);
