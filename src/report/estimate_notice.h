/* estimate_notice.h - Reports the estimate of a run (run_estimate.h) once, and ends a run that was
 * not allowed to take more than an hour and would. */
#pragma once
#include "report/run_estimate.h"

typedef struct {
    DnRunEstimate *estimate;
    gboolean allowed;   /* to take more than an hour: by --yes, or on a terminal */
    gboolean estimated; /* the estimate has been reported */
    gboolean judged;    /* the run may go on, and is not checked any more */
} DnEstimateNotice;

/* An estimate to be reported. */
typedef struct {
    char *text; /* a line (transfer full); NULL: there is nothing to report now */
    double seconds;
    guint64 bytes;
} DnEstimateResult;

/* Returns the largest resident size, in bytes, that this process, or a child that has ended, ever
 * had. */
guint64 dn_resident_bytes(void);

/* To be called after each update of the estimate. *@found: what is to be reported now. FALSE +
 * DN_ERROR_RANGE: the run would take too long. */
gboolean dn_estimate_notice_check(DnEstimateNotice *notice, DnEstimateResult *found,
                                  GError **error);
/* Does the same, and prints the line on stderr. */
gboolean dn_estimate_notice_print(DnEstimateNotice *notice, GError **error);
/* Callbacks of whoever makes runs that are points of the estimate; @data is the notice. Each
 * updates the estimate of point @run, or ends it, by the CPU seconds that it has taken, and prints.
 */
gboolean dn_estimate_notice_update(void *data, guint run, gint64 now_ps, guint64 packet_hops,
                                   double cpu_s, GError **error);
gboolean dn_estimate_notice_done(void *data, guint run, double cpu_s, GError **error);
