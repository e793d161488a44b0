/* Measured matrix products beside E21: how long each should take, and which ceiling of the peak its time speaks for (E121). Pure. */
#ifndef FLEETPLAN_PLANNER_MEASUREMENT_PRODUCTS_H
#define FLEETPLAN_PLANNER_MEASUREMENT_PRODUCTS_H

#include "planner/measurement/bench_spec.h"
#include "planner/operators/device.h"

/* E21 as bare kernels run it (shapes_bare_physics()). Returned: s; NaN when the accelerator has no rate in that precision. */
double product_predicted_s(const struct candidate *candidate, enum precision precision, const struct bench_shape *shape);

/* E121. The fraction of the dense peak that products of unlimited size reach, if this one takes so long: E21 solved for the ceiling, so that a
 * small product, which tiles fill badly, speaks for the same ceiling as a large one.
 * With traffic b = operands and result / bandwidth, arithmetic a: t = a + kappa b where a >= b; efficiency = 2 m n k (1 + W / (m n)) / (a x peak).
 * Given: candidate (its calibration counts for the bandwidth alone), precision, shape, time > 0 (s).
 * Returned: above 0, at most 1; NaN without a rate, and where the time says nothing of arithmetic: memory decides it (a < b), or less than half a
 * wave of tiles is filled (m n < W: decoding, where E21 is not valid). */
double product_implied_efficiency(const struct candidate *candidate, enum precision precision, const struct bench_shape *shape, double time_s);

#endif
