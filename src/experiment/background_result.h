/* background_result.h - What jobs in the background did: sums of the drawn ones, and warnings of
 * traffic that was asked for and never came. */
#pragma once
#include "experiment/setup.h"

/* Warns of keys of the run's own jobs that have no effect on one in the background. */
void dn_background_warn_keys(const DnSetup *setup);

/* Of a run that has ended, with its jobs' results: sums up the drawn jobs, sets the goodput of the
 * run's own ones in the background, and warns where nobody there sent. */
void dn_background_collect(const DnSetup *setup);
