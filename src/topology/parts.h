/* parts.h - Parts are what a machine's fabric is bought of: switches, NICs and cables with their
 * prices and power, from `parts:` of a machine file.
 *
 * A cable is copper up to `reach`, else optical, by the length of its class under `lengths`; its
 * price is price + price_per_m * length, both ends included. Counted are the cables of the fabric
 * that stand in the graph (a link of width 4 is four cables), every switch, and every NIC.
 * Prices and watts are numbers of their file, each with its source or `assumed:`, as all others.
 * LIMITATIONS: racks, cooling, installation and spare parts are left out; one length a class. */
#pragma once
#include "topology/machine.h"

typedef struct {
    double price, price_per_m; /* in the parts' currency */
    double power_w;
    guint32 ports; /* of a switch; 0: unknown */
} DnPart;

struct DnParts {
    DnPart switch_, nic, copper, optics;
    double copper_reach_m;
    const DnConfigNode *lengths; /* link class: m; or NULL */
    char *currency;
};

/* (transfer full): of @node, a machine's `parts:`; NULL + error. */
DnParts *dn_parts_read(const DnConfigNode *node, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void dn_parts_free(DnParts *parts);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnParts, dn_parts_free)

/* The cables of one link class. */
typedef struct {
    const char *link_class;
    double length_m; /* NAN: `lengths` does not have it, and nothing is paid */
    gboolean optical;
    guint64 cables;
} DnCableCount;

typedef struct {
    GArray *cables;       /* DnCableCount, of classes of the fabric with cables */
    guint64 unused_ports; /* of all switches, where their ports are known */
    double price, power_w;
} DnFabricCost;

/* The machine has `parts:`. */
DnFabricCost dn_fabric_cost(const DnMachine *machine);
void dn_fabric_cost_clear(DnFabricCost *cost);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(DnFabricCost, dn_fabric_cost_clear)

extern const DnParamSpec dn_parts_keys[];
extern const DnParamSpec dn_part_keys[];
