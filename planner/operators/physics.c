#include "planner/operators/physics.h"

/* Written by scripts/fit --write from the published step times of tests/validation/training*.jsonl; what each means: physics.h.
 * Software without measurements of its own (unset, generic, maxtext, hai_llm) is as fast as the middle one of Megatron Core, FSDP and TorchTitan. */
const struct physics physics_fitted = {
	.gemm_fraction = 0.914,
	.power_exponent = 0.4283,
	.narrow_fraction = 0.976,
	.nvfp4_fraction = 0.699,
	.gemm_traffic = 0.2119,
	.gemm_wave_outputs = 1.615e+06,
	.attention_fraction = 0.8738,
	.blackwell_attention = 1.294,
	.flash2_fraction = 0.582,
	.attention_half_tokens = 566.6,
	.attention_backward = 0.7345,
	.score_traffic_bytes = 10.65,
	.element_traffic = 0.7471,
	.host_layer_s = 0.001145,
	.kernel_gap_s = 1.516e-05,
	.step_fixed_s = 0.0104,
	.link_fraction = 0.5952,
	.nic_fraction = 0.9148,
	.link_latency_s = 2.053e-05,
	.nic_latency_s = 3.682e-05,
	.overlap = 0.6432,
	.expert_fraction = 0.5022,
	.expert_half_rows = 253.8,
	.expert_gain_per_year = 0.1051,
	.expert_traffic = 1.531,
	.expert_host_s = 0.002106,
	.expert_wait_s = 0.000722,
	.youth = 0.318,
	.release_gain_per_year = 0.01788,
	.synchronise_s = 2.151e-09,
	.stack_speed = { /* unset, then as in enum stack */
		1.034, 1.034, 1.217, 1.095, 1, 1.034, 1.079, 0.9377, 1.034, 1.034,
	},
};
