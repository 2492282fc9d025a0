/* dag.h - one rank's graph while a reader collects it: operations, then edges in any order. */
#pragma once
#include "trace/trace.h"

typedef struct {
    guint32 before, after; /* operations */
    gboolean start;        /* after waits for the start of before, not for its end */
} DnDagEdge;

typedef struct {
    DnTraceSink *sink;
    GError **error;
    guint32 rank;
    GArray *ops;   /* DnTraceOp, without deps */
    GArray *edges; /* DnDagEdge */
} DnDag;

/* Limits of the readers of GOAL, text and binary. */
#define DN_GOAL_LIMITS                                                                             \
    "the time of a call (t_issue, t_post) does not keep a cpu from computing; the cpu of a "       \
    "message is passed over"

void dn_dag_init(DnDag *dag, DnTraceSink *sink, GError **error);
void dn_dag_clear(DnDag *dag);
void dn_dag_begin(DnDag *dag, guint32 rank);
guint32 dn_dag_add(DnDag *dag, const DnTraceOp *op); /* its number */
void dn_dag_edge(DnDag *dag, guint32 before, guint32 after, gboolean start);
/* Hands the rank's operations in; FALSE + error where they wait for each other in a circle. */
gboolean dn_dag_end(DnDag *dag);
