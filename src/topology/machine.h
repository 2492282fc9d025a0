/* machine.h - a machine: fabric, node, NICs, and the engine's hardware parameters, from YAML.
 *
 * `topologies/<name>.yaml` (or a path, or an inline mapping): see topologies/README.md for the keys.
 * A machine owns its graph. Partial machines: `nodes:` keeps nodes 0..n-1 and the switches all;
 * `node_list` placement picks among them. */
#pragma once
#include "topology/topology.h"

typedef struct {
    char *key;  /* "fabric.links.global.latency" */
    char *text; /* as written */
    char *source, *assumed; /* one of them */
    const char *file;
    guint line;
} DnProvenance;

/* Hardware facts the engines need beside the graph; defaults say `assumed` in the YAML. */
typedef struct {
    guint32 lanes;             /* service levels the hardware keeps apart, >= 1 */
    gint64 header_bytes;       /* wire bytes added to each packet */
    gint64 packet_bytes;       /* the machine's own maximum payload per packet (MTU) */
    gint64 injection_bps;      /* NIC injection limit; 0: the link's */
    double message_rate_per_s; /* NIC message rate; 0: unlimited */
} DnMachineHardware;

typedef struct {
    char *name;
    char *description;
    const DnTopologyType *type; /* NULL: a node graph without fabric */
    DnParams *params;           /* of the type; NULL without fabric */
    DnGraph *graph;
    DnMachineHardware hardware;
    GPtrArray *provenance;      /* DnProvenance*, file order */
    DnConfigNode *mechanisms;   /* `mechanisms:` subtree (endpoint/), owned copy; or NULL */
    guint32 gpus_per_node, nics_per_node;
} DnMachine;

/* (transfer full): a machine whose graph passed dn_graph_check(); NULL + error otherwise.
 * @node: scalar (name or path; looked up in `topologies/` beside the run file's project root, then
 * $DARNER_ROOT, then the installed data folder) or mapping. @nodes: 0 = whole, else partial. */
DnMachine *dn_machine_load(const DnConfigNode *node, guint32 nodes,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
void dn_machine_free(DnMachine *machine);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnMachine, dn_machine_free)
