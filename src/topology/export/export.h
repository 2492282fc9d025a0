/* export.h - a machine's graph in the words of other tools, so that they can check it.
 *
 * One file a format, ending in its `dn_exporter_<name>`; the list is in src/topology/meson.build.
 * Routes come from whoever knows routing (a floor above this one), through DnExportRoute. */
#pragma once
#include "topology/machine.h"

/* Appends the directed links from vertex @source to vertex @target, in order, to @links
 * (guint32). */
typedef gboolean (*DnExportRoute)(gpointer data, guint32 source, guint32 target, GArray *links,
                                  GError **error);

typedef struct {
    const char *name; /* of --format */
    const char *summary;
    const char *limits; /* what the format leaves out; or NULL */
    gboolean (*write)(const DnMachine *machine, DnExportRoute route, gpointer data, GString *out,
                      GError **error);
} DnExporter;

extern const DnExporter *const dn_exporters[]; /* NULL-terminated, generated */

/* NULL + DN_ERROR_UNKNOWN with the known names. */
const DnExporter *dn_exporter_find(const char *format, GError **error);
