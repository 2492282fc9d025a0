/* select.h - `algorithm: auto`: which algorithm a library would take, and how it would run it. */
#pragma once
#include "workload/collective.h"

typedef struct {
    const char *algorithm; /* a name that dn_coll_find() knows for the kind */
    const char *chosen;    /* the library's own word */
    gboolean falls_back;   /* what is chosen does not fit: it calls `algorithm` itself */
    const char *protocol;  /* NCCL: LL, LL128, Simple; or NULL */
    gint64 segment;        /* 0: whole; negative: the algorithm's own */
    guint32 channels;      /* NCCL: in use at this size; 0: as the run says */
    guint32 in_flight;     /* NCCL: chunks of a ring's buffer; 0: the algorithm's own */
    gint64 grain;          /* NCCL: of a ring's chunks; 0: any */
    guint32 window;        /* of exchanges in flight; 0: as the run says */
    DnCollStyle style;
    gint64 estimate_ps; /* NCCL: its model's time; or 0 */
} DnSelection;

/* What NCCL's model knows of the machine. */
typedef enum {
    DN_NCCL_VOLTA,
    DN_NCCL_AMPERE,
    DN_NCCL_HOPPER,
    DN_NCCL_MI250X,
    DN_NCCL_GPUS
} DnNcclGpu;
extern const char *const dn_nccl_gpu_names[]; /* for DN_PARAM_CHOICE */
/* Whose constants NCCL's model has. */
typedef enum { DN_NCCL_2_28, DN_NCCL_2_20, DN_NCCL_2_18 } DnNcclVersion;
extern const char *const dn_nccl_version_names[]; /* for DN_PARAM_CHOICE */
/* From a GPU to the adapter it uses, in NCCL's words (src/graph/topo.h): PCIe bridges, one or
 * several; by way of another GPU; a host bridge; between sockets. */
typedef enum { DN_NCCL_PIX, DN_NCCL_PXB, DN_NCCL_PXN, DN_NCCL_PHB, DN_NCCL_SYS } DnNcclPath;
extern const char *const dn_nccl_path_names[]; /* for DN_PARAM_CHOICE */
typedef struct {
    gint64 bus_bps;      /* what a rank's ring channels carry together */
    gint64 node_bus_bps; /* likewise of ranks that are all in one node; 0: as bus_bps */
    guint32 nics;        /* adapters that bus_bps are of, one for a rank at most; 0: not known */
    DnNcclGpu gpu;
    DnNcclVersion version;
    DnNcclOnly only;     /* the algorithm, as by NCCL_ALGO; its protocol is still chosen */
    gint64 buffer_bytes; /* NCCL_BUFFSIZE, of Simple; 0: 4 MiB */
    DnNcclPath nic_path;
} DnNcclMachine;

/* What the machine says of a job's ranks, where a workload does not. */
struct DnCollMachine {
    const guint32 *node_of; /* [the job's ranks] */
    gboolean known;         /* `nccl` is: the machine has GPUs and says which */
    DnNcclMachine nccl;
    guint32 channels, node_channels; /* of ranks in several nodes, in one */
    guint32 gpus, nics;              /* of a node */
    /* Orders of a node's GPUs, [n * gpus]: of rings between nodes (NULL: from each GPU in turn),
     * and of rings inside one (NULL: by rank). */
    const guint32 *orders, *node_orders;
    guint32 n_orders, n_node_orders;
};
/* `nccl:` of a machine. */
extern const DnParamSpec dn_nccl_machine_keys[];

/* RCCL's model: see select_rccl.c. @protocol: LL, LL128, Simple; G_MAXDOUBLE: never taken. */
typedef struct {
    guint32 n, nodes, steps, across; /* steps of a ring, and those of them between nodes */
    gboolean rooted;                 /* of them one's latency counts */
    double bytes, bus_gbs;           /* GB/s */
} DnRcclCall;
double dn_rccl_time_us(const DnRcclCall *call, gboolean tree, guint protocol);

/* A communication library that `library:` names. */
typedef struct {
    const char *name;   /* `library:` */
    const char *title;  /* as its makers write it */
    const char *source; /* which version's rules */
    const char *limits; /* what of its choice is left out */
    /* Bits (1 << DnCollKind) of the collectives whose algorithm it takes by a model of times: they
     * need `bus_bandwidth`. */
    guint modelled;
    gboolean channels; /* its algorithms run in `channels` streams */
    guint gpus;        /* bits (1 << DnNcclGpu) of what its model knows; 0: it asks for none */
    void (*select)(const DnCollCall *call, DnCollKind kind, const DnNcclMachine *machine,
                   DnSelection *out);
} DnCollLibrary;

extern const DnCollLibrary *const dn_coll_libraries[]; /* NULL-terminated, generated */
extern const char *const dn_coll_library_names[];      /* parallel, for DN_PARAM_CHOICE */
extern const char *const dn_coll_own_block_names[];
const DnCollLibrary *dn_coll_library_find(const char *name);

/* Of reduce_scatter. */
#define DN_COLL_ONE_COUNT                                                                          \
    {                                                                                              \
        "one_count", DN_PARAM_BOOL, "no", 0, 0, NULL,                                              \
            "as MPI_Reduce_scatter_block, for which libraries may choose otherwise"                \
    }
/* Of reductions. */
#define DN_COLL_COMMUTATIVE                                                                        \
    {                                                                                              \
        "commutative", DN_PARAM_BOOL, "yes", 0, 0, NULL,                                           \
            "no: an operation whose operands keep their order; libraries choose otherwise"         \
    }
/* Of alltoall. */
#define DN_COLL_IN_PLACE_KEY                                                                       \
    {                                                                                              \
        "in_place", DN_PARAM_BOOL, "no", 0, 0, NULL,                                               \
            "as with MPI_IN_PLACE, for which libraries choose otherwise"                           \
    }
/* The keys that every workload with collectives has, a trace's as well: rows for its table. */
#define DN_COLL_PARAMS                                                                             \
    {"library", DN_PARAM_CHOICE, "ompi", 0, 0, dn_coll_library_names, "whose choice auto takes"},  \
        {"radix", DN_PARAM_INT, "4", 2, 8, NULL, "of k-ary and k-nomial trees; chains"},           \
        {"channels",                                                                               \
         DN_PARAM_INT,                                                                             \
         "1",                                                                                      \
         1,                                                                                        \
         64,                                                                                       \
         NULL,                                                                                     \
         "of nccl_ring, nccl_tree, grouped; library nccl, rccl: default the machine's"},           \
        {"window", DN_PARAM_INT, "8", 1, 65536, NULL, "exchanges in flight (alltoall)"},           \
        {"own_block",                                                                              \
         DN_PARAM_CHOICE,                                                                          \
         "copied",                                                                                 \
         0,                                                                                        \
         0,                                                                                        \
         dn_coll_own_block_names,                                                                  \
         "own data: copied as the library does, or in place before the call (not bruck)"},         \
        {"group",                                                                                  \
         DN_PARAM_INT,                                                                             \
         "0",                                                                                      \
         0,                                                                                        \
         1e9,                                                                                      \
         NULL,                                                                                     \
         "ranks a node; 0: all in one; library nccl, rccl: default as they are placed"},           \
        {"element", DN_PARAM_BYTES, "4 B", 1, 1e6, NULL, "libraries cut between elements"},        \
        {"gpu", DN_PARAM_CHOICE, "hopper", 0, 0, dn_nccl_gpu_names, "generation: NCCL's model"},   \
        {"version", DN_PARAM_CHOICE, "2.28", 0, 0, dn_nccl_version_names, "of NCCL: its model"},   \
        {"nic_path",                                                                               \
         DN_PARAM_CHOICE,                                                                          \
         "pxb",                                                                                    \
         0,                                                                                        \
         0,                                                                                        \
         dn_nccl_path_names,                                                                       \
         "from a GPU to its adapter: NCCL's model"},                                               \
        {"buffer", DN_PARAM_BYTES, "4 MiB", 4096, 1e15, NULL, "NCCL_BUFFSIZE: NCCL's model"},      \
    {                                                                                              \
        "bus_bandwidth", DN_PARAM_RATE, "", 1, 1e18, NULL,                                         \
            "of a rank's rings: NCCL's model; default from the machine's links"                    \
    }

/* What those keys say. */
typedef struct {
    const DnCollLibrary *library;
    DnNcclMachine nccl;
    const DnCollMachine *machine; /* NULL: the library does not ask, or it is not known */
    gboolean window_given, group_given, channels_given;
} DnCollChoice;
/* `one_count:`, `commutative:` and `in_place:`, of which @program may have none; FALSE + error:
 * call->bytes are no multiple of call->n. */
gboolean dn_coll_read_form(const DnParams *params, const DnProgram *program, DnCollCall *call,
                           GError **error);
/* FALSE + error: call->algorithm does not keep the order of operands, or not work in place. */
gboolean dn_coll_check_form(const DnParams *params, const DnCollCall *call, GError **error);
/* The library of GPUs that @machine has: RCCL on MI250X, else NCCL; NULL: it has no `nccl:`. */
const DnCollLibrary *dn_coll_library_of_gpus(const DnCollMachine *machine);
/* @machine: what holds where @params do not say; or NULL. @unnamed: the library where they name
 * none; NULL: the key's default. Also sets radix, channels, window, group and element of @call. */
gboolean dn_coll_choice_read(const DnParams *params, const DnCollMachine *machine,
                             const DnCollLibrary *unnamed, DnCollChoice *choice, DnCollCall *call,
                             GError **error);
/* Returns how many ranks of @call stand in each node, of a library that asks: 0 where all are in
 * one; 1 where they are not in blocks of equal size, node by node. */
guint32 dn_coll_choice_group(const DnCollChoice *choice, const DnCollCall *call);
/* Sets @call's group to @group, and its channels and rings to what the machine has then, unless the
 * workload says. */
void dn_coll_choice_place(const DnCollChoice *choice, guint32 group, DnCollCall *call);
/* Says in @program whose messages @call's are, and how many peers each stream has at once. */
void dn_coll_choice_report(const DnCollChoice *choice, const DnCollCall *call, DnProgram *program);
/* FALSE + error: @library takes collectives of @kinds (bits) by a model that lacks a key. */
gboolean dn_coll_choice_check(const DnParams *params, const DnCollChoice *choice,
                              const DnCollLibrary *library, guint kinds, GError **error);

gboolean dn_coll_fits(const DnCollAlgorithm *algorithm, const DnCollCall *call);
/* Whether it keeps the order of operands and works in place where @call wants it. */
gboolean dn_coll_fits_form(const DnCollAlgorithm *algorithm, const DnCollCall *call);
/* Sets what of @call the library chose: the algorithm, or what fits in its place, and its form. */
void dn_selection_apply(const DnSelection *selection, DnCollKind kind, gboolean window_given,
                        DnCollCall *call);

void dn_select_ompi(const DnCollCall *call, DnCollKind kind, DnSelection *out);
/* Allreduce, and reduce: a buffer so small for its ranks that none takes a piece of it. */
gboolean dn_mpich_allreduces_whole(const DnCollCall *call);
/* @cray: Cray MPICH, as far as its settings say; it knows the nodes by call->group. */
void dn_select_mpich(const DnCollCall *call, DnCollKind kind, gboolean cray, DnSelection *out);
/* call->group ranks a node (0: one node). */
void dn_select_nccl(const DnCollCall *call, DnCollKind kind, const DnNcclMachine *machine,
                    DnSelection *out);
