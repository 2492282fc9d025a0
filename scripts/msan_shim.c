/* msan_shim.c - what MemorySanitizer has to be told of libraries that are not built with it.
 *
 * Linked into the programs of `scripts/test msan`, in place of the functions that WRAPPED names
 * (ld --wrap). Memory that Darner's own code takes from GLib is marked as never written; what GLib
 * takes for itself is not (poison_in_malloc=0, poison_in_free=0), since its writes are not seen.
 * What a library writes through a pointer to Darner's memory is marked as written, and sorting is
 * left to the C library, whose comparisons the sanitizer follows. */
#define _GNU_SOURCE
#include <gio/gio.h>
#include <sanitizer/allocator_interface.h>
#include <sanitizer/msan_interface.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>
#include <zlib.h>
#include <zstd.h>

/* No tail calls: clean_stack() cleans below the frame of its caller. */
#define WRAPPED(type, name, ...)                                                                   \
    type __real_##name(__VA_ARGS__);                                                               \
    type __wrap_##name(__VA_ARGS__);                                                               \
    __attribute__((disable_tail_calls)) type __wrap_##name(__VA_ARGS__)
/* Of the out parameter @p, which may be NULL: written. */
#define OUT(p)                                                                                     \
    do {                                                                                           \
        if ((p) != NULL)                                                                           \
            __msan_unpoison((p), sizeof *(p));                                                     \
    } while (0)

/* Memory that goes back, or comes, tells nothing of who had it before. */
void __sanitizer_malloc_hook(const volatile void *p, size_t n)
{
    __msan_unpoison((const void *)p, n);
}

void __sanitizer_free_hook(const volatile void *p)
{
    __msan_unpoison((const void *)p, __sanitizer_get_allocated_size((const void *)p));
}

/* The stack below has marks of Darner's calls that are over, which a library's variables there
 * would inherit. */
__attribute__((noinline, no_sanitize("memory"))) static void clean_stack(void)
{
    char below[65536];
    __msan_unpoison(below, sizeof below);
}

static gsize size_of(gpointer p)
{
    return p != NULL ? __sanitizer_get_allocated_size(p) : 0;
}

/* Never written from byte @from on. */
static gpointer fresh(gpointer p, gsize from)
{
    if (size_of(p) > from)
        __msan_poison((char *)p + from, size_of(p) - from);
    return p;
}

WRAPPED(gpointer, g_malloc, gsize n)
{
    return fresh(__real_g_malloc(n), 0);
}

WRAPPED(gpointer, g_malloc_n, gsize n, gsize size)
{
    return fresh(__real_g_malloc_n(n, size), 0);
}

WRAPPED(gpointer, g_try_malloc_n, gsize n, gsize size)
{
    return fresh(__real_g_try_malloc_n(n, size), 0);
}

WRAPPED(gpointer, g_realloc, gpointer p, gsize n)
{
    gsize before = size_of(p);
    return fresh(__real_g_realloc(p, n), before);
}

WRAPPED(gpointer, g_realloc_n, gpointer p, gsize n, gsize size)
{
    gsize before = size_of(p);
    return fresh(__real_g_realloc_n(p, n, size), before);
}

/* ---- out parameters ---- */

WRAPPED(gboolean, g_ascii_string_to_unsigned, const char *text, guint base, guint64 min,
        guint64 max, guint64 *n, GError **error)
{
    OUT(n);
    return __real_g_ascii_string_to_unsigned(text, base, min, max, n, error);
}

WRAPPED(double, g_ascii_strtod, const char *text, char **end)
{
    OUT(end);
    return __real_g_ascii_strtod(text, end);
}

WRAPPED(gint64, g_ascii_strtoll, const char *text, char **end, guint base)
{
    OUT(end);
    return __real_g_ascii_strtoll(text, end, base);
}

WRAPPED(guint64, g_ascii_strtoull, const char *text, char **end, guint base)
{
    OUT(end);
    return __real_g_ascii_strtoull(text, end, base);
}

WRAPPED(char *, g_ascii_formatd, char *to, int n, const char *format, double value)
{
    __msan_unpoison(to, (gsize)n);
    return __real_g_ascii_formatd(to, n, format, value);
}

WRAPPED(char *, g_ascii_dtostr, char *to, int n, double value)
{
    __msan_unpoison(to, (gsize)n);
    return __real_g_ascii_dtostr(to, n, value);
}

WRAPPED(gsize, g_strlcpy, char *to, const char *from, gsize n)
{
    __msan_unpoison(to, n);
    return __real_g_strlcpy(to, from, n);
}

WRAPPED(gboolean, g_hash_table_lookup_extended, GHashTable *table, gconstpointer wanted,
        gpointer *key, gpointer *value)
{
    OUT(key);
    OUT(value);
    return __real_g_hash_table_lookup_extended(table, wanted, key, value);
}

WRAPPED(gpointer *, g_hash_table_get_keys_as_array, GHashTable *table, guint *length)
{
    OUT(length);
    clean_stack();
    return __real_g_hash_table_get_keys_as_array(table, length);
}

WRAPPED(gboolean, g_hash_table_iter_next, GHashTableIter *iter, gpointer *key, gpointer *value)
{
    OUT(key);
    OUT(value);
    return __real_g_hash_table_iter_next(iter, key, value);
}

WRAPPED(gboolean, g_array_binary_search, GArray *array, gconstpointer wanted, GCompareFunc compare,
        guint *at)
{
    OUT(at);
    return __real_g_array_binary_search(array, wanted, compare, at);
}

WRAPPED(gboolean, g_file_get_contents, const char *file, char **text, gsize *n, GError **error)
{
    OUT(text);
    OUT(n);
    return __real_g_file_get_contents(file, text, n, error);
}

WRAPPED(void, g_checksum_get_digest, GChecksum *sum, guint8 *to, gsize *n)
{
    __msan_unpoison(to, *n);
    __real_g_checksum_get_digest(sum, to, n);
}

WRAPPED(gboolean, g_spawn_sync, const char *folder, char **words, char **environment,
        GSpawnFlags flags, GSpawnChildSetupFunc setup, gpointer data, char **out, char **err,
        int *status, GError **error)
{
    OUT(out);
    OUT(err);
    OUT(status);
    clean_stack();
    return __real_g_spawn_sync(folder, words, environment, flags, setup, data, out, err, status,
                               error);
}

WRAPPED(gboolean, g_spawn_async, const char *folder, char **words, char **environment,
        GSpawnFlags flags, GSpawnChildSetupFunc setup, gpointer data, GPid *child, GError **error)
{
    OUT(child);
    return __real_g_spawn_async(folder, words, environment, flags, setup, data, child, error);
}

WRAPPED(gboolean, g_spawn_async_with_pipes, const char *folder, char **words, char **environment,
        GSpawnFlags flags, GSpawnChildSetupFunc setup, gpointer data, GPid *child, int *in,
        int *out, int *err, GError **error)
{
    OUT(child);
    OUT(in);
    OUT(out);
    OUT(err);
    return __real_g_spawn_async_with_pipes(folder, words, environment, flags, setup, data, child,
                                           in, out, err, error);
}

WRAPPED(gssize, g_input_stream_read, GInputStream *stream, void *to, gsize n,
        GCancellable *cancellable, GError **error)
{
    __msan_unpoison(to, n);
    clean_stack();
    return __real_g_input_stream_read(stream, to, n, cancellable, error);
}

WRAPPED(gboolean, g_shell_parse_argv, const char *line, int *n, char ***words, GError **error)
{
    OUT(n);
    OUT(words);
    return __real_g_shell_parse_argv(line, n, words, error);
}

WRAPPED(void, g_markup_parse_context_get_position, GMarkupParseContext *context, int *line,
        int *character)
{
    OUT(line);
    OUT(character);
    __real_g_markup_parse_context_get_position(context, line, character);
}

WRAPPED(gconstpointer, g_variant_get_fixed_array, GVariant *value, gsize *n, gsize size)
{
    OUT(n);
    return __real_g_variant_get_fixed_array(value, n, size);
}

WRAPPED(gconstpointer, g_bytes_get_data, GBytes *bytes, gsize *n)
{
    OUT(n);
    return __real_g_bytes_get_data(bytes, n);
}

/* GLib hands lists on its own stack to what it calls, where Darner's functions were before. */
WRAPPED(gboolean, g_markup_parse_context_parse, GMarkupParseContext *context, const char *text,
        gssize n, GError **error)
{
    enum { BELOW = 16384 };
    __msan_unpoison((char *)__builtin_frame_address(0) - BELOW, BELOW);
    return __real_g_markup_parse_context_parse(context, text, n, error);
}

WRAPPED(int, yaml_parser_initialize, yaml_parser_t *parser)
{
    OUT(parser);
    return __real_yaml_parser_initialize(parser);
}

WRAPPED(int, yaml_parser_parse, yaml_parser_t *parser, yaml_event_t *event)
{
    OUT(event);
    return __real_yaml_parser_parse(parser, event);
}

WRAPPED(int, gzread, gzFile file, voidp to, unsigned n)
{
    __msan_unpoison(to, n);
    return __real_gzread(file, to, n);
}

WRAPPED(const char *, gzerror, gzFile file, int *code)
{
    OUT(code);
    return __real_gzerror(file, code);
}

WRAPPED(size_t, ZSTD_decompressStream, ZSTD_DStream *stream, ZSTD_outBuffer *to,
        ZSTD_inBuffer *from)
{
    __msan_unpoison((char *)to->dst + to->pos, to->size - to->pos);
    return __real_ZSTD_decompressStream(stream, to, from);
}

WRAPPED(size_t, ZSTD_compressStream2, ZSTD_CCtx *stream, ZSTD_outBuffer *to, ZSTD_inBuffer *from,
        ZSTD_EndDirective how)
{
    __msan_unpoison((char *)to->dst + to->pos, to->size - to->pos);
    return __real_ZSTD_compressStream2(stream, to, from, how);
}

WRAPPED(void, gsl_sort_index, size_t *order, const double *values, size_t stride, size_t n)
{
    __msan_unpoison(order, n * sizeof *order);
    __real_gsl_sort_index(order, values, stride, n);
}

/* ---- GVariant: out parameters by its format ---- */

/* The type that @at begins with is passed. */
static const char *type_end(const char *at)
{
    const char *end = at;
    return g_variant_type_string_scan(at, NULL, &end) ? end : at + 1;
}

static const char *written_by(const char *format, va_list *to)
{
    static const char bytes_1[] = "y", bytes_2[] = "nq", bytes_4[] = "biuh";
    gsize size = sizeof(gpointer);
    if (*format == '(' || *format == '{') {
        for (format++; *format != ')' && *format != '}';)
            format = written_by(format, to);
        return format + 1;
    }
    if (*format == 'm' && strchr("soga&^@*?rv", format[1]) != NULL)
        return written_by(format + 1, to); /* nothing: a null pointer */
    if (*format == 'm') {
        OUT(va_arg(*to, gboolean *));
        return written_by(format + 1, to);
    }
    if (strchr(bytes_1, *format) != NULL)
        size = 1;
    else if (strchr(bytes_2, *format) != NULL)
        size = 2;
    else if (strchr(bytes_4, *format) != NULL)
        size = 4;
    char *out = va_arg(*to, char *);
    if (out != NULL)
        __msan_unpoison(out, size);
    if (*format == '^' || *format == '&') {
        format += strspn(format, "^a&");
        return format + 1;
    }
    return type_end(*format == '@' ? format + 1 : format);
}

/* GLib copies values from its own stack into their serialised form. */
static void value_written(GVariant *value)
{
    __msan_unpoison(g_variant_get_data(value), g_variant_get_size(value));
}

static void get_from(GVariant *value, const char *format, va_list *to)
{
    va_list again;
    va_copy(again, *to);
    written_by(format, &again);
    va_end(again);
    value_written(value);
    g_variant_get_va(value, format, NULL, to);
}

WRAPPED(gconstpointer, g_variant_get_data, GVariant *value)
{
    gconstpointer data = __real_g_variant_get_data(value);
    if (data != NULL)
        __msan_unpoison(data, g_variant_get_size(value));
    return data;
}

WRAPPED(void, g_variant_get, GVariant *value, const char *format, ...)
{
    va_list to;
    va_start(to, format);
    get_from(value, format, &to);
    va_end(to);
}

WRAPPED(void, g_variant_get_child, GVariant *value, gsize at, const char *format, ...)
{
    va_list to;
    g_autoptr(GVariant) child = g_variant_get_child_value(value, at);
    va_start(to, format);
    get_from(child, format, &to);
    va_end(to);
}

WRAPPED(gboolean, g_variant_lookup, GVariant *value, const char *key, const char *format, ...)
{
    va_list to;
    g_autoptr(GVariant) found = g_variant_lookup_value(value, key, NULL);
    if (found == NULL || !g_variant_check_format_string(found, format, FALSE))
        return FALSE;
    va_start(to, format);
    get_from(found, format, &to);
    va_end(to);
    return TRUE;
}

WRAPPED(gboolean, g_variant_iter_next, GVariantIter *iter, const char *format, ...)
{
    va_list to;
    g_autoptr(GVariant) next = g_variant_iter_next_value(iter);
    if (next == NULL)
        return FALSE;
    va_start(to, format);
    get_from(next, format, &to);
    va_end(to);
    return TRUE;
}

/* ---- sorting: stable, as GLib's ---- */

static int compare_two(gconstpointer a, gconstpointer b, gpointer compare)
{
    return ((GCompareFunc)compare)(a, b);
}

WRAPPED(void, g_array_sort, GArray *array, GCompareFunc compare)
{
    qsort_r(array->data, array->len, g_array_get_element_size(array), compare_two,
            (gpointer)compare);
}

WRAPPED(void, g_array_sort_with_data, GArray *array, GCompareDataFunc compare, gpointer data)
{
    qsort_r(array->data, array->len, g_array_get_element_size(array), compare, data);
}

WRAPPED(void, g_ptr_array_sort, GPtrArray *array, GCompareFunc compare)
{
    qsort_r(array->pdata, array->len, sizeof *array->pdata, compare_two, (gpointer)compare);
}

WRAPPED(void, g_ptr_array_sort_with_data, GPtrArray *array, GCompareDataFunc compare, gpointer data)
{
    qsort_r(array->pdata, array->len, sizeof *array->pdata, compare, data);
}
