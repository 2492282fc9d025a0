/* bytes_of_all.c - see bytes_of_all.h. */
#include "validation/bytes_of_all.h"
#include "workload/program.h"

/* Returns the number of ranks in the communicator of @workload; 0: it names none. */
static gint64 communicator_ranks(const DnConfigNode *workload)
{
    const DnConfigNode *list = dn_config_get(workload, "communicator");
    return list != NULL && list->kind == DN_CONFIG_LIST ? list->children->len : 0;
}

static gboolean is_shared(const DnConfigNode *workload)
{
    static const char *const shared[] = {"alltoall", "allgather", "reduce_scatter", NULL};
    const DnConfigNode *type = workload->kind == DN_CONFIG_MAP ? dn_config_get(workload, "type")
                                                               : NULL;
    return type != NULL && type->kind == DN_CONFIG_SCALAR && g_strv_contains(shared, type->scalar);
}

gint64 dn_bytes_of_all(const DnJobSpec *job, GError **error)
{
    g_autoptr(DnConfigNode) file = NULL;
    if (job->workload->kind == DN_CONFIG_SCALAR) {
        file = dn_workload_load(job->workload, error);
        if (file == NULL)
            return 0;
    }
    const DnConfigNode *workload = file != NULL ? file : job->workload;
    if (!is_shared(workload))
        return 1;
    if (communicator_ranks(workload) > 0)
        return communicator_ranks(workload);
    if (job->ranks > 0)
        return job->ranks;
    dn_config_error(job->node, DN_ERROR_MISSING, error,
                    "nccl-tests counts the bytes of all ranks, and job %s does not say how many it "
                    "has; wanted: ranks, or divide_bytes in the mapping of the measurements",
                    job->name);
    return 0;
}
