/* export.c - see export.h. */
#include "topology/export/export.h"
#include "base/registry.h"

const DnExporter *dn_exporter_find(const char *format, GError **error)
{
    const DnExporter *exporter = dn_registry_find(dn_exporters, format);
    if (exporter != NULL)
        return exporter;
    g_autofree char *unknown = dn_registry_unknown(dn_exporters, format);
    g_set_error(error, DN_ERROR, DN_ERROR_UNKNOWN, "--format: unknown format %s", unknown);
    return NULL;
}
