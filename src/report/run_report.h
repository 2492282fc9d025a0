/* run_report.h - The output of `darner run`: the heading, the progress, the table, the files of the
 * folder and, where asked for, a time line of each point.
 *
 * Finished points go into a point store (point_store.h) at once, whatever their order; the files
 * are made from it in the order of points, beside an earlier run's, and take their place when the
 * run is complete (result_folder.h). A run that was cut goes on with the points that are missing.
 * */
#pragma once
#include "experiment/point_shards.h"
#include "experiment/sweep_plan.h"
#include "report/reference_table.h"

typedef struct {
    const char *dir;   /* NULL: the plan's */
    guint links;       /* rows of links.csv a point; 0: all */
    guint jobs;        /* points at once, for the time left */
    gboolean quiet;    /* files and errors only */
    gboolean compress; /* samples.csv.gz in place of samples.csv */
    guint timeline;    /* DnTimelineParts; the packet engine's alone */
    gboolean yes;      /* a run of any length, also off a terminal */
    gboolean restart;  /* finished points of a run that was cut are dropped */
    gboolean collect;  /* points that others have finished are put together */
    DnShard shard;     /* the part of the run that is simulated; n of 0: all */
} DnRunReportOptions;

typedef struct DnRunReport DnRunReport;

/* (transfer full): @plan is borrowed. NULL + DN_ERROR_RANGE when a point has no time line, when
 * another process writes to the folder, or when it has points of another run; DN_ERROR_FILE when
 * the folder cannot be written. */
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
/* Called in the process that simulated a point: returns its record, for dn_run_report_done(). NULL
 * + error. @references: [jobs], the baselines of the point. */
GVariant *dn_run_report_record(const DnRunReport *report, guint point, const DnRunSpec *spec,
                               const DnRunResult *result, const DnReferences *references,
                               GError **error);
/* A point goes on; is done: as the calls of a DnSweepReceiver. FALSE + DN_ERROR_RANGE when the run
 * would take longer than DN_ESTIMATE_MOST_S and nobody said yes. */
gboolean dn_run_report_progress(DnRunReport *report, guint point, gint64 now_ps,
                                guint64 packet_hops, GError **error);
gboolean dn_run_report_done(DnRunReport *report, guint point, GVariant *record, GError **error);
/* The run is over, with @problem (transfer full) or NULL: FALSE + the problem, an interrupted run's
 * with how far it came. */
gboolean dn_run_report_end(DnRunReport *report, GError *problem, GError **error);
