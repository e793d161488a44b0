/* Matrix products: efficiency that saturates in rows and in every sharded width (E21, E22). */
#ifndef FLEETPLAN_PLANNER_OPERATORS_GEMM_H
#define FLEETPLAN_PLANNER_OPERATORS_GEMM_H

#include "planner/operators/device.h"

/* A processor's cores take tiles of 6 x 16 to 14 x 32 outputs: some 32 threads of them are half a wave. In place of gemm_wave_outputs there. */
static const double gemm_small_wave_outputs = 1e4;

/* Time of a product, and how much of it is operand traffic. */
struct product_time {
	double time_s, traffic_s; /* traffic_s is part of time_s */
};

/* A product [rows x inner] x [inner x columns] of one rank; `count` of them, one after another (experts: grouped). */
struct product {
	double rows, inner, columns, count;
	bool narrow; /* runs in the request's format; else in 16 bits or more */
};

/* E21. Forward. Arithmetic a = 2 r i c / rate x (1 + W/(count r c)), traffic b = (weights + inputs + outputs) / bandwidth;
 * time = max(a, b) + kappa min(a, b) + casts to the narrow format / bandwidth, and not below 2 r i c over the best rate that
 * was measured on this accelerator.
 * Given: rows, inner, columns (> 0, not necessarily whole); count (>= 0). Returned: s.
 * W (gemm_wave_outputs): the last wave of output tiles fills half of the multiprocessors on average; kappa (gemm_traffic):
 * prologues and epilogues hide no traffic. Efficiency so saturates in rows (tokens of a micro-batch) and in sharded widths.
 * Valid: products with more than about 16 rows. Source: roofline (Williams et al. 2009); tiles and waves: NVIDIA, Matrix
 * Multiplication Background (2023), section 3. */
struct product_time gemm_forward(const struct device *device, const struct physics *physics, const struct product *product);

/* E22. Backward: gradient of the inputs and, unless the weights are frozen, of the weights, which are accumulated
 * in 32 bits (one read and one write): the products r x c x i and i x r x c. */
struct product_time gemm_backward(const struct device *device, const struct physics *physics, const struct product *product, bool frozen);

#endif
