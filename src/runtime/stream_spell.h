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

/* @op comes next in @spell, which is all zeros at its beginning. */
DnSpellEnd dn_spell_next(DnRankContext *s, DnStream *stream, DnSpell *spell, const DnOp *op);
