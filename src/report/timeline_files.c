/* timeline_files.c - see timeline_files.h. */
#include "report/timeline_files.h"

#include "report/json.h"

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

static const DnSlice *slice_at(const Sink *sink, guint i)
{
    return &g_array_index(sink->timeline->slices, DnSlice, i);
}

/* Drawn jobs stand behind the run's own. */
static const char *job_name(const Sink *sink, guint job)
{
    return job < sink->result->n_jobs ? sink->result->jobs[job].name : "background";
}

static const char *slice_text(const Sink *sink, const DnSlice *slice)
{
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
    return dn_slice_of_link(slice->kind) ? slice->row : (guint64)slice->row << 8 | slice->stream;
}

/* TRUE the first time. */
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
    gint64 length_ps = slice->to_ps - slice->from_ps;
    fprintf(sink->out,
            "{\"name\":\"%s\",\"cat\":\"%s\",\"ph\":\"X\",\"pid\":%u,\"tid\":%" G_GUINT64_FORMAT
            ",\"ts\":%" G_GINT64_FORMAT ".%06" G_GINT64_FORMAT ",\"dur\":%" G_GINT64_FORMAT
            ".%06" G_GINT64_FORMAT "},\n",
            slice_text(sink, slice), dn_slice_name(slice->kind), process_of(slice),
            thread_of(slice), slice->from_ps / US_PS, slice->from_ps % US_PS, length_ps / US_PS,
            length_ps % US_PS);
}

/* Names of jobs hold no quotes (config/run_spec.c); those of links and workloads are ours. */
gboolean dn_timeline_write_chrome(DnTimeline *timeline, const DnRunResult *result, const char *path,
                                  GError **error)
{
    Sink sink;
    if (sink_open(&sink, timeline, result, path, error)) {
        fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", sink.out);
        for (guint i = 0; i < timeline->slices->len; i++) {
            chrome_row(&sink, slice_at(&sink, i));
            chrome_slice(&sink, slice_at(&sink, i));
        }
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
                                  "%EndEventDef\n";

/* A slice begins or ends; ends go first, so that states do not pile up. */
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

static void paje_types(const Sink *sink)
{
    static const char *const colors[] = {
        "0.2 0.6 0.2", "0.4 0.8 0.4", "0.6 0.9 0.2", "0.2 0.4 0.9", "0.4 0.6 0.9", "0.8 0.8 0.8",
        "0.6 0.6 0.9", "0.7 0.7 0.5", "0.9 0.5 0.1", "0.9 0.9 0.6", "0.9 0.3 0.2", "0.6 0.1 0.1"};
    fputs(PAJE_HEADER, sink->out);
    fputs("0 J 0 job\n0 R J rank\n0 N 0 links\n0 L N link\n1 RS R activity\n1 RI R iteration\n"
          "1 LS L activity\n",
          sink->out);
    for (guint k = 0; k < DN_SLICE_KINDS; k++)
        fprintf(sink->out, "2 s%u %s %s \"%s\"\n", k,
                dn_slice_of_link(k)       ? "LS"
                : k == DN_SLICE_ITERATION ? "RI"
                                          : "RS",
                dn_slice_name(k), colors[k]);
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

static void paje_edge(const Sink *sink, const Edge *edge)
{
    const DnSlice *slice = slice_at(sink, edge->slice);
    const char *type = dn_slice_of_link(slice->kind)       ? "LS"
                       : slice->kind == DN_SLICE_ITERATION ? "RI"
                                                           : "RS";
    fprintf(sink->out, "%d %" G_GINT64_FORMAT ".%012" G_GINT64_FORMAT " %s p%ut%" G_GUINT64_FORMAT,
            edge->begins ? 5 : 6, edge->when_ps / S_PS, edge->when_ps % S_PS, type,
            process_of(slice), thread_of(slice));
    if (edge->begins)
        fprintf(sink->out, " s%u", slice->kind);
    fputc('\n', sink->out);
}

gboolean dn_timeline_write_paje(DnTimeline *timeline, const DnRunResult *result, const char *path,
                                GError **error)
{
    Sink sink;
    if (sink_open(&sink, timeline, result, path, error)) {
        g_autoptr(GArray) edges = g_array_new(FALSE, FALSE, sizeof(Edge));
        paje_types(&sink);
        for (guint i = 0; i < timeline->slices->len; i++) {
            const DnSlice *slice = slice_at(&sink, i);
            Edge both[] = {{slice->from_ps, i, TRUE}, {slice->to_ps, i, FALSE}};
            g_array_append_vals(edges, both, 2);
            paje_row(&sink, slice);
        }
        g_array_sort(edges, timeline_files_earlier);
        for (guint i = 0; i < edges->len; i++)
            paje_edge(&sink, &g_array_index(edges, Edge, i));
    }
    return sink_close(&sink, error);
}
