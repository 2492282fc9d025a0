/* program.c - The reader of a `workload:` to a program of its type, and the frame around every
 * stream.
 *
 * A type's next() gives the operations of one iteration; dn_program_next() repeats it and adds the
 * MARK of each iteration and the END. */
#include "workload/program.h"
#include "base/registry.h"
#include "base/data_folders.h"

#include <string.h>

const DnParamSpec dn_program_common_keys[] = {
    {"type", DN_PARAM_STRING, NULL, 0, 0, NULL, "what the ranks do"},
    {"description", DN_PARAM_STRING, "", 0, 0, NULL, "free text"},
    {0},
};

gboolean dn_program_has_key(const DnProgram *program, const char *key)
{
    for (const DnParamSpec *spec = program->type->params; spec->key; spec++)
        if (strcmp(spec->key, key) == 0)
            return TRUE;
    return FALSE;
}

const DnProgramType *dn_program_type_find(const char *name)
{
    return dn_registry_find(dn_program_types, name);
}

static void unknown_type(const DnConfigNode *at, GError **error)
{
    g_autofree char *unknown = dn_registry_unknown(dn_program_types, at->scalar);
    dn_config_error(at, DN_ERROR_UNKNOWN, error, "unknown workload type %s", unknown);
}

static DnProgram *program_from_map(const DnConfigNode *node, const DnCollMachine *machine,
                                   guint32 ranks, guint32 iterations, guint64 seed, GError **error)
{
    static const char *const ignore[] = {"type", "description", NULL};
    if (!dn_config_expect(node, DN_CONFIG_MAP, error))
        return NULL;
    const DnConfigNode *name = dn_config_require(node, "type", error);
    if (!name || !dn_config_expect(name, DN_CONFIG_SCALAR, error))
        return NULL;
    const DnProgramType *type = dn_program_type_find(name->scalar);
    if (!type) {
        unknown_type(name, error);
        return NULL;
    }
    if (ranks < type->min_ranks) {
        dn_config_error(name, DN_ERROR_RANGE, error, "%s needs at least %u ranks, the job has %u",
                        type->name, type->min_ranks, ranks);
        return NULL;
    }
    g_autoptr(DnParams) params = dn_params_read(node, type->params, ignore, error);
    if (!params)
        return NULL;
    g_autoptr(DnProgram) program = g_new0(DnProgram, 1);
    *program = (DnProgram){.type = type,
                           .ranks = ranks,
                           .iterations = iterations,
                           .seed = seed,
                           .machine = machine,
                           .streams = 1};
    if (dn_program_has_key(program, "element"))
        program->element = dn_params_int(params, "element");
    if (!type->init(program, params, error))
        return NULL;
    g_assert(program->streams >= 1 && program->streams <= DN_STREAMS);
    return g_steal_pointer(&program);
}

static char *workload_file(const DnConfigNode *node, GError **error)
{
    const char *name = node->scalar;
    if (strchr(name, '/') || g_str_has_suffix(name, ".yaml")) {
        g_autofree char *file = g_canonicalize_filename(node->file, NULL);
        g_autofree char *folder = g_path_get_dirname(file);
        return g_canonicalize_filename(name, folder);
    }
    char *found = dn_data_file("workloads", dn_config_base(node), name);
    if (found != NULL)
        return found;
    g_autoptr(GPtrArray) known = dn_data_names("workloads", dn_config_base(node));
    g_autofree char *unknown = dn_unknown(name, (const char *const *)known->pdata, "known");
    dn_config_error(node, DN_ERROR_UNKNOWN, error, "unknown workload %s%s", unknown,
                    known->len > 1 ? "" : "; no folder 'workloads' " DN_DATA_PLACES);
    return NULL;
}

DnConfigNode *dn_workload_load(const DnConfigNode *node, GError **error)
{
    g_autofree char *file = workload_file(node, error);
    return file != NULL ? dn_config_load(file, NULL, error) : NULL;
}

DnProgram *dn_program_new(const DnConfigNode *node, guint32 ranks, guint32 iterations, guint64 seed,
                          GError **error)
{
    return dn_program_new_on(node, NULL, ranks, iterations, seed, error);
}

DnProgram *dn_program_new_on(const DnConfigNode *node, const DnCollMachine *machine, guint32 ranks,
                             guint32 iterations, guint64 seed, GError **error)
{
    if (node->kind != DN_CONFIG_SCALAR)
        return program_from_map(node, machine, ranks, iterations, seed, error);
    g_autoptr(DnConfigNode) root = dn_workload_load(node, error);
    return root != NULL ? program_from_map(root, machine, ranks, iterations, seed, error) : NULL;
}

void dn_program_free_data(DnProgram *program)
{
    g_free(program->data);
}

double dn_program_moved_by_all(const DnProgram *program)
{
    return program->type->goodput_bytes(program) * program->ranks;
}

gboolean dn_program_grid(const DnProgram *program, const DnParams *params, const char *names,
                         guint32 grid[2], GError **error)
{
    guint n;
    const gint64 *given = dn_params_list(params, "grid", &n);
    if (n == 2 && given[0] >= 1 && given[1] >= 1 && given[0] <= program->ranks &&
        given[1] <= program->ranks && given[0] * given[1] == program->ranks) {
        grid[0] = (guint32)given[0];
        grid[1] = (guint32)given[1];
        return TRUE;
    }
    dn_params_error(params, "grid", DN_ERROR_RANGE, error,
                    "[%s] that multiply to the job's %u ranks are needed", names, program->ranks);
    return FALSE;
}

void dn_program_free(DnProgram *program)
{
    if (!program)
        return;
    if (program->type->free)
        program->type->free(program);
    g_free(program->chosen);
    g_free(program->note);
    g_free(program);
}

void dn_program_next(const DnProgram *program, guint32 rank, DnCursor *cursor, DnOp *op)
{
    if (cursor->iteration == program->iterations) {
        *op = (DnOp){.kind = DN_OP_END};
        return;
    }
    if (program->type->next(program, rank, cursor, op))
        return;
    *op = (DnOp){.kind = DN_OP_MARK, .tag = cursor->iteration};
    *cursor = (DnCursor){.stream = cursor->stream, .iteration = cursor->iteration + 1};
}
