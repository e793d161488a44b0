#include <math.h>

#include "planner/operators/physics.h"

/* Written by scripts/fit --write from the published step times of tests/validation/training.jsonl; what each means: physics.h.
 * Software without measurements of its own (unset, generic, maxtext) is as fast as the middle one of Megatron Core, FSDP and TorchTitan. */
const struct physics physics_fitted = {
	.gemm_fraction = 0.9049,
	.power_exponent = 0.3487,
	.narrow_fraction = 0.9625,
	.block_scaling = 0.9697,
	.nvfp4_fraction = 0.6806,
	.gemm_traffic = 0.2222,
	.gemm_wave_outputs = 1.62e+06,
	.attention_fraction = 0.8681,
	.blackwell_attention = 1.405,
	.flash2_fraction = 0.5776,
	.attention_half_tokens = 543.5,
	.attention_backward = 0.7401,
	.score_fraction = 0.5578,
	.score_traffic_bytes = 9.332,
	.element_traffic = 0.7312,
	.host_layer_s = 0.001141,
	.kernel_gap_s = 1.67e-05,
	.step_fixed_s = 0.01319,
	.link_fraction = 0.6067,
	.nic_fraction = 0.9297,
	.link_latency_s = 2.076e-05,
	.nic_latency_s = 3.685e-05,
	.overlap = 0.6286,
	.expert_imbalance = 1.07,
	.expert_fraction = 0.5226,
	.expert_half_rows = 282.7,
	.expert_gain_per_year = 0.09995,
	.expert_traffic = 1.291,
	.expert_host_s = 0.002091,
	.expert_wait_s = 0.0006348,
	.youth = 0.3206,
	.release_gain_per_year = 0.01744,
	.synchronise_s = 2.232e-09,
	.stack_speed = { /* unset, then as in enum stack */
		1.043, 1.043, 1.243, 1.119, 1.015, 1.043, 1.097, 0.944, 1.043,
	},
};

/* What differs where a whole step is one program. Sources: Jouppi et al. 2023, arXiv 2304.01433 (TPU v4: direct memory access between chips
 * beside the arithmetic, 128 MiB of scratch memory that the compiler fills ahead); XLA's published runs (tests/validation, suite maxtext). */
static const double compiled_wave_outputs = 1.3e5; /* half of what two cores' accumulators of 512 x 256 outputs hold */
static const double compiled_step_s = 1e-3;        /* one program is started, no kernel */
static const double compiled_overlap = 0.8;        /* of 0.2 to 1; what suite maxtext leaves exposed */
static const double compiled_link_fraction = 0.9;  /* rings of neighbours that no processor drives */
static const double compiled_link_latency_s = 5e-6;

struct physics physics_compiled(const struct physics *physics)
{
	struct physics compiled = *physics;

	compiled.gemm_wave_outputs = compiled_wave_outputs;
	compiled.kernel_gap_s = compiled.host_layer_s = compiled.expert_host_s = compiled.expert_wait_s = 0;
	compiled.step_fixed_s = fmin(physics->step_fixed_s, compiled_step_s);
	compiled.overlap = compiled_overlap;
	compiled.link_fraction = compiled_link_fraction;
	compiled.link_latency_s = compiled_link_latency_s;
	compiled.youth = 0;
	return compiled;
}
