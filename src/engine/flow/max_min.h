/* max_min.h - Max-min fair rates of transfers over links, kept up to date from event to event.
 *
 * All transfers under way get the same rate, except where a link or a limit of their own holds
 * them lower (Bertsekas and Gallager, "Data Networks", 2nd edition, 1992, section 6.5.2). That
 * allocation is unique, and the one that SimGrid's CM02 computes (solver.h, which the tests
 * compare). A start or an end changes only rates at or above a level that is known beforehand
 * (max_min_share.c), and only of transfers that meet the changed one over shared links: only those
 * are computed anew.
 * Sizes in bytes, rates in bytes per us, times in ps. */
#pragma once
#include <glib.h>

typedef struct DnMaxMin DnMaxMin;

/* @capacity: [n_links], above 0. */
DnMaxMin *dn_max_min_new(const double *capacity, guint32 n_links);
void dn_max_min_free(DnMaxMin *system);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnMaxMin, dn_max_min_free)

/* Starts transfer @id, which must not be under way; @bytes > 0. @cap: the rate it does not exceed,
 * 0: none. A link listed m times carries m times its rate; @n >= 1. The last one counts as
 * @last_weight, 1 to 2^31. Ids are best small: memory goes with the largest. */
void dn_max_min_add(DnMaxMin *system, gint64 now_ps, guint32 id, double bytes, double cap,
                    const guint32 *links, guint32 n, guint32 last_weight);
/* A transfer may end early or late by half of @share of its time, so that rates are computed once
 * for all that end about then; 0 at first. */
void dn_max_min_set_tolerance(DnMaxMin *system, double share);
guint32 dn_max_min_in_flight(const DnMaxMin *system);
/* The rate of a transfer under way. */
double dn_max_min_rate(DnMaxMin *system, guint32 id);

/* Returns when the next transfers end, at most @until_ps; they go into @ended (guint32, ascending;
 * emptied first) and are under way no more. */
gint64 dn_max_min_advance(DnMaxMin *system, gint64 until_ps, GArray *ended);
