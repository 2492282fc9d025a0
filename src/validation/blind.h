/* blind.h - predictions registered before anybody compared them: validation/blind/.
 *
 *   *.yaml           runs
 *   predictions.csv  run, point, job, metric, predicted, engine, cpu_s, date, version; written by
 *                    scripts/register-predictions, without any measured value
 *
 * Whoever has measured gives a CSV with the columns run, point, job, metric and measured. */
#pragma once
#include "base/error.h"

/* (transfer full): a table of the predictions that @measurements has a value for, and the median
 * error. @folder: that of the cases. */
char *dn_blind_compare(const char *folder, const char *measurements,
                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
