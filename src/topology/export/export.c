/* export.c - see export.h. */
#include "topology/export/export.h"

const DnExporter *dn_exporter_find(const char *format, GError **error)
{
    g_autoptr(GPtrArray) known = g_ptr_array_new();
    for (const DnExporter *const *e = dn_exporters; *e != NULL; e++) {
        if (g_str_equal((*e)->name, format))
            return *e;
        g_ptr_array_add(known, (gpointer)(*e)->name);
    }
    g_ptr_array_add(known, NULL);
    g_autofree char *shown = dn_quote(format);
    g_autofree char *tail = dn_suggest(format, (const char *const *)known->pdata, "known");
    g_set_error(error, DN_ERROR, DN_ERROR_UNKNOWN, "--format: unknown format %s%s", shown, tail);
    return NULL;
}
