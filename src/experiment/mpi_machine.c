/* mpi_machine.c - see mpi_machine.h. */
#include "experiment/mpi_machine.h"

static gboolean on_gpus(const DnMachine *machine, const DnPlacement *placement)
{
    const DnGraph *graph = machine->graph;
    return graph->vertices[graph->endpoints[placement->endpoints[0]]].kind == DN_VERTEX_GPU;
}

/* (transfer full); NULL + error. */
static DnParams *read_keys(const DnMachine *machine, GError **error)
{
    static const char *const annotations[] = {"source", "assumed", NULL};
    g_autoptr(DnParams)
        keys = dn_params_read(machine->mpi, dn_mpi_machine_keys, annotations, error);
    if (keys == NULL)
        return NULL;
    const DnCollLibrary *library = dn_coll_libraries[dn_params_int(keys, "library")];
    if (!library->channels)
        return g_steal_pointer(&keys);
    dn_params_error(keys, "library", DN_ERROR_RANGE, error,
                    "mpi: %s is no MPI; allowed: ompi, mpich, cray_mpich", library->title);
    return NULL;
}

gboolean dn_mpi_machine_check(const DnMachine *machine, GError **error)
{
    g_autoptr(DnParams) keys = machine->mpi != NULL ? read_keys(machine, error) : NULL;
    return machine->mpi == NULL || keys != NULL;
}

gboolean dn_mpi_machine_place(const DnMachine *machine, const DnPlacement *placement,
                              DnCollMachine *out, GError **error)
{
    if (machine->mpi == NULL)
        return TRUE;
    g_autoptr(DnParams) keys = read_keys(machine, error);
    if (keys == NULL)
        return FALSE;
    gboolean gpus = on_gpus(machine, placement);
    out->mpi.library = dn_coll_libraries[dn_params_int(keys, "library")];
    out->mpi.staged = gpus && dn_params_bool(keys, "staged");
    if (gpus && dn_params_has(keys, "block"))
        out->mpi.block_bytes = dn_params_int(keys, "block");
    if (out->node_of == NULL)
        out->node_of = dn_placement_nodes(placement, machine->graph);
    return TRUE;
}

const char *dn_mpi_machine_mechanism(const DnMachine *machine, const DnPlacement *placement,
                                     gboolean alltoall, gboolean staged)
{
    const DnConfigNode *defaults = machine->default_mechanism;
    if (!on_gpus(machine, placement))
        return "host";
    const char *key = alltoall ? "gpu_alltoall" : staged ? "gpu_reduce" : "gpu";
    return defaults != NULL && dn_config_get(defaults, key) != NULL ? key : "gpu";
}
