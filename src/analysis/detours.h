/* detours.h - Do the detours between two groups meet in one local link?
 *
 * A detour over a third group enters the target's group over one of the links from there. When all
 * detours of a switch enter over the same switch, they go on over the same local link, and a shift
 * by one group gets the bandwidth of that link for all terminals of a switch, however many global
 * links there are. */
#pragma once
#include "analysis/net.h"
#include "routing/routing.h"

/* A share of detours from which on they are worth a warning. */
#define DN_DETOURS_MEET 0.5

typedef struct {
    double share;         /* of the detours between `from` and `target` that cross the link; 0..1 */
    guint32 arc;          /* of the fabric's net: inside the target's group */
    guint32 from, target; /* switches */
} DnDetourMeeting;

/* The largest such share over a sample of pairs of switches of different groups, spread evenly and
 * the same each time. FALSE: @router takes no detours over groups, or the fabric has fewer than
 * four groups, where there is one third group or none, or walking takes more than @max_steps. */
gboolean dn_detours_meet(const DnRouter *router, const DnNet *fabric, guint64 max_steps,
                         DnDetourMeeting *meeting);
