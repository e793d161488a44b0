/* Constants of LoRA and QLoRA where each adapted matrix has kernels of its own, and where 4-bit weights are widened
 * before each pass (E157). */
#ifndef FLEETPLAN_PLANNER_STEP_ADAPTERS_H
#define FLEETPLAN_PLANNER_STEP_ADAPTERS_H

/* Set by hand on 24 published steps of Qwen-72B and 1.8B on one and four A100s at 256 to 8,192 tokens (QwenLM/Qwen,
 * README of 2023). Columns: member, value, least, most, meaning, source. */
#define ADAPTER_CONSTANTS(X) \
	X(adapter_moves, 5, 2, 9, \
		"further moves of a value that enters or leaves an adapted matrix in the forward pass, for dropout, two small products, their scale and the sum", \
		"PEFT's LoraLinear reads and writes inputs 3 times and outputs 6 times") \
	X(adapter_moves_fused, 2, 1, 3, \
		"adapter_moves where a compiler fuses the work between products (Gaudi): only what the small products read and write", \
		"Llama 7B on eight Gaudi 2 in 16 and 8 bits") \
	X(added_kernels, 0.55, 0.2, 1, \
		"kernels that adapters add to a layer, divided by the layer's own; widening of 4-bit weights adds the same number", \
		"shortest steps of Qwen-1.8B: LoRA 1.0 s for 8 x 24 layers, QLoRA 1.4 s, which give 0.5 and 0.6") \
	X(widening_bytes, 20, 2.5, 30, "bytes moved to widen one weight of half a byte", \
		"2.5 if read and written once; 9 to 12 ps for each weight and pass at every length on an A100")

#define ADAPTER_VALUE(member_, value_, least_, most_, meaning_, source_) static const double member_ __attribute__((unused)) = value_;
ADAPTER_CONSTANTS(ADAPTER_VALUE)
#undef ADAPTER_VALUE

#endif
