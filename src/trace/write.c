/* write.c - Helpers shared by the writers: a file that is there whole or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

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

/* A file that gets its name when it is whole, so that nothing is left of a process that is killed;
 * NULL where the file system has none, and for a device or a pipe. */
static FILE *open_nameless(const DnTraceFile *file)
{
    if (strcmp(file->part, file->path) == 0 || g_access("/proc/self/fd", X_OK) != 0)
        return NULL;
    g_autofree char *folder = g_path_get_dirname(file->part);
    int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    FILE *stream = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (fd >= 0 && stream == NULL)
        close(fd);
    return stream;
}

static gboolean give_name(const DnTraceFile *file)
{
    char at[sizeof "/proc/self/fd/" + 20];
    g_snprintf(at, sizeof at, "/proc/self/fd/%d", fileno(file->stream));
    g_unlink(file->part);
    return linkat(AT_FDCWD, at, AT_FDCWD, file->part, AT_SYMLINK_FOLLOW) == 0;
}

gboolean dn_trace_file_begin(DnTraceFile *file, const char *path, GError **error)
{
    *file = (DnTraceFile){0};
    file->part = dn_file_new_path(path, ".part", &file->path);
    file->stream = open_nameless(file);
    file->nameless = file->stream != NULL;
    if (!file->nameless)
        file->stream = g_fopen(file->part, "wb");
    return file->stream ? TRUE : write_fail(file, error);
}

gboolean dn_trace_file_end(DnTraceFile *file, GError **error)
{
    if (ferror(file->stream) || fflush(file->stream) != 0 || (file->nameless && !give_name(file)))
        return write_fail(file, error);
    FILE *stream = file->stream;
    file->stream = NULL;
    if (fclose(stream) != 0 || !dn_file_publish(file->part, file->path))
        return write_fail(file, error);
    g_free(file->path);
    g_free(file->part);
    return TRUE;
}
