/* simgrid_platform.h - The quantities, link classes and errors of a SimGrid platform, for both
 * halves of its importer: simgrid_cluster.h and simgrid_routes.h. */
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
