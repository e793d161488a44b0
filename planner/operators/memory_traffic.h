/* Time of work that memory bandwidth limits: norms, residuals, activations, optimizer (E25). */
#ifndef FLEETPLAN_PLANNER_OPERATORS_MEMORY_TRAFFIC_H
#define FLEETPLAN_PLANNER_OPERATORS_MEMORY_TRAFFIC_H

#include "planner/operators/gemm.h"

/* E25. Computes the time of element-wise work.
 *
 * Given:    device   memory bandwidth, bytes/s
 *           physics  element_traffic
 *           bytes    read and written, >= 0
 * Returned: bytes x element_traffic / bandwidth, s */
double memory_traffic_s(const struct device *device, const struct physics *physics, double bytes);

/* E25. Computes the time of a stream that software moves once and in order (optimizer states, casts).
 *
 * Given:    device  memory bandwidth, bytes/s
 *           bytes   read and written, >= 0
 * Returned: bytes / bandwidth, s */
double memory_stream_s(const struct device *device, double bytes);

#endif
