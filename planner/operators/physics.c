#include "planner/operators/physics.h"

/* Written by scripts/fit --write from the published step times of tests/validation/training*.jsonl; what each means: physics.h.
 * Software without measurements of its own (unset, generic, maxtext, hai_llm) is as fast as the middle one of Megatron Core, FSDP and TorchTitan. */
const struct physics physics_fitted = {
	.gemm_fraction = 0.9129,
	.power_exponent = 0.4334,
	.narrow_fraction = 0.9779,
	.nvfp4_fraction = 0.6988,
	.gemm_traffic = 0.2128,
	.gemm_wave_outputs = 1.617e+06,
	.attention_fraction = 0.8731,
	.blackwell_attention = 1.292,
	.flash2_fraction = 0.5819,
	.attention_half_tokens = 568.3,
	.attention_backward = 0.7342,
	.score_traffic_bytes = 10.64,
	.element_traffic = 0.7465,
	.host_layer_s = 0.001145,
	.kernel_gap_s = 1.516e-05,
	.step_fixed_s = 0.01035,
	.link_fraction = 0.5948,
	.nic_fraction = 0.9142,
	.link_latency_s = 2.057e-05,
	.nic_latency_s = 3.69e-05,
	.overlap = 0.6428,
	.expert_fraction = 0.5036,
	.expert_half_rows = 252.9,
	.expert_gain_per_year = 0.1053,
	.expert_traffic = 1.535,
	.expert_host_s = 0.002107,
	.expert_wait_s = 0.0007212,
	.youth = 0.3182,
	.release_gain_per_year = 0.01788,
	.synchronise_s = 2.148e-09,
	/* unset, then as in enum stack */
	.stack_speed = {1.035, 1.035, 1.219, 1.096, 1, 1.035, 1.08, 0.9391, 1.035, 1.035},
};
