/* stage_line.c - see stage_line.h. */
#include "report/stage_line.h"

DnStageLine dn_stage_line_new(FILE *out, DnProgressMode mode)
{
    return (DnStageLine){.out = out, .mode = mode, .written_us = g_get_monotonic_time()};
}

void dn_stage_line_show(gpointer line, const char *stage)
{
    DnStageLine *l = line;
    gint64 now_us = g_get_monotonic_time();
    gboolean soon = now_us - l->written_us < DN_PROGRESS_SECONDS * G_USEC_PER_SEC;
    if (l->mode == DN_PROGRESS_NONE || (l->mode == DN_PROGRESS_LINES && soon))
        return;
    l->written_us = now_us;
    l->drawn = l->mode == DN_PROGRESS_TERMINAL;
    fprintf(l->out, l->drawn ? "\r\033[?7l%s ...\033[K\033[?7h" : "%s ...\n", stage);
    fflush(l->out);
}

void dn_stage_line_clear(DnStageLine *line)
{
    if (!line->drawn)
        return;
    fputs("\r\033[K", line->out);
    fflush(line->out);
    line->drawn = FALSE;
}
