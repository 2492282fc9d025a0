/* run_report.h - The output of `darner run`: the heading, the progress, the table, the files of the
 * folder and, where asked for, a time line of each point.
 *
 * A finished point goes into a point store (point_store.h) at once; the result files are written
 * from there in the order of points, apart from those of an earlier run, which they replace when
 * the run is complete (result_folder.h). An interrupted run continues with the points that are
 * missing. */
#pragma once
#include "experiment/point_shards.h"
#include "experiment/sweep_plan.h"
#include "report/reference_table.h"

typedef struct {
    const char *dir;   /* of the results; NULL: the plan's */
    guint links;       /* rows of links.csv for each point; 0: all */
    guint jobs;        /* points simulated at once, for the estimated time left */
    gboolean quiet;    /* files, warnings and errors only */
    gboolean compress; /* samples.csv.gz in place of samples.csv */
    guint timeline;    /* DnTimelineParts; of the packet engine only */
    gboolean yes;      /* the run may take more than an hour, also without a terminal */
    gboolean restart;  /* drop the finished points of an interrupted run */
    gboolean collect;  /* put together points that other processes have finished */
    DnShard shard;     /* the part of the run that is simulated; n of 0: all */
} DnRunReportOptions;

typedef struct DnRunReport DnRunReport;

/* Returns (transfer full) a report of @plan, which is borrowed, and opens its folder. NULL +
 * DN_ERROR_RANGE when a timeline is asked for that a point cannot have, when another process writes
 * to the folder, or when it has points of another run; DN_ERROR_FILE when the folder cannot be
 * written. */
DnRunReport *dn_run_report_new(const DnPlan *plan, const DnRunReportOptions *options,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
void dn_run_report_free(DnRunReport *report);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnRunReport, dn_run_report_free)

/* The observers of the simulations; NULL: none. */
DnRunObserver *dn_run_report_observer(DnRunReport *report);
/* Returns where finished repetitions are kept; it lives as long as @report. */
DnRepetitionKeep dn_run_report_keep(const DnRunReport *report);
/* (transfer full): [*@n] the points that are to be simulated. */
guint *dn_run_report_missing(const DnRunReport *report, guint *n);
/* FALSE + error: a point is missing, or all are where the folder has whole results. */
gboolean dn_run_report_check(const DnRunReport *report, GError **error);
/* Called in the process that simulated a point: returns its record, for dn_run_report_done(). NULL
 * + error. @references: [jobs], the baselines of the point. */
GVariant *dn_run_report_record(const DnRunReport *report, guint point, const DnRunSpec *spec,
                               const DnRunResult *result, const DnReferences *references,
                               GError **error);
/* The progress() and done() of a DnSweepReceiver. FALSE + DN_ERROR_RANGE when the run would take
 * more than DN_ESTIMATE_MOST_S and was not allowed to (DnRunReportOptions.yes). */
gboolean dn_run_report_progress(DnRunReport *report, guint point, gint64 now_ps,
                                guint64 packet_hops, GError **error);
gboolean dn_run_report_done(DnRunReport *report, guint point, GVariant *record, GError **error);
/* Ends the report of a run that failed with @problem (transfer full), or NULL. FALSE + the problem,
 * to which that of an interrupted run adds how many points are finished. */
gboolean dn_run_report_end(DnRunReport *report, GError *problem, GError **error);
