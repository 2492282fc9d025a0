/* file.c - see file.h. */
#include "base/file.h"
#include "base/compare.h"
#include "base/input_files.h"
#include "base/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define READ_BLOCK (1u << 16)

/* GLib's messages name the file and what failed, and end in the system's reason. */
static const char *file_reason(const GError *problem)
{
    const char *at = g_strrstr(problem->message, ": ");
    return at != NULL ? at + strlen(": ") : problem->message;
}

gboolean dn_file_wait(int in)
{
    enum { LOOK_MS = 100 };
    struct pollfd one = {.fd = in, .events = POLLIN};
    while (poll(&one, 1, LOOK_MS) <= 0) {
        errno = EINTR;
        if (dn_interrupted())
            return FALSE;
    }
    return TRUE;
}

/* Reads @in to its end, or past DN_FILE_MAX_BYTES, or to a block with a zero byte: no text has one,
 * and a device may have nothing else. FALSE: errno says why. */
static gboolean read_blocks(int in, GByteArray *bytes)
{
    g_autofree char *block = g_malloc(READ_BLOCK);
    for (;;) {
        if (!dn_file_wait(in))
            return FALSE;
        gssize n = read(in, block, READ_BLOCK);
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n <= 0)
            return n == 0;
        g_byte_array_append(bytes, (const guint8 *)block, (guint)n);
        if (bytes->len > DN_FILE_MAX_BYTES || memchr(block, '\0', (gsize)n) != NULL)
            return TRUE;
    }
}

char *dn_file_read_bytes(const char *path, gsize *length, GError **error)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    int in = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe may have no writer yet */
    gboolean ok = in >= 0 && read_blocks(in, bytes);
    int why = errno;
    if (in >= 0)
        close(in);
    if (!ok && why == EINTR && !dn_interrupt_check(error))
        return NULL;
    if (!ok) {
        g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: cannot read: %s", path, g_strerror(why));
        return NULL;
    }
    if (bytes->len > DN_FILE_MAX_BYTES) {
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE, "%s:1:1: more than %d MiB", path,
                    DN_FILE_MAX_BYTES >> 20);
        return NULL;
    }
    *length = bytes->len;
    dn_input_files_note(path, bytes->data, bytes->len);
    g_byte_array_append(bytes, (const guint8 *)"", 1);
    return (char *)g_byte_array_free(g_steal_pointer(&bytes), FALSE);
}

gsize dn_file_mark(const char *text, gsize length)
{
    static const char mark[] = "\xef\xbb\xbf";
    return length >= strlen(mark) && memcmp(text, mark, strlen(mark)) == 0 ? strlen(mark) : 0;
}

/* (transfer full): without the mark; NULL + error when @text (transfer full) is none in UTF-8. */
static char *check_text(char *owned, gsize length, const char *path, GError **error)
{
    g_autofree char *text = owned;
    if (strlen(text) == length && g_utf8_validate(text, (gssize)length, NULL)) {
        gsize mark = dn_file_mark(text, length);
        return mark > 0 ? g_strdup(text + mark) : g_steal_pointer(&text);
    }
    g_set_error(error, DN_ERROR, DN_ERROR_SYNTAX, "%s:1:1: not UTF-8 text", path);
    return NULL;
}

char *dn_file_read(const char *path, GError **error)
{
    gsize length = 0;
    char *text = dn_file_read_bytes(path, &length, error);
    return text != NULL ? check_text(text, length, path, error) : NULL;
}

/* (transfer full): why not all of @in was read, or NULL. A few MiB of gzip's may be GiB. */
static char *unpack_blocks(gzFile in, const char *path, GByteArray *bytes)
{
    g_autofree char *block = g_malloc(READ_BLOCK);
    int n = 0, code = Z_OK;
    while (bytes->len <= DN_FILE_MAX_BYTES && !dn_interrupted() &&
           (n = gzread(in, block, READ_BLOCK)) > 0)
        g_byte_array_append(bytes, (const guint8 *)block, (guint)n);
    if (bytes->len > DN_FILE_MAX_BYTES)
        return g_strdup_printf("more than %d MiB when unpacked", DN_FILE_MAX_BYTES >> 20);
    const char *why = gzerror(in, &code); /* "path: reason" */
    gsize named = g_str_has_prefix(why, path) ? strlen(path) + strlen(": ") : 0;
    return code == Z_OK ? NULL : g_strdup(code == Z_ERRNO ? g_strerror(errno) : why + named);
}

char *dn_file_read_gzip(const char *path, GError **error)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    gzFile in = gzopen(path, "rbe");
    g_autofree char *why = in != NULL ? unpack_blocks(in, path, bytes)
                                      : g_strdup(g_strerror(errno));
    if (in != NULL)
        gzclose(in);
    if (!dn_interrupt_check(error))
        return NULL;
    if (why != NULL) {
        g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: cannot read: %s", path, why);
        return NULL;
    }
    gsize length = bytes->len;
    g_byte_array_append(bytes, (const guint8 *)"", 1);
    return check_text((char *)g_byte_array_free(g_steal_pointer(&bytes), FALSE), length, path,
                      error);
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

/* A new file in the place of a device or a pipe (/dev/null, /dev/stdout) would be the end of it. */
static gboolean is_special(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}

/* (transfer full): @path, or what it names as a link, of a file that is there. */
static char *link_target(const char *path)
{
    char *target = g_file_test(path, G_FILE_TEST_IS_SYMLINK) ? realpath(path, NULL) : NULL;
    return target != NULL ? target : g_strdup(path);
}

char *dn_file_new_path(const char *path, const char *ending, char **target)
{
    gboolean special = is_special(path);
    *target = special ? g_strdup(path) : link_target(path);
    return special ? g_strdup(path) : g_strconcat(*target, ending, NULL);
}

gboolean dn_file_publish(const char *part, const char *target)
{
    return strcmp(part, target) == 0 || g_rename(part, target) == 0;
}

void dn_file_discard(const char *part, const char *target)
{
    if (strcmp(part, target) != 0)
        g_unlink(part);
}

GPtrArray *dn_file_list(const char *path, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GError) problem = NULL;
    g_autoptr(GDir) folder = g_dir_open(path, 0, &problem);
    const char *name = NULL;
    errno = 0;
    while (folder != NULL && (name = g_dir_read_name(folder)) != NULL) {
        g_ptr_array_add(names, g_strdup(name));
        errno = 0;
    }
    if (folder != NULL && errno == 0) {
        g_ptr_array_sort(names, dn_compare_texts);
        return g_steal_pointer(&names);
    }
    g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: cannot read the folder: %s", path,
                folder == NULL ? file_reason(problem) : g_strerror(errno));
    return NULL;
}

gboolean dn_file_check_place(const char *path, GError **error)
{
    g_autofree char *target = link_target(path);
    g_autofree char *folder = g_path_get_dirname(target);
    if (is_special(path))
        return TRUE;
    errno = path[0] == '\0' ? ENOENT : g_file_test(target, G_FILE_TEST_IS_DIR) ? EISDIR : 0;
    if (errno == 0 && g_access(folder, W_OK | X_OK) == 0)
        return TRUE;
    g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: cannot write it: %s", path, g_strerror(errno));
    return FALSE;
}

/* FALSE: errno. */
static gboolean write_into(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    gboolean ok = fd >= 0 && write_all(fd, text);
    int why = errno;
    if (fd >= 0 && close(fd) != 0 && ok)
        return FALSE;
    errno = why;
    return ok;
}

gboolean dn_file_write(const char *path, const char *text, GError **error)
{
    g_autoptr(GError) problem = NULL;
    g_autofree char *target = link_target(path);
    gboolean special = is_special(path);
    /* CONSISTENT: a new file beside it, then a rename. */
    if (special ? write_into(path, text)
                : g_file_set_contents_full(target, text, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0666,
                                           &problem))
        return TRUE;
    g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: cannot write it: %s", path,
                special ? g_strerror(errno) : file_reason(problem));
    return FALSE;
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
