/* deadlock_check.h - the two walks behind dn_deadlock_check(), for the tests to compare. */
#pragma once
#include "routing/channel_graph.h"
#include "routing/routing.h"

/* Fills @graph with which channel waits for which; channels are link * router->channels + channel.
 * @by_goals: with DnRoutingType.moves, else target by target. Beyond @max_bytes of walk and graph
 * it stops, and @graph is full. Free @graph's edges. */
void dn_deadlock_graph(const DnRouter *router, gboolean by_goals, guint64 max_bytes,
                       DnWaitGraph *graph);
/* Fills the graph by goals, with the fabric as one junction where DnRoutingType.ascends holds;
 * FALSE: it does not. It has all edges and perhaps more: without a cycle in it there is none at
 * all. */
gboolean dn_deadlock_graph_around(const DnRouter *router, guint64 max_bytes, DnWaitGraph *graph);
