/* convert.c - see convert.h. */
#include "trace/convert.h"

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
    return dn_trace_program(trace, map, error);
}

const DnTraceWriter *dn_trace_writer_named(const char *name, GError **error)
{
    const DnTraceWriter *writer = dn_trace_writer_find(name);
    if (writer)
        return writer;
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (guint i = 0; dn_trace_writers[i]; i++)
        g_ptr_array_add(names, (gpointer)dn_trace_writers[i]->name);
    g_ptr_array_add(names, NULL);
    g_autofree char *shown = dn_quote(name);
    g_autofree char *tail = dn_suggest(name, (const char *const *)names->pdata, "known");
    g_set_error(error, DN_ERROR, DN_ERROR_UNKNOWN, "--to: unknown format %s%s", shown, tail);
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
