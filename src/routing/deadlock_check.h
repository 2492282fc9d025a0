/* deadlock_check.h - the two walks behind dn_deadlock_check(), for the tests to compare. */
#pragma once
#include "routing/channel_graph.h"
#include "routing/routing.h"

/* What waits on what; channels are link * router->channels + channel. @by_goals: with
 * DnRoutingType.moves, else target by target. Free @graph's edges. */
void dn_deadlock_graph(const DnRouter *router, gboolean by_goals, DnWaitGraph *graph);
