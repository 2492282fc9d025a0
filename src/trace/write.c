/* write.c - Helpers shared by the writers: a file that is there whole or not at all. */
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#include "trace/trace.h"
#include "base/file.h"
#include "base/registry.h"

const DnTraceWriter *dn_trace_writer_find(const char *name)
{
    return dn_registry_find(dn_trace_writers, name);
}

static gboolean write_fail(DnTraceFile *file, GError **error)
{
    g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: cannot be written: %s", file->path,
                g_strerror(errno));
    if (file->stream)
        fclose(file->stream);
    dn_file_discard(file->part, file->path);
    g_free(file->path);
    g_free(file->part);
    return FALSE;
}

gboolean dn_trace_file_begin(DnTraceFile *file, const char *path, GError **error)
{
    *file = (DnTraceFile){0};
    file->part = dn_file_new_path(path, ".part", &file->path);
    file->stream = g_fopen(file->part, "wb");
    return file->stream ? TRUE : write_fail(file, error);
}

gboolean dn_trace_file_end(DnTraceFile *file, GError **error)
{
    if (ferror(file->stream) || fflush(file->stream) != 0)
        return write_fail(file, error);
    FILE *stream = file->stream;
    file->stream = NULL;
    if (fclose(stream) != 0 || !dn_file_publish(file->part, file->path))
        return write_fail(file, error);
    g_free(file->path);
    g_free(file->part);
    return TRUE;
}
