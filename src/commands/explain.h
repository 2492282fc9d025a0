/* explain.h - what `darner explain` found of one iteration; and how it is told. */
#pragma once
#include "experiment/simulate.h"

/* A change that was tried: the same run with something ideal. */
typedef struct {
    char *what;      /* "links of class 'global' without a limit of bandwidth" */
    gint64 most_ps;  /* of the path: all it could save there */
    gint64 rerun_ps; /* what the iteration then takes; -1: not run */
} DnAdvice;

typedef struct {
    const DnRunSpec *spec;
    const DnRunResult *result;
    const char *run_name;
    guint point;
    guint32 slowest;           /* iteration */
    gint64 median_ps;          /* of an iteration */
    DnCriticalPathQuery query; /* what and when, and why */
    GArray *advice;            /* DnAdvice, the most promising first */
} DnExplanation;

static inline gint64 dn_explained_ps(const DnExplanation *x)
{
    return x->query.to_ps - x->query.from_ps;
}

/* Of the path or of messages: rows of @kind (DN_BREAKDOWN_KINDS: any), of the network of @span only
 * (DN_DELAY_KINDS: any). */
gint64 dn_breakdown_sum(const DnDelayBreakdown *breakdown, DnBreakdownKind kind, DnDelayKind span);
/* What nobody else's packets, nor its own other messages, would have made it wait for. */
gint64 dn_delay_of(const DnDelayBreakdown *breakdown);

/* (transfer full). @top: rows of a table of waits. */
char *dn_explain_text(const DnExplanation *x, guint top);
/* explain.json and blame.csv in @folder. */
gboolean dn_explain_write(const DnExplanation *x, const char *folder, GError **error);
