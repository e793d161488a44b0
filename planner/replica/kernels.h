/* What measured matrix products reach and cost at least on each accelerator: data, not a fit. */
#ifndef FLEETPLAN_PLANNER_REPLICA_KERNELS_H
#define FLEETPLAN_PLANNER_REPLICA_KERNELS_H

#include "planner/hardware/accelerator.h"

struct kernel_rates {
	double gemm_16, gemm_8, gemm_4; /* of the dense peak, products of 1,024 rows and more, by the width of the arithmetic in bits */
	double least_s; /* the smallest 16-bit product: at most eight rows */
	double memory; /* of the bandwidth, products of few rows and large weights */
	bool measured; /* on this accelerator or its twin; false: the mean of those that were */
};

/* E50. Given: the accelerator (its catalogue id decides). Source: ai-dynamo/aiconfigurator, medians of its GEMM timings;
 * stas00/ml-engineering, MAMF tables, where aiconfigurator has none. */
struct kernel_rates kernel_rates_of(const struct accelerator *accelerator);

#endif
