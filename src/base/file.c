/* file.c - see file.h. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* GLib's messages name the file and what failed, and end in the system's reason. */
static const char *file_reason(const GError *problem)
{
    const char *at = g_strrstr(problem->message, ": ");
    return at != NULL ? at + strlen(": ") : problem->message;
}

char *dn_file_read(const char *path, GError **error)
{
    g_autofree char *text = NULL;
    gsize length = 0;
    g_autoptr(GError) problem = NULL;
    if (!g_file_get_contents(path, &text, &length, &problem)) {
        g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s:1:1: cannot read: %s", path,
                    file_reason(problem));
        return NULL;
    }
    if (strlen(text) == length && g_utf8_validate(text, (gssize)length, NULL))
        return g_steal_pointer(&text);
    g_set_error(error, DN_ERROR, DN_ERROR_SYNTAX, "%s:1:1: not UTF-8 text", path);
    return NULL;
}

gboolean dn_file_write(const char *path, const char *text, GError **error)
{
    g_autoptr(GError) problem = NULL;
    /* CONSISTENT: a new file beside it, then a rename. */
    if (g_file_set_contents_full(path, text, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0666, &problem))
        return TRUE;
    g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: cannot write it: %s", path,
                file_reason(problem));
    return FALSE;
}

static gboolean write_all(int fd, const char *text)
{
    gsize left = strlen(text);
    while (left > 0) {
        gssize n = write(fd, text, left);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return FALSE;
        text += n;
        left -= (gsize)n;
    }
    return TRUE;
}

gboolean dn_file_append(const char *path, const char *text, GError **error)
{
    struct stat before = {0};
    int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    gboolean ok = fd >= 0 && fstat(fd, &before) == 0 && write_all(fd, text);
    int why = errno;
    gboolean cut = ok || fd < 0 || ftruncate(fd, before.st_size) == 0;
    if (fd >= 0 && close(fd) != 0 && ok) {
        ok = FALSE;
        why = errno;
    }
    if (!ok)
        g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: cannot write it: %s%s", path,
                    g_strerror(why), cut ? "" : "; its last line may be incomplete");
    return ok;
}
