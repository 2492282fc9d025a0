/* background_result.c - see background_result.h. */
#include "experiment/background_result.h"

#include "base/units.h"
#include <math.h>

static void warn_key(const DnSetup *setup, const DnJobSpec *job, const char *what)
{
    g_ptr_array_add(setup->result->warnings, g_strdup_printf("job %s: %s", job->name, what));
}

void dn_background_warn_keys(const DnSetup *setup)
{
    for (guint j = 0; j < setup->own_jobs; j++) {
        const DnJobSpec *job = &setup->spec->jobs[j];
        if (!job->background)
            continue;
        if (dn_config_get(job->node, "iterations") != NULL)
            warn_key(setup, job,
                     "`iterations` has no effect, since a job in the background goes on until the "
                     "other jobs are done");
        if (job->burst > 1 && dn_config_get(job->node, "pause") == NULL)
            warn_key(setup, job,
                     "`burst` has no effect without a `pause`, the silence between two bursts");
    }
}

/* Where ranks do not wait for one another the ends of iterations follow as some run ahead or fall
 * behind: the goodput is that of the payload which arrived. */
static void collect_unpaced(const DnSetup *setup, guint j)
{
    const DnProgram *program = setup->programs[j];
    const DnProgramType *type = program->type;
    DnJobResult *out = &setup->result->jobs[j];
    double moved = type->bytes_moved != NULL ? type->bytes_moved(program) : 0;
    double time_ps = (double)(setup->result->engine.end_ps - out->start_ps) * type->time_scale;
    out->load.unpaced = TRUE;
    out->load.delivered_bps = NAN;
    if (moved > 0 && time_ps > 0)
        out->load.delivered_bps = out->goodput_bytes * 8e12 / time_ps *
                                  ((double)out->load.arrived_bytes / moved);
}

/* Jobs whose start lies behind the run's end. */
static void warn_late_starts(const DnSetup *setup)
{
    gint64 end_ps = setup->result->engine.end_ps;
    for (guint j = 0; j < setup->own_jobs; j++) {
        const DnJobSpec *job = &setup->spec->jobs[j];
        char start[DN_UNIT_BUF], end[DN_UNIT_BUF];
        if (!job->background || setup->jobs[j].muted || job->start_ps < end_ps)
            continue;
        g_ptr_array_add(
            setup->result->warnings,
            g_strdup_printf("job %s was to start in the background at %s, but the other jobs were "
                            "done at %s: this run is as without it",
                            job->name, dn_format_time(job->start_ps, start),
                            dn_format_time(end_ps, end)));
    }
}

void dn_background_collect(const DnSetup *setup)
{
    DnBackgroundMetrics *m = &setup->result->background_metrics;
    gint64 end_ps = setup->result->engine.end_ps;
    for (guint j = 0; j < setup->own_jobs; j++)
        if (setup->jobs[j].background && setup->programs[j]->apart)
            collect_unpaced(setup, j);
    for (guint j = setup->own_jobs; j < setup->spec->n_jobs; j++) {
        DnReplayResult result;
        dn_replay_result(setup->replay, j, &result);
        m->payload_bytes += (double)result.arrived_bytes;
        m->messages += result.messages;
        dn_replay_result_clear(&result);
    }
    if (m->nodes > 0 && end_ps > 0)
        m->node_load_bps = m->payload_bytes * 8e12 / (double)end_ps / m->nodes;
    warn_late_starts(setup);
    char end[DN_UNIT_BUF];
    if (m->jobs > 0 && m->messages == 0)
        g_ptr_array_add(setup->result->warnings,
                        g_strdup_printf("background: no message of its %u jobs arrived in the %s "
                                        "of this run, which is as without them",
                                        m->jobs, dn_format_time(end_ps, end)));
}
