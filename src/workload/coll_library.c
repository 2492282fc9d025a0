/* coll_library.c - the libraries that `library:` names, and the keys that go with them. */
#include <string.h>

#include "workload/select.h"
#include "base/registry.h"

const DnCollLibrary *dn_coll_library_find(const char *name)
{
    return dn_registry_find(dn_coll_libraries, name);
}

/* A GPU that is not written is the first that the library knows. */
static gboolean read_gpu(const DnParams *params, DnCollChoice *choice, GError **error)
{
    guint known = choice->library->gpus;
    guint gpu = (guint)dn_params_int(params, "gpu");
    choice->nccl.gpu = (DnNcclGpu)gpu;
    if (known == 0 || known & 1u << gpu)
        return TRUE;
    guint first = (guint)g_bit_nth_lsf(known, -1);
    choice->nccl.gpu = (DnNcclGpu)first;
    if (!dn_params_given(params, "gpu"))
        return TRUE;
    dn_params_error(params, "gpu", DN_ERROR_RANGE, error,
                    "gpu: %s's model does not know %s; allowed: %s", choice->library->title,
                    dn_nccl_gpu_names[gpu], dn_nccl_gpu_names[first]);
    return FALSE;
}

gboolean dn_coll_choice_read(const DnParams *params, DnCollChoice *choice, DnCollCall *call,
                             GError **error)
{
    call->radix = (guint32)dn_params_int(params, "radix");
    call->channels = (guint32)dn_params_int(params, "channels");
    call->window = (guint32)dn_params_int(params, "window");
    call->group = (guint32)dn_params_int(params, "group");
    call->element = dn_params_int(params, "element");
    *choice = (DnCollChoice){
        .library = dn_coll_libraries[dn_params_int(params, "library")],
        .nccl = {.bus_bps = dn_params_int(params, "bus_bandwidth"),
                 .version = (DnNcclVersion)dn_params_int(params, "version"),
                 .nic_path = (DnNcclPath)dn_params_int(params, "nic_path"),
                 .buffer_bytes = dn_params_int(params, "buffer")},
        .window_given = dn_params_given(params, "window"),
    };
    return read_gpu(params, choice, error);
}

gboolean dn_coll_choice_check(const DnParams *params, const DnCollLibrary *library, guint kinds,
                              GError **error)
{
    if ((library->modelled & kinds) == 0 || dn_params_has(params, "bus_bandwidth"))
        return TRUE;
    dn_params_error(params, "library", DN_ERROR_MISSING, error,
                    "%s's model needs `bus_bandwidth`, what a rank's rings carry together; "
                    "e.g. bus_bandwidth: 200 GB/s",
                    library->title);
    return FALSE;
}

gboolean dn_coll_fits(const DnCollAlgorithm *algorithm, const DnCollCall *call)
{
    if (algorithm->needs && algorithm->needs(call))
        return FALSE;
    return !algorithm->equal_blocks || !(call->unequal || call->spread > 0);
}

const DnCollAlgorithm *dn_coll_that_fits(const DnCollCall *call, DnCollKind kind, const char *name)
{
    const DnCollAlgorithm *chosen = dn_coll_find(kind, name);
    g_assert(chosen != NULL);
    const char *names[] = {name, chosen->otherwise ? chosen->otherwise : "bruck", "ring", "linear",
                           "pairwise"};
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        const DnCollAlgorithm *algorithm = dn_coll_find(kind, names[i]);
        if (algorithm && dn_coll_fits(algorithm, call))
            return algorithm;
    }
    g_assert_not_reached();
}

void dn_selection_apply(const DnSelection *selection, DnCollKind kind, gboolean window_given,
                        DnCollCall *call)
{
    call->algorithm = dn_coll_that_fits(call, kind, selection->algorithm);
    call->segment = selection->segment >= 0 ? selection->segment : call->algorithm->segment;
    call->style = selection->style;
    if (selection->window > 0 && !window_given)
        call->window = selection->window;
    if (selection->channels > 0)
        call->channels = selection->channels;
}
