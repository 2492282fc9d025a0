/* simgrid_platform.h - Declarations shared by the two halves of the SimGrid importer: clusters
 * become fabrics (simgrid_cluster.c), hosts with links and routes a node graph (simgrid_routes.c).
 * */
#pragma once
#include "topology/import/draft.h"
#include "topology/import/xml.h"

typedef struct {
    const DnImportText *text;
    DnDraft *draft;
} DnPlatform;

typedef struct {
    double bps, latency_ps;
} DnPlatformLink;

gboolean dn_platform_fault(const DnPlatform *p, const DnXml *at, DnError code, GError **error,
                           const char *format, ...) G_GNUC_PRINTF(5, 6);
gboolean dn_platform_is_zone(const DnXml *xml);
/* Attribute @name as SimGrid writes it, into bit/s ("125MBps", "1Gbps"; bare: bytes a second) or ps
 * ("50us", "1.5ms"; bare: seconds); @fallback below 0: it must be there. */
gboolean dn_platform_rate(const DnPlatform *p, const DnXml *at, const char *name, double fallback,
                          double *bps, GError **error);
gboolean dn_platform_time(const DnPlatform *p, const DnXml *at, const char *name, double fallback,
                          double *ps, GError **error);
/* The numbers of a link class: bandwidth, latency, efficiency, buffer. The caller's. */
void dn_platform_class(const DnPlatform *p, DnPlatformLink link, DnDraftNumber numbers[4]);

gboolean dn_platform_cluster(const DnPlatform *p, const DnXml *cluster, GError **error);
/* All zones below @top as one graph. */
gboolean dn_platform_routes(const DnPlatform *p, const DnXml *top, GError **error);
