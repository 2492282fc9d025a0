/* bytes_of_all.c - see bytes_of_all.h. */
#include "validation/bytes_of_all.h"
#include "workload/program.h"

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
    if (!is_shared(file != NULL ? file : job->workload))
        return 1;
    if (job->ranks > 0)
        return job->ranks;
    dn_config_error(job->node, DN_ERROR_MISSING, error,
                    "nccl-tests counts the bytes of all ranks, and job %s does not say how many it "
                    "has; wanted: ranks, or divide_bytes in the mapping of the measurements",
                    job->name);
    return 0;
}
