/* run_files.c - see run_files.h. */
#include "report/run_files.h"
#include "base/file.h"
#include "base/input_files.h"
#include "report/json_list_file.h"
#include "report/point_record.h"
#include <string.h>

const char *const dn_run_files_names[] = {"results.csv", "samples.csv", "statistics.csv",
                                          "links.csv",   "nics.csv",    "summary.json",
                                          "timing.json", NULL};

typedef struct {
    double cpu_s;
    guint64 bytes;
} Cost;

struct DnRunFiles {
    char *dir;
    char *file, **set; /* the run file and its --set; or NULL */
    char **inputs;     /* "HASH PATH" of the other files; or NULL */
    DnRunRows *rows;   /* those that are not in their files yet */
    double cpu_s;
    guint64 packet_hops, events;
    Cost estimate, process; /* zeros: unknown */
    DnJsonListFile *summary, *timing;
    gboolean written;
};

DnRunFiles *dn_run_files_new(const char *dir, const char *run_name, const DnSweep *sweep,
                             guint links)
{
    DnRunFiles *files = g_new0(DnRunFiles, 1);
    files->dir = g_strdup(dir);
    files->rows = dn_run_rows_new(run_name, sweep, links);
    files->summary = dn_json_list_file_new();
    files->timing = dn_json_list_file_new();
    return files;
}

void dn_run_files_free(DnRunFiles *files)
{
    if (files == NULL)
        return;
    g_free(files->dir);
    g_free(files->file);
    g_strfreev(files->set);
    g_strfreev(files->inputs);
    dn_run_rows_free(files->rows);
    dn_json_list_file_free(files->summary);
    dn_json_list_file_free(files->timing);
    g_free(files);
}

void dn_run_files_origin(DnRunFiles *files, const char *file, char *const *set, const char *inputs)
{
    g_autofree char *others = dn_input_files_without(inputs, file);
    files->inputs = g_strsplit(g_strchomp(others), "\n", -1);
    files->file = g_canonicalize_filename(file, NULL);
    files->set = g_strdupv((char **)set);
}

void dn_run_files_estimate(DnRunFiles *files, double cpu_s, guint64 bytes)
{
    files->estimate = (Cost){cpu_s, bytes};
}

void dn_run_files_process(DnRunFiles *files, double cpu_s, guint64 bytes)
{
    files->process = (Cost){cpu_s, bytes};
}

static void add_cost(JsonBuilder *json, const char *name, const Cost *cost)
{
    if (cost->bytes == 0)
        return;
    json_builder_set_member_name(json, name);
    json_builder_begin_object(json);
    dn_json_number(json, "cpu_s", cost->cpu_s);
    dn_json_int(json, "memory_bytes", (gint64)cost->bytes);
    json_builder_end_object(json);
}

static JsonNode *timing_head(const DnRunFiles *files)
{
    g_autoptr(JsonBuilder) json = json_builder_new();
    json_builder_begin_object(json);
    if (files->file != NULL)
        dn_json_string(json, "run_file", files->file);
    dn_json_list(json, "set");
    for (guint i = 0; files->set != NULL && files->set[i] != NULL; i++)
        json_builder_add_string_value(json, files->set[i]);
    json_builder_end_array(json);
    dn_json_list(json, "inputs");
    for (guint i = 0; files->inputs != NULL && files->inputs[i] != NULL; i++)
        json_builder_add_string_value(json, files->inputs[i]);
    json_builder_end_array(json);
    dn_json_number(json, "cpu_s", files->cpu_s);
    dn_json_int(json, "packet_hops", (gint64)files->packet_hops);
    dn_json_int(json, "events", (gint64)files->events);
    add_cost(json, "estimate", &files->estimate);
    add_cost(json, "process", &files->process);
    json_builder_end_object(json);
    return json_builder_get_root(json);
}

/* ---- writing ---- */

static gboolean is_written(gboolean ok, GError *problem, GError **error)
{
    if (ok)
        return TRUE;
    g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s; give another folder with -o",
                problem->message);
    g_error_free(problem);
    return FALSE;
}

/* Appends the rows to @name, or first creates it, and then frees them. */
static gboolean put_rows(const DnRunFiles *files, const char *name, GString *rows, GError **error)
{
    g_autofree char *path = g_build_filename(files->dir, name, NULL);
    GError *problem = NULL;
    gboolean ok = files->written ? dn_file_append(path, rows->str, &problem)
                                 : dn_file_write(path, rows->str, &problem);
    if (ok)
        g_string_truncate(rows, 0);
    return is_written(ok, problem, error);
}

static gboolean put_list(const DnRunFiles *files, const char *name, const DnJsonListFile *list,
                         JsonNode *head, GError **error)
{
    g_autofree char *path = g_build_filename(files->dir, name, NULL);
    GError *problem = NULL;
    gboolean ok = dn_json_list_file_write(list, path, head, "points", &problem);
    json_node_unref(head);
    return is_written(ok, problem, error);
}

/* timeline.json, timeline-0.paje, ... */
static gboolean is_timeline(const char *name)
{
    gsize prefix = strlen("timeline");
    if (strncmp(name, "timeline", prefix) != 0)
        return FALSE;
    const char *rest = name + prefix;
    if (*rest == '-')
        rest += 1 + strspn(rest + 1, "0123456789");
    return strcmp(rest, ".json") == 0 || strcmp(rest, ".paje") == 0;
}

gboolean dn_run_files_stale(const char *name)
{
    return strcmp(name, "explain.json") == 0 || strcmp(name, "delay_attribution.csv") == 0 ||
           strcmp(name, "delaying_flows.csv") == 0 || strcmp(name, "samples.csv.gz") == 0 ||
           is_timeline(name) || g_strv_contains(dn_run_files_names, name);
}

void dn_run_files_add(DnRunFiles *files, GVariant *record)
{
    for (guint f = 0; f < DN_ROWS_FILES; f++)
        g_string_append(files->rows->text[f], dn_point_record_text(record, dn_rows_file_names[f]));
    dn_json_list_file_add_text(files->summary, dn_point_record_text(record, "summary"));
    dn_json_list_file_add_text(files->timing, dn_point_record_text(record, "timing"));
    files->cpu_s += dn_point_record_number(record, "cpu_s");
    files->packet_hops += dn_point_record_count(record, "packet_hops");
    files->events += dn_point_record_count(record, "events");
    files->rows->done++;
}

gboolean dn_run_files_put(DnRunFiles *files, GError **error)
{
    for (guint f = 0; f < DN_ROWS_FILES; f++)
        if (!put_rows(files, dn_rows_file_names[f], files->rows->text[f], error))
            return FALSE;
    files->written = TRUE;
    return TRUE;
}

gboolean dn_run_files_flush(DnRunFiles *files, GError **error)
{
    return dn_run_files_put(files, error) &&
           put_list(files, "summary.json", files->summary, dn_run_rows_summary_head(files->rows),
                    error) &&
           put_list(files, "timing.json", files->timing, timing_head(files), error);
}
