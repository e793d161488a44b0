/* The constants of the serving model (E50-E57). Each has a meaning, a unit, a plausible range and a source.
 *
 * One set is used for every model and every accelerator; no constant belongs to one case or one model. They are members
 * of one struct that callers pass on, so that a fit, a sensitivity or a test can change one and predict again. The
 * tables below are their only list: the struct, the output of scripts/fit and docs/accuracy.md are made from them.
 * scripts/fit writes their values (constants.c). */
#ifndef FLEETPLAN_PLANNER_REPLICA_CONSTANTS_H
#define FLEETPLAN_PLANNER_REPLICA_CONSTANTS_H

/* Constants fitted to published serving measurements. Columns: member, least, most, meaning, source of the bounds.
 * Units: a name that ends in _s is in seconds, _bytes in bytes, _tokens in tokens; all others are ratios or counts. */
#define SERVING_FITTED(X) \
	X(gemm_fraction_16, 0.8, 1.2, "rate of a model's products in 16 bits divided by the rate of measured products (kernels.c)", \
		"the measured rates are medians of many shapes; those of one model's shapes are 0.85 to 1.15 of them") \
	X(gemm_fraction_8, 0.8, 1.4, "rate of a model's products in 8 bits divided by the rate of measured products (kernels.c)", \
		"p90 of aiconfigurator's shapes over their median: 1.04 to 1.34") \
	X(gemm_fraction_4, 0.8, 1.4, "rate of a model's products in 4 bits divided by the rate of measured products (kernels.c)", \
		"p90 of aiconfigurator's shapes over their median: 1.16 to 1.25") \
	X(memory_fraction, 0.8, 1.15, \
		"rate at which a model's weights stream divided by the rate at which they stream in measured products (kernels.c)", \
		"p10 to p90 of aiconfigurator's shapes: 0.86 to 1.13 of the median") \
	X(kernel_s, 1.5e-6, 12e-6, \
		"fixed time of one kernel inside a captured graph on Hopper, s; elsewhere in proportion to the smallest products (kernels.c)", \
		"aiconfigurator, smallest products: 3 to 15 us") \
	X(layer_s, 3e-6, 40e-6, \
		"fixed time of norms, rotary position and cache write of one layer on Hopper, s; elsewhere in proportion to the smallest products (kernels.c)", \
		"five to eight kernels of 2 to 5 us") \
	X(elementwise_passes, 4, 20, "times that a token's hidden state crosses memory in one layer", \
		"norms, residuals, casts: 8 to 12 reads and writes") \
	X(decode_efficiency, 0.45, 0.95, "part of the bandwidth at which decoding attention reads the cache", "aiconfigurator: 0.45 to 0.95") \
	X(decode_flops_efficiency, 0.3, 0.9, "part of the 16-bit peak that decoding attention reaches; it limits latent attention on few ranks", \
		"FlashMLA (DeepSeek 2025): 660 of 989 TFLOP/s on H800") \
	X(decode_attention_s, 2e-6, 15e-6, "fixed time of decoding attention of one layer, s", "aiconfigurator: 9 to 11 us with its own kernels") \
	X(expert_widening, 0.4, 1, \
		"arithmetic rate of grouped products of experts whose weights are widened inside the kernel, divided by that without widening", \
		"only the runs of the fit") \
	X(expert_efficiency, 0.4, 1, "rate of grouped products of wide experts divided by that of single products", "aiconfigurator MoE timings") \
	X(triton_experts, 0.4, 1.1, \
		"vLLM until 2025, with Triton kernels: rate at which grouped products stream weights divided by that of library kernels", \
		"Triton kernels are not tuned for every shape and accelerator; only the runs of the fit") \
	X(triton_products, 0.4, 1.1, \
		"vLLM until 2025, with Triton kernels: rate of the arithmetic of grouped products divided by that of library kernels", \
		"large tiles suit Triton; only the runs of the fit") \
	X(expert_tile_tokens, 8, 128, "rows to which the tokens of an expert are padded, at most", "tiles of 16 to 128 rows") \
	X(expert_half_width, 50, 1000, \
		"width of an expert's part on one rank at which the arithmetic of grouped products runs at half of its full rate", \
		"tiles of 128 columns and their tails") \
	X(expert_half_memory, 10, 500, "width of an expert's part on one rank at which its weights stream at half of the full rate", \
		"few bytes for each tile that is started; only the runs of the fit") \
	X(expert_imbalance, 1, 2.5, "tokens of the fullest expert rank divided by the mean of the ranks", \
		"only the runs of the fit; aiconfigurator draws loads from a power law") \
	X(expert_spread, 0.3, 1, "part of the tokens that choose their experts independently of other tokens", \
		"similar tokens choose the same experts") \
	X(reduce_s, 2e-6, 10e-6, "fixed latency of an all-reduce over links, s", "aiconfigurator: 3.0 to 4.8 us") \
	X(reduce_rank_s, 1e-6, 30e-6, \
		"part of an all-reduce's time for each rank, s, which grows with the bytes (reduce_knee_bytes); also the latency of an exchange of experts", \
		"aiconfigurator: 20 us for 1 MiB over eight ranks") \
	X(reduce_knee_bytes, 2e5, 2e7, "bytes of an all-reduce at which the part reduce_rank_s reaches 63 % of its full size", \
		"aiconfigurator, NVLink: between 1 and 8 MiB") \
	X(state_efficiency, 0.001, 0.05, "part of the 16-bit peak that the scan of linear attention over a prompt reaches", \
		"only the runs of the fit") \
	X(launch_s, 100e-6, 800e-6, \
		"PyTorch engines: host time to launch the kernels of one layer one by one, in steps with prompts, s; three times for a layer of experts", \
		"ten to twenty kernels of 10 to 20 us from Python") \
	X(sequence_s, 1e-6, 30e-6, "Python engines: host time of each sequence in each step to schedule, sample and detokenise, s", \
		"only the runs of the fit") \
	X(grace_host, 1.5, 3, "Python engines until 2026: host times beside a Grace processor divided by those beside an x86 processor", \
		"NVIDIA/TransformerEngine issue 2053 (2025-08): launching a linear layer from PyTorch takes 37 us on GB200, 33 on GH200, 13.5 on an H100 beside Xeon 8480C") \
	X(vllm_sequence_s, 1e-6, 60e-6, \
		"vLLM before it scheduled a step during the step before (2026-01): host time of each sequence in each step, s", \
		"gpustack, gpt-oss-20b at 1,000 sequences: asynchronous scheduling gains 12 to 16 %") \
	X(vllm_stream_s, 20e-6, 60e-6, "vLLM front end: time to send each token, one after the other, beside the engine, s", \
		"ML.ENERGY: at most 22,200 tokens/s, gpt-oss-20b on B200") \
	X(vllm_request_s, 1e-3, 60e-3, "vLLM front end: time of each request, one after the other, s", "only the runs of the fit") \
	X(vllm_first_token_s, 2e-3, 100e-3, "vLLM front end: latency of each request, s", "only the runs of the fit") \
	X(native_step_s, 0.1e-3, 3e-3, "TensorRT-LLM in C++: host time between two steps, s", "only the runs of the fit") \
	X(native_request_s, 0.3e-3, 20e-3, "TensorRT-LLM in C++: front-end time of each request, one after the other, s", \
		"only the runs of the fit") \
	X(native_first_token_s, 1e-3, 40e-3, "TensorRT-LLM in C++: front-end latency of each request, s", "only the runs of the fit") \
	X(batch_kernels, 0.2, 1, \
		"static batch without a serving engine (compiled graphs, C++): fixed times of its kernels divided by those in the engines", \
		"fused element-wise work, no page tables; only the runs of the fit") \
	X(rank_late_s, 0.1e-3, 2e-3, \
		"vLLM v0.6 and v0.7: time of each step for each tensor rank, to which the driver process passes the inputs, s", \
		"Llama 3.1 405B over eight ranks: 4.7 to 6.8 ms a step") \
	X(latent_gain, 0.4, 2, "latent attention: natural logarithm of the factor by which its steps became faster in the year until 2025-11", \
		"AMD, 2025-03: AITER's kernels are 2 (products), 3 (experts) and 17 times (latent attention) as fast as the kernels before") \
	X(latent_layer_s, 60e-6, 600e-6, \
		"latent attention: further time of each layer and step one year before 2025-11, s; less in proportion until then", \
		"DeepSeek-R1 on MI300X (dstack, 2025-03) at four sequences: 23 to 33 ms over 61 layers") \
	X(neuron_pair_s, 1e-9, 20e-9, \
		"AWS Neuron, decoding: time of each layer for each cached token of each sequence, and once more for the step, s", \
		"the vector engine masks whole buckets; only the runs of the fit") \
	X(neuron_reduce_s, 10e-6, 120e-6, "AWS Neuron: latency of an all-reduce of tensor ranks, s", \
		"60 to 80 us over 24 and 32 cores, from the difference between models of one shape on few and on many cores") \
	X(neuron_link_fraction, 0.05, 0.8, "AWS Neuron: rate of the all-reduce's ring divided by the links' rate in one direction", \
		"prompts of four models on 24 and 32 cores: the all-reduces of Trainium 1, which has twice the links of Inferentia 2, take half the time") \
	X(pytorch_step_s, 0.05e-3, 3e-3, "TensorRT-LLM in PyTorch: host time between two steps, s", "only the runs of the fit") \
	X(pytorch_first_token_s, 5e-3, 200e-3, \
		"TensorRT-LLM in PyTorch: latency of a request to a model of 60 layers with experts, s; in proportion to the kernels of a pass", \
		"only the runs of the fit") \
	X(sglang_step_s, 0.05e-3, 3e-3, "SGLang: host time between two steps, s", "only the runs of the fit") \
	X(sglang_request_s, 2e-3, 200e-3, \
		"SGLang: time of a request to a model of 60 layers with experts, one after the other, s; in proportion to the kernels of a pass", \
		"only the runs of the fit") \
	X(sglang_first_token_s, 5e-3, 300e-3, \
		"SGLang: latency of a request to a model of 60 layers with experts, s; in proportion to the kernels of a pass", \
		"only the runs of the fit")

/* Constants taken directly from measured kernels. */
#define SERVING_MEASURED(X) \
	X(neuron_attention, 0.02, 1, "AWS Neuron: rate of attention over prompts divided by that of other flash kernels (prefill_efficiency)", \
		"Neuron kernel library, one head of 128, not causal: 0.4 ms at 4,096 tokens and 6.2 ms at 16,384, 0.23 of a core's peak") \
	X(neuron_gemm, 0.5, 0.75, "AWS Neuron: part of the dense peak that matrix products of prompts reach", \
		"Neuron's published trainings on Trainium 1, whose largest products reach 0.66 (planner/operators/device.c)") \
	X(rank_step_s, 0.3e-3, 5e-3, \
		"vLLM before v0.6.0: time of each step for each tensor rank, to which the driver process passes the inputs, s", \
		"vLLM 2023 on A100 and H100: TPOT of 70B grows by 4 to 9 ms at two ranks and by 15 to 25 ms at eight") \
	X(prefill_efficiency, 0.43, 0.58, "part of the 16-bit peak that attention over long prompt chunks reaches", \
		"aiconfigurator, causal, 16k tokens and more, A100 to B300: medians 0.43 to 0.55") \
	X(prefill_half_tokens, 600, 1200, "tokens of a prompt chunk at which attention runs at half of prefill_efficiency", \
		"aiconfigurator: 0.18 at 512, 0.42 at 4,096") \
	X(widening_memory, 0.7, 1, \
		"factor on the rate at which weights stream for each halving of their bits below 16, if the kernel widens them", \
		"aiconfigurator: INT8 0.91, 1.00, 0.76; INT4 0.75, 1.01, 0.48; geometric means 0.88 and 0.71")

#define SERVING_MEMBER(member_, least_, most_, meaning_, source_) double member_;
struct serving_constants {
	SERVING_FITTED(SERVING_MEMBER)
	SERVING_MEASURED(SERVING_MEMBER)
};
#undef SERVING_MEMBER

extern const struct serving_constants serving_constants;

#endif
