/* goal.c - GOAL schedules as text: for each rank operations with labels and what requires what.
 *
 *     num_ranks 2
 *     rank 0 {
 *     l1: calc 100 cpu 0        (nanoseconds)
 *     l2: send 8b to 1 tag 3
 *     l2 requires l1            (l1 is over; irequires: has begun)
 *     }
 *
 * From or tag -1: any. `nic` is read and passed over: the machine says where messages go. */
#include <string.h>

#include "trace/dag.h"
#include "trace/input.h"

#define PS_PER_NS 1000

typedef struct {
    DnDag dag;
    DnTraceSink *sink;
    GError **error;
    DnInput *input;
    guint32 ranks;                      /* 0: not said yet */
    guint32 rank;                       /* DN_ANY: between ranks */
    gboolean *seen;                     /* [ranks] */
    GHashTable *labels;                 /* text -> number + 1 */
    gboolean comment, began_in_comment; /* at the end and at the beginning of the line */
    const char *source;                 /* the line as it stands in the file */
    GString *text;                      /* of the line */
    guint64 line;
} Goal;

/* ---- words ---- */

typedef struct {
    char *words[16];
    guint n;
} Words;

/* Copies the text of @s outside comments, which may span lines, with space around marks, up to
 * @most characters. Returns the end of what was copied. */
static const char *goal_spread(Goal *g, const char *s, gsize most)
{
    g_string_truncate(g->text, 0);
    while (*s && g->text->len <= most) {
        if (g->comment) {
            const char *end = strstr(s, "*/");
            g->comment = end == NULL;
            s = end ? end + 2 : s + strlen(s);
        } else if (s[0] == '/' && s[1] == '*') {
            g->comment = TRUE;
            s += 2;
        } else if (s[0] == '/' && s[1] == '/') {
            break;
        } else {
            gboolean mark = strchr(":{}", *s) != NULL;
            if (mark)
                g_string_append_c(g->text, ' ');
            g_string_append_c(g->text, *s++);
            if (mark)
                g_string_append_c(g->text, ' ');
        }
    }
    return s;
}

/* Returns the column in the file of @word, a part of the text; NULL: of the text's end. The text is
 * spread again. */
static gsize goal_column(Goal *g, const char *word)
{
    gsize at = word ? (gsize)(word - g->text->str) : G_MAXSIZE;
    g->comment = g->began_in_comment;
    const char *end = goal_spread(g, g->source, at);
    return (gsize)(end - g->source) + (word ? 0 : 1);
}

/* The problem "@word @what", or "@what" where @word is NULL. */
static gboolean goal_fail(Goal *g, const char *what, const char *word)
{
    guint32 rank = g->rank == DN_ANY ? 0 : g->rank;
    if (!word)
        return dn_trace_error(g->sink, rank, g->line, g->error, "%s", what);
    g_autofree char *shown = dn_quote(word);
    return dn_trace_error_column(g->sink, rank, g->line, goal_column(g, word), g->error, "%s %s",
                                 shown, what);
}

/* @any: -1, which stands for any, is allowed too. */
static gboolean number_fail(Goal *g, const char *word, guint64 most, gboolean any)
{
    const char *digits = word && *word == '-' ? word + 1 : word;
    gboolean number = word && *digits != '\0' && digits[strspn(digits, "0123456789")] == '\0';
    g_autofree char *what =
        g_strdup_printf("%s; allowed: 0 to %" G_GUINT64_FORMAT "%s",
                        number ? "is out of range" : "stands where a number is wanted", most,
                        any ? ", or -1: any" : "");
    if (word)
        return goal_fail(g, what, word);
    return dn_trace_error_column(g->sink, g->rank == DN_ANY ? 0 : g->rank, g->line,
                                 goal_column(g, NULL), g->error, "the end of the line %s", what);
}

static gboolean read_number(const char *word, guint64 most, guint64 *value)
{
    char *end;
    if (!word || !g_ascii_isdigit(*word))
        return FALSE;
    *value = g_ascii_strtoull(word, &end, 10);
    return *end == '\0' && *value <= most;
}

static gboolean get_number(Goal *g, const char *word, guint64 most, guint64 *value)
{
    return read_number(word, most, value) || number_fail(g, word, most, FALSE);
}

/* A number, or where @any says so -1 for any. */
static gboolean get_any(Goal *g, const char *word, guint64 most, gboolean any, guint32 *value)
{
    guint64 number = 0;
    *value = DN_ANY;
    if (any && word && strcmp(word, "-1") == 0)
        return TRUE;
    if (!read_number(word, most, &number))
        return number_fail(g, word, most, any);
    *value = (guint32)number;
    return TRUE;
}

/* ---- lines ---- */

/* ... [tag T] [cpu C] [nic N] */
static gboolean get_tail(Goal *g, const Words *w, guint i, DnTraceOp *op)
{
    gboolean any = op->call == DN_CALL_IRECV;
    guint64 number = 0;
    for (; i < w->n; i += 2) {
        const char *value = i + 1 < w->n ? w->words[i + 1] : NULL;
        if (strcmp(w->words[i], "tag") == 0) {
            if (!get_any(g, value, any ? G_MAXUINT32 : G_MAXUINT32 - 1, any, &op->tag))
                return FALSE;
        } else if (strcmp(w->words[i], "cpu") == 0 || strcmp(w->words[i], "nic") == 0) {
            if (!get_number(g, value, 255, &number))
                return FALSE;
            if (*w->words[i] == 'c')
                op->cpu = (guint16)number;
        } else {
            return goal_fail(g, "is unknown here; wanted: tag, cpu or nic", w->words[i]);
        }
    }
    return TRUE;
}

static gboolean add_label(Goal *g, const char *label, guint32 number)
{
    if (!label)
        return TRUE;
    if (g_hash_table_contains(g->labels, label))
        return goal_fail(g, "is the label of two operations", label);
    g_hash_table_insert(g->labels, g_strdup(label), GUINT_TO_POINTER(number + 1));
    return TRUE;
}

static gboolean add_calc(Goal *g, const Words *w, guint i, const char *label)
{
    guint64 ns = 0;
    DnTraceOp op = {.call = DN_CALL_COMPUTE, .at = g->line};
    if (!get_number(g, i < w->n ? w->words[i] : NULL, (guint64)9e12, &ns) ||
        !get_tail(g, w, i + 1, &op))
        return FALSE;
    op.duration_ps = (gint64)ns * PS_PER_NS;
    return add_label(g, label, dn_dag_add(&g->dag, &op));
}

static gboolean add_message(Goal *g, const Words *w, guint i, const char *label, gboolean send)
{
    static const char *const directions[] = {"from", "to"};
    guint64 bytes = 0;
    DnTraceOp op = {.call = send ? DN_CALL_ISEND : DN_CALL_IRECV, .at = g->line};
    if (i + 2 >= w->n || strcmp(w->words[i + 1], directions[send]) != 0)
        return goal_fail(g,
                         send ? "send BYTESb to RANK [tag T] [cpu C]"
                              : "recv BYTESb from RANK [tag T] [cpu C] is wanted",
                         NULL);
    char *size = w->words[i];
    if (g_str_has_suffix(size, "b"))
        size[strlen(size) - 1] = '\0';
    if (!get_number(g, size, (guint64)1 << 50, &bytes) ||
        !get_any(g, w->words[i + 2], g->ranks - 1, !send, &op.peer) || !get_tail(g, w, i + 3, &op))
        return FALSE;
    op.bytes = (gint64)bytes;
    return add_label(g, label, dn_dag_add(&g->dag, &op));
}

static gboolean add_requires(Goal *g, const Words *w)
{
    gpointer found[2];
    gboolean start = strcmp(w->words[1], "irequires") == 0;
    if (w->n != 3 || (!start && strcmp(w->words[1], "requires") != 0))
        return goal_fail(g, "stands where `LABEL: ...` or `LABEL requires LABEL` is wanted",
                         w->words[w->n > 1 ? 1 : 0]);
    for (guint i = 0; i < 2; i++) {
        found[i] = g_hash_table_lookup(g->labels, w->words[2 * i]);
        if (!found[i])
            return goal_fail(g, "is no label of an operation above", w->words[2 * i]);
    }
    dn_dag_edge(&g->dag, GPOINTER_TO_UINT(found[1]) - 1, GPOINTER_TO_UINT(found[0]) - 1, start);
    return TRUE;
}

static gboolean begin_rank(Goal *g, const Words *w)
{
    guint64 rank = 0;
    if (g->ranks == 0)
        return goal_fail(g, "a rank before num_ranks", NULL);
    if (w->n < 3 || strcmp(w->words[2], "{") != 0)
        return goal_fail(g, "rank NUMBER { is wanted", NULL);
    if (!get_number(g, w->words[1], g->ranks - 1, &rank))
        return FALSE;
    if (g->seen[rank])
        return goal_fail(g, "is the number of two ranks", w->words[1]);
    g->seen[rank] = TRUE;
    g->rank = (guint32)rank;
    g_hash_table_remove_all(g->labels);
    dn_dag_begin(&g->dag, g->rank);
    return TRUE;
}

static gboolean end_rank(Goal *g)
{
    if (g->rank == DN_ANY)
        return goal_fail(g, "} without a rank", NULL);
    if (!dn_dag_end(&g->dag))
        return FALSE;
    g->rank = DN_ANY;
    return TRUE;
}

static gboolean set_ranks(Goal *g, const Words *w)
{
    guint64 ranks = 0;
    if (g->ranks > 0)
        return goal_fail(g, "num_ranks twice", NULL);
    if (!get_number(g, w->n > 1 ? w->words[1] : NULL, 1u << 21, &ranks))
        return FALSE;
    if (ranks == 0)
        return goal_fail(g, "a schedule of no ranks", NULL);
    g->ranks = (guint32)ranks;
    g->seen = g_new0(gboolean, ranks);
    return TRUE;
}

static gboolean read_words(Goal *g, const Words *w)
{
    const char *first = w->words[0];
    if (strcmp(first, "num_ranks") == 0)
        return set_ranks(g, w);
    if (strcmp(first, "rank") == 0 && g->rank == DN_ANY) {
        if (!begin_rank(g, w))
            return FALSE;
        return w->n == 3 || (w->n == 4 && strcmp(w->words[3], "}") == 0
                                 ? end_rank(g)
                                 : goal_fail(g, "an operation in the line of its rank", NULL));
    }
    if (strcmp(first, "}") == 0)
        return end_rank(g);
    if (g->rank == DN_ANY)
        return goal_fail(g, "stands outside a rank", first);
    gboolean labelled = w->n > 2 && strcmp(w->words[1], ":") == 0;
    guint i = labelled ? 2 : 0;
    const char *label = labelled ? first : NULL, *what = w->words[i];
    if (strcmp(what, "calc") == 0)
        return add_calc(g, w, i + 1, label);
    if (strcmp(what, "send") == 0 || strcmp(what, "recv") == 0)
        return add_message(g, w, i + 1, label, *what == 's');
    if (labelled)
        return goal_fail(g, "is no operation; known: calc, send, recv", what);
    return w->n == 3 ? add_requires(g, w)
                     : goal_fail(g, "stands where an operation is wanted", first);
}

static gboolean read_line(Goal *g, const char *text)
{
    Words w = {.n = 0};
    g->source = text;
    g->began_in_comment = g->comment;
    goal_spread(g, text, G_MAXSIZE);
    for (char *s = g->text->str;;) {
        s += strspn(s, " \t");
        if (*s == '\0')
            break;
        if (w.n == G_N_ELEMENTS(w.words))
            return goal_fail(g, "more words than an operation has", NULL);
        w.words[w.n++] = s;
        s += strcspn(s, " \t");
        if (*s != '\0')
            *s++ = '\0';
    }
    return w.n == 0 || read_words(g, &w);
}

static gboolean read_lines(Goal *g)
{
    gsize length;
    char *line;
    while ((line = dn_input_line(g->input, &length, &g->line)) != NULL) {
        if (memchr(line, 0, length))
            return goal_fail(g, "a zero byte; wanted: text", NULL);
        if (!read_line(g, line))
            return FALSE;
    }
    if (!dn_input_good(g->input, g->error))
        return FALSE;
    if (g->rank != DN_ANY)
        return goal_fail(g, "the file ends within a rank: } is missing", NULL);
    for (guint32 r = 0; r < g->ranks; r++)
        if (!g->seen[r])
            return dn_trace_error(g->sink, 0, g->line, g->error, "rank %u of %u is missing", r,
                                  g->ranks);
    return dn_trace_sink_ranks(g->sink, g->ranks, g->error);
}

static gboolean goal_read(const char *path, DnTraceSink *sink, GError **error)
{
    Goal g = {.sink = sink, .error = error, .rank = DN_ANY};
    g.input = dn_input_open(path, error);
    if (!g.input)
        return FALSE;
    g.text = g_string_new(NULL);
    g.labels = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    dn_dag_init(&g.dag, sink, error);
    gboolean ok = read_lines(&g);
    dn_dag_clear(&g.dag);
    g_hash_table_unref(g.labels);
    g_free(g.seen);
    g_string_free(g.text, TRUE);
    dn_input_free(g.input);
    return ok;
}

static gboolean goal_recognise(const char *path, const guint8 *head, gsize n)
{
    g_autofree char *text = head ? g_strndup((const char *)head, n) : g_strdup("");
    const char *found = strstr(text, "num_ranks");
    return found && (found == text || g_ascii_isspace(found[-1]));
}

extern const DnTraceReader dn_trace_goal;
const DnTraceReader dn_trace_goal = {
    .name = "goal",
    .source = "Hoefler, Siebert, Lumsdaine, Group Operation Assembly Language, ICPP 2009; "
              "LogGOPSim, src/LogGOPSim/txt2bin.re",
    .limits = DN_GOAL_LIMITS,
    .graph = TRUE,
    .unit = "line",
    .recognise = goal_recognise,
    .read = goal_read,
};
