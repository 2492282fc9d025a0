/* network.h - switches, hosts and cables as a network importer found them, to a draft.
 *
 * Where the switches form a regular tree, a two-level fat tree or one switch, and every host has
 * one port, the machine is that fabric with bare nodes on it, so that routing algorithms for it
 * apply. Anything else is a node graph: switches, ports and (where hosts have several ports) hosts
 * as vertices, up to the 4096 a node may have.
 * LIMITATIONS: what is inside a host is not given by these formats; a host of several ports is one
 * CPU vertex behind them. */
#pragma once
#include "topology/import/draft.h"
#include "topology/import/text.h"

#define DN_NET_MAX_HOSTS 200000
#define DN_NET_MAX_CABLES 2000000

typedef struct {
    char *name, *label; /* label: a comment; or NULL */
    guint level;        /* filled by dn_network_write: hops to the nearest host's switch */
} DnNetSwitch;

typedef struct {
    char *name;
    guint ports;
} DnNetHost;

/* Rate of a cable: @name for the class ("hdr"), data rate, and whence. */
typedef struct {
    const char *name;
    double gbps;
    const char *source, *assumed;
} DnNetRate;

typedef struct {
    gboolean to_host;
    guint32 a, b; /* switch a; switch or host b */
    guint32 rate; /* index in rates */
    guint32 count;
    char *label;
} DnNetCable;

typedef struct {
    GArray *switches, *hosts, *cables, *rates;
    GHashTable *switch_ids, *host_ids; /* name -> index + 1 */
    gboolean infiniband;
} DnNetwork;

DnNetwork *dn_network_new(void);
void dn_network_free(DnNetwork *net);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnNetwork, dn_network_free)

/* Index of the switch or host called @name, made when new. */
guint32 dn_network_switch(DnNetwork *net, const char *name, const char *label);
guint32 dn_network_host(DnNetwork *net, const char *name);
/* Strings are borrowed and must live on; returns the index of an equal one when there is. */
guint32 dn_network_rate(DnNetwork *net, DnNetRate rate);
/* Equal cables between two switches are counted together. */
void dn_network_cable(DnNetwork *net, guint32 a, guint32 b, guint32 rate, const char *label);
void dn_network_port(DnNetwork *net, guint32 switch_, guint32 host, guint32 rate,
                     const char *label);

/* @what: "InfiniBand fabric"; errors stand at line 1 of @text. */
gboolean dn_network_write(DnNetwork *net, const DnImportText *text, const char *what,
                          DnDraft *draft, GError **error);
