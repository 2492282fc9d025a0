/* smpi_export.c - see smpi_export.h. */
#include "experiment/smpi_export.h"
#include "base/file.h"
#include "experiment/checked_machine.h"
#include "experiment/job_mechanism.h"
#include "experiment/placement.h"
#include "routing/idle_path.h"
#include "topology/export/export.h"
#include "trace/trace.h"

#include <errno.h>
#include <glib/gstdio.h>

/* Files are written under names with this ending, and renamed when all of them are there. */
#define PART ".new"
static const char *const export_files[] = {"trace.txt", "replay.txt", "platform.xml", "hosts.txt"};

static char *export_path(const char *folder, const char *name, const char *ending)
{
    g_autofree char *whole = g_strconcat(name, ending, NULL);
    return g_build_filename(folder, whole, NULL);
}

/* (transfer full): char*, @folder and those above it that are not there, the innermost first. */
static GPtrArray *missing_folders(const char *folder)
{
    GPtrArray *missing = g_ptr_array_new_with_free_func(g_free);
    char *path = g_strdup(folder);
    while (!g_file_test(path, G_FILE_TEST_EXISTS)) {
        g_ptr_array_add(missing, path);
        path = g_path_get_dirname(path);
    }
    g_free(path);
    return missing;
}

static gboolean folder_fails(const char *folder, int reason, GError **error)
{
    g_autofree char *shown = dn_quote(folder);
    g_set_error(error, DN_ERROR, DN_ERROR_FILE, "--output: cannot make the folder %s: %s", shown,
                g_strerror(reason));
    return FALSE;
}

/* Checks, before anything takes long, that all files can be written. */
static gboolean check_folder(const char *folder, GError **error)
{
    g_autoptr(GPtrArray) missing = missing_folders(folder);
    if (missing->len > 0) {
        g_autofree char *above = g_path_get_dirname(missing->pdata[missing->len - 1]);
        errno = g_file_test(above, G_FILE_TEST_IS_DIR) ? 0 : ENOTDIR;
        return (errno == 0 && g_access(above, W_OK | X_OK) == 0) ||
               folder_fails(folder, errno, error);
    }
    for (guint i = 0; i < G_N_ELEMENTS(export_files); i++) {
        g_autofree char *path = export_path(folder, export_files[i], "");
        if (!dn_file_check_place(path, error)) {
            g_prefix_error(error, "--output: ");
            return FALSE;
        }
    }
    return TRUE;
}

static gboolean write_file(const char *folder, const char *name, const GString *text,
                           GError **error)
{
    g_autofree char *path = export_path(folder, name, PART);
    if (dn_file_write(path, text->str, error))
        return TRUE;
    g_prefix_error(error, "--output: ");
    return FALSE;
}

/* (transfer full); NULL + error. */
static GString *platform_of(const DnMachine *machine, const DnRunSpec *spec, GError **error)
{
    const DnExporter *exporter = dn_exporter_find("simgrid", error);
    g_autoptr(DnRouter) router =
        dn_router_new(machine, spec->routing != NULL ? spec->routing : machine->routing, error);
    GString *text = g_string_new(NULL);
    if (router != NULL && exporter->write(machine, dn_idle_path, router, text, error))
        return text;
    g_string_free(text, TRUE);
    return NULL;
}

static gboolean write_hosts(const DnPlacement *placement, const char *folder, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint32 r = 0; r < placement->ranks; r++)
        g_string_append_printf(text, "e%u\n", placement->endpoints[r]);
    return write_file(folder, "hosts.txt", text, error);
}

static gboolean write_trace(const DnProgram *program, const char *folder, GError **error)
{
    const DnTraceWriter *writer = dn_trace_writer_find("ti");
    g_autofree char *path = export_path(folder, "trace.txt", PART);
    g_assert(writer != NULL);
    if (writer->write(program, path, error))
        return TRUE;
    g_prefix_error(error, "--output: ");
    return FALSE;
}

/* smpirun wants a list of traces: of one line when all ranks are in one. */
static gboolean write_list(const char *folder, GError **error)
{
    g_autofree char *path = g_build_filename(folder, "trace.txt", NULL);
    g_autofree char *whole = g_canonicalize_filename(path, NULL);
    g_autoptr(GString) text = g_string_new(whole);
    g_string_append_c(text, '\n');
    return write_file(folder, "replay.txt", text, error);
}

/* Renames what is written; FALSE + error. */
static gboolean export_publish(const char *folder, GError **error)
{
    for (guint i = 0; i < G_N_ELEMENTS(export_files); i++) {
        g_autofree char *part = export_path(folder, export_files[i], PART);
        g_autofree char *path = export_path(folder, export_files[i], "");
        if (g_rename(part, path) != 0) {
            g_set_error(error, DN_ERROR, DN_ERROR_FILE, "--output: %s: cannot write it: %s", path,
                        g_strerror(errno));
            return FALSE;
        }
    }
    return TRUE;
}

/* Removes what a failed export has written, and the folders that it made. */
static void export_discard(const char *folder, const GPtrArray *made)
{
    for (guint i = 0; i < G_N_ELEMENTS(export_files); i++) {
        g_autofree char *part = export_path(folder, export_files[i], PART);
        g_autofree char *path = export_path(folder, export_files[i], "");
        g_unlink(part);
        if (made->len > 0)
            g_unlink(path);
    }
    for (guint i = 0; i < made->len; i++)
        g_rmdir(made->pdata[i]); /* those with other files stay */
}

static gboolean write_all(const DnProgram *program, const DnPlacement *placement,
                          const GString *platform, const char *folder, GError **error)
{
    g_autoptr(GPtrArray) made = missing_folders(folder);
    gboolean there = g_mkdir_with_parents(folder, 0777) == 0 || folder_fails(folder, errno, error);
    gboolean ok = there && write_trace(program, folder, error) && write_list(folder, error) &&
                  write_file(folder, "platform.xml", platform, error) &&
                  write_hosts(placement, folder, error) && export_publish(folder, error);
    if (!ok)
        export_discard(folder, made);
    return ok;
}

/* Exports one job; nothing is written before all of it is checked, and all of it or nothing. */
static gboolean export_job(const DnRunSpec *spec, const DnMachine *machine,
                           const DnPlacement *placement, const char *folder, GError **error)
{
    g_auto(DnCollMachine) coll = {0};
    if (!dn_job_machine_place(machine, &spec->jobs[0], placement, &coll, error))
        return FALSE;
    g_autoptr(DnProgram) program =
        dn_program_new_on(spec->jobs[0].workload, &coll, placement->ranks, 1, spec->seed, error);
    g_autoptr(GString) platform = program != NULL ? platform_of(machine, spec, error) : NULL;
    return platform != NULL && write_all(program, placement, platform, folder, error);
}

gboolean dn_smpi_export(const DnRunSpec *spec, const char *folder, guint32 *ranks, GError **error)
{
    DnPlacement placement = {0};
    if (spec->n_jobs != 1) {
        dn_config_error(dn_config_get(spec->root, "jobs"), DN_ERROR_RANGE, error,
                        "%u jobs; a trace is of one", spec->n_jobs);
        return FALSE;
    }
    if (!check_folder(folder, error))
        return FALSE;
    g_autoptr(DnMachine) machine = dn_checked_machine_load(spec->machine, spec->nodes, NULL, error);
    gboolean ok = machine != NULL && dn_place_jobs(spec, machine->graph, &placement, error) &&
                  export_job(spec, machine, &placement, folder, error);
    *ranks = placement.ranks;
    g_free(placement.endpoints);
    return ok;
}
