/* The constants of the operators (E20-E29), each with a meaning, a unit, a plausible range and a source.
 *
 * Every operator receives them in one struct, so that a fit, a sensitivity or a test can change one and plan again. No
 * constant is specific to a case, a model or a suite; each software stack has one factor (planner/step/software.c).
 * The table below is the only list: the struct and the output of scripts/fit are generated from it. */
#ifndef FLEETPLAN_PLANNER_OPERATORS_PHYSICS_H
#define FLEETPLAN_PLANNER_OPERATORS_PHYSICS_H

#include "planner/hardware/accelerator.h"

enum { PHYSICS_STACKS = 10 }; /* the number of values of enum stack */

/* member, least, most, meaning, source of the range: a direct measurement or a paper */
#define PHYSICS_CONSTANTS(X) \
	X(gemm_fraction, 0.7, 1.1, "rate of a training's matrix products divided by the best measured rate of the accelerator", \
		"MAMF tables, stas00/ml-engineering") \
	X(power_exponent, 0.1, 0.5, \
		"exponent of the loss of sustained speed where the accelerator has less power for each FLOP/s of its peak than the H100", \
		"dynamic power is proportional to frequency x voltage squared: up to 1/2") \
	X(narrow_fraction, 0.5, 1.1, \
		"rate of a training's products in 8 bits divided by the best measured rate, scaling included: one scale for a tensor (FP8) or for 32 elements (MXFP8)", \
		"MAMF tables, FP8; Megatron-Bridge publishes both formats for the same layouts") \
	X(nvfp4_fraction, 0.4, 1.1, \
		"rate of a training's products in 4 bits divided by the best measured rate, scaling included; some products stay wider", \
		"only the runs of the fit") \
	X(gemm_traffic, 0.05, 1, "arithmetic and operand traffic of a product: part of the shorter one that the longer one does not hide", \
		"aiconfigurator GEMM timings") \
	X(gemm_wave_outputs, 8e5, 3e6, "outputs of a product that keep the multiprocessors busy for half a wave of tiles", \
		"108 to 148 multiprocessors, tiles of 128 x 64 to 256 x 128") \
	X(attention_fraction, 0.4, 1.5, "rate of fused attention in training divided by the measured rate of fused attention", \
		"aiconfigurator, causal prefill") \
	X(blackwell_attention, 0.8, 1.5, \
		"speed of attention kernels for training on Blackwell divided by that of the measured kernels for serving", \
		"Zadouri et al. 2026, FlashAttention-4: 1,613 TFLOP/s on B200, 1.47 times the measured 0.484 of its peak") \
	X(flash2_fraction, 0.4, 1, "speed of FlashAttention-2 on Hopper and later divided by that of kernels written for these accelerators", \
		"Shah et al. 2024, arXiv 2407.08608: 0.5 to 0.67") \
	X(attention_half_tokens, 100, 2000, "sequence length at which fused attention runs at half of its full rate, tokens", \
		"Dao 2023, arXiv 2307.08691, figures 4 and 5") \
	X(attention_backward, 0.5, 1.2, "rate of fused attention's backward pass divided by that of its forward pass", "Dao 2023: 0.7 to 0.8") \
	X(score_traffic_bytes, 6, 30, "bytes that the forward pass of unfused attention moves for each score", \
		"Korthikanti et al. 2022: 10 to 13") \
	X(element_traffic, 0.4, 2.5, "bytes that element-wise kernels move divided by the bytes that the model counts", \
		"fused kernels and caches keep it below 1") \
	X(host_layer_s, 0.02e-3, 2e-3, "host time to issue the forward pass of one layer, s", "20 kernels at 5 to 50 us from Python") \
	X(kernel_gap_s, 1e-6, 1e-4, "device time lost between the kernels of one layer's forward pass, s", "20 kernels at 1 to 5 us") \
	X(step_fixed_s, 1e-3, 5e-2, "host time once a step for loss scale, clipping and logging, s", "only the runs of the fit") \
	X(link_fraction, 0.4, 0.95, "rate that large collectives reach inside a link domain divided by the link's rate in one direction", \
		"NCCL alone: 222 of 300 GB/s, aiconfigurator") \
	X(nic_fraction, 0.2, 1, "rate that large collectives reach between nodes divided by the rate of the network adapters", \
		"nccl-tests, published busbw") \
	X(link_latency_s, 4e-6, 8e-5, "latency of one collective inside a link domain, s", "NCCL: 16 to 25 us for 8 ranks, aiconfigurator") \
	X(nic_latency_s, 4e-6, 2e-4, \
		"latency of a collective between link domains, s: once for each doubling of their number in a tree, half of it for each further domain in a ring", \
		"InternEvo's scaling from 16 to 1,024 accelerators: 5 us for each rank (Chen et al. 2024, arXiv 2401.09149)") \
	X(overlap, 0.2, 1, "part of the hideable communication that software hides", "only the runs of the fit") \
	X(expert_fraction, 0.4, 1.1, \
		"rate of grouped products of many rows divided by that of single products, in releases that do not fuse the casts into them", \
		"aiconfigurator MoE timings") \
	X(expert_half_rows, 100, 5000, "tokens of one expert at which grouped products run at half of their full rate", \
		"tiles of 128 rows and their tails") \
	X(expert_gain_per_year, 0.02, 0.6, "gain of the logarithm of the rate of grouped products with each year of newer software", \
		"Megatron-Bridge releases 25.09 to 26.08") \
	X(expert_traffic, 0.5, 8, "bytes moved to sort, send, weight and sum the experts' tokens, divided by the bytes of one copy in and out", \
		"only the runs of the fit") \
	X(expert_host_s, 1e-3, 5e-3, "host time to issue the forward pass of one layer of experts, s; routing waits for the device", \
		"Megatron-Bridge 25.09, one sequence a step: 4.7 ms forward and backward on B200 and GB200") \
	X(expert_wait_s, 1e-4, 2e-3, \
		"time that the host waits for the counts of routed tokens in each pass of a layer of experts, s; only with kernels that are not written for NVL72", \
		"DeepEP's documentation: the CPU waits for the counts; Hybrid-EP for NVL72 does not") \
	X(youth, 0.25, 0.45, "part of the full speed that software lacks on hardware of its own year; fades as e^(-years/2)", \
		"Megatron on the A100 from 2021 to 2022: 13 % on the same models (Narayanan, Korthikanti)") \
	X(release_gain_per_year, 0.005, 0.4, "gain of the logarithm of the speed with each year of newer software", "NeMo and Megatron releases") \
	X(synchronise_s, 0.5e-9, 6e-9, "DeepSpeed ZeRO: time once a step for each parameter that a rank stores, s; never hidden", \
		"BLOOM tuning runs")

#define PHYSICS_MEMBER(member_, least_, most_, meaning_, source_) double member_;
struct physics {
	PHYSICS_CONSTANTS(PHYSICS_MEMBER)
	double stack_speed[PHYSICS_STACKS]; /* speed of every kernel, by enum stack, over Megatron Core's; 0.67..1.5 */
};
#undef PHYSICS_MEMBER

extern const struct physics physics_fitted;

/* Constants of accelerators whose whole step is one program that a compiler lays out ahead of time. They are set by
 * hand and not fitted, because overlap and link fraction here, and the ceilings of device.c, were chosen on the
 * eighteen runs of suite maxtext. Member, value, least, most, meaning, source; scope.c lists their inputs. */
#define COMPILED_CONSTANTS(X) \
	X(wave_outputs, 1.3e5, 6e4, 5e5, \
		"outputs of a product that keep a compiled chip busy for half a wave: 512 x 256, one of two tiles of that size", \
		"no measurement is published") \
	X(overlap, 0.8, 0.6, 0.95, "part of the hideable communication that compiled programs hide", \
		"suite maxtext; chips read and write the memory of other chips beside their arithmetic, Jouppi et al. 2023, arXiv 2304.01433") \
	X(link_fraction, 0.9, 0.6, 0.95, \
		"rate that rings of neighbouring chips reach divided by the link's rate in one direction; no processor drives these links", \
		"suite maxtext") \
	X(expert_fraction, 0.8, 0.7, 1, \
		"rate of experts' products divided by that of single products: one batched product over as many tokens as each expert has room for", \
		"MaxText drops tokens beyond a capacity of 1.25 times the mean, and computes the empty room of the other experts") \
	X(fragmentation, 0.02, 0, 0.05, "memory between the buffers of a compiled program divided by the memory of the buffers", \
		"the compiler places all buffers before the program starts; MaxText's runs on v5e leave 8 % of the memory")

#define COMPILED_VALUE(member_, value_, least_, most_, meaning_, source_) \
	static const double compiled_##member_ __attribute__((unused)) = value_;
COMPILED_CONSTANTS(COMPILED_VALUE)
#undef COMPILED_VALUE

/* E20. Returns the constants for chips whose whole step is one compiled program (device_is_compiled()): the host
 * issues nothing layer by layer, tiles are few and large, no processor drives the links, and kernels do not become
 * faster after the release of the chip.
 *
 * Given:    physics  constants of other accelerators
 * Returned: the constants with the values of COMPILED_CONSTANTS; times of the host and of gaps between kernels, latency of the
 *             link, youth and the yearly gain of experts are 0
 * Case:     tests/planner/test_training_ground.c (experts) */
struct physics physics_compiled(const struct physics *physics);

#endif
