/* stream_spell.h - A spell: what a stream does from one rest to the next, in no simulated time.
 *
 * A job in the background repeats without end. A stream of it that has nothing to do in an
 * iteration would repeat for ever without leaving the moment, and so would one whose operations
 * take no time. Interrupts (base/interrupt.h) are heard within a spell, too. */
#pragma once
#include "runtime/runtime_internal.h"

typedef struct {
    guint32 ops;       /* all so far */
    gboolean iterated; /* it has passed a MARK, so that what follows took no time */
    gboolean works;    /* since that MARK, more than waiting for nothing */
} DnSpell;

typedef enum {
    DN_SPELL_GOES_ON,
    DN_SPELL_IDLE,   /* nothing to do in any iteration: the stream rests for good */
    DN_SPELL_FAILED, /* the rank has stopped and says why */
} DnSpellEnd;

#define DN_SPELL_OPS_BETWEEN_LOOKS 65536
/* An interrupt may be there. */
DnSpellEnd dn_spell_look(DnRankContext *s);
/* A MARK comes next. */
DnSpellEnd dn_spell_mark(DnRankContext *s, DnStream *stream, DnSpell *spell, const DnOp *op);

/* @op comes next in @spell, which is all zeros at its beginning. */
static inline DnSpellEnd dn_spell_next(DnRankContext *s, DnStream *stream, DnSpell *spell,
                                       const DnOp *op)
{
    if (G_UNLIKELY(++spell->ops % DN_SPELL_OPS_BETWEEN_LOOKS == 0) &&
        dn_spell_look(s) == DN_SPELL_FAILED)
        return DN_SPELL_FAILED;
    if (G_UNLIKELY(op->kind == DN_OP_MARK))
        return dn_spell_mark(s, stream, spell, op);
    spell->works |= op->kind != DN_OP_BEGIN && op->kind != DN_OP_WAIT;
    return DN_SPELL_GOES_ON;
}
