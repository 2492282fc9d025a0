/* job_mechanism.c - see job_mechanism.h.
 *
 * The machine's `ccl` has the rates of one channel of a ring or tree. What has no channels NCCL
 * sends by ncclSend and ncclRecv, which take several channels by the size of a message: a run that
 * names `ccl` gets `ccl_group` for grouped sends and receives, and `ccl_p2p` for all else, whose
 * messages are calls of their own. */
#include "experiment/job_mechanism.h"

#include <string.h>

#include "experiment/default_warnings.h"
#include "experiment/mpi_machine.h"

/* Returns the library whose costs a job has that names no mechanism: of MPI by where its ranks are,
 * or NCCL's; NULL: its messages are no library's. */
static const char *library_of(const DnSetup *setup, guint j)
{
    const DnJobSpec *job = &setup->spec->jobs[j];
    const DnProgramType *type = setup->programs[j]->type;
    gboolean trace = strcmp(type->name, "trace") == 0;
    if (j >= setup->own_jobs || job->background || (!trace && type->collective == 0))
        return NULL;
    const char *nccl =
        dn_nccl_machine_mechanism(setup->result->machine, setup->programs[j]->library);
    if (nccl != NULL)
        return nccl;
    return dn_mpi_machine_mechanism(setup->result->machine, &setup->placements[j],
                                    setup->programs[j]);
}

/* Returns @named, or what takes its place for a program without channels. */
static const DnConfigNode *with_channels(DnSetup *setup, guint j, const DnConfigNode *named)
{
    const DnProgram *program = setup->programs[j];
    const DnConfigNode *fits =
        dn_nccl_machine_without_channels(setup->result->machine, named, program->library);
    if (fits != NULL && j < setup->own_jobs)
        dn_warn_no_channels(setup->result, setup->spec->jobs[j].name, named, fits, program);
    return fits != NULL ? fits : named;
}

gboolean dn_job_machine_place(const DnMachine *machine, const DnJobSpec *job,
                              const DnPlacement *placement, DnCollMachine *out, GError **error)
{
    if (!dn_nccl_machine_place(machine, placement, out, error) ||
        (!job->background && !dn_mpi_machine_place(machine, placement, out, error)))
        return FALSE;
    if (job->mechanism != NULL) { /* costs that are named are all that it has */
        out->mpi.staged = FALSE;
        out->mpi.block_bytes = 0;
    }
    return TRUE;
}

const DnConfigNode *dn_job_mechanism(DnSetup *setup, guint j)
{
    const DnMachine *machine = setup->result->machine;
    const DnJobSpec *job = &setup->spec->jobs[j];
    if (job->mechanism != NULL)
        return with_channels(setup, j, job->mechanism);
    const char *library = library_of(setup, j);
    if (library == NULL && j < setup->own_jobs && !job->background)
        dn_warn_free_pattern(setup->result, job->name, setup->programs[j], &setup->placements[j]);
    if (library == NULL)
        return NULL;
    const DnConfigNode *found = machine->default_mechanism != NULL
                                    ? dn_config_get(machine->default_mechanism, library)
                                    : NULL;
    gboolean trace = strcmp(setup->programs[j]->type->name, "trace") == 0;
    /* A bare fabric has wires only, as its files say. */
    if (found == NULL && (trace || machine->mechanisms != NULL))
        dn_warn_free_calls(setup->result, job->name, library);
    return found;
}
