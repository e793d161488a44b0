/* How far measured figures have moved since they were first measured, for the metrics. */
#ifndef FLEETPLAN_SERVICE_CALIBRATION_DRIFT_H
#define FLEETPLAN_SERVICE_CALIBRATION_DRIFT_H

#include "base/buffer.h"
#include "hwdb/catalogue/catalogue.h"

/* Series are bounded: what more accelerators and quantities there are is left out, the last by id first. */
enum { CALIBRATION_DRIFT_SERIES_MAX = 256 };

/* One line for each accelerator and quantity, precision and class of it apart: the median over devices of value over baseline. */
void calibration_drift_write(const struct catalogue *catalogue, const char *metric, struct buffer *out);

#endif
