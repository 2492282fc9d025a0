/* smpi_export.c - see smpi_export.h. */
#include "experiment/smpi_export.h"
#include "base/file.h"
#include "experiment/nccl_machine.h"
#include "experiment/placement.h"
#include "routing/idle_path.h"
#include "topology/export/export.h"
#include "topology/machine.h"
#include "trace/trace.h"

static gboolean write_file(const char *folder, const char *name, const GString *text,
                           GError **error)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
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
    g_autofree char *path = g_build_filename(folder, "trace.txt", NULL);
    g_assert(writer != NULL);
    return writer->write(program, path, error);
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

static gboolean make_folder(const char *folder, GError **error)
{
    if (g_mkdir_with_parents(folder, 0777) == 0)
        return TRUE;
    g_autofree char *shown = dn_quote(folder);
    g_set_error(error, DN_ERROR, DN_ERROR_FILE, "--output: cannot make the folder %s", shown);
    return FALSE;
}

/* Exports one job; nothing is written before all of it is checked. */
static gboolean export_job(const DnRunSpec *spec, const DnMachine *machine,
                           const DnPlacement *placement, const char *folder, GError **error)
{
    g_auto(DnCollMachine) coll = {0};
    if (!dn_nccl_machine_place(machine, placement, &coll, error))
        return FALSE;
    g_autoptr(DnProgram) program =
        dn_program_new_on(spec->jobs[0].workload, &coll, placement->ranks, 1, spec->seed, error);
    g_autoptr(GString) platform = program != NULL ? platform_of(machine, spec, error) : NULL;
    return platform != NULL && make_folder(folder, error) && write_trace(program, folder, error) &&
           write_list(folder, error) && write_file(folder, "platform.xml", platform, error) &&
           write_hosts(placement, folder, error);
}

gboolean dn_smpi_export(const DnRunSpec *spec, const char *folder, guint32 *ranks, GError **error)
{
    DnPlacement placement = {0};
    if (spec->n_jobs != 1) {
        dn_config_error(dn_config_get(spec->root, "jobs"), DN_ERROR_RANGE, error,
                        "%u jobs; a trace is of one", spec->n_jobs);
        return FALSE;
    }
    g_autoptr(DnMachine) machine = dn_machine_load(spec->machine, spec->nodes, error);
    gboolean ok = machine != NULL && dn_place_jobs(spec, machine->graph, &placement, error) &&
                  export_job(spec, machine, &placement, folder, error);
    *ranks = placement.ranks;
    g_free(placement.endpoints);
    return ok;
}
