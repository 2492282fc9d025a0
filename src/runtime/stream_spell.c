/* stream_spell.c - see stream_spell.h. */
#include "runtime/stream_spell.h"

#include "base/interrupt.h"

/* Iterations in a row that take no time, of a background job: as many as DnStream.still counts. */
#define MOST_STILL 8191

/* An iteration of a background job ends, and its time is not kept. */
static DnSpellEnd iteration_over(DnRankContext *s, DnStream *stream, const DnSpell *spell)
{
    if (spell->iterated && !spell->works)
        return DN_SPELL_IDLE;
    stream->still = stream->began_ps == s->now_ps ? stream->still + 1u : 0;
    if (stream->still < MOST_STILL)
        return DN_SPELL_GOES_ON;
    dn_rank_fail(s, g_strdup_printf("rank %u of background job %s repeats without end at one time: "
                                    "nothing that it does takes time",
                                    s->rank->rank, s->job->job.name));
    return DN_SPELL_FAILED;
}

DnSpellEnd dn_spell_look(DnRankContext *s)
{
    if (!dn_interrupted())
        return DN_SPELL_GOES_ON;
    dn_rank_fail(s, g_strdup("interrupted"));
    return DN_SPELL_FAILED;
}

DnSpellEnd dn_spell_mark(DnRankContext *s, DnStream *stream, DnSpell *spell, const DnOp *op)
{
    DnSpellEnd end = DN_SPELL_GOES_ON;
    if (s->job->job.background && op->tag >= s->job->marks)
        end = iteration_over(s, stream, spell);
    spell->iterated = TRUE;
    spell->works = FALSE;
    return end;
}
