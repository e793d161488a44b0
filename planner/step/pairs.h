/* Speed of a kernel library on accelerators that its authors did not tune it for, over that of the accelerator vendor's
 * own library (E159). */
#ifndef FLEETPLAN_PLANNER_STEP_PAIRS_H
#define FLEETPLAN_PLANNER_STEP_PAIRS_H

/* Columns: member, value, least, most, meaning, source. */
#define PAIR_CONSTANTS(X) \
	X(torch_on_amd, 0.86, 0.7, 1, "speed of PyTorch's own kernels on AMD's accelerators divided by that of the kernels in AMD's containers", \
		"one run of torchtitan in 16 bits (pytorch/ao); SemiAnalysis 2024-12, MI300X, public release over AMD's own image: 0.75 to 0.9") \
	X(torch_on_amd_narrow, 0.81, 0.7, 1, "further factor of torch_on_amd for products in 8 bits and fewer", \
		"SemiAnalysis 2024-12: products reach 990 TFLOP/s in 8 bits and 620 in 16 on the MI300X, 1,280 and 720 on the H100") \
	X(eager_scores, 2.5, 1.5, 3.5, \
		"bytes that kernels which PyTorch issues one by one move for a score, divided by those of Megatron's fused scaled and masked softmax", \
		"in 16 bits with a softmax in 32: scale 4, mask 4, cast and softmax 12, cast 6, dropout 5, products 4; divided by 9 to 13")

#define PAIR_VALUE(member_, value_, least_, most_, meaning_, source_) static const double member_ __attribute__((unused)) = value_;
PAIR_CONSTANTS(PAIR_VALUE)
#undef PAIR_VALUE

#endif
