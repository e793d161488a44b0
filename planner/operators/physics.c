#include "planner/operators/physics.h"

/* Written by scripts/fit --write from the published step times of tests/validation/training*.jsonl; what each means: physics.h.
 * Software without measurements of its own (unset, generic, maxtext, hai_llm) is as fast as the middle one of Megatron Core, FSDP and TorchTitan. */
const struct physics physics_fitted = {
	.gemm_fraction = 0.9097,
	.power_exponent = 0.3608,
	.narrow_fraction = 0.9653,
	.nvfp4_fraction = 0.6864,
	.gemm_traffic = 0.2125,
	.gemm_wave_outputs = 1.625e+06,
	.attention_fraction = 0.8772,
	.blackwell_attention = 1.416,
	.flash2_fraction = 0.5756,
	.attention_half_tokens = 541.6,
	.attention_backward = 0.7432,
	.score_traffic_bytes = 10.61,
	.element_traffic = 0.7373,
	.host_layer_s = 0.001142,
	.kernel_gap_s = 1.62e-05,
	.step_fixed_s = 0.01086,
	.link_fraction = 0.5989,
	.nic_fraction = 0.9129,
	.link_latency_s = 2.07e-05,
	.nic_latency_s = 3.675e-05,
	.overlap = 0.6417,
	.expert_fraction = 0.4965,
	.expert_half_rows = 259.3,
	.expert_gain_per_year = 0.1016,
	.expert_traffic = 1.531,
	.expert_host_s = 0.002103,
	.expert_wait_s = 0.0006836,
	.youth = 0.3203,
	.release_gain_per_year = 0.01697,
	.synchronise_s = 2.169e-09,
	.stack_speed = { /* unset, then as in enum stack */
		1.032, 1.032, 1.222, 1.102, 1, 1.032, 1.086, 0.9394, 1.032, 1.032,
	},
};
