/* Measured matrix products beside E21: the predicted time of each, and the ceiling of the peak that a measured time
 * implies (E121). Pure. */
#ifndef FLEETPLAN_PLANNER_MEASUREMENT_PRODUCTS_H
#define FLEETPLAN_PLANNER_MEASUREMENT_PRODUCTS_H

#include "planner/measurement/bench_spec.h"
#include "planner/operators/device.h"

/* E21. Computes the time of one product by bare kernels (shapes_bare_physics()).
 * Given:    candidate with its calibration; precision; shape, all sides >= 1.
 * Returned: s; NaN when the accelerator has no rate in that precision.
 * Case:     tests/planner/test_measurement.c. */
double product_predicted_s(const struct candidate *candidate, enum precision precision, const struct bench_shape *shape);

/* E121. Computes the fraction of the dense peak that products of unlimited size reach, if this one takes that time: E21
 * solved for the ceiling. So a small product, which fills tiles badly, implies the same ceiling as a large one. With
 * traffic b = (operands + result) / bandwidth and arithmetic a: t = a + kappa b where a >= b; the efficiency is
 * 2 m n k (1 + W / (m n)) / (a x peak).
 * Given:    candidate (only its calibrated bandwidth counts); precision; shape, all sides >= 1; time_s > 0.
 * Returned: above 0, at most 1; NaN without a rate, and outside of Valid.
 * Valid:    where arithmetic decides (a >= b) and at least half a wave of tiles is filled (m n >= W); not for decoding,
 *           where E21 is not valid.
 * Case:     tests/planner/golden/measurement.txt (E121). */
double product_implied_efficiency(
	const struct candidate *candidate, enum precision precision, const struct bench_shape *shape, double time_s);

#endif
