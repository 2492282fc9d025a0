/* input.c - see input.h. Plain files and gzip go through zlib, which tells them apart. */
#include "trace/input.h"

#include "base/file.h"
#include "base/input_files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#define PACKED_BYTES 65536
#define FIRST_BYTES (2 * DN_INPUT_PEEK)
#define LONGEST_LINE (64u << 20)

struct DnInput {
    char *path;
    gzFile plain; /* or */
    int file;
    ZSTD_DStream *zstd;
    ZSTD_inBuffer packed;
    gboolean frame_open; /* zstd: the end of the file would come too early */
    guint8 *buffer;
    gsize begin, end, capacity;
    guint64 at, lines;
    gboolean over;
    char *fault;
};

static gboolean open_file(DnInput *input, GError **error)
{
    static const guint8 zstd_magic[4] = {0x28, 0xb5, 0x2f, 0xfd};
    guint8 magic[4] = {0};
    struct stat about;
    input->file = open(input->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* of a pipe: no wait */
    if (input->file < 0 || fstat(input->file, &about) != 0) {
        g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: cannot be read: %s", input->path,
                    g_strerror(errno));
        return FALSE;
    }
    if (!S_ISREG(about.st_mode)) {
        g_set_error(error, DN_ERROR, DN_ERROR_FILE,
                    "%s: not a file; a trace is read more than once, which a pipe cannot be",
                    input->path);
        return FALSE;
    }
    dn_input_files_note(input->path, NULL, 0);
    gboolean zstd = pread(input->file, magic, 4, 0) == 4 &&
                    memcmp(magic, zstd_magic, sizeof magic) == 0;
    if (zstd) {
        input->zstd = ZSTD_createDStream();
        g_assert(input->zstd != NULL);
        input->packed.src = g_malloc(PACKED_BYTES);
        return TRUE;
    }
    input->plain = gzdopen(input->file, "rb");
    g_assert(input->plain != NULL);
    input->file = -1; /* gzclose closes it */
    return TRUE;
}

DnInput *dn_input_open(const char *path, GError **error)
{
    g_autoptr(DnInput) input = g_new0(DnInput, 1);
    input->path = g_strdup(path);
    input->file = -1;
    input->capacity = FIRST_BYTES;
    input->buffer = g_malloc(input->capacity);
    return open_file(input, error) ? g_steal_pointer(&input) : NULL;
}

void dn_input_free(DnInput *input)
{
    if (!input)
        return;
    if (input->plain)
        gzclose(input->plain);
    if (input->file >= 0)
        close(input->file);
    ZSTD_freeDStream(input->zstd);
    g_free((gpointer)input->packed.src);
    g_free(input->buffer);
    g_free(input->path);
    g_free(input->fault);
    g_free(input);
}

static gsize input_stop(DnInput *input, const char *fault)
{
    input->over = TRUE;
    if (fault && !input->fault)
        input->fault = g_strdup(fault);
    return 0;
}

static gsize read_plain(DnInput *input, guint8 *to, gsize space)
{
    int code;
    int n = gzread(input->plain, to, (unsigned)MIN(space, 1u << 20));
    if (n > 0)
        return (gsize)n;
    const char *message = gzerror(input->plain, &code);
    return input_stop(input, code == Z_OK || code == Z_STREAM_END ? NULL : message);
}

static gsize read_zstd(DnInput *input, gpointer to, gsize space)
{
    ZSTD_outBuffer out = {to, space, 0};
    while (out.pos == 0) {
        if (input->packed.pos == input->packed.size) {
            ssize_t n = read(input->file, (gpointer)input->packed.src, PACKED_BYTES);
            if (n < 0)
                return input_stop(input, g_strerror(errno));
            if (n == 0)
                return input_stop(input,
                                  input->frame_open ? "zstd: the file ends too early" : NULL);
            input->packed.size = (size_t)n;
            input->packed.pos = 0;
        }
        size_t left = ZSTD_decompressStream(input->zstd, &out, &input->packed);
        if (ZSTD_isError(left))
            return input_stop(input, ZSTD_getErrorName(left));
        input->frame_open = left != 0;
    }
    return out.pos;
}

/* Reads more of the file; FALSE: nothing more came. */
static gboolean input_fill(DnInput *input)
{
    if (input->over)
        return FALSE;
    if (input->begin > 0) {
        memmove(input->buffer, input->buffer + input->begin, input->end - input->begin);
        input->end -= input->begin;
        input->begin = 0;
    }
    if (input->end + 1 >= input->capacity) { /* one for the NUL of a last line */
        input->capacity *= 2;
        input->buffer = g_realloc(input->buffer, input->capacity);
    }
    guint8 *to = input->buffer + input->end;
    gsize space = input->capacity - input->end - 1;
    gsize n = input->zstd ? read_zstd(input, to, space) : read_plain(input, to, space);
    input->end += n;
    return n > 0;
}

const guint8 *dn_input_peek(DnInput *input, gsize want, gsize *have)
{
    g_assert(want <= DN_INPUT_PEEK);
    while (input->end - input->begin < want && input_fill(input))
        continue;
    *have = MIN(want, input->end - input->begin);
    return input->buffer + input->begin;
}

static inline void input_advance(DnInput *input, gsize n)
{
    input->begin += n;
    input->at += n;
}

void dn_input_skip(DnInput *input, gsize n)
{
    g_assert(n <= input->end - input->begin);
    input_advance(input, n);
}

guint64 dn_input_at(const DnInput *input)
{
    return input->at;
}

const guint8 *dn_input_peek_text(DnInput *input, gsize want, gsize *have)
{
    const guint8 *bytes = dn_input_peek(input, want, have);
    gsize mark = input->at == 0 ? dn_file_mark((const char *)bytes, *have) : 0;
    *have -= mark;
    return bytes + mark;
}

static void skip_mark(DnInput *input)
{
    gsize have;
    const guint8 *bytes = dn_input_peek(input, DN_FILE_MARK_BYTES, &have);
    dn_input_skip(input, dn_file_mark((const char *)bytes, have));
}

char *dn_input_line(DnInput *input, gsize *length, guint64 *number)
{
    gsize seen = 0;
    guint8 *end;
    if (input->at == 0)
        skip_mark(input);
    for (;;) {
        guint8 *start = input->buffer + input->begin;
        gsize have = input->end - input->begin;
        end = memchr(start + seen, '\n', have - seen);
        if (end)
            break;
        seen = have;
        if (have > LONGEST_LINE) {
            input_stop(input, "a line of more than 64 MiB");
            return NULL;
        }
        if (input_fill(input))
            continue;
        if (have == 0 || input->fault)
            return NULL;
        end = input->buffer + input->end; /* the last line has no end of its own */
        break;
    }
    char *line = (char *)input->buffer + input->begin;
    gsize n = (gsize)(end - (guint8 *)line);
    input_advance(input, MIN(n + 1, input->end - input->begin));
    if (n > 0 && line[n - 1] == '\r')
        n--;
    line[n] = '\0';
    *length = n;
    *number = ++input->lines;
    return line;
}

gboolean dn_input_good(const DnInput *input, GError **error)
{
    if (!input->fault)
        return TRUE;
    g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: unpacked byte %" G_GUINT64_FORMAT ": %s",
                input->path, input->at + (input->end - input->begin), input->fault);
    return FALSE;
}

GByteArray *dn_input_tail(const char *path, gsize most, guint64 *from, GError **error)
{
    g_autoptr(DnInput) input = dn_input_open(path, error);
    g_autoptr(GByteArray) tail = g_byte_array_new();
    struct stat about;
    gsize have;
    if (!input)
        return NULL;
    if (input->plain && gzdirect(input->plain) && stat(path, &about) == 0 &&
        about.st_size > (off_t)most) { /* not packed: no need to go through it */
        input->at = (guint64)about.st_size - most;
        if (gzseek(input->plain, about.st_size - (off_t)most, SEEK_SET) < 0)
            input_stop(input, g_strerror(errno));
    }
    for (;;) {
        const guint8 *bytes = dn_input_peek(input, DN_INPUT_PEEK, &have);
        if (have == 0)
            break;
        g_byte_array_append(tail, bytes, (guint)have);
        dn_input_skip(input, have);
        if (tail->len > 2 * most + DN_INPUT_PEEK)
            g_byte_array_remove_range(tail, 0, tail->len - (guint)most);
    }
    if (!dn_input_good(input, error))
        return NULL;
    if (tail->len > most)
        g_byte_array_remove_range(tail, 0, tail->len - (guint)most);
    *from = dn_input_at(input) - tail->len;
    return g_steal_pointer(&tail);
}
