/* run_report.h - The output of `darner run`: the heading, the line of progress, the table, the
 * files of the folder and, where asked for, a time line of each point.
 *
 * Nothing is written before the first engine runs: a mistake in the input leaves an older run's
 * files as they are. */
#pragma once
#include "experiment/sweep_plan.h"
#include "report/reference_table.h"

typedef struct {
    const char *dir;   /* NULL: the plan's */
    guint links;       /* rows of links.csv a point; 0: all */
    gboolean quiet;    /* files and errors only */
    gboolean timeline; /* the packet engine's alone */
} DnRunReportOptions;

typedef struct DnRunReport DnRunReport;

/* (transfer full): @plan is borrowed. NULL + DN_ERROR_RANGE when a point has no time line,
 * DN_ERROR_FILE when the folder cannot be written. */
DnRunReport *dn_run_report_new(const DnPlan *plan, const DnRunReportOptions *options,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
void dn_run_report_free(DnRunReport *report);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnRunReport, dn_run_report_free)

/* The observers of the simulations; NULL: none. */
DnRunObserver *dn_run_report_observer(DnRunReport *report);
/* A point begins, goes on, and its simulations are over: the calls of a DnSweepSink. */
void dn_run_report_begin(DnRunReport *report, guint point, const DnRunSpec *spec);
gboolean dn_run_report_progress(DnRunReport *report, gint64 now_ps, guint64 packet_hops,
                                GError **error);
gboolean dn_run_report_result(DnRunReport *report, const DnRunResult *result, GError **error);
/* @references: [jobs], the baselines of the point. */
gboolean dn_run_report_point(DnRunReport *report, guint point, const DnRunSpec *spec,
                             const DnRunResult *result, const DnReferences *references,
                             GError **error);
/* The run is over after @done points, with @problem (transfer full) or NULL: FALSE + @problem, an
 * interrupted run's with how far it came. */
gboolean dn_run_report_end(DnRunReport *report, guint done, GError *problem, GError **error);
