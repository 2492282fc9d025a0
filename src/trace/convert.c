/* convert.c - see convert.h. */
#include "trace/convert.h"
#include "base/registry.h"

#include <string.h>

DnProgram *dn_trace_open_program(const char *path, const char *format, const char *algorithm,
                                 const char *library, GError **error)
{
    DnTrace *trace = dn_trace_open(path, format, error);
    if (!trace)
        return NULL;
    g_autofree char *text =
        g_strdup_printf("type: trace\nfile: trace\nalgorithm: %s\nlibrary: %s\n",
                        algorithm ? algorithm : "auto", library ? library : "ompi");
    g_autoptr(DnConfigNode) map = dn_config_parse(text, "--algorithm, --library", error);
    if (!map) {
        dn_trace_free(trace);
        return NULL;
    }
    return dn_trace_program(trace, map, NULL, error);
}

const DnTraceWriter *dn_trace_writer_named(const char *name, GError **error)
{
    const DnTraceWriter *writer = dn_trace_writer_find(name);
    if (writer)
        return writer;
    g_autofree char *unknown = dn_registry_unknown(dn_trace_writers, name);
    g_set_error(error, DN_ERROR, DN_ERROR_UNKNOWN, "--to: unknown format %s", unknown);
    return NULL;
}

char *dn_trace_output(const char *path, const DnTraceWriter *writer)
{
    g_autofree char *name = g_path_get_basename(path);
    char *dot = strchr(name + 1, '.');
    if (dot)
        *dot = '\0';
    return g_strconcat(name, writer->extension, NULL);
}
