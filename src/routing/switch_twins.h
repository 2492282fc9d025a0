/* switch_twins.h - Switches with links to the same switches by the same ports are twins: from and
 * to all others their paths are the same.
 *
 * The leaves of a fat tree's pod are, and so are the roots on the same switches below. Shortest
 * paths are then found once between two classes of twins, on a graph whose vertices are classes. */
#pragma once
#include "routing/neighbours.h"

typedef struct {
    guint32 n;
    guint32 *of;      /* [R] class of a switch */
    guint32 *first;   /* [n + 1] into members */
    guint32 *members; /* [switches looked at] class by class, ascending */
} DnSwitchTwins;

/* Finds the twins among @switches, @n of them. */
void dn_switch_twins_init(DnSwitchTwins *twins, const DnNeighbours *neighbours,
                          const guint32 *switches, guint32 n, guint32 all_switches);
void dn_switch_twins_clear(DnSwitchTwins *twins);
