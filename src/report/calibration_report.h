/* calibration_report.h - a calibration as text, and as a mechanism that a machine can include. */
#pragma once
#include "calibration/calibration.h"

/* Parameters with their standard errors, and residuals, onto standard output. */
void dn_calibration_print(const DnCalibration *c);
/* (transfer full): a mechanism that a machine can include. */
char *dn_calibration_yaml(const DnCalibration *c);
