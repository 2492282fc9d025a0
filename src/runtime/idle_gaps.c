/* idle_gaps.c - see idle_gaps.h. */
#include "runtime/idle_gaps.h"

static void remove_gap(DnIdleGaps *idle, guint32 i)
{
    for (idle->n--; i < idle->n; i++)
        idle->gaps[i] = idle->gaps[i + 1];
}

static gint64 gap_length(const DnIdleGap *gap)
{
    return gap->until_ps - gap->from_ps;
}

void dn_idle_gaps_note(DnIdleGaps *idle, gint64 from_ps, gint64 until_ps)
{
    DnIdleGap gap = {from_ps, until_ps};
    if (gap_length(&gap) <= 0)
        return;
    if (idle->n > 0 && idle->gaps[idle->n - 1].until_ps == from_ps) { /* no work in between */
        idle->gaps[idle->n - 1].until_ps = until_ps;
        return;
    }
    if (idle->n == DN_IDLE_GAPS) {
        guint32 shortest = 0;
        for (guint32 i = 1; i < idle->n; i++)
            if (gap_length(&idle->gaps[i]) < gap_length(&idle->gaps[shortest]))
                shortest = i;
        if (gap_length(&gap) <= gap_length(&idle->gaps[shortest]))
            return;
        remove_gap(idle, shortest);
    }
    idle->gaps[idle->n++] = gap;
}

gint64 dn_idle_gaps_use(DnIdleGaps *idle, gint64 from_ps, gint64 work_ps, gint64 *end_ps)
{
    for (guint32 i = 0; i < idle->n && work_ps > 0;) {
        DnIdleGap *gap = &idle->gaps[i];
        gint64 start_ps = MAX(gap->from_ps, from_ps);
        gint64 used_ps = CLAMP(gap->until_ps - start_ps, 0, work_ps);
        if (used_ps == 0) {
            i++;
            continue;
        }
        work_ps -= used_ps;
        *end_ps = start_ps + used_ps;
        if (*end_ps < gap->until_ps)
            gap->from_ps = *end_ps; /* what it had before @from_ps is too long ago */
        else
            gap->until_ps = start_ps;
        if (gap_length(gap) > 0)
            i++;
        else
            remove_gap(idle, i);
    }
    return work_ps;
}
