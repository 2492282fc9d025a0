/* explanation.h - An explanation lists the causes of the time of one iteration of a run, and the
 * changes that would save most.
 *
 * The run is made again, once to find the iteration, once to record its critical path
 * (runtime/critical_path.h), and once for each change that could help, as a what-if: the path's
 * time due to a cause is the most that the change can save, as long as no other path becomes
 * critical; the run yields the actual saving.
 * LIMITATIONS: with finite buffers and adaptive routing packets take another order and other paths
 * in the what-if run, so it may also save more than the path's share. */
#pragma once
#include "experiment/simulate.h"

/* A change that was tried: the same run with something ideal. */
typedef struct {
    char *what;      /* "links of class 'global' without a limit of bandwidth" */
    gint64 most_ps;  /* of the path: all it could save there */
    gint64 rerun_ps; /* the iteration's time with it; -1: not run */
} DnAdvice;

typedef struct {
    const DnRunSpec *spec; /* of the repetition */
    DnRunSpec *own_spec;   /* that one, where it is not the caller's; or NULL */
    guint repetition;
    DnRunResult *result;
    const char *run_name;
    guint point;
    guint32 slowest;                   /* iteration */
    gint64 median_ps;                  /* of an iteration */
    DnCriticalPathQuery critical_path; /* what and when, and why */
    GArray *advice;                    /* DnAdvice, the most promising first */
} DnExplanation;

static inline gint64 dn_explained_ps(const DnExplanation *x)
{
    return x->critical_path.to_ps - x->critical_path.from_ps;
}

/* Sums rows of the path or of messages: rows of @kind (DN_BREAKDOWN_KINDS: any), of the network of
 * @span only (DN_DELAY_KINDS: any). */
gint64 dn_breakdown_sum(const DnDelayBreakdown *breakdown, DnBreakdownKind kind, DnDelayKind span);

typedef struct {
    int repetition;     /* from 0 on; -1: that of the slowest iteration */
    const char *job;    /* NULL: the first that is not background */
    guint iteration;    /* from 1 on; 0: the slowest */
    guint threads;      /* 0: the specification's */
    gboolean no_reruns; /* try no change */
    /* Called during run @run (below) and at its end; @cpu_s: CPU seconds that it has taken. FALSE +
     * error ends the explanation. Each may be NULL. */
    gboolean (*progress)(void *data, guint run, gint64 now_ps, guint64 packet_hops, double cpu_s,
                         GError **error);
    gboolean (*done)(void *data, guint run, double cpu_s, GError **error);
    void *data;
} DnExplainQuery;

/* The runs of an explanation: all repetitions, to find the slowest one; the one explained; the same
 * with its critical path; changes, at most so many. */
enum { DN_EXPLAIN_ALL, DN_EXPLAIN_ONE, DN_EXPLAIN_PATH, DN_EXPLAIN_CHANGES };
#define DN_EXPLAIN_TRIED 5
#define DN_EXPLAIN_RUNS (DN_EXPLAIN_CHANGES + DN_EXPLAIN_TRIED)
/* Returns whether run @run is made for @query, as far as it is known before. */
gboolean dn_explain_wants(const DnExplainQuery *query, const DnRunSpec *spec, guint run);

/* Warnings of the run go to stderr. @spec and @run_name must outlive the explanation. NULL +
 * DN_ERROR_UNKNOWN, DN_ERROR_RANGE, DN_ERROR_INTERRUPTED. */
DnExplanation *dn_explanation_new(const DnRunSpec *spec, const char *run_name, guint point,
                                  const DnExplainQuery *query, GError **error);
void dn_explanation_free(DnExplanation *explanation);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnExplanation, dn_explanation_free)
/* FALSE + DN_ERROR_RANGE for a run without iterations or queues; @folder names it. */
gboolean dn_explanation_possible(const DnRunSpec *spec, const char *folder, GError **error);
