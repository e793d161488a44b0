/* Work that memory bandwidth alone decides: norms, residuals, activations, optimizer (E25). */
#ifndef FLEETPLAN_PLANNER_OPERATORS_MEMORY_TRAFFIC_H
#define FLEETPLAN_PLANNER_OPERATORS_MEMORY_TRAFFIC_H

#include "planner/operators/gemm.h"

/* E25. Element-wise work. Given: bytes read and written (>= 0). Returned: s = bytes x factor / bandwidth. */
double memory_traffic_s(const struct device *device, const struct physics *physics, double bytes);

/* E25 for streams that software moves once and in order (optimizer states, casts): no factor. */
double memory_stream_s(const struct device *device, double bytes);

#endif
