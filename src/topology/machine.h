/* machine.h - A machine, read from YAML: fabric, nodes, NICs and the hardware parameters of the
 * engines.
 *
 * `topologies/<name>.yaml`, a path, or an inline mapping; topologies/README.md has the keys.
 * A machine owns its graph. Partial machines: `nodes:` keeps nodes 0..n-1 and all switches. */
#pragma once
#include "topology/hardware.h"
#include "topology/topology.h"

/* Origin of a number: its own {value:, source:}, else the nearest mapping around it with a
 * `source:` or `assumed:` key. Neither: the number is not accounted for (no shipped machine has
 * one; a run may set one). */
typedef struct {
    char *key;              /* "fabric.links.global.latency" */
    char *text;             /* as written */
    char *source, *assumed; /* at most one of them */
    const char *file;
    guint line;
} DnProvenance;

typedef struct DnParts DnParts; /* parts.h */

typedef struct {
    char *name;
    char *description;
    const DnTopologyType *type; /* NULL: a node graph without fabric */
    DnParams *params;           /* of the type; NULL without fabric */
    DnGraph *graph;
    DnHardware hardware;
    GPtrArray *provenance;                 /* DnProvenance*, file order */
    DnConfigNode *config;                  /* the machine's own tree */
    DnParts *parts;                        /* prices and power; or NULL */
    const DnConfigNode *mechanisms;        /* its `mechanisms:` subtree, for endpoint/; or NULL */
    const DnConfigNode *default_mechanism; /* by library: of jobs that name none */
    const DnConfigNode *no_mechanism;      /* {host, gpu, ccl}: why it has none; or NULL */
    const DnConfigNode *nccl;              /* its `nccl:`, what NCCL and RCCL find there; or NULL */
    const DnConfigNode *mpi;               /* its `mpi:`, what its MPI does; or NULL */
    const DnConfigNode *routing;           /* its `routing:`, of runs that name none; or NULL */
    guint32 gpus_per_node, nics_per_node;
    guint32 whole_nodes;   /* nodes of the whole machine */
    guint32 failed_cables; /* of the fabric, not in the graph; failures.h */
} DnMachine;

/* Returns (transfer full) the path of the file of machine @name, as dn_machine_load() finds it.
 * NULL + error with the known names; @at: where the name was written. */
char *dn_machine_find(const char *name, const DnConfigNode *at, GError **error);

/* (transfer full): a machine whose graph passed dn_graph_check(); NULL + error otherwise.
 * @node: scalar (name or path; a name is looked up in folders `topologies`, base/data_folders.h),
 * or its own mapping, or {name: x, key: value ...}: machine x with keys set. Paths: relative to the
 * file.
 * @nodes: 0 = as the machine says, else partial. */
DnMachine *dn_machine_load(const DnConfigNode *node, guint32 nodes,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The memory that a machine and what is made from it may take. */
typedef struct {
    guint64 max_bytes; /* 0: a share of the host's (base/memory.h) */
    /* Bytes that others will allocate for a machine of that size; NULL: nothing. */
    guint64 (*others)(const void *data, const DnTopologyType *type, const DnGraphSize *size);
    const void *data;
} DnMachineMemory;

/* Does the same, within a limit of memory: NULL + DN_ERROR_MEMORY, before anything is allocated,
 * when the machine would take more. */
DnMachine *dn_machine_load_within(const DnConfigNode *node, guint32 nodes,
                                  const DnMachineMemory *memory,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
void dn_machine_free(DnMachine *machine);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnMachine, dn_machine_free)

/* Returns the `arrangement` of the links between groups, e.g. "circulant"; NULL: the fabric has no
 * such key. */
const char *dn_machine_arrangement(const DnMachine *machine);

/* Returns the rate of link @l in bit/s: its bandwidth times its class's efficiency; from a node
 * into the fabric at most `injection`. */
double dn_machine_link_bps(const DnMachine *machine, guint32 l);

/* Keys of a machine. */
extern const DnParamSpec dn_machine_keys[];

/* `attach:` of a machine. */
extern const DnParamSpec dn_attach_keys[];

/* `nic:` of a machine and `switch:` of its fabric. */
extern const DnParamSpec dn_latency_keys[];

/* Keys of `fabric:` besides its type's. */
extern const DnParamSpec dn_fabric_common_keys[];

/* Returns (transfer full) a sentence that @machine has no default mechanism for @library (a key of
 * `default_mechanism:`), with its reason if it has one, and what to set. */
char *dn_machine_lack_text(const DnMachine *machine, const char *library);

/* `default_mechanism:` and `no_mechanism:` of a machine. */
extern const DnParamSpec dn_default_mechanism_keys[];
extern const DnParamSpec dn_no_mechanism_keys[];
