/* ti.h - The parts of the reader of time-independent traces: lines and files (ti.c), and actions
 * with their arguments (ti_actions.c). */
#pragma once
#include "base/array_space.h"
#include "trace/trace.h"

#define DN_TI_ACTIONS 32

typedef struct {
    guint32 src, dst, tag;
    guint64 handle; /* 0: over */
} DnTiPending;

typedef struct {
    DnTiPending *pending; /* [n_pending] oldest first */
    guint n_pending, pending_space;
    guint first; /* before it all are over */
    guint64 handles;
    gint64 unit_bytes; /* of the default datatype */
} DnTiRank;

typedef struct {
    DnTraceSink *sink;
    GError **error;
    GArray *ranks; /* DnTiRank */
    guint32 n;     /* ranks in all */
    guint32 only;  /* the rank of this file, or DN_ANY */
    guint32 rank;  /* of the line */
    guint64 line;
    const char *text; /* of the line, cut into words */
    char **words;     /* [n_words] of the line, after the action */
    guint n_words, words_space;
    gint64 *list; /* [n_list] */
    guint n_list, list_space;
    const char *action;
    guint8 last_action, follows[DN_TI_ACTIONS]; /* of the lines before: what followed each */
} DnTi;

/* Returns the column of @word, a part of the line at hand. */
static inline gsize dn_ti_column(const DnTi *t, const char *word)
{
    return (gsize)(word - t->text) + 1;
}
/* Place in the table of actions; -1: none has the name @word. */
int dn_ti_action_find(const char *word);
/* Adds what the line at hand says (t->rank, t->action, t->words) to the trace. */
gboolean dn_ti_action_run(DnTi *t);
