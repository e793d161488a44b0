/* Measured rates and smallest times of matrix products on each accelerator. They are data, not fitted. */
#ifndef FLEETPLAN_PLANNER_REPLICA_KERNELS_H
#define FLEETPLAN_PLANNER_REPLICA_KERNELS_H

#include "planner/hardware/accelerator.h"

struct kernel_rates {
	double gemm_16, gemm_8, gemm_4; /* of the dense peak, products of 1,024 rows and more, by the width of the arithmetic in bits */
	double least_s;                 /* time of the smallest 16-bit product: at most eight rows */
	double memory;                  /* of the bandwidth, products of few rows and large weights */
	bool measured;                  /* on this accelerator or one with the same chip; false: means of the measured ones */
};

/* E50. Returns the measured rates of matrix products on an accelerator.
 * Given:    accelerator; its catalogue id selects the row.
 * Returned: rates as fractions, least_s in s.
 * Source:   ai-dynamo/aiconfigurator, medians of its GEMM timings; stas00/ml-engineering, MAMF tables, where
 *           aiconfigurator has none.
 * Case:     tests/planner/test_serving_engines.c, kernels_are_measured_or_a_mean. */
struct kernel_rates kernel_rates_of(const struct accelerator *accelerator);

#endif
