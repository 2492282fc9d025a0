/* deadlock_check.h - the two walks behind dn_deadlock_check(), for the tests to compare. */
#pragma once
#include "routing/channel_graph.h"
#include "routing/routing.h"

/* Adds to @edges what waits on what. @by_goals: with DnRoutingType.moves, else target by target. */
void dn_deadlock_edges(const DnRouter *router, gboolean by_goals, DnKeySet *edges);
