/* Drift of calibrations: the change of measured figures since their first measurement, as a metric. */
#ifndef FLEETPLAN_SERVICE_CALIBRATION_DRIFT_H
#define FLEETPLAN_SERVICE_CALIBRATION_DRIFT_H

#include "base/buffer.h"
#include "hwdb/catalogue/catalogue.h"

/* The most series. Those with the last ids are left out. */
enum { CALIBRATION_DRIFT_SERIES_MAX = 256 };

/* Writes a line for each accelerator, quantity, precision and class: the median over devices of value / baseline. */
void calibration_drift_write(const struct catalogue *catalogue, const char *metric, struct buffer *out);

#endif
