/* background_result.h - What jobs in the background did: sums of the drawn ones, and warnings of
 * traffic that was asked for and never came. */
#pragma once
#include "experiment/setup.h"

/* Warns of keys of the run's own jobs that have no effect on one in the background. */
void dn_background_warn_keys(const DnSetup *setup);

/* Sums up the drawn jobs of a run that has ended, and warns where nobody in the background sent. */
void dn_background_collect(const DnSetup *setup);
