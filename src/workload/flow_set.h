/* flow_set.h - a fixed list of flows (source, destination), run once an iteration: the shared body
 * of the closed-loop patterns.
 *
 * Each rank posts its receives in list order (`at_once`: so many, then it waits for them), sends
 * its flows in list order, and waits for all.
 * Two ways of issuing:
 *   rank  every rank issues its own sends, all ranks at once (an MPI program);
 *   host  one host thread issues all flows in list order (a process that drives several GPUs):
 *         before the k-th flow of the list its source waits until k issues are over. The rank's own
 *         issues take their time from the mechanism; `issue_gap` is what each issue for another
 *         rank takes, so set it to the mechanism's issue cost.
 * After an iteration all ranks may meet in a barrier.
 *
 * In a schedule (flow_schedule.c) each flow has its own size, begins `start` after the iteration's
 * begin or after the flows it waits for, and goes on beside the others of its rank. */
#pragma once
#include "workload/collective.h"

/* What its types leave out. */
#define DN_FLOW_LIMITS                                                                             \
    "without a barrier ranks do not synchronise between iterations; with issue: host and several " \
    "iterations each source counts its gaps from the end of its own last iteration; one "          \
    "iteration is exact"

typedef struct {
    guint32 src, dst;
    /* of a schedule only */
    gint64 bytes, start_ps;
    guint32 after_first, n_after; /* flows before it in the list, in DnFlowSet.after */
} DnFlow;

typedef struct {
    guint32 n_flows;
    DnFlow *flows;              /* [n_flows] in issue order */
    guint32 *out_first;         /* [ranks + 1] */
    guint32 *out;               /* [n_flows] flow indices grouped by source, in issue order */
    guint32 *in_first;          /* [ranks + 1] */
    guint32 *in;                /* [n_flows] flow indices grouped by destination, in issue order */
    gint64 bytes;               /* of each flow */
    gboolean scheduled;         /* every flow by itself: the next three count */
    guint32 *after;             /* all flows that others wait for */
    guint32 *then_first, *then; /* [n_flows + 1], flows that wait for each */
    guint32 at_once;            /* receives a rank posts before it waits for those; 0: all */
    DnCollCall barrier;         /* of all ranks at the end of an iteration; n is 0: there is none */
    gboolean host_issue;
    gint64 issue_gap_ps;
    double goodput_bytes;
} DnFlowSet;

/* The parameters every flow set reads. */
extern const char *const dn_flow_issue_choices[];
#define DN_FLOW_SET_PARAMS                                                                         \
    {"bytes", DN_PARAM_BYTES, NULL, 0, 1e15, NULL, "size of each flow"}, DN_FLOW_ISSUE_PARAMS
#define DN_FLOW_ISSUE_PARAMS                                                                       \
    {"issue",                                                                                      \
     DN_PARAM_CHOICE,                                                                              \
     "rank",                                                                                       \
     0,                                                                                            \
     0,                                                                                            \
     dn_flow_issue_choices,                                                                        \
     "who issues: every rank its own, or one host thread all in list order"},                      \
    {                                                                                              \
        "issue_gap", DN_PARAM_TIME, "0", 0, 1e12, NULL,                                            \
            "issue: host; time the host spends on each flow of another rank"                       \
    }

/* The count @key asks for, where 0 is all of @most; FALSE + error when it is more than those. */
gboolean dn_flow_set_count(const DnProgram *program, const DnParams *params, const char *key,
                           guint32 most, guint32 *count, GError **error);
/* Takes @flows (n_flows > 0 items, ranks checked); sets program->data and bytes. */
void dn_flow_set_init(DnProgram *program, const DnParams *params, GArray *flows,
                      double goodput_bytes);
/* Does what dn_flow_set_init() does, for a schedule; takes @after (guint32). FALSE + error at
 * `flows`: a rank has more flows than streams. */
gboolean dn_flow_schedule_init(DnProgram *program, const DnParams *params, GArray *flows,
                               GArray *after, GError **error);
gboolean dn_flow_schedule_next(const DnProgram *program, guint32 rank, DnCursor *cursor, DnOp *op);
/* Functions of a DnProgramType whose data is a flow set. */
void dn_flow_set_free(DnProgram *program);
gboolean dn_flow_set_next(const DnProgram *program, guint32 rank, DnCursor *cursor, DnOp *op);
double dn_flow_set_bytes_moved(const DnProgram *program);
double dn_flow_set_goodput_bytes(const DnProgram *program);
/* What every flow set's type has besides. */
#define DN_FLOW_SET_TYPE                                                                           \
    .free = dn_flow_set_free, .next = dn_flow_set_next, .bytes_moved = dn_flow_set_bytes_moved,    \
    .goodput_bytes = dn_flow_set_goodput_bytes, .time_scale = 1
