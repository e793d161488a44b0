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
	X(gemm_fraction_16, 0.8, 1.2, "of the rate of measured products (kernels.c), products of a model in 16 bits", "medians of many shapes: a model's own are 0.85 to 1.15 of them") \
	X(gemm_fraction_8, 0.8, 1.4, "the same in 8 bits", "p90 of aiconfigurator's shapes over their median: 1.04 to 1.34") \
	X(gemm_fraction_4, 0.8, 1.4, "the same in 4 bits", "p90 over median: 1.16 to 1.25") \
	X(memory_fraction, 0.8, 1.15, "of the rate at which weights stream in measured products, weights of a model", "p10 to p90 of aiconfigurator's shapes: 0.86 to 1.13 of the median") \
	X(kernel_s, 1.5e-6, 12e-6, "one kernel inside a captured graph on Hopper; elsewhere as its smallest products differ (kernels.c)", "aiconfigurator, smallest products: 3 to 15 us") \
	X(layer_s, 3e-6, 40e-6, "norms, rotary position, cache write of one layer: fixed part, likewise", "five to eight kernels of 2 to 5 us") \
	X(elementwise_passes, 4, 20, "times that a token's hidden state crosses memory in a layer", "norms, residuals, casts: 8 to 12 reads and writes") \
	X(decode_efficiency, 0.45, 0.95, "of the bandwidth, reading the cache", "aiconfigurator: 0.45 to 0.95") \
	X(decode_flops_efficiency, 0.3, 0.9, "of the 16-bit peak, latent attention of few ranks", "FlashMLA (DeepSeek 2025): 660 of 989 TFLOP/s on H800") \
	X(decode_attention_s, 2e-6, 15e-6, "decoding attention of one layer: fixed part", "aiconfigurator: 9 to 11 us with its own kernels") \
	X(expert_widening, 0.4, 1, "the same for grouped products of experts", "none but these runs") \
	X(expert_efficiency, 0.4, 1, "of the rate of single products, grouped ones of wide experts", "aiconfigurator MoE timings") \
	X(triton_experts, 0.4, 1.1, "vLLM until 2025: speed at which grouped products stream weights, over library kernels", "Triton, not tuned for every shape and part: none but these runs") \
	X(triton_products, 0.4, 1.1, "the same of their arithmetic", "large tiles suit Triton: none but these runs") \
	X(expert_tile_tokens, 8, 128, "rows to which the tokens of an expert are padded", "tiles of 16 to 128 rows") \
	X(expert_half_width, 50, 1000, "width of an expert's share at which grouped products run at half that rate", "tiles of 128 columns and their tails") \
	X(expert_half_memory, 10, 500, "the same at which their weights stream at half the rate", "few bytes for each tile that is started: none but these runs") \
	X(expert_imbalance, 1, 2.5, "tokens of the fullest expert rank over the mean", "none but these runs; aiconfigurator draws loads from a power law") \
	X(expert_spread, 0.3, 1, "tokens that choose experts independently, of all", "similar tokens choose alike") \
	X(reduce_s, 2e-6, 10e-6, "all-reduce over links: latency", "aiconfigurator: 3.0 to 4.8 us") \
	X(reduce_rank_s, 1e-6, 30e-6, "part of it that grows with ranks and bytes up to the knee; latency of an expert exchange", "aiconfigurator: 20 us for 1 MiB over eight ranks") \
	X(reduce_knee_bytes, 2e5, 2e7, "bytes at which that part is there in full", "aiconfigurator, NVLink: between 1 and 8 MiB") \
	X(state_efficiency, 0.001, 0.05, "of the 16-bit peak, scan of linear attention over a prompt", "none but these runs") \
	X(launch_s, 100e-6, 800e-6, "PyTorch: launching one layer's kernels one by one, when a step takes in prompts; three times for experts", "ten to twenty kernels of 10 to 20 us from Python") \
	X(sequence_s, 1e-6, 30e-6, "Python engines: each sequence and step, to schedule, sample and detokenise", "none but these runs") \
	X(grace_host, 1.5, 3, "host times of Python engines beside a Grace processor over those beside an x86 one, until 2026", "NVIDIA/TransformerEngine issue 2053 (2025-08): launching a linear layer from PyTorch takes 37 us on GB200, 33 on GH200, 13.5 on an H100 beside Xeon 8480C") \
	X(vllm_sequence_s, 1e-6, 60e-6, "the same of vLLM before it scheduled a step while the one before it runs (2026-01)", "gpustack, gpt-oss-20b at 1,000 sequences: asynchronous scheduling is worth 12 to 16 %") \
	X(vllm_stream_s, 20e-6, 60e-6, "vLLM front end: each token that it sends out, one after the other, beside the engine", "ML.ENERGY: never more than 22,200 tokens/s, gpt-oss-20b on B200") \
	X(vllm_request_s, 1e-3, 60e-3, "vLLM front end: each request, one after the other", "none but these runs") \
	X(vllm_first_token_s, 2e-3, 100e-3, "vLLM front end: latency of each request", "none but these runs") \
	X(native_step_s, 0.1e-3, 3e-3, "TensorRT-LLM in C++: between steps", "none but these runs") \
	X(native_request_s, 0.3e-3, 20e-3, "the same: each request, one after the other", "none but these runs") \
	X(native_first_token_s, 1e-3, 40e-3, "the same: latency of each request", "none but these runs") \
	X(batch_kernels, 0.2, 1, "a static batch without a serving engine (compiled graphs, C++): time of its kernels' fixed parts over that of the engines'", "fused elementwise work, no page tables: none but these runs") \
	X(rank_late_s, 0.1e-3, 2e-3, "the same of v0.6 and v0.7", "Llama 3.1 405B over eight ranks: 4.7 to 6.8 ms a step") \
	X(latent_gain, 0.4, 2, "latent attention: natural logarithm of what its steps gained a year until 2025-11", "AMD, 2025-03: AITER's kernels are 2 (products), 3 (experts) and 17 times (latent attention) those before") \
	X(latent_layer_s, 60e-6, 600e-6, "the same: each layer and step, a year before 2025-11", "the same runs at four sequences: 23 to 33 ms over 61 layers") \
	X(neuron_pair_s, 1e-9, 20e-9, "the same: each layer, cached token and sequence (and once for the step), while decoding", "whole buckets are masked on the vector engine: none but these runs") \
	X(neuron_reduce_s, 10e-6, 120e-6, "the same: latency of an all-reduce of tensor ranks", "60 to 80 us over 24 and 32 cores, as models of one shape on few and many cores differ") \
	X(neuron_link_fraction, 0.05, 0.8, "the same: of the links' rate in one direction, their traffic around the ring", "prompts of four models on 24 and 32 cores: the all-reduces of Trainium 1, with twice the links of Inferentia 2, take half the time") \
	X(pytorch_step_s, 0.05e-3, 3e-3, "TensorRT-LLM in PyTorch: between steps", "none but these runs") \
	X(pytorch_first_token_s, 5e-3, 200e-3, "the same: latency of each request of a model of 60 layers with experts; in proportion to the kernels of a pass", "none but these runs") \
	X(sglang_step_s, 0.05e-3, 3e-3, "SGLang: between steps", "none but these runs") \
	X(sglang_request_s, 2e-3, 200e-3, "the same: each request, one after the other, likewise", "none but these runs") \
	X(sglang_first_token_s, 5e-3, 300e-3, "the same: latency of each request, likewise", "none but these runs")

/* Constants taken directly from measured kernels. */
#define SERVING_MEASURED(X) \
	X(neuron_attention, 0.02, 1, "AWS Neuron: attention on prompts over that of other flash kernels", "Neuron kernel library, one head of 128, not causal: 0.4 ms at 4,096 tokens and 6.2 ms at 16,384, 0.23 of a core's peak") \
	X(neuron_gemm, 0.5, 0.75, "AWS Neuron: of the dense peak, products of prompts", "Neuron's published trainings on Trainium 1, whose largest products reach 0.66 (planner/operators/device.c)") \
	X(rank_step_s, 0.3e-3, 5e-3, "vLLM before v0.6.0: each step and tensor rank, inputs handed on by the driver process", "vLLM 2023 on A100 and H100: TPOT of 70B grows by 4 to 9 ms at two ranks and by 15 to 25 ms at eight") \
	X(prefill_efficiency, 0.43, 0.58, "of the 16-bit peak, attention on long chunks", "aiconfigurator, causal, 16k tokens and more, A100 to B300: medians 0.43 to 0.55") \
	X(prefill_half_tokens, 600, 1200, "chunk at which it runs at half of that", "aiconfigurator: 0.18 at 512, 0.42 at 4,096") \
	X(widening_memory, 0.7, 1, "of the rate of 16-bit weights, streaming narrower ones that are widened inside the kernel, for each halving of their bits", "aiconfigurator: INT8 0.91, 1.00, 0.76; INT4 0.75, 1.01, 0.48; geometric means 0.88 and 0.71")

#define SERVING_MEMBER(member_, least_, most_, meaning_, source_) double member_;
struct serving_constants {
	SERVING_FITTED(SERVING_MEMBER)
	SERVING_MEASURED(SERVING_MEMBER)
};
#undef SERVING_MEMBER

extern const struct serving_constants serving_constants;

#endif
