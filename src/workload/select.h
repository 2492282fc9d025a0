/* select.h - `algorithm: auto`: which algorithm a library would take, and how it would run it. */
#pragma once
#include "workload/collective.h"

typedef struct {
    const char *algorithm; /* a name that dn_coll_find() knows for the kind */
    const char *chosen;    /* the library's own word */
    const char *protocol;  /* NCCL: LL, LL128, Simple; or NULL */
    gint64 segment;        /* 0: whole; negative: the algorithm's own */
    guint32 channels;      /* NCCL: in use at this size; 0: as the run says */
    guint32 window;        /* of exchanges in flight; 0: as the run says */
    gint64 estimate_ps;    /* NCCL: its model's time; or 0 */
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
typedef enum { DN_NCCL_BEST, DN_NCCL_TREE, DN_NCCL_RING } DnNcclOnly;
typedef struct {
    gint64 bus_bps; /* what a rank's ring channels carry together */
    DnNcclGpu gpu;
    DnNcclOnly only;     /* the algorithm, as by NCCL_ALGO; its protocol is still chosen */
    gint64 buffer_bytes; /* NCCL_BUFFSIZE, of Simple; 0: 4 MiB */
} DnNcclMachine;

/* RCCL's model: see select_rccl.c. @protocol: LL, LL128, Simple; G_MAXDOUBLE: never taken. */
typedef struct {
    guint32 n, nodes, steps, across; /* steps of a ring, and those of them between nodes */
    double bytes, bus_gbs;           /* GB/s */
} DnRcclCall;
double dn_rccl_time_us(const DnRcclCall *call, gboolean tree, guint protocol);

void dn_select_ompi(const DnCollCall *call, DnCollKind kind, DnSelection *out);
/* Allreduce, and reduce: a buffer so small for its ranks that none takes a piece of it. */
gboolean dn_mpich_allreduces_whole(const DnCollCall *call);
/* @cray: Cray MPICH, as far as its settings say; it knows the nodes by call->group. */
void dn_select_mpich(const DnCollCall *call, DnCollKind kind, gboolean cray, DnSelection *out);
/* call->group ranks a node (0: one node). */
void dn_select_nccl(const DnCollCall *call, DnCollKind kind, const DnNcclMachine *machine,
                    DnSelection *out);
