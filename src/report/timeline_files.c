/* timeline_files.c - see timeline_files.h. */
#include "report/timeline_files.h"

#include "base/units.h"
#include "report/json.h"
#include "trace/trace.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#define US_PS 1000000
#define S_PS G_GINT64_CONSTANT(1000000000000)

/* A file in progress. */
typedef struct {
    FILE *out;
    char *path, *partial_path;
    const DnTimeline *timeline;
    const DnRunResult *result;
    GHashTable *named; /* rows that have their names; looked up only */
} Sink;

static gboolean sink_open(Sink *sink, DnTimeline *timeline, const DnRunResult *result,
                          const char *path, GError **error)
{
    *sink = (Sink){.timeline = timeline, .result = result};
    sink->path = g_strdup(path);
    sink->partial_path = g_strconcat(path, ".part", NULL);
    sink->named = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    dn_timeline_sort(timeline);
    sink->out = g_fopen(sink->partial_path, "w");
    if (sink->out == NULL)
        g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: cannot write it: %s", path,
                    g_strerror(errno));
    return sink->out != NULL;
}

static gboolean sink_close(Sink *sink, GError **error)
{
    gboolean open = sink->out != NULL, ok = open;
    if (open)
        ok = ferror(sink->out) == 0;
    if (open)
        ok = fclose(sink->out) == 0 && ok;
    ok = ok && g_rename(sink->partial_path, sink->path) == 0;
    if (open && !ok) {
        g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: cannot write it: %s", sink->path,
                    g_strerror(errno));
        g_unlink(sink->partial_path);
    }
    g_hash_table_unref(sink->named);
    g_free(sink->path);
    g_free(sink->partial_path);
    return ok;
}

static guint n_slices(const Sink *sink)
{
    return sink->timeline->slices->len + sink->timeline->links->len;
}

/* Returns the slices of ranks first, then those of links. */
static const DnSlice *slice_at(const Sink *sink, guint i)
{
    guint ranks = sink->timeline->slices->len;
    return i < ranks ? &g_array_index(sink->timeline->slices, DnSlice, i)
                     : &g_array_index(sink->timeline->links, DnSlice, i - ranks);
}

static const DnTimelineMessage *message_at(const Sink *sink, guint i)
{
    return &g_array_index(sink->timeline->messages, DnTimelineMessage, i);
}

/* The row that an arrow of a rank begins or ends in. */
static DnSlice row_of(const DnTimelineMessage *message, guint32 rank)
{
    return (DnSlice){.row = rank, .job = message->job, .kind = DN_SLICE_WAIT};
}

/* Drawn jobs stand behind the run's own. */
static const char *job_name(const Sink *sink, guint job)
{
    return job < sink->result->n_jobs ? sink->result->jobs[job].name : "background";
}

/* "MPI_Isend", as MPI's binding for C has it. */
static const char *call_text(guint8 call, char name[64])
{
    g_snprintf(name, 64, "MPI_%s", dn_call_name((DnCall)call));
    name[4] = g_ascii_toupper(name[4]);
    return name;
}

static const char *slice_text(const Sink *sink, const DnSlice *slice, char name[64])
{
    if (slice->kind == DN_SLICE_CALL)
        return call_text(slice->call, name);
    if (slice->kind == DN_SLICE_BUSY)
        return job_name(sink, slice->job);
    if (slice->kind == DN_SLICE_ITERATION && slice->job < sink->result->n_jobs)
        return sink->result->jobs[slice->job].workload;
    return dn_slice_name(slice->kind);
}

/* The row a slice is in: links are one process, 1; jobs follow. */
static guint process_of(const DnSlice *slice)
{
    return dn_slice_of_link(slice->kind) ? 1 : 2u + slice->job;
}

static guint64 thread_of(const DnSlice *slice)
{
    return dn_slice_of_link(slice->kind) ? slice->row
                                         : (guint64)slice->row * DN_STREAMS + slice->stream;
}

/* Returns TRUE at the first call for a thread. */
static gboolean is_new(const Sink *sink, guint process, gint64 thread)
{
    gint64 *key = g_new(gint64, 1);
    *key = (gint64)process << 42 | (thread + 1);
    return g_hash_table_add(sink->named, key);
}

static void row_name(const Sink *sink, const DnSlice *slice, char name[160])
{
    if (dn_slice_of_link(slice->kind))
        dn_link_name(sink->result->machine->graph, slice->row, name);
    else if (slice->stream > 0)
        g_snprintf(name, 160, "rank %u stream %u", slice->row, slice->stream);
    else
        g_snprintf(name, 160, "rank %u", slice->row);
}

/* ---- Chrome ---- */

static void chrome_name(const Sink *sink, const char *what, const DnSlice *slice, const char *name)
{
    fprintf(sink->out,
            "{\"name\":\"%s\",\"ph\":\"M\",\"pid\":%u,\"tid\":%" G_GUINT64_FORMAT
            ",\"args\":{\"name\":\"%s\"}},\n",
            what, process_of(slice), thread_of(slice), name);
}

static void chrome_row(const Sink *sink, const DnSlice *slice)
{
    char name[160];
    if (is_new(sink, process_of(slice), -1)) {
        gboolean link = dn_slice_of_link(slice->kind);
        g_snprintf(name, sizeof name, link ? "links" : "job %s", job_name(sink, slice->job));
        chrome_name(sink, "process_name", slice, name);
    }
    if (!is_new(sink, process_of(slice), (gint64)thread_of(slice)))
        return;
    row_name(sink, slice, name);
    chrome_name(sink, "thread_name", slice, name);
}

static void chrome_slice(const Sink *sink, const DnSlice *slice)
{
    char name[64];
    gint64 length_ps = slice->to_ps - slice->from_ps;
    fprintf(sink->out,
            "{\"name\":\"%s\",\"cat\":\"%s\",\"ph\":\"X\",\"pid\":%u,\"tid\":%" G_GUINT64_FORMAT
            ",\"ts\":%" G_GINT64_FORMAT ".%06" G_GINT64_FORMAT ",\"dur\":%" G_GINT64_FORMAT
            ".%06" G_GINT64_FORMAT "},\n",
            slice_text(sink, slice, name), dn_slice_name(slice->kind), process_of(slice),
            thread_of(slice), slice->from_ps / US_PS, slice->from_ps % US_PS, length_ps / US_PS,
            length_ps % US_PS);
}

/* One end of an arrow; @phase "s" or "f". 1 ps early: a slice ends where the next one begins, and
 * the arrow belongs to the first. */
static void chrome_arrow(const Sink *sink, guint id, const DnSlice *row, const char *phase,
                         gint64 when_ps, gint64 bytes)
{
    when_ps = MAX(0, when_ps - 1);
    fprintf(sink->out,
            "{\"name\":\"message\",\"cat\":\"message\",\"ph\":\"%s\",\"id\":%u,\"pid\":%u,"
            "\"tid\":%" G_GUINT64_FORMAT ",\"ts\":%" G_GINT64_FORMAT ".%06" G_GINT64_FORMAT
            ",\"args\":{\"bytes\":%" G_GINT64_FORMAT "}},\n",
            *phase == 'f' ? "f\",\"bp\":\"e" : phase, id, process_of(row), thread_of(row),
            when_ps / US_PS, when_ps % US_PS, bytes);
}

static void chrome_message(const Sink *sink, guint id)
{
    const DnTimelineMessage *message = message_at(sink, id);
    DnSlice from = row_of(message, message->from), to = row_of(message, message->to);
    chrome_arrow(sink, id, &from, "s", message->sent_ps, message->bytes);
    chrome_arrow(sink, id, &to, "f", message->arrived_ps, message->bytes);
}

/* Names of jobs hold no quotes (config/run_spec.c); those of links and workloads are ours. */
static gboolean timeline_write_chrome(DnTimeline *timeline, const DnRunResult *result,
                                      const char *path, GError **error)
{
    Sink sink;
    if (sink_open(&sink, timeline, result, path, error)) {
        fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", sink.out);
        for (guint i = 0; i < n_slices(&sink); i++) {
            chrome_row(&sink, slice_at(&sink, i));
            chrome_slice(&sink, slice_at(&sink, i));
        }
        for (guint i = 0; i < timeline->messages->len; i++)
            chrome_message(&sink, i);
        fputs("{\"name\":\"process_sort_index\",\"ph\":\"M\",\"pid\":1,\"tid\":0,"
              "\"args\":{\"sort_index\":1000000}}\n]}\n",
              sink.out);
    }
    return sink_close(&sink, error);
}

/* ---- Paje ---- */

static const char PAJE_HEADER[] = "%EventDef PajeDefineContainerType 0\n"
                                  "% Alias string\n% Type string\n% Name string\n"
                                  "%EndEventDef\n"
                                  "%EventDef PajeDefineStateType 1\n"
                                  "% Alias string\n% Type string\n% Name string\n"
                                  "%EndEventDef\n"
                                  "%EventDef PajeDefineEntityValue 2\n"
                                  "% Alias string\n% Type string\n% Name string\n% Color color\n"
                                  "%EndEventDef\n"
                                  "%EventDef PajeCreateContainer 3\n"
                                  "% Time date\n% Alias string\n% Type string\n"
                                  "% Container string\n% Name string\n"
                                  "%EndEventDef\n"
                                  "%EventDef PajeDestroyContainer 4\n"
                                  "% Time date\n% Type string\n% Name string\n"
                                  "%EndEventDef\n"
                                  "%EventDef PajePushState 5\n"
                                  "% Time date\n% Type string\n% Container string\n"
                                  "% Value string\n"
                                  "%EndEventDef\n"
                                  "%EventDef PajePopState 6\n"
                                  "% Time date\n% Type string\n% Container string\n"
                                  "%EndEventDef\n"
                                  "%EventDef PajeDefineLinkType 7\n"
                                  "% Alias string\n% Type string\n"
                                  "% StartContainerType string\n% EndContainerType string\n"
                                  "% Name string\n"
                                  "%EndEventDef\n"
                                  "%EventDef PajeStartLink 8\n"
                                  "% Time date\n% Type string\n% Container string\n"
                                  "% StartContainer string\n% Value string\n% Key string\n"
                                  "%EndEventDef\n"
                                  "%EventDef PajeEndLink 9\n"
                                  "% Time date\n% Type string\n% Container string\n"
                                  "% EndContainer string\n% Value string\n% Key string\n"
                                  "%EndEventDef\n";

/* A slice or a message (those come after the slices) begins or ends; ends go first, so that states
 * do not pile up. */
typedef struct {
    gint64 when_ps;
    guint32 slice;
    gboolean begins;
} Edge;

static gint timeline_files_earlier(gconstpointer x, gconstpointer y)
{
    const Edge *a = x, *b = y;
    if (a->when_ps != b->when_ps)
        return a->when_ps < b->when_ps ? -1 : 1;
    if (a->begins != b->begins)
        return a->begins ? 1 : -1;
    return a->slice < b->slice ? -1 : 1;
}

static const char *paje_type(guint kind)
{
    return dn_slice_of_link(kind)       ? "LS"
           : kind == DN_SLICE_ITERATION ? "RI"
           : kind == DN_SLICE_CALL      ? "RC"
                                        : "RS";
}

static void paje_types(const Sink *sink)
{
    static const char *const colors[] = {"0.2 0.6 0.2", "0.4 0.8 0.4", "0.6 0.9 0.2", "0.2 0.4 0.9",
                                         "0.4 0.6 0.9", "0.8 0.8 0.8", "0.6 0.6 0.9", "0.7 0.7 0.5",
                                         "0.9 0.5 0.1", "0.5 0.5 0.5", "0.9 0.9 0.6", "0.9 0.3 0.2",
                                         "0.6 0.1 0.1"};
    fputs(PAJE_HEADER, sink->out);
    fputs("0 J 0 job\n0 R J rank\n0 N 0 links\n0 L N link\n1 RS R activity\n1 RC R call\n"
          "1 RI R iteration\n1 LS L activity\n7 M J R R message\n",
          sink->out);
    for (guint k = 0; k < DN_SLICE_KINDS; k++)
        if (k != DN_SLICE_CALL)
            fprintf(sink->out, "2 s%u %s %s \"%s\"\n", k, paje_type(k), dn_slice_name(k),
                    colors[k]);
    char name[64];
    for (guint call = DN_CALL_COMPUTE + 1; call < DN_CALLS; call++)
        fprintf(sink->out, "2 c%u RC %s \"%s\"\n", call, call_text((guint8)call, name),
                colors[DN_SLICE_CALL]);
}

static void paje_row(const Sink *sink, const DnSlice *slice)
{
    char name[160];
    guint process = process_of(slice);
    gboolean link = dn_slice_of_link(slice->kind);
    if (is_new(sink, process, -1))
        fprintf(sink->out, "3 0 p%u %s 0 \"%s\"\n", process, link ? "N" : "J",
                link ? "links" : job_name(sink, slice->job));
    if (!is_new(sink, process, (gint64)thread_of(slice)))
        return;
    row_name(sink, slice, name);
    fprintf(sink->out, "3 0 p%ut%" G_GUINT64_FORMAT " %s p%u \"%s\"\n", process, thread_of(slice),
            link ? "L" : "R", process, name);
}

static void paje_message(const Sink *sink, const Edge *edge, guint number)
{
    const DnTimelineMessage *message = message_at(sink, number);
    DnSlice row = row_of(message, edge->begins ? message->from : message->to);
    fprintf(sink->out,
            "%d %" G_GINT64_FORMAT ".%012" G_GINT64_FORMAT " M p%u p%ut%" G_GUINT64_FORMAT
            " \"%" G_GINT64_FORMAT " B\" m%u\n",
            edge->begins ? 8 : 9, edge->when_ps / S_PS, edge->when_ps % S_PS, process_of(&row),
            process_of(&row), thread_of(&row), message->bytes, number);
}

static void paje_edge(const Sink *sink, const Edge *edge)
{
    if (edge->slice >= n_slices(sink)) {
        paje_message(sink, edge, edge->slice - n_slices(sink));
        return;
    }
    const DnSlice *slice = slice_at(sink, edge->slice);
    fprintf(sink->out, "%d %" G_GINT64_FORMAT ".%012" G_GINT64_FORMAT " %s p%ut%" G_GUINT64_FORMAT,
            edge->begins ? 5 : 6, edge->when_ps / S_PS, edge->when_ps % S_PS,
            paje_type(slice->kind), process_of(slice), thread_of(slice));
    if (edge->begins && slice->kind == DN_SLICE_CALL)
        fprintf(sink->out, " c%u", slice->call);
    else if (edge->begins)
        fprintf(sink->out, " s%u", slice->kind);
    fputc('\n', sink->out);
}

static gboolean timeline_write_paje(DnTimeline *timeline, const DnRunResult *result,
                                    const char *path, GError **error)
{
    Sink sink;
    if (sink_open(&sink, timeline, result, path, error)) {
        g_autoptr(GArray) edges = g_array_new(FALSE, FALSE, sizeof(Edge));
        paje_types(&sink);
        for (guint i = 0; i < n_slices(&sink); i++) {
            const DnSlice *slice = slice_at(&sink, i);
            Edge both[] = {{slice->from_ps, i, TRUE}, {slice->to_ps, i, FALSE}};
            g_array_append_vals(edges, both, 2);
            paje_row(&sink, slice);
        }
        for (guint i = 0; i < timeline->messages->len; i++) {
            const DnTimelineMessage *message = message_at(&sink, i);
            DnSlice from = row_of(message, message->from), to = row_of(message, message->to);
            Edge both[] = {{message->sent_ps, n_slices(&sink) + i, TRUE},
                           {message->arrived_ps, n_slices(&sink) + i, FALSE}};
            g_array_append_vals(edges, both, 2);
            paje_row(&sink, &from);
            paje_row(&sink, &to);
        }
        g_array_sort(edges, timeline_files_earlier);
        for (guint i = 0; i < edges->len; i++)
            paje_edge(&sink, &g_array_index(edges, Edge, i));
    }
    return sink_close(&sink, error);
}

/* ---- both ---- */

gboolean dn_timeline_parts(const char *text, guint *parts, GError **error)
{
    static const char *const names[] = {"ranks", "links", "all", NULL};
    static const guint meant[] = {DN_TIMELINE_RANKS, DN_TIMELINE_LINKS, DN_TIMELINE_ALL};
    *parts = text != NULL ? DN_TIMELINE_ALL : 0;
    if (text == NULL || *text == '\0')
        return TRUE;
    for (guint i = 0; names[i] != NULL; i++)
        if (strcmp(names[i], text) == 0) {
            *parts = meant[i];
            return TRUE;
        }
    g_autofree char *unknown = dn_unknown(text, names, "known");
    g_set_error(error, DN_ERROR, DN_ERROR_UNKNOWN, "--timeline: unknown part %s", unknown);
    return FALSE;
}

static void warn_cut(const char *file, gint64 cut_ps, const char *of, guint most)
{
    char cut[DN_UNIT_BUF];
    if (cut_ps != G_MAXINT64)
        g_printerr("warning: %s ends at %s: it holds no more than %u slices%s; shorten the run, "
                   "e.g. with `until:`\n",
                   file, dn_format_time(cut_ps, cut), most, of);
}

gboolean dn_timeline_write(DnTimeline *timeline, const DnRunResult *result,
                           const DnResultFolder *folder, const char *name, GError **error)
{
    g_autofree char *stem = dn_result_folder_file(folder, name);
    g_autofree char *chrome = g_strconcat(stem, ".json", NULL);
    g_autofree char *paje = g_strconcat(stem, ".paje", NULL);
    warn_cut(chrome, timeline->cut_ps, " or messages of ranks", timeline->most);
    warn_cut(chrome, timeline->links_cut_ps, " of links", timeline->most);
    return timeline_write_chrome(timeline, result, chrome, error) &&
           timeline_write_paje(timeline, result, paje, error);
}
