/* ti.c - SimGrid's time-independent traces, as `smpirun -trace-ti` writes and `-replay` reads them.
 *
 * Lines `RANK ACTION ARGUMENTS`; all ranks in one file, or a list of files, one a rank. Sizes are
 * counts of a datatype given by number at the end; without one `init` decides: alone bytes, with an
 * argument doubles. compute is in flops. Requests are named by (source, destination, tag), the
 * oldest first; older traces have no tags, and a `wait` without arguments means the newest. */
#include <string.h>

#include "trace/input.h"
#include "trace/ti.h"

static void rank_clear(gpointer data)
{
    DnTiRank *rank = data;
    g_clear_pointer(&rank->pending, g_free);
}

/* ---- lines ---- */

/* Characters that end a word. */
static const guint8 word_ends[256] = {['\0'] = 1, [' '] = 1, ['\t'] = 1};

/* The next word of *@rest, ended in place; NULL: none. */
static inline char *next_word(char **rest)
{
    char *s = *rest;
    while (*s == ' ' || *s == '\t')
        s++;
    if (*s == '\0')
        return NULL;
    char *end = s;
    while (!word_ends[(guint8)*end])
        end++;
    *rest = end;
    if (*end != '\0')
        *(*rest)++ = '\0';
    return s;
}

static inline gboolean is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "12", or of old "p12", to the end of the word. */
static inline gboolean parse_rank(const char *word, guint32 *rank)
{
    guint64 value = 0;
    word += *word == 'p';
    if (!is_digit(*word))
        return FALSE;
    for (; is_digit(*word) && value < G_MAXUINT32; word++)
        value = value * 10 + (guint64)(*word - '0');
    *rank = (guint32)value;
    return word_ends[(guint8)*word] && value < G_MAXUINT32;
}

static gboolean read_rank(DnTi *t, const char *word)
{
    t->rank = t->only == DN_ANY ? 0 : t->only;
    guint32 rank;
    if (!parse_rank(word, &rank)) {
        g_autofree char *shown = dn_quote(word);
        return dn_trace_error_column(t->sink, t->rank, t->line, dn_ti_column(t, word), t->error,
                                     "%s is no rank; lines are RANK ACTION ARGUMENTS", shown);
    }
    if (t->only != DN_ANY && rank != t->only)
        return dn_trace_error(t->sink, t->rank, t->line, t->error,
                              "an action of rank %u in the file of rank %u", rank, t->only);
    if (rank >= t->n)
        return dn_trace_error_column(t->sink, t->rank, t->line, dn_ti_column(t, word), t->error,
                                     "rank %u is out of range; allowed: 0 to %u", rank, t->n - 1);
    t->rank = rank;
    return TRUE;
}

static void grow_words(DnTi *t)
{
    t->words_space = MAX(16, 2 * t->words_space);
    t->words = g_renew(char *, t->words, t->words_space);
}

static gboolean read_line(DnTi *t, char *text)
{
    t->text = text;
    char *word = next_word(&text);
    if (!word || *word == '#')
        return TRUE;
    if (!read_rank(t, word))
        return FALSE;
    t->action = next_word(&text);
    if (!t->action)
        return dn_trace_error(t->sink, t->rank, t->line, t->error, "a rank without an action");
    t->n_words = 0;
    t->n_list = 0;
    while ((word = next_word(&text)) != NULL) {
        if (t->n_words == t->words_space)
            grow_words(t);
        t->words[t->n_words++] = word;
    }
    return dn_ti_action_run(t);
}

static gboolean has_zero_byte(const char *line, gsize length)
{
    return memchr(line, 0, length) != NULL;
}

static gboolean read_file(DnTi *t, const char *path)
{
    gsize length;
    char *line;
    g_autoptr(DnInput) input = dn_input_open(path, t->error);
    if (!input)
        return FALSE;
    while ((line = dn_input_line(input, &length, &t->line)) != NULL) {
        if (has_zero_byte(line, length))
            return dn_trace_error(t->sink, t->only == DN_ANY ? 0 : t->only, t->line, t->error,
                                  "a zero byte; wanted: text");
        if (!read_line(t, line))
            return FALSE;
    }
    return dn_input_good(input, t->error);
}

/* ---- files ---- */

/* Finds the number of ranks in a file of all ranks: the greatest of its first words. */
static gboolean count_ranks(DnTi *t, const char *path)
{
    gsize length;
    char *line;
    guint32 rank;
    guint64 number = 0, line_of_last = 0;
    g_autoptr(DnInput) input = dn_input_open(path, t->error);
    if (!input)
        return FALSE;
    while ((line = dn_input_line(input, &length, &number)) != NULL) {
        while (*line == ' ' || *line == '\t')
            line++;
        if (!parse_rank(line, &rank) || rank < t->n)
            continue;
        t->n = rank + 1;
        line_of_last = number;
    }
    if (t->n > number) /* each rank does something, if only init */
        return dn_trace_error(t->sink, 0, line_of_last, t->error,
                              "rank %u in a file of %" G_GUINT64_FORMAT " lines", t->n - 1, number);
    return dn_input_good(input, t->error);
}

static char *ti_sibling(const char *list, const char *name)
{
    g_autofree char *folder = g_path_get_dirname(list);
    char *path = g_path_is_absolute(name) ? g_strdup(name) : g_build_filename(folder, name, NULL);
    if (g_file_test(path, G_FILE_TEST_EXISTS) || !g_file_test(name, G_FILE_TEST_EXISTS))
        return path;
    g_free(path);
    return g_strdup(name); /* SimGrid takes names from the current folder */
}

static gboolean is_action_line(const char *text)
{
    g_autofree char *copy = g_strdup(text);
    char *rest = copy, *first = next_word(&rest), *second = first ? next_word(&rest) : NULL;
    guint32 rank;
    return second && parse_rank(first, &rank) && dn_ti_action_find(second) >= 0;
}

/* Returns the first line that is not blank. */
static char *first_line(const guint8 *head, gsize n)
{
    g_autofree char *text = g_strndup((const char *)head, n);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (guint i = 0; lines[i]; i++) {
        g_strstrip(lines[i]);
        if (*lines[i] && *lines[i] != '#')
            return g_strdup(lines[i]);
    }
    return NULL;
}

static gboolean ti_recognise(const char *path, const guint8 *head, gsize n)
{
    if (!head || memchr(head, 0, n))
        return FALSE;
    g_autofree char *line = first_line(head, n);
    if (!line)
        return FALSE;
    if (is_action_line(line))
        return TRUE;
    g_autofree char *file = ti_sibling(path, line);
    g_autoptr(DnInput) input = strcmp(file, path) == 0 ? NULL : dn_input_open(file, NULL);
    gsize have = 0;
    const guint8 *bytes = input ? dn_input_peek_text(input, 4096, &have) : NULL;
    g_autofree char *there = bytes && !memchr(bytes, 0, have) ? first_line(bytes, have) : NULL;
    return there && is_action_line(there);
}

/* (transfer full): the files a list names; NULL with no error: @path is no list. */
static GPtrArray *read_list(const char *path, gboolean *is_list, GError **error)
{
    gsize length;
    char *line;
    guint64 number;
    g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(DnInput) input = dn_input_open(path, error);
    if (!input)
        return NULL;
    *is_list = TRUE;
    while ((line = dn_input_line(input, &length, &number)) != NULL) {
        char *name = g_strstrip(line);
        if (*name == '\0' || *name == '#')
            continue;
        if (files->len == 0 && is_action_line(name)) {
            *is_list = FALSE;
            return g_steal_pointer(&files);
        }
        g_autofree char *file = ti_sibling(path, name);
        if (!g_file_test(file, G_FILE_TEST_IS_REGULAR)) {
            g_autofree char *shown = dn_quote(name);
            g_set_error(error, DN_ERROR, DN_ERROR_FILE,
                        "%s:%" G_GUINT64_FORMAT
                        ": %s is neither an action (RANK ACTION ...) nor a file",
                        path, number, shown);
            return NULL;
        }
        g_ptr_array_add(files, g_steal_pointer(&file));
    }
    return dn_input_good(input, error) ? g_steal_pointer(&files) : NULL;
}

static gboolean start_ranks(DnTi *t)
{
    if (!dn_trace_sink_ranks(t->sink, t->n, t->error))
        return FALSE;
    g_array_set_size(t->ranks, t->n);
    for (guint32 r = 0; r < t->n; r++)
        g_array_index(t->ranks, DnTiRank, r) = (DnTiRank){.unit_bytes = 1};
    return TRUE;
}

static gboolean read_files(DnTi *t, const char *path)
{
    gboolean is_list;
    g_autoptr(GPtrArray) files = read_list(path, &is_list, t->error);
    if (!files)
        return FALSE;
    if (!is_list || files->len == 1) {
        const char *file = is_list ? g_ptr_array_index(files, 0) : path;
        dn_trace_sink_file(t->sink, DN_ANY, file);
        return count_ranks(t, file) && start_ranks(t) && read_file(t, file);
    }
    t->n = files->len;
    if (!start_ranks(t))
        return FALSE;
    for (t->only = 0; t->only < t->n; t->only++) {
        dn_trace_sink_file(t->sink, t->only, g_ptr_array_index(files, t->only));
        if (!read_file(t, g_ptr_array_index(files, t->only)))
            return FALSE;
    }
    return TRUE;
}

static gboolean ti_read(const char *path, DnTraceSink *sink, GError **error)
{
    DnTi t = {.sink = sink, .error = error, .only = DN_ANY};
    t.ranks = g_array_new(FALSE, TRUE, sizeof(DnTiRank));
    g_array_set_clear_func(t.ranks, rank_clear);
    gboolean ok = read_files(&t, path);
    g_array_unref(t.ranks);
    g_free(t.words);
    g_free(t.list);
    return ok;
}

extern const DnTraceReader dn_trace_ti;
const DnTraceReader dn_trace_ti = {
    .name = "ti",
    .limits = "the format does not say which communicator a call is on, so comm_split and the like "
              "are passed over and all is on MPI_COMM_WORLD, as in SimGrid itself; nor whether an "
              "operation commutes, or a call is in place",
    .source = "SimGrid, src/smpi/internals/smpi_replay.cpp; Desprez, Markomanolis, Quinson, Suter, "
              "Assessing the Performance of MPI Applications Through Time-Independent Trace "
              "Replay, PSTI 2011",
    .flops = TRUE,
    .unit = "line",
    .recognise = ti_recognise,
    .read = ti_read,
};
