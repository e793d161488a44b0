/* Time of matrix products: the efficiency saturates in rows and in every sharded width (E21, E22). */
#ifndef FLEETPLAN_PLANNER_OPERATORS_GEMM_H
#define FLEETPLAN_PLANNER_OPERATORS_GEMM_H

#include "planner/operators/device.h"

/* Replaces gemm_wave_outputs on a processor (CPU): its cores compute tiles of 6 x 16 to 14 x 32 outputs; about 32
 * threads of them are half a wave. */
static const double gemm_small_wave_outputs = 1e4;

/* Time of a product, and the part of it that is operand traffic. */
struct product_time {
	double time_s, traffic_s; /* traffic_s is part of time_s */
};

/* A product [rows x inner] x [inner x columns] of one rank, `count` times in sequence (experts: grouped). */
struct product {
	double rows, inner, columns, count;
	bool narrow; /* true: in the request's format; false: in 16 bits or more */
};

/* E21. Computes the time of a matrix product, forward. The efficiency saturates in rows (tokens of a micro-batch) and
 * in sharded widths.
 *
 * Given:    device   rates, FLOP/s and bytes/s
 *           physics  gemm_wave_outputs W: the last wave of output tiles fills half of the multiprocessors on average;
 *             gemm_traffic kappa: prologues and epilogues do not hide traffic
 *           product  r rows, i inner, c columns, > 0, not necessarily whole; count, >= 0
 * Returned: s = count x (max(max(a, b) + kappa min(a, b), 2 r i c / best measured rate) + casts to the narrow format /
 *             bandwidth), with arithmetic a = 2 r i c / rate x (1 + W / (count r c)) and traffic b = bytes of weights,
 *             inputs and outputs / bandwidth
 * Valid:    products with more than about 16 rows
 * Source:   roofline (Williams et al. 2009); tiles and waves: NVIDIA, Matrix Multiplication Background (2023), section
 *             3
 * Case:     tests/planner/golden/training_runs.txt */
struct product_time gemm_forward(const struct device *device, const struct physics *physics, const struct product *product);

/* E22. Computes the time of the backward pass of a matrix product: the products r x c x i for the gradient of the
 * inputs and i x r x c for the gradient of the weights.
 *
 * Given:    as gemm_forward()
 *           frozen  the weights are not trained: no gradient of the weights
 * Returned: s, by E21. The gradient of the weights is accumulated in 32 bits: 8 bytes an output, one read and one
 *             write.
 * Case:     tests/planner/golden/training_runs.txt */
struct product_time gemm_backward(const struct device *device, const struct physics *physics, const struct product *product, bool frozen);

#endif
