/* run_files.c - see run_files.h. */
#include "report/run_files.h"
#include "base/file.h"
#include "report/json_list_file.h"
#include "report/run_rows.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

struct DnRunFiles {
    char *dir;
    char *file, **set; /* the run file and its --set; or NULL */
    DnRunRows *rows;   /* those that are not in their files yet */
    guint n_points;
    double cpu_s;
    guint64 packet_hops, events;
    DnJsonListFile *summary, *timing;
    GPtrArray *made; /* folders that were not there before, outermost first */
    gboolean written;
};

static gboolean file_error(GError **error, const char *path, const char *what, const char *why)
{
    g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: cannot %s: %s; give another folder with -o",
                path, what, why);
    return FALSE;
}

/* Like g_mkdir_with_parents(), but records the folders it made. */
static gboolean make_folder(DnRunFiles *files, const char *dir, GError **error)
{
    if (g_file_test(dir, G_FILE_TEST_IS_DIR))
        return TRUE;
    g_autofree char *parent = g_path_get_dirname(dir);
    if (strcmp(parent, dir) != 0 && !make_folder(files, parent, error))
        return FALSE;
    if (g_mkdir(dir, 0777) != 0 && errno != EEXIST)
        return file_error(error, dir, "make the output folder", g_strerror(errno));
    if (!g_file_test(dir, G_FILE_TEST_IS_DIR))
        return file_error(error, dir, "write there", "it is not a folder");
    g_ptr_array_add(files->made, g_strdup(dir));
    return TRUE;
}

static gboolean try_folder(const char *dir, GError **error)
{
    g_autofree char *probe = g_build_filename(dir, ".darner-XXXXXX", NULL);
    int fd = g_mkstemp(probe);
    if (fd < 0)
        return file_error(error, dir, "write there", g_strerror(errno));
    close(fd);
    g_unlink(probe);
    static const char *const names[] = {"results.csv", "links.csv", "nics.csv", "summary.json",
                                        "timing.json"};
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = g_build_filename(dir, names[i], NULL);
        if (g_file_test(path, G_FILE_TEST_IS_DIR))
            return file_error(error, path, "replace it", "it is a folder");
    }
    return TRUE;
}

DnRunFiles *dn_run_files_new(const char *dir, const char *run_name, const DnSweep *sweep,
                             guint links, GError **error)
{
    DnRunFiles *files = g_new0(DnRunFiles, 1);
    files->dir = g_strdup(dir);
    files->rows = dn_run_rows_new(run_name, sweep, links);
    files->n_points = sweep != NULL ? sweep->n_points : 1;
    files->summary = dn_json_list_file_new();
    files->timing = dn_json_list_file_new();
    files->made = g_ptr_array_new_with_free_func(g_free);
    if (!make_folder(files, dir, error) || !try_folder(dir, error)) {
        dn_run_files_abandon(files);
        dn_run_files_free(files);
        return NULL;
    }
    return files;
}

void dn_run_files_free(DnRunFiles *files)
{
    if (files == NULL)
        return;
    g_free(files->dir);
    g_free(files->file);
    g_strfreev(files->set);
    dn_run_rows_free(files->rows);
    dn_json_list_file_free(files->summary);
    dn_json_list_file_free(files->timing);
    g_ptr_array_unref(files->made);
    g_free(files);
}

void dn_run_files_abandon(DnRunFiles *files)
{
    if (files->written)
        return;
    for (guint i = files->made->len; i > 0; i--)
        g_rmdir(g_ptr_array_index(files->made, i - 1));
}

void dn_run_files_origin(DnRunFiles *files, const char *file, char *const *set)
{
    files->file = g_canonicalize_filename(file, NULL);
    files->set = g_strdupv((char **)set);
}

static JsonNode *timing_of(guint point, const DnRunResult *result)
{
    const DnEngineResult *e = &result->engine;
    g_autoptr(JsonBuilder) json = json_builder_new();
    json_builder_begin_object(json);
    dn_json_int(json, "point", point);
    dn_json_int(json, "threads", result->threads);
    dn_json_int(json, "events", (gint64)e->events);
    dn_json_number(json, "cpu_s", e->cpu_s);
    dn_json_number(json, "packet_hops_per_cpu_s",
                   e->cpu_s > 0.0 ? (double)e->packet_hops / e->cpu_s : NAN);
    json_builder_end_object(json);
    return json_builder_get_root(json);
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
    dn_json_number(json, "cpu_s", files->cpu_s);
    dn_json_int(json, "packet_hops", (gint64)files->packet_hops);
    dn_json_int(json, "events", (gint64)files->events);
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

/* Appends the rows to @name, or makes it of them; they are then gone from memory. */
static gboolean put_rows(const DnRunFiles *files, const char *name, GString *rows, GError **error)
{
    g_autofree char *path = g_build_filename(files->dir, name, NULL);
    GError *problem = NULL;
    gboolean ok = files->written ? dn_file_append(path, rows->str, &problem)
                                 : dn_file_write(path, rows->str, &problem);
    g_string_truncate(rows, 0);
    return is_written(ok, problem, error);
}

static gboolean put_list(const DnRunFiles *files, const char *name, DnJsonListFile *list,
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

/* Removes the files that `darner explain` and --timeline made of an older run. */
static void remove_older(const DnRunFiles *files)
{
    g_autoptr(GDir) dir = g_dir_open(files->dir, 0, NULL);
    const char *name;
    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
        if (strcmp(name, "explain.json") != 0 && strcmp(name, "delay_attribution.csv") != 0 &&
            !is_timeline(name))
            continue;
        g_autofree char *path = g_build_filename(files->dir, name, NULL);
        g_unlink(path);
    }
}

static gboolean put_all_rows(DnRunFiles *files, GError **error)
{
    if (!files->written)
        remove_older(files);
    gboolean ok = put_rows(files, "results.csv", files->rows->results, error) &&
                  put_rows(files, "links.csv", files->rows->links, error) &&
                  put_rows(files, "nics.csv", files->rows->nics, error);
    files->written = TRUE;
    return ok;
}

gboolean dn_run_files_flush(DnRunFiles *files, GError **error)
{
    return put_all_rows(files, error) &&
           put_list(files, "summary.json", files->summary, dn_run_rows_summary_head(files->rows),
                    error) &&
           put_list(files, "timing.json", files->timing, timing_head(files), error);
}

gboolean dn_run_files_add(DnRunFiles *files, guint point, const DnRunSpec *spec,
                          const DnRunResult *result, const DnReferences *references, GError **error)
{
    dn_run_rows_add(files->rows, point, result);
    g_autoptr(JsonNode)
        summary = dn_run_rows_summary_point(files->rows, point, spec, result, references);
    g_autoptr(JsonNode) timing = timing_of(point, result);
    dn_json_list_file_add(files->summary, summary);
    dn_json_list_file_add(files->timing, timing);
    files->cpu_s += result->engine.cpu_s;
    files->packet_hops += result->engine.packet_hops;
    files->events += result->engine.events;
    if (files->rows->done == files->n_points || dn_json_list_file_is_due(files->summary))
        return dn_run_files_flush(files, error);
    return put_all_rows(files, error);
}
