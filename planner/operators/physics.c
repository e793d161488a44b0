#include "planner/operators/physics.h"

/* Fitted by scripts/fit to the published step times of tests/validation/training.jsonl (its suites weighted alike, every constant
 * inside the range that physics.h states); where a constant can be checked against a direct measurement, that is said. */
const struct physics physics_fitted = {
	.gemm_fraction = 0.975,
	.narrow_fraction = 1.1,
	.nvfp4_fraction = 0.949,
	.gemm_traffic = 1.80,
	.attention_fraction = 0.795, /* the measured kernels see unlimited length and one sequence */
	.attention_half_tokens = 100,
	.attention_backward = 0.734, /* FlashAttention-2 reports 0.7 to 0.8 (Dao 2023, arXiv 2307.08691, figures 5 and 6) */
	.score_fraction = 1.0,
	.score_traffic_bytes = 10.8, /* written by QK^T, read and written by softmax and by dropout, read by PV: 10 to 13 */
	.element_traffic = 0.422,    /* below 1: fused kernels, and what the caches keep */
	.host_layer_s = 0.977e-3,    /* about 20 kernels at 50 us from Python */
	.kernel_gap_s = 0.193e-3,    /* about 20 kernels at 10 us: launch gaps, tails and wave quantization */
	.step_fixed_s = 11e-3,
	.link_fraction = 0.686,      /* NCCL on A100 NVLink reaches 222 of 300 GB/s, on H100 445 of 450 with NVLS (aiconfigurator) */
	.nic_fraction = 0.933,
	.link_latency_s = 73e-6,     /* NCCL's floor is 16 to 25 us for 8 ranks (aiconfigurator); the rest is ranks waiting for each other */
	.nic_latency_s = 53e-6,
	.overlap = 0.673,
	.expert_imbalance = 1.0,
	.expert_fraction = 0.244,
	.expert_traffic = 0.5,
	.expert_gain_per_year = 0.231,
	.youth = 0.235,
	.release_gain_per_year = 0.057,
	.synchronise_s = 3.74e-9,
	/* unset, generic, megatron_lm, megatron_deepspeed, megatron_core, fsdp, torchtitan, internevo, maxtext; generic and maxtext
	 * have no measurement of their own and stand at the others' middle */
	.stack_speed = {1, 1, 1.34, 1.17, 1.03, 1.0, 0.858, 0.94, 1},
};
