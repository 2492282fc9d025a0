/* processes.c - see processes.h. */
#include "base/processes.h"

#include <string.h>

static const DnProcesses *present;

const DnProcesses *dn_processes(void)
{
    return present;
}

void dn_processes_set(const DnProcesses *processes)
{
    present = processes;
}

gboolean dn_processes_agree(const DnProcesses *processes, GError **error)
{
    g_autofree gsize *sizes = g_new(gsize, processes->n);
    const GError *own = *error;
    g_autoptr(GString) text = g_string_new(NULL);
    if (own != NULL) {
        gint32 code = own->code;
        g_string_append_len(text, (const char *)&code, sizeof code);
        g_string_append(text, own->message);
    }
    g_autofree guint8 *all = processes->gather(text->str, text->len, sizes);
    const guint8 *at = all;
    for (guint p = 0; p < processes->n; at += sizes[p++]) {
        gint32 code;
        if (sizes[p] == 0)
            continue;
        memcpy(&code, at, sizeof code);
        g_autofree char *message =
            g_strndup((const char *)at + sizeof code, sizes[p] - sizeof code);
        g_clear_error(error);
        g_set_error_literal(error, DN_ERROR, code, message);
        return FALSE;
    }
    return TRUE;
}

static guint64 launched_number(const char *name)
{
    const char *value = g_getenv(name);
    return value != NULL ? g_ascii_strtoull(value, NULL, 10) : 0;
}

guint dn_processes_launched(guint *rank)
{
    /* of Open MPI's mpirun; of MPICH's, and of Slurm's srun */
    static const char *const names[][2] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                           {"PMI_SIZE", "PMI_RANK"}};
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        guint64 n = launched_number(names[i][0]);
        *rank = (guint)launched_number(names[i][1]);
        if (n > 1 && n <= G_MAXINT)
            return (guint)n;
    }
    return 1;
}
