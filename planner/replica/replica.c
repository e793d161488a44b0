#include "planner/replica/replica.h"

#include <string.h>

#include "base/units.h"
#include "planner/replica/kernels.h"

static const double wide_bytes = 2; /* 16-bit values: activations, logits, unquantised weights */

/* Returns the fraction of the peak that a model's products reach: measured kernels by width, times a fitted
 * fraction. */
static double gemm_efficiency(const struct serving_constants *constants, const struct accelerator *accelerator, enum precision used)
{
	struct kernel_rates rates = kernel_rates_of(accelerator);

	if (accelerator_is_neuron(accelerator))
		return constants->neuron_gemm;
	switch (used) {
	case PRECISION_FP8:
	case PRECISION_MXFP8:
	case PRECISION_INT8:
		return constants->gemm_fraction_8 * rates.gemm_8;
	case PRECISION_NVFP4:
	case PRECISION_MXFP4:
		return constants->gemm_fraction_4 * rates.gemm_4;
	case PRECISION_FP32:
	case PRECISION_TF32:
	case PRECISION_FP16:
	case PRECISION_BF16:
	case PRECISION_INT4:
	case PRECISION_UNSET:
	case PRECISION_COUNT:
		break;
	}
	return constants->gemm_fraction_16 * rates.gemm_16;
}

/* Returns the ratio of measured to expected product efficiency, in the format of the measurement. It applies to other
 * formats too. The fitted fraction between a model's products and those of the kernels' table also applies to the
 * user's measurement. */
static double measured_share(const struct replica *replica, const struct accelerator *accelerator, const struct calibration *calibration)
{
	double measured = CALIBRATED(calibration, gemm_efficiency, 0), fraction = replica->constants->gemm_fraction_16;
	enum precision precision = PRECISION_BF16;

	if (!calibration || !(measured > 0))
		return 1;
	if (calibration->gemm_precision != PRECISION_UNSET)
		precision = calibration->gemm_precision;
	if (precision_weight_bytes(precision) < 0.75)
		fraction = replica->constants->gemm_fraction_4;
	else if (precision_weight_bytes(precision) < 2)
		fraction = replica->constants->gemm_fraction_8;
	return measured * fraction / gemm_efficiency(replica->constants, accelerator, precision);
}

struct rates {
	double weight_bytes, flops_per_s, expert_flops_per_s;
	double memory_share; /* of the streaming rate of 16-bit weights */
};

/* Returns the rates of products with weights in a precision. A measured GEMM efficiency replaces the kernels' table. */
static struct rates rates_of(
	const struct replica *replica, const struct accelerator *accelerator, const struct calibration *calibration, enum precision precision)
{
	/* MXFP4 weights have MXFP8 activations; tensor cores multiply them at the FP8 rate (OpenAI 2025, gpt-oss; CUTLASS
	 * mixed formats). */
	bool amd = accelerator->vendor && strcmp(accelerator->vendor, "amd") == 0; /* AMD's MXFP4 checkpoints also quantise activations (Quark) */
	bool mixed = precision == PRECISION_MXFP4 && is_given(accelerator->tflops_fp4) && !amd;
	enum precision used;
	double peak = accelerator_peak_flops_per_s(accelerator, mixed ? PRECISION_FP8 : precision, &used);
	const struct serving_constants *constants = replica->constants;
	double efficiency = gemm_efficiency(constants, accelerator, used);
	struct rates rates;

	efficiency *= measured_share(replica, accelerator, calibration);
	rates = (struct rates){.weight_bytes = precision_weight_bytes(precision),
		.flops_per_s = peak * efficiency,
		.expert_flops_per_s = peak * efficiency,
		.memory_share = 1};
	if (rates.weight_bytes < 0.75 * precision_weight_bytes(used)) {
		rates.expert_flops_per_s *= constants->expert_widening;
		rates.memory_share = pow(constants->widening_memory, log2(wide_bytes / rates.weight_bytes));
	}
	return rates;
}

static void kind_gemm(const struct replica *replica, struct replica_kind *kind, const struct rates *rates, double n, double k)
{
	CHECK(kind->gemm_count < REPLICA_GEMMS_MAX);
	kind->gemms[kind->gemm_count++] = (struct gemm){.n = n,
		.k = k,
		.weight_bytes = rates->weight_bytes,
		.flops_per_s = rates->flops_per_s,
		.memory_bytes_per_s = replica->weight_memory_bytes_per_s * rates->memory_share};
}

/* E201. Returns the heads of one rank. Heads are distributed over cores; a Neuron device has several. The last cores
 * are padded; key and value heads are copied where there are fewer than cores. */
static double heads_on_rank(const struct replica *replica, double heads)
{
	return replica->cores * ceil(heads / (replica->tensor * replica->cores));
}

static void attention_prepare(
	const struct replica *replica, struct replica_kind *kind, const struct layer_kind *layer, const struct rates *rates)
{
	double heads = heads_on_rank(replica, layer->heads), kv_heads = heads_on_rank(replica, layer->kv_heads);
	double value = layer->value_head_dim, key = layer->head_dim;
	double projected = kv_heads * (key + (layer->key_is_value ? 0 : value));

	kind_gemm(replica, kind, rates, heads * key + projected + (layer->output_gate ? heads * value : 0), replica->hidden);
	kind_gemm(replica, kind, rates, replica->hidden, heads * value);
	kind->window_tokens = replica->keeps_window_only ? layer->window : 0;
	if (layer->index_heads > 0)
		kind->attended_tokens = layer->index_tokens;
	else if (replica->attends_window_only)
		*(layer->chunked ? &kind->chunk_tokens : &kind->attended_tokens) = layer->window;
	kind->prefill_flops_per_pair = kind->decode_flops_per_pair = 2 * heads * (key + value);
}

/* Prepares multi-head latent attention: prefill on expanded heads, decoding on the latent cache. Every rank keeps the
 * whole cache. */
static void latent_prepare(const struct replica *replica, struct replica_kind *kind, const struct layer_kind *layer, const struct rates *rates)
{
	double heads = ceil(layer->heads / (double)replica->tensor), latent = layer->kv_lora_rank, rope = layer->rope_head_dim;
	double query = heads * (layer->head_dim + rope), value = layer->value_head_dim;

	if (layer->q_lora_rank > 0) {
		kind_gemm(replica, kind, rates, layer->q_lora_rank + latent + rope, replica->hidden);
		kind_gemm(replica, kind, rates, query, layer->q_lora_rank);
	} else {
		kind_gemm(replica, kind, rates, query + latent + rope, replica->hidden);
	}
	kind_gemm(replica, kind, rates, heads * (layer->head_dim + value), latent);
	kind_gemm(replica, kind, rates, replica->hidden, heads * value);
	kind->attended_tokens = layer->index_heads > 0 ? layer->index_tokens : 0;
	kind->prefill_flops_per_pair = 2 * heads * (layer->head_dim + rope + value);
	kind->decode_flops_per_pair = 2 * heads * (2 * latent + rope);
}

/* Prepares state-space and linear attention: two projections, and a state that each step reads and writes. */
static void state_prepare(const struct replica *replica, struct replica_kind *kind, const struct layer_kind *layer, const struct rates *rates)
{
	double inner = (double)layer->heads * layer->value_head_dim, in = fmax(layer->mixer_params / replica->hidden - inner, inner), state;

	kind_gemm(replica, kind, rates, in / replica->tensor, replica->hidden);
	kind_gemm(replica, kind, rates, replica->hidden, inner / replica->tensor);
	state = layer->mixer == MIXER_GATED_DELTA ? layer->head_dim : layer->state_dim;
	kind->state_flops_per_token = 8 * inner * state / replica->tensor;    /* read, decay, correct, write: two each */
	kind->state_bytes = inner * state / replica->tensor * wide_bytes * 2; /* read and written */
}

static void dense_prepare(const struct replica *replica, struct replica_kind *kind, bool gated, double width, const struct rates *rates)
{
	kind_gemm(replica, kind, rates, (gated ? 2 : 1) * width, replica->hidden);
	kind_gemm(replica, kind, rates, replica->hidden, width);
}

/* Prepares experts: `expert` ranks have whole experts; the other ranks of the group divide their width. */
static void experts_prepare(const struct replica *replica, struct replica_kind *kind, const struct layer_kind *layer,
	const struct rates *rates, const struct rates *shared_rates, const struct rates *wide)
{
	double group = (double)replica->tensor * replica->attention_data, expert = replica->expert;

	kind_gemm(replica, kind, wide, layer->experts, replica->hidden);
	if (layer->shared_width > 0)
		dense_prepare(replica, kind, layer->gated, layer->shared_width / (double)replica->tensor, shared_rates);
	kind->experts = layer->experts;
	kind->experts_active = layer->experts_active;
	kind->experts_local = layer->experts / expert;
	kind->expert_width = layer->expert_width * expert / group;
	kind->expert_weights = (layer->gated ? 3 : 2) * (layer->expert_hidden > 0 ? layer->expert_hidden : replica->hidden) * kind->expert_width;
	kind->expert_weight_bytes = kind->expert_weights * rates->weight_bytes;
	kind->expert_memory_fraction = kind->expert_width / (kind->expert_width + replica->constants->expert_half_memory);
	kind->expert_flops_per_s = rates->expert_flops_per_s * replica->constants->expert_efficiency * kind->expert_width /
		(kind->expert_width + replica->constants->expert_half_width * replica->balance);
}

/* Checkpoints with 4-bit experts keep all other weights in 16 bits (decision 0021). */
static bool only_experts_are_narrow(const struct model *model, double weight_bytes)
{
	for (int i = 0; i < model->kind_count; i++)
		if (model->kinds[i].feed_forward == FEED_FORWARD_EXPERTS)
			return weight_bytes < 0.75;
	return false;
}

/* FP8 checkpoints of the time of vLLM before V1 keep attention in 16 bits, as Meta's do (Llama 3.1, Grattafiori et al.
 * 2024, section 6.2: only feed-forward products are quantised). */
static bool wide_mixer(const struct replica *replica, double weight_bytes)
{
	return replica->rules.profiled_tokens > 0 && weight_bytes >= 0.75 && weight_bytes < 1.5;
}

static void kind_prepare(struct replica *replica, const struct model *model, int index, const struct rates *rates, const struct rates *wide)
{
	const struct layer_kind *layer = &model->kinds[index];
	struct replica_kind *kind = &replica->kinds[index];
	bool experts = layer->feed_forward == FEED_FORWARD_EXPERTS;
	const struct rates *mixer_rates = only_experts_are_narrow(model, rates->weight_bytes) ? wide : rates,
					   *mixer = wide_mixer(replica, rates->weight_bytes) ? wide : mixer_rates;

	*kind = (struct replica_kind){.layers = model_kind_layers(model, index),
		.kv_bytes_per_token = replica->cores * layer_cache_elements(layer, replica->tensor * replica->cores) * replica->kv_element_bytes,
		.index_bytes_per_token = layer->index_heads > 0 && !layer->shares_cache ? layer->index_head_dim * replica->kv_element_bytes : 0,
		.index_flops_per_pair = layer->index_heads > 0 ? 2.0 * layer->index_heads * layer->index_head_dim : 0};
	switch (layer->mixer) {
	case MIXER_ATTENTION:
		attention_prepare(replica, kind, layer, mixer);
		break;
	case MIXER_MLA:
		latent_prepare(replica, kind, layer, mixer);
		break;
	case MIXER_MAMBA2:
	case MIXER_GATED_DELTA:
		state_prepare(replica, kind, layer, mixer);
		break;
	case MIXER_NONE:
	case MIXER_COUNT:
		break;
	}
	if (layer->feed_forward == FEED_FORWARD_DENSE)
		dense_prepare(replica, kind, layer->gated, layer->width / (double)replica->tensor, mixer_rates);
	else if (experts)
		experts_prepare(replica, kind, layer, rates, mixer_rates, wide);
	kind->reduces = (layer->mixer != MIXER_NONE) + (layer->feed_forward != FEED_FORWARD_NONE);
}

static bool layout_is_possible(const struct model *model, const struct replica_layout *layout)
{
	int group = layout->tensor * layout->attention_data;

	if (model->kind != MODEL_TRANSFORMER || layout->pipeline > model->layer_count || group % layout->expert != 0)
		return false;
	for (int i = 0; i < model->kind_count; i++) {
		const struct layer_kind *layer = &model->kinds[i];

		if (layer->mixer != MIXER_NONE && layout->tensor > layer->heads)
			return false;
		if (layer->feed_forward == FEED_FORWARD_EXPERTS && layout->expert > layer->experts)
			return false;
	}
	return true;
}

/* NeuronCores of a tensor rank's device: Trainium 1 and Inferentia 2 have two each. */
static const double neuron_cores = 2;

/* Time of the smallest product on H100 and H200, to which the constants were mostly fitted. */
static const double usual_kernel_s = 3.8e-6;

/* E188. 16-bit operations per byte of bandwidth of the H100. Grouped products wait for operands; these arrive sooner on
 * an accelerator with more bandwidth for its arithmetic. */
static const double usual_balance = 989e12 / 3.35e12;

/* Returns the kernels of a pass that are launched one by one, over those of a model of 60 layers with experts, for
 * which the constants have the first-token latencies. */
static double launched_share(const struct model *model)
{
	static const double tabled = 60 * 3;
	double launched = 0;

	for (int i = 0; i < model->kind_count; i++)
		launched += model_kind_layers(model, i) * (model->kinds[i].feed_forward == FEED_FORWARD_EXPERTS ? 3 : 1);
	return launched / tabled;
}

static bool has_latent_attention(const struct model *model)
{
	for (int i = 0; i < model->kind_count; i++)
		if (model->kinds[i].mixer == MIXER_MLA)
			return true;
	return false;
}

/* Sets the times and rules of the runtime. TensorRT-LLM keeps every token of a sequence in the cache. In C++ it uses a
 * window only where max_attention_window is given; its PyTorch models have their windows (TensorRT-LLM documentation,
 * GPT attention: cyclic cache). */
static void runtime_prepare(
	struct replica *replica, const struct model *model, const struct accelerator *accelerator, enum runtime runtime, double release_years)
{
	bool tensorrt = runtime == RUNTIME_TENSORRT_NATIVE || runtime == RUNTIME_TENSORRT_PYTORCH;

	replica->host = host_times_of(replica->constants, runtime);
	replica->host.step_s += engine_release_step_s(replica->constants, replica->rules.engine, release_years, replica->tensor);
	if (runtime == RUNTIME_SGLANG || runtime == RUNTIME_TENSORRT_PYTORCH) {
		replica->host.first_token_s *= launched_share(model);
		replica->host.request_s *= launched_share(model);
	}
	if (has_latent_attention(model)) {
		double lag_years = engine_latent_lag_years(release_years);

		replica->software_factor *= exp(replica->constants->latent_gain * lag_years);
		replica->layer_s += replica->constants->latent_layer_s * lag_years;
	}
	replica->expert_speed = replica->expert_product_speed = 1;
	if (runtime == RUNTIME_VLLM && release_years < ENGINE_LIBRARY_EXPERTS_YEARS) {
		replica->expert_speed = replica->constants->triton_experts;
		replica->expert_product_speed = replica->constants->triton_products;
		replica->host.sequence_s = replica->constants->vllm_sequence_s;
	}
	/* E205 */
	if (runtime != RUNTIME_TENSORRT_NATIVE && accelerator_has_grace(accelerator) && release_years < ENGINE_GRACE_HOST_YEARS) {
		double slower = replica->constants->grace_host;

		replica->host.eager_layer_s *= slower;
		replica->host.step_s *= slower;
		replica->host.sequence_s *= slower;
	}
	replica->keeps_window_only = !tensorrt;
	replica->attends_window_only = runtime != RUNTIME_TENSORRT_NATIVE;
}

bool replica_prepare(struct replica *replica, const struct model *model, const struct accelerator *accelerator,
	const struct calibration *calibration, const struct replica_layout *layout, const struct serving_constants *constants)
{
	struct rates rates, wide;
	enum precision wide_precision = accelerator_training_precision(accelerator);
	struct kernel_rates kernels = kernel_rates_of(accelerator);
	double memory_efficiency = constants->memory_fraction * kernels.memory;

	if (!layout_is_possible(model, layout))
		return false;
	if (calibration)
		memory_efficiency = CALIBRATED(calibration, memory_efficiency, memory_efficiency);
	*replica = (struct replica){.constants = constants,
		.rules = engine_rules_at(layout->engine, accelerator, layout->release_years),
		.tensor = layout->tensor,
		.cores = accelerator_is_neuron(accelerator) ? neuron_cores : 1,
		.pipeline = layout->pipeline,
		.expert = layout->expert,
		.attention_data = layout->attention_data,
		.gpus = layout->tensor * layout->pipeline * layout->attention_data,
		.keeps_flags = layout->keeps_flags,
		.kind_count = model->kind_count,
		.hidden = model->hidden,
		.kernel_s = constants->kernel_s * kernels.least_s / usual_kernel_s,
		.layer_s = constants->layer_s * kernels.least_s / usual_kernel_s,
		.reduce_s = constants->reduce_s,
		.prefill_fraction = constants->prefill_efficiency};
	replica->rules.max_batch = given_or(layout->max_batch, replica->rules.max_batch);
	replica->rules.chunk_tokens = given_or(layout->chunk_tokens, replica->rules.chunk_tokens);
	replica->kv_element_bytes = precision_weight_bytes(layout->kv_precision);
	replica->bandwidth_bytes_per_s = accelerator_bandwidth_bytes_per_s(accelerator);
	replica->weight_memory_bytes_per_s = replica->bandwidth_bytes_per_s * memory_efficiency;
	replica->dispatch_bytes = layout->precision == PRECISION_NVFP4 ? precision_weight_bytes(layout->precision) : wide_bytes;
	replica->link_bytes_per_s = accelerator_link_bytes_per_s(accelerator);
	replica_network(replica, accelerator, layout);
	replica->balance = accelerator_peak_flops_per_s(accelerator, wide_precision, NULL) / replica->bandwidth_bytes_per_s / usual_balance;
	replica->peak_flops_per_s = accelerator_peak_flops_per_s(accelerator, layout->precision, NULL);
	replica->software_factor = 1;
	replica->front_end_factor = 1;
	if (accelerator_is_neuron(accelerator)) {
		replica->reduce_s = constants->neuron_reduce_s;
		replica->link_bytes_per_s *= constants->neuron_link_fraction;
		replica->pair_s = constants->neuron_pair_s;
		replica->prefill_fraction *= constants->neuron_attention;
	}
	runtime_prepare(replica, model, accelerator, engine_runtime(layout->engine, accelerator, layout->release_years), layout->release_years);
	replica->attends_window_only &= !accelerator_is_neuron(accelerator); /* Neuron masks tokens outside, but computes them */
	rates = rates_of(replica, accelerator, calibration, layout->precision);
	wide = rates_of(
		replica, accelerator, calibration, precision_weight_bytes(layout->precision) > wide_bytes ? layout->precision : wide_precision);
	if (rates.flops_per_s <= 0 || replica->bandwidth_bytes_per_s <= 0)
		return false;
	replica->attention_flops_per_s = accelerator_peak_flops_per_s(accelerator, wide_precision, NULL);
	for (int i = 0; i < model->kind_count; i++)
		kind_prepare(replica, model, i, &rates, &wide);
	replica->logits = (struct gemm){.n = model_head_columns(model) / (double)layout->tensor,
		.k = model->hidden,
		.weight_bytes = wide_bytes,
		.flops_per_s = wide.flops_per_s,
		.memory_bytes_per_s = replica->weight_memory_bytes_per_s};
	replica_memory(replica, model, accelerator, layout->precision, rates.weight_bytes,
		only_experts_are_narrow(model, rates.weight_bytes) ? wide.weight_bytes : rates.weight_bytes,
		wide_mixer(replica, rates.weight_bytes) ? wide.weight_bytes - rates.weight_bytes : 0);
	return true;
}

void replica_without_engine(struct replica *replica)
{
	const struct serving_memory *memory = &replica->memory;

	replica->host = (struct host_times){.step_s = 0};
	replica->kernel_s *= replica->constants->batch_kernels;
	replica->layer_s *= replica->constants->batch_kernels;
	replica->kv_budget_bytes = fmax(
		memory->capacity_bytes - memory->weights_bytes - memory->activations_bytes - memory->overhead_bytes, replica->kv_budget_bytes);
	replica->memory.kv_tokens_capacity *= replica->kv_budget_bytes > 0 && memory->kv_cache_bytes > 0
		? replica->kv_budget_bytes / memory->kv_cache_bytes
		: 1;
	replica->memory.total_bytes += replica->kv_budget_bytes - memory->kv_cache_bytes;
	replica->memory.kv_cache_bytes = replica->kv_budget_bytes;
}
