#include "planner/operators/physics.h"

const struct physics physics_fitted = {
	.gemm_fraction = 0.88,
	.narrow_fraction = 0.85,
	.nvfp4_fraction = 0.6,
	.gemm_traffic = 2.0,
	.attention_fraction = 0.95,
	.attention_half_tokens = 700,
	.attention_backward = 0.8,
	.score_traffic_bytes = 14,
	.element_traffic = 1.2,
	.host_layer_s = 0.15e-3,
	.kernel_gap_s = 2e-5,
	.step_fixed_s = 5e-3,
	.link_fraction = 0.74,
	.nic_fraction = 0.75,
	.link_latency_s = 20e-6,
	.nic_latency_s = 20e-6,
	.overlap = 0.8,
	.expert_imbalance = 1.1,
	.expert_fraction = 0.8,
	.release_gain_per_year = 0.1,
};
