/* routing_index.h - fabric loads under one of our own routing algorithms.
 *
 * Every hop that the algorithm may take from a state is taken with equal probability, and so is
 * every state it may start with. For minimal, Valiant and dimension-order routing that is what
 * they do on an idle machine; an adaptive algorithm's own choices depend on load, and this counts
 * all it allows. */
#pragma once
#include "analysis/net.h"
#include "analysis/traffic.h"
#include "routing/routing.h"

/* Adds to @load[arcs of parts->fabric]. One walk over all states for each pair of switches with
 * demand; FALSE + DN_ERROR_RANGE when that takes more than @max_steps, or when there is no
 * fabric. */
gboolean dn_routing_load(const DnRouter *router, const DnTrafficShares *shares, guint64 max_steps,
                         double *load, double *mean_hops, GError **error);
