/* deadlock_check.h - the two walks behind dn_deadlock_check(), for the tests to compare. */
#pragma once
#include "routing/channel_graph.h"
#include "routing/routing.h"

/* What waits on what; channels are link * router->channels + channel. @by_goals: with
 * DnRoutingType.moves, else target by target. Beyond @max_bytes of walk and graph it stops, and
 * @graph is full. Free @graph's edges. */
void dn_deadlock_graph(const DnRouter *router, gboolean by_goals, guint64 max_bytes,
                       DnWaitGraph *graph);
/* As by goals, with the fabric as one junction where DnRoutingType.ascends holds; FALSE: it does
 * not. Without a cycle there is none at all; one may be of more edges than there are. */
gboolean dn_deadlock_graph_around(const DnRouter *router, guint64 max_bytes, DnWaitGraph *graph);
