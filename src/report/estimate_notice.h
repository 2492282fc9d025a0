/* estimate_notice.h - Tells once how long a run takes, by its first seconds, and ends one of more
 * than an hour to which nobody said yes. */
#pragma once
#include "report/run_estimate.h"

typedef struct {
    DnRunEstimate *estimate;
    gboolean allowed;   /* to take as long as it does: --yes, or a terminal */
    gboolean estimated; /* it was said how long the run takes */
    gboolean judged;    /* and it may go on */
} DnEstimateNotice;

/* The estimate as it was said. */
typedef struct {
    char *text; /* NULL: nothing is to be said now */
    double seconds;
    guint64 bytes;
} DnEstimateSaid;

/* Returns the largest memory of this process, or of one that it started and that is over. */
guint64 dn_resident_bytes(void);

/* Called whenever the estimate knows more. *@said: what is to be said now; free its text. FALSE +
 * DN_ERROR_RANGE: the run takes too long. */
gboolean dn_estimate_notice_look(DnEstimateNotice *notice, DnEstimateSaid *said, GError **error);
/* Likewise; says it on stderr. */
gboolean dn_estimate_notice_print(DnEstimateNotice *notice, GError **error);
