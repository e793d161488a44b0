#include "planner/operators/physics.h"

/* Written by scripts/fit --write from the published step times of tests/validation/training*.jsonl; what each means: physics.h.
 * Software without measurements of its own (unset, generic, maxtext, hai_llm) is as fast as the middle one of Megatron Core, FSDP and TorchTitan. */
const struct physics physics_fitted = {
	.gemm_fraction = 0.9135,
	.power_exponent = 0.4314,
	.narrow_fraction = 0.9772,
	.nvfp4_fraction = 0.6989,
	.gemm_traffic = 0.2124,
	.gemm_wave_outputs = 1.616e+06,
	.attention_fraction = 0.8735,
	.blackwell_attention = 1.293,
	.flash2_fraction = 0.582,
	.attention_half_tokens = 567.6,
	.attention_backward = 0.7343,
	.score_traffic_bytes = 10.65,
	.element_traffic = 0.7466,
	.host_layer_s = 0.001145,
	.kernel_gap_s = 1.515e-05,
	.step_fixed_s = 0.01037,
	.link_fraction = 0.5948,
	.nic_fraction = 0.9142,
	.link_latency_s = 2.055e-05,
	.nic_latency_s = 3.681e-05,
	.overlap = 0.6428,
	.expert_fraction = 0.503,
	.expert_half_rows = 253.3,
	.expert_gain_per_year = 0.1052,
	.expert_traffic = 1.533,
	.expert_host_s = 0.002107,
	.expert_wait_s = 0.0007214,
	.youth = 0.3181,
	.release_gain_per_year = 0.01787,
	.synchronise_s = 2.149e-09,
	.stack_speed = { /* unset, then as in enum stack */
		1.035, 1.035, 1.218, 1.096, 1, 1.035, 1.079, 0.9384, 1.035, 1.035,
	},
};
