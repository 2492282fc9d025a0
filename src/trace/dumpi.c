/* dumpi.c - DUMPI's traces: a text file .meta and a binary file for each rank.
 *
 * Big-endian. A magic of eight bytes and two time offsets of four, then records: number of the
 * function (16 bits), mask (8), by the mask thread (16), start and stop by the CPU's clock and by
 * the wall's (16 bits of seconds, 32 of nanoseconds each), performance counters; then arguments by
 * the function's layout. At the end the magic again and where the parts begin: header, records,
 * footer, key values, before them (newer versions) sizes of datatypes, addresses, counters' names.
 */
#include "trace/dumpi.h"

#include <string.h>

static const guint8 magic[8] = {0xff, 0xaa, 0xdd, 'D', 'U', 'M', 'P', 'I'};

#define MASK_STATUS 3
#define MASK_CPU 4
#define MASK_WALL 8
#define MASK_THREAD 64
#define MASK_COUNTERS 128
#define TAIL_BYTES (1u << 20)
#define LONGEST_LIST (1u << 26)

typedef struct {
    DnDumpi d;
    DnInput *input;
    const char *path;
    gboolean ok;
    DnDumpiRecord record;
} File;

/* ---- bytes ---- */

static guint64 dumpi_number(const guint8 *bytes, guint n)
{
    guint64 value = 0;
    for (guint i = 0; i < n; i++)
        value = value << 8 | bytes[i];
    return value;
}

static gboolean dumpi_fail(File *f, const char *what)
{
    if (f->ok && dn_input_good(f->input, f->d.error))
        (void)dn_trace_error(f->d.sink, f->d.rank, dn_input_at(f->input), f->d.error, "%s", what);
    f->ok = FALSE;
    return FALSE;
}

/* 0 after the end: the caller asks f->ok. */
static guint64 dumpi_get(File *f, guint n)
{
    gsize have;
    const guint8 *bytes = f->ok ? dn_input_peek(f->input, n, &have) : NULL;
    if (!bytes)
        return 0;
    if (have < n) {
        dumpi_fail(f, "the file ends within a record");
        return 0;
    }
    guint64 value = dumpi_number(bytes, n);
    dn_input_skip(f->input, n);
    return value;
}

static void dumpi_pass(File *f, guint64 n)
{
    while (n > 0 && f->ok) {
        gsize have;
        dn_input_peek(f->input, (gsize)MIN(n, DN_INPUT_PEEK), &have);
        if (have == 0)
            dumpi_fail(f, "the file ends within a record");
        dn_input_skip(f->input, have);
        n -= have;
    }
}

static guint32 get_count(File *f)
{
    guint64 n = dumpi_get(f, 4);
    if (n > LONGEST_LIST) {
        dumpi_fail(f, "a list of more than 2^26 items");
        return 0;
    }
    return (guint32)n;
}

/* ---- records ---- */

static void put_value(DnDumpiRecord *r, gint64 value)
{
    g_assert(r->n_values < DN_DUMPI_VALUES);
    r->values[r->n_values++] = value;
}

static gint64 get_signed(File *f, char size)
{
    switch (size) {
    case 'b':
        return (gint64)dumpi_get(f, 1);
    case 'h':
        return (gint64)dumpi_get(f, 2);
    case 'q':
        return (gint64)dumpi_get(f, 8);
    default:
        return (gint32)dumpi_get(f, 4);
    }
}

static GArray *new_list(DnDumpiRecord *r)
{
    g_assert(r->n_lists < DN_DUMPI_LISTS);
    GArray **list = &r->lists[r->n_lists++];
    if (!*list)
        *list = g_array_new(FALSE, FALSE, sizeof(gint64));
    g_array_set_size(*list, 0);
    return *list;
}

static void get_list(File *f, char size, gboolean one)
{
    GArray *list = new_list(&f->record);
    guint32 n = one ? 1 : get_count(f);
    for (guint32 i = 0; i < n && f->ok; i++) {
        gint64 value = get_signed(f, size);
        g_array_append_val(list, value);
    }
}

static void pass_texts(File *f, guint depth)
{
    guint32 n = get_count(f);
    if (depth == 0) {
        dumpi_pass(f, n);
        return;
    }
    for (guint32 i = 0; i < n && f->ok; i++)
        pass_texts(f, depth - 1);
}

static gboolean dumpi_since(const File *f, guint a, guint b, guint c)
{
    const guint *v = f->d.version;
    return v[0] != a ? v[0] > a : v[1] != b ? v[1] > b : v[2] >= c;
}

static void get_statuses(File *f, guint8 mask)
{
    if (!(mask & MASK_STATUS))
        return;
    f->record.n_statuses = get_count(f);
    for (guint i = 0; i < f->record.n_statuses && f->ok; i++) {
        dumpi_get(f, 4);
        gint32 source = (gint32)dumpi_get(f, 4), tag = -1;
        dumpi_get(f, 2);
        if (dumpi_since(f, 0, 6, 3))
            tag = (gint32)dumpi_get(f, 4);
        if (i == 0) {
            f->record.source = source;
            f->record.tag = tag;
        }
    }
}

static void get_field(File *f, char c, guint8 mask, gint64 *root)
{
    switch (c) {
    case 'R':
        *root = get_signed(f, 'i');
        put_value(&f->record, *root);
        return;
    case 'I':
    case 'H':
    case 'B':
        get_list(f, c == 'I' ? 'i' : c == 'H' ? 'h' : 'b', FALSE);
        return;
    case 'V':
        get_list(f, 'i', !dumpi_since(f, 0, 6, 9));
        return;
    case 'W':
        get_list(f, 'i', !dumpi_since(f, 0, 6, 8));
        return;
    case 'M':
        for (guint32 n = get_count(f); n > 0 && f->ok; n--)
            dumpi_pass(f, 4 * (guint64)get_count(f));
        return;
    case 'Z': {
        guint32 n = get_count(f);
        if (!dumpi_since(f, 0, 6, 2))
            dumpi_get(f, 4);
        for (; n > 0 && f->ok; n--)
            dumpi_pass(f, get_count(f));
        return;
    }
    case 's':
    case 'S':
    case 'T':
        pass_texts(f, c == 's' ? 0 : c == 'S' ? 1 : 2);
        return;
    case 't':
        get_statuses(f, mask);
        return;
    default:
        put_value(&f->record, get_signed(f, c));
    }
}

static void get_fields(File *f, const char *layout, guint8 mask)
{
    gint64 root = -1;
    for (; *layout && f->ok; layout++) {
        if (*layout == '(' && f->record.values[0] != root)
            layout = strchr(layout, ')');
        else if (*layout != '(' && *layout != ')')
            get_field(f, *layout, mask, &root);
    }
}

static gint64 get_time_ns(File *f)
{
    gint64 seconds = (gint64)dumpi_get(f, 2);
    return seconds * 1000000000 + (gint64)dumpi_get(f, 4);
}

static void get_times(File *f, guint8 mask)
{
    DnDumpiRecord *r = &f->record;
    r->start_ns = r->stop_ns = -1;
    if (mask & MASK_THREAD)
        dumpi_get(f, 2);
    for (guint clock = MASK_CPU; clock <= MASK_WALL; clock *= 2) /* the wall's, if both */
        if (mask & clock) {
            r->start_ns = get_time_ns(f);
            r->stop_ns = get_time_ns(f);
        }
    if (mask & MASK_COUNTERS)
        dumpi_pass(f, 16 * dumpi_get(f, 1));
}

/* FALSE: the last has been read, or f->ok is FALSE. */
static gboolean read_record(File *f)
{
    DnDumpiRecord *r = &f->record;
    r->at = dn_input_at(f->input);
    r->n_values = r->n_lists = r->n_statuses = 0;
    r->function = (guint16)dumpi_get(f, 2);
    if (!f->ok || r->function == DN_DUMPI_END)
        return FALSE;
    if (r->function >= DN_DUMPI_FUNCTIONS) {
        f->ok = dn_trace_error(f->d.sink, f->d.rank, r->at, f->d.error,
                               "a record of function %u; known are 0 to %u", r->function,
                               DN_DUMPI_FUNCTIONS - 1);
        return FALSE;
    }
    guint8 mask = (guint8)dumpi_get(f, 1);
    get_times(f, mask);
    get_fields(f, dn_dumpi_layouts[r->function], mask);
    return f->ok;
}

/* ---- a file ---- */

typedef struct {
    guint64 sizes, header, body; /* 0: none */
} Index;

/* The magic stands 64 bytes before the end; in older versions, with fewer parts, 56, 48 or 40. */
static gboolean find_index(File *f, const GByteArray *tail, guint64 from, Index *index)
{
    for (guint n = 8; n >= 5; n--) {
        if (tail->len < 8 * n || memcmp(tail->data + tail->len - 8 * n, magic, 8) != 0)
            continue;
        const guint8 *part = tail->data + tail->len - 8 * n + 8;
        *index = (Index){.sizes = n == 8 ? dumpi_number(part, 8) : 0,
                         .header = dumpi_number(part + 8 * (n - 5), 8),
                         .body = dumpi_number(part + 8 * (n - 4), 8)};
        if (index->body < 8 || index->body > from + tail->len)
            return dn_trace_error(f->d.sink, f->d.rank, from + tail->len - 8 * n, f->d.error,
                                  "records begin at %" G_GUINT64_FORMAT ", outside the file",
                                  index->body);
        return TRUE;
    }
    return dn_trace_error(f->d.sink, f->d.rank, from + tail->len, f->d.error,
                          "no index at the end: the file is cut short, or not DUMPI's");
}

/* Returns the @n bytes at offset @at of a file whose end, from offset @from on, is @tail; NULL when
 * they are not in it. */
static const guint8 *tail_bytes(const GByteArray *tail, guint64 from, guint64 at, guint64 n)
{
    gboolean within = at >= from && tail->len >= n && at - from <= tail->len - n;
    return within ? tail->data + (at - from) : NULL;
}

static void read_sizes(File *f, const GByteArray *tail, guint64 from, guint64 at)
{
    const guint8 *bytes = tail_bytes(tail, from, at, 4);
    if (bytes == NULL)
        return;
    guint64 n = MIN(dumpi_number(bytes, 4), (tail->len - (at - from) - 4) / 4);
    for (guint64 i = 0; i < MIN(n, 65536); i++) {
        gint64 size = (gint64)dumpi_number(bytes + 4 + 4 * i, 4);
        g_array_append_val(f->d.type_bytes, size);
    }
}

/* Sizes on 64-bit machines, for versions that do not say (dumpi/common/constants.h). */
static void default_sizes(File *f)
{
    static const gint64 sizes[] = {0, 0,  1, 1, 1, 1, 4, 2, 2, 4,  4,  8, 8, 4,
                                   8, 16, 8, 8, 8, 1, 0, 0, 8, 12, 12, 6, 8, 20};
    g_array_append_vals(f->d.type_bytes, sizes, G_N_ELEMENTS(sizes));
}

static gboolean read_index(File *f)
{
    guint64 from;
    Index index;
    g_autoptr(GByteArray) tail = dn_input_tail(f->path, TAIL_BYTES, &from, f->d.error);
    if (!tail || !find_index(f, tail, from, &index))
        return FALSE;
    const guint8 *version = tail_bytes(tail, from, index.header, 3);
    for (guint i = 0; version != NULL && i < 3; i++)
        f->d.version[i] = version[i];
    if (version == NULL)
        f->d.version[0] = 1;
    if (index.sizes > 0)
        read_sizes(f, tail, from, index.sizes);
    if (f->d.type_bytes->len == 0)
        default_sizes(f);
    dumpi_pass(f, index.body);
    dumpi_pass(f, 8); /* time offsets */
    return f->ok;
}

static gboolean read_records(File *f)
{
    gsize have;
    const guint8 *head = dn_input_peek(f->input, 8, &have);
    if (have < 8 || memcmp(head, magic, 8) != 0)
        return dumpi_fail(f, "does not begin with DUMPI's magic, FF AA DD \"DUMPI\"");
    if (!read_index(f))
        return FALSE;
    while (read_record(f))
        if (!dn_dumpi_call(&f->d, &f->record))
            return FALSE;
    return f->ok;
}

static gboolean read_file(DnTraceSink *sink, guint32 rank, guint32 ranks, const char *path,
                          GError **error)
{
    File f = {.d = {.sink = sink, .error = error, .rank = rank, .ranks = ranks, .last_stop_ns = -1},
              .path = path,
              .ok = TRUE};
    f.input = dn_input_open(path, error);
    if (!f.input)
        return FALSE;
    f.d.type_bytes = g_array_new(FALSE, FALSE, sizeof(gint64));
    f.d.list = g_array_new(FALSE, FALSE, sizeof(gint64));
    dn_trace_sink_file(sink, rank, path);
    gboolean ok = read_records(&f);
    dn_input_free(f.input);
    g_array_unref(f.d.type_bytes);
    g_array_unref(f.d.list);
    g_clear_pointer(&f.d.groups, g_hash_table_unref);
    g_clear_pointer(&f.d.nobody, g_hash_table_unref);
    for (guint i = 0; i < DN_DUMPI_LISTS; i++)
        g_clear_pointer(&f.record.lists[i], g_array_unref);
    return ok;
}

/* ---- the .meta file ---- */

/* The file of @rank, packed or not; NULL: none. */
static char *rank_file(const char *prefix, guint32 rank)
{
    static const char *const packed[] = {"", ".gz", ".zst"};
    for (guint i = 0; i < G_N_ELEMENTS(packed); i++) {
        char *path = g_strdup_printf("%s-%04u.bin%s", prefix, rank, packed[i]);
        if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
            return path;
        g_free(path);
    }
    return NULL;
}

static gboolean read_meta(const char *path, char **prefix, guint32 *ranks, GError **error)
{
    gsize length;
    char *line;
    guint64 line_number;
    g_autoptr(DnInput) input = dn_input_open(path, error);
    g_autofree char *folder = g_path_get_dirname(path);
    if (!input)
        return FALSE;
    while ((line = dn_input_line(input, &length, &line_number)) != NULL) {
        if (g_str_has_prefix(line, "fileprefix=")) {
            g_autofree char *name = g_path_get_basename(g_strstrip(line + strlen("fileprefix=")));
            g_free(*prefix);
            *prefix = g_build_filename(folder, name, NULL);
        }
        if (g_str_has_prefix(line, "numprocs="))
            *ranks =
                (guint32)MIN(g_ascii_strtoull(line + strlen("numprocs="), NULL, 10), G_MAXUINT32);
    }
    if (!dn_input_good(input, error))
        return FALSE;
    if (*prefix && !g_utf8_validate(*prefix, -1, NULL)) {
        g_set_error(error, DN_ERROR, DN_ERROR_SYNTAX, "%s: fileprefix= is not UTF-8", path);
        return FALSE;
    }
    if (*prefix && *ranks > 0)
        return TRUE;
    g_set_error(error, DN_ERROR, DN_ERROR_MISSING, "%s: no %s= in this .meta file", path,
                *prefix ? "numprocs" : "fileprefix");
    return FALSE;
}

/* A rank's file: all that stand beside it. */
static gboolean from_binary(const char *path, char **prefix, guint32 *ranks, GError **error)
{
    const char *end = g_strrstr(path, "-");
    if (!end || !strstr(end, ".bin")) {
        g_set_error(error, DN_ERROR, DN_ERROR_FILE,
                    "%s: not named PREFIX-0000.bin; give the .meta file", path);
        return FALSE;
    }
    *prefix = g_strndup(path, (gsize)(end - path));
    for (;; ++*ranks) {
        g_autofree char *file = rank_file(*prefix, *ranks);
        if (!file)
            break;
    }
    if (*ranks > 0)
        return TRUE;
    g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s-0000.bin: no such file", *prefix);
    return FALSE;
}

static gboolean is_binary(const guint8 *head, gsize n)
{
    return head && n >= 8 && memcmp(head, magic, 8) == 0;
}

static gboolean dumpi_recognise(const char *path, const guint8 *head, gsize n)
{
    g_autofree char *text = head ? g_strndup((const char *)head, n) : g_strdup("");
    return is_binary(head, n) || (strstr(text, "fileprefix=") && strstr(text, "numprocs="));
}

static gboolean dumpi_read(const char *path, DnTraceSink *sink, GError **error)
{
    gsize have;
    guint32 ranks = 0;
    g_autofree char *prefix = NULL;
    g_autoptr(DnInput) input = dn_input_open(path, error);
    if (!input)
        return FALSE;
    const guint8 *head = dn_input_peek(input, 8, &have);
    gboolean binary = is_binary(head, have);
    if (!(binary ? from_binary : read_meta)(path, &prefix, &ranks, error))
        return FALSE;
    g_autofree char *last = ranks > 0 ? rank_file(prefix, ranks - 1) : NULL;
    if (!last) { /* before space is made for all */
        g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s-%04u.bin: no such file; %s says %u ranks",
                    prefix, ranks - 1, path, ranks);
        return FALSE;
    }
    if (!dn_trace_sink_ranks(sink, ranks, error))
        return FALSE;
    for (guint32 r = 0; r < ranks; r++) {
        g_autofree char *file = rank_file(prefix, r);
        if (!file) {
            g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s-%04u.bin: no such file", prefix, r);
            return FALSE;
        }
        if (!read_file(sink, r, ranks, file, error))
            return FALSE;
    }
    return TRUE;
}

extern const DnTraceReader dn_trace_dumpi;
const DnTraceReader dn_trace_dumpi = {
    .name = "dumpi",
    .limits = "communicators of cart_sub, graph_create and of inter-communicators are not known, "
              "nor groups other than by incl and excl from MPI_COMM_WORLD's; files, windows and "
              "spawned processes are passed over",
    .source = "sst-dumpi, dumpi/common/dumpiio.c, io.c (SST/macro's trace library)",
    .unit = "byte",
    .recognise = dumpi_recognise,
    .read = dumpi_read,
};
