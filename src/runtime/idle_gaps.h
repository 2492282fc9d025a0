/* idle_gaps.h - When a server was idle, for work that is booked once it has been done: the copy of
 * a message that comes piece by piece is booked when its last byte is there, and what the server
 * was asked for meanwhile does not push all of the copy behind itself.
 * LIMITATIONS: the longest DN_IDLE_GAPS gaps are known; work so booked delays nothing that was
 * booked before it. */
#pragma once
#include <glib.h>

#define DN_IDLE_GAPS 7u

typedef struct {
    gint64 from_ps, until_ps;
} DnIdleGap;

/* Disjoint, rising; all zeros: none yet. */
typedef struct {
    guint32 n;
    DnIdleGap gaps[DN_IDLE_GAPS];
} DnIdleGaps;

/* The server, idle from @from_ps on, has work again at @until_ps; later than all gaps so far. */
void dn_idle_gaps_note(DnIdleGaps *idle, gint64 from_ps, gint64 until_ps);
/* Works up to @work_ps in gaps, not before @from_ps; returns the rest, and where there is none
 * *@end_ps is when the work ends. */
gint64 dn_idle_gaps_use(DnIdleGaps *idle, gint64 from_ps, gint64 work_ps, gint64 *end_ps);
