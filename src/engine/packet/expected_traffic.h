/* expected_traffic.h - How much each domain will have to do, and what will cross between domains,
 * from paths of random messages between the endpoints that take part. It decides which domains run
 * together, so only how fast a run is, never a result. */
#pragma once
#include "engine/packet/core.h"

typedef struct {
    guint32 n_domains;
    guint32 *load;  /* [n_domains] hops of the paths that end in each, and a share of its ports */
    guint32 *first; /* [n_domains + 1] into to and crossings */
    guint32 *to;    /* neighbours of each domain, each once */
    guint32 *crossings; /* hops of the paths between the two, both ways, + 1 */
} DnExpectedTraffic;

/* (transfer full) */
DnExpectedTraffic *dn_expected_traffic_new(const DnPacketEngine *engine);
void dn_expected_traffic_free(DnExpectedTraffic *traffic);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnExpectedTraffic, dn_expected_traffic_free)
/* The load of the busiest of @n parts, with what crosses to and from it. */
guint64 dn_expected_traffic_most(const DnExpectedTraffic *traffic, guint n, const guint16 *part);
