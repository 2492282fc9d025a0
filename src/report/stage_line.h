/* stage_line.h - The stage that a long computation is in. On a terminal it is one line that is
 * redrawn, elsewhere a line for a stage that begins DN_PROGRESS_SECONDS or more after the last. */
#pragma once
#include "report/progress.h"

typedef struct {
    FILE *out;
    DnProgressMode mode;
    gboolean drawn;
    gint64 written_us;
} DnStageLine;

/* @out: usually stderr. */
DnStageLine dn_stage_line_new(FILE *out, DnProgressMode mode);
/* @line: DnStageLine *. */
void dn_stage_line_show(gpointer line, const char *stage);
/* Clears the line, so that other output starts on an empty one. */
void dn_stage_line_clear(DnStageLine *line);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(DnStageLine, dn_stage_line_clear)
