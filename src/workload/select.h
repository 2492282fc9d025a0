/* select.h - The choice of `algorithm: auto`: the algorithm that a communication library takes for
 * a call, and how the library runs it. */
#pragma once
#include "workload/collective.h"

typedef struct {
    const char *algorithm; /* a name that dn_coll_find() knows for the kind */
    const char *chosen;    /* the library's own name of it */
    gboolean falls_back;   /* what is chosen does not fit: it calls `algorithm` itself */
    const char *protocol;  /* NCCL: LL, LL128, Simple; or NULL */
    gint64 segment;        /* 0: whole; negative: the algorithm's own */
    guint32 channels;      /* NCCL: in use at this size; 0: as the run says */
    guint32 in_flight;     /* NCCL: chunks of a ring's buffer; 0: the algorithm's own */
    gint64 grain;          /* NCCL: chunks of a ring are multiples of it; 0: any size */
    guint32 window;        /* of exchanges in flight; 0: as the run says */
    DnCollStyle style;
    gint64 estimate_ps; /* NCCL: its model's time; or 0 */
} DnSelection;

/* The GPUs that NCCL's model knows. */
typedef enum {
    DN_NCCL_VOLTA,
    DN_NCCL_AMPERE,
    DN_NCCL_HOPPER,
    DN_NCCL_MI250X,
    DN_NCCL_GPUS
} DnNcclGpu;
extern const char *const dn_nccl_gpu_names[]; /* for DN_PARAM_CHOICE */
/* The release of NCCL whose constants the model has. */
typedef enum { DN_NCCL_2_28, DN_NCCL_2_20, DN_NCCL_2_18 } DnNcclVersion;
extern const char *const dn_nccl_version_names[]; /* for DN_PARAM_CHOICE */
/* The path from a GPU to its adapter, in NCCL's terms (src/graph/topo.h): over one PCIe bridge
 * (PIX) or several (PXB), by way of another GPU (PXN), over a host bridge (PHB), or between sockets
 * (SYS). */
typedef enum { DN_NCCL_PIX, DN_NCCL_PXB, DN_NCCL_PXN, DN_NCCL_PHB, DN_NCCL_SYS } DnNcclPath;
extern const char *const dn_nccl_path_names[]; /* for DN_PARAM_CHOICE */
/* The properties of the machine that NCCL's model uses. */
typedef struct {
    gint64 bus_bps;      /* bandwidth of all ring channels of a rank, bit/s */
    gint64 node_bus_bps; /* the same where all ranks are in one node; 0: as bus_bps */
    guint32 nics;        /* adapters of a node that add up to bus_bps; 0: unknown */
    DnNcclGpu gpu;
    DnNcclVersion version;
    DnNcclOnly only;     /* the algorithm, as by NCCL_ALGO; its protocol is still chosen */
    gint64 buffer_bytes; /* NCCL_BUFFSIZE, of Simple; 0: 4 MiB */
    DnNcclPath nic_path;
} DnNcclMachine;

typedef struct DnCollLibrary DnCollLibrary;
/* `mpi:` of a machine: what its MPI does where the workload does not say. */
typedef struct {
    const DnCollLibrary *library; /* NULL: not known */
    gboolean staged;    /* reductions of these ranks' buffers are copied before and after */
    gint64 block_bytes; /* an allreduce is staged in pieces of this size; 0: as one */
} DnMpiMachine;

/* The properties of the machine and of a job's placement that libraries detect, used where the
 * workload does not set them. */
struct DnCollMachine {
    const guint32 *node_of; /* [the job's ranks] */
    DnMpiMachine mpi;
    gboolean known; /* the machine has `nccl:`, so that `nccl` is set */
    DnNcclMachine nccl;
    guint32 channels;      /* of ranks in several nodes */
    guint32 node_channels; /* of ranks that are all in one node */
    guint32 gpus, nics;    /* of a node */
    /* Orders of a node's GPUs in rings, [n * gpus]: of rings between nodes (NULL: each begins with
     * another adapter's GPU), and of rings inside a node (NULL: by rank). */
    const guint32 *orders, *node_orders;
    guint32 n_orders, n_node_orders;
};
/* `nccl:` and `mpi:` of a machine. */
extern const DnParamSpec dn_nccl_machine_keys[];
extern const DnParamSpec dn_mpi_machine_keys[];

/* RCCL's model: see select_rccl.c. @protocol: LL, LL128, Simple; G_MAXDOUBLE: never taken. */
typedef struct {
    guint32 n, nodes, steps, across; /* steps: of a ring; across: those of them between nodes */
    gboolean rooted;                 /* bcast, reduce: the latency of one step counts */
    double bytes, bus_gbs;           /* GB/s */
} DnRcclCall;
/* Returns the model's time in us. */
double dn_rccl_time_us(const DnRcclCall *call, gboolean tree, guint protocol);

/* A communication library that `library:` names. */
struct DnCollLibrary {
    const char *name;   /* `library:` */
    const char *title;  /* as its makers write it */
    const char *source; /* which version's rules */
    const char *limits; /* rules of its choice that are not modelled */
    /* Bits (1 << DnCollKind) of the collectives whose algorithm it takes by a model of times: they
     * need `bus_bandwidth`. */
    guint modelled;
    gboolean channels;   /* its algorithms run in `channels` streams */
    gboolean two_levels; /* it takes algorithms of two levels */
    DnCollStyle style;   /* how it runs an algorithm that the workload names */
    guint gpus;          /* bits (1 << DnNcclGpu) of GPUs that its model knows; 0: it has none */
    void (*select)(const DnCollCall *call, DnCollKind kind, const DnNcclMachine *machine,
                   DnSelection *out);
};

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
    {"library",                                                                                    \
     DN_PARAM_CHOICE,                                                                              \
     "ompi",                                                                                       \
     0,                                                                                            \
     0,                                                                                            \
     dn_coll_library_names,                                                                        \
     "whose choice auto takes, default the machine's `mpi:`, else ompi; where it is given, it "    \
     "also runs a named algorithm as this library has it (trees, order of messages)"},             \
        {"radix", DN_PARAM_INT, "4", 2, 8, NULL, "of k-ary and k-nomial trees; chains"},           \
        {"channels",                                                                               \
         DN_PARAM_INT,                                                                             \
         "1",                                                                                      \
         1,                                                                                        \
         64,                                                                                       \
         NULL,                                                                                     \
         "of nccl_ring, nccl_tree, rccl_tree, grouped; library nccl, rccl: default the "           \
         "machine's"},                                                                             \
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

/* The values of those keys. */
typedef struct {
    const DnCollLibrary *library;
    DnNcclMachine nccl;
    const DnCollMachine *machine; /* NULL: the library does not ask, or it is not known */
    const guint32 *node_of;       /* [ranks]; NULL: the library does not ask, or it is not known */
    DnCollStyle style;            /* of an algorithm that the workload names */
    gboolean window_given, group_given, channels_given;
    gboolean two_levels; /* its nodes are asked for: by the library, or by a named algorithm */
} DnCollChoice;
/* `one_count:`, `commutative:` and `in_place:`, of which @program may have none; FALSE + error:
 * call->bytes are no multiple of call->n. */
gboolean dn_coll_read_form(const DnParams *params, const DnProgram *program, DnCollCall *call,
                           GError **error);
/* FALSE + error: call->algorithm does not keep the order of operands, or not work in place. */
gboolean dn_coll_check_form(const DnParams *params, const DnCollCall *call, GError **error);
/* Returns whether a run without `algorithm:` wants a library's choice for a collective of @kind
 * whose own default is none: it names one, or @machine (or NULL) has one. */
gboolean dn_coll_library_decides(const DnParams *params, const DnCollMachine *machine,
                                 DnCollKind kind);
/* The library of GPUs that @machine has: RCCL on MI250X, else NCCL; NULL: it has no `nccl:`. */
const DnCollLibrary *dn_coll_library_of_gpus(const DnCollMachine *machine);
/* @machine: what holds where @params do not say; or NULL. @unnamed: the library where they name
 * none; NULL: the key's default. Also sets radix, channels, window, group and element of @call. */
gboolean dn_coll_choice_read(const DnParams *params, const DnCollMachine *machine,
                             const DnCollLibrary *unnamed, DnCollChoice *choice, DnCollCall *call,
                             GError **error);
/* Reads `rings:`, if it is there, into *@rings and *@places, [call->n_rings * call->n] (transfer
 * full), to which @call then points. FALSE + error at what is wrong. */
gboolean dn_coll_rings_read(const DnParams *params, DnCollCall *call, guint32 **rings,
                            guint32 **places, GError **error);
/* Returns the node of rank @i of @call; choice->node_of or the workload's `group` is known. */
static inline guint32 dn_coll_choice_node(const DnCollChoice *choice, const DnCollCall *call,
                                          guint32 i)
{
    guint32 rank = call->ranks != NULL ? call->ranks[i] : i;
    return choice->group_given ? rank / call->group : choice->node_of[rank];
}
/* Returns the number of @call's ranks in each node, for a library that depends on it: 0 when all
 * are in one node; 1 when the nodes do not have equal numbers of consecutive ranks. *@listed (or
 * NULL): whether that number does not say where ranks are, so that dn_coll_choice_nodes() does. */
guint32 dn_coll_choice_group(const DnCollChoice *choice, const DnCollCall *call, gboolean *listed);
/* Returns (transfer full) the ranks of @call by node, for NCCL's algorithms and those of two levels
 * where dn_coll_choice_group() set @listed; NULL: it did not, or nothing asks for nodes. */
DnCollNodes *dn_coll_choice_nodes(const DnCollChoice *choice, gboolean listed,
                                  const DnCollCall *call);
/* Returns the number of nodes that algorithms of two levels see; the last of `group` ranks each may
 * have fewer. */
static inline guint32 dn_coll_level_nodes(const DnCollCall *call)
{
    if (call->ring_orders.nodes != NULL)
        return call->ring_orders.nodes->nodes;
    return call->group > 0 ? (call->n - 1) / call->group + 1 : 1;
}

/* Sets @call's group to @group and its nodes to @nodes (or NULL), and its channels and rings to the
 * machine's for such nodes, unless the workload sets them. */
void dn_coll_choice_place(const DnCollChoice *choice, guint32 group, const DnCollNodes *nodes,
                          DnCollCall *call);
/* Returns whether @library works in the buffer to which it stages a reduction, so that a rank's own
 * data already are where they are reduced. */
gboolean dn_coll_stages_in_place(const DnCollLibrary *library);
/* Sets in @program the library of @call's messages, whether these go node by node, and the peers of
 * each stream at a time. */
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
/* Returns TRUE for an allreduce or reduce of a buffer that MPICH does not cut into pieces: of at
 * most 2 KiB, or with too few elements for all ranks. */
gboolean dn_mpich_allreduces_whole(const DnCollCall *call);
/* @cray: Cray MPICH, as far as its settings tell its rules, with the call's nodes (`group` or
 * ring_orders.nodes). */
void dn_select_mpich(const DnCollCall *call, DnCollKind kind, gboolean cray, DnSelection *out);
/* call->group ranks a node (0: one node), unless the call has `nodes`. */
void dn_select_nccl(const DnCollCall *call, DnCollKind kind, const DnNcclMachine *machine,
                    DnSelection *out);
