/* Memory of an accelerator while it serves, and its part for sequences (E54). */
#include "planner/replica/replica.h"

#include "base/units.h"

/* CUDA context, libraries and captured graphs; buffers of collectives for several accelerators. With vLLM and
 * TensorRT-LLM nvidia-smi shows 1 to 2.5 GB beyond weights and cache (vLLM documentation, conserving memory). */
static const double context_bytes = 1.2e9, collective_bytes = 0.6e9;

static const double embedding_bytes = 2;

/* 16-bit buffers of hidden and of feed-forward size that a step uses at once, and float logits of sampled sequences. */
static const double hidden_buffers = 4, exchange_buffers = 2, width_buffers = 3, sampled_sequences = 256, logit_bytes = 4;

/* Weights of one layer of a kind: on one accelerator of its stage, and in the whole model. */
struct share {
	double local_bytes, whole_bytes;
};

static struct share kind_share(
	const struct replica *replica, const struct layer_kind *layer, const struct replica_kind *kind, double weight_bytes, double mixer_bytes)
{
	double tensor = replica->tensor, group = tensor * replica->attention_data, routed = 0, rest = layer->feed_forward_params;
	double other_bytes = layer->other_params * embedding_bytes;

	if (layer->feed_forward == FEED_FORWARD_EXPERTS) {
		routed = layer->experts * kind->expert_weights / kind->expert_width * layer->expert_width;
		rest = fmax(rest - routed, 0);
	}
	return (struct share){
		.local_bytes = (layer->mixer_params + rest) / tensor * mixer_bytes + routed / group * weight_bytes + other_bytes,
		.whole_bytes = (layer->mixer_params + rest) * mixer_bytes + routed * weight_bytes + other_bytes,
	};
}

/* Returns the weights on one accelerator, bytes: the model's published size (E6), divided like its parts. */
static double weights_bytes(
	const struct replica *replica, const struct model *model, enum precision precision, double weight_bytes, double mixer_bytes)
{
	double tables_bytes = (model->params_embedding + model->lookup_params) * fmax(embedding_bytes, mixer_bytes);
	struct share sum = {.local_bytes = 0, .whole_bytes = tables_bytes};

	for (int i = 0; i < model->kind_count; i++) {
		struct share share = kind_share(replica, &model->kinds[i], &replica->kinds[i], weight_bytes, mixer_bytes);

		sum.local_bytes += replica->kinds[i].layers * share.local_bytes;
		sum.whole_bytes += replica->kinds[i].layers * share.whole_bytes;
	}
	/* With two tables and several stages, the first and the last stage have one table each. Otherwise one stage has
	 * them all. */
	sum.local_bytes = sum.local_bytes / replica->pipeline +
		tables_bytes / replica->tensor / (replica->pipeline > 1 && !model->tied_embeddings ? 2 : 1);
	return sum.local_bytes * model_weight_bytes(model, precision) / sum.whole_bytes;
}

static double activations_bytes(const struct replica *replica, const struct model *model)
{
	double width = 0, gathered = 0, chunk = fmax(replica->rules.chunk_tokens, replica->rules.profiled_tokens);

	if (model->max_positions > 0 && replica->rules.profiled_tokens > 0)
		chunk = fmin(chunk, fmax(model->max_positions, replica->rules.chunk_tokens));

	for (int i = 0; i < model->kind_count; i++) {
		const struct layer_kind *layer = &model->kinds[i];
		double local = fmax(layer->width, layer->shared_width + (double)layer->experts_active * layer->expert_width);

		width = fmax(width, local / replica->tensor);
	}
	/* Attention-data ranks gather the tokens of all ranks for their experts. */
	if (replica->attention_data > 1)
		gathered = chunk * (replica->attention_data - 1) * exchange_buffers * model->hidden * 2;
	return gathered + chunk * (hidden_buffers * model->hidden + width_buffers * width) * 2 +
		fmin(sampled_sequences, replica->rules.max_batch) * model_head_columns(model) / replica->tensor * logit_bytes;
}

/* E189. The fraction of the memory that an engine uses. Where the default leaves less than 5 % of the memory for
 * sequences, operators raise the flag (gpu_memory_utilization, mem_fraction_static) to 0.95, which vLLM's and SGLang's
 * documentation name. */
static const double raised_fraction = 0.95, tight_share = 0.05;

static double memory_fraction(const struct replica *replica)
{
	const struct serving_memory *memory = &replica->memory;
	double fraction = replica->rules.memory_fraction, used = memory->weights_bytes;

	if (replica->rules.budget == KV_BUDGET_OF_TOTAL)
		used += memory->activations_bytes + memory->overhead_bytes;
	if (!(used > (fraction - tight_share) * memory->capacity_bytes))
		return fraction;
	return replica->keeps_flags ? 0 : fmax(fraction, raised_fraction);
}

void replica_memory(struct replica *replica, const struct model *model, const struct accelerator *accelerator, enum precision precision,
	double weight_bytes, double mixer_bytes, double wider_bytes)
{
	struct serving_memory *memory = &replica->memory;
	double free_bytes, fraction, per_token = 0;

	memory->capacity_bytes = accelerator_capacity_bytes(accelerator);
	memory->weights_bytes = weights_bytes(replica, model, precision, weight_bytes, mixer_bytes);
	for (int i = 0; i < replica->kind_count; i++)
		memory->weights_bytes += wider_bytes * replica->kinds[i].layers * model->kinds[i].mixer_params / replica->tensor / replica->pipeline;
	memory->activations_bytes = activations_bytes(replica, model);
	memory->overhead_bytes = context_bytes + (replica->gpus > 1 ? collective_bytes : 0);
	free_bytes = memory->capacity_bytes - memory->weights_bytes - memory->activations_bytes - memory->overhead_bytes;
	fraction = replica->rules.budget == KV_BUDGET_OF_FREE ? replica->rules.memory_fraction : memory_fraction(replica);
	switch (replica->rules.budget) {
	case KV_BUDGET_OF_TOTAL:
		replica->kv_budget_bytes = free_bytes - (1 - fraction) * memory->capacity_bytes;
		break;
	case KV_BUDGET_OF_STATIC:
		replica->kv_budget_bytes = fmin(free_bytes, fraction * memory->capacity_bytes - memory->weights_bytes);
		break;
	case KV_BUDGET_OF_FREE:
		replica->kv_budget_bytes = free_bytes * fraction;
		break;
	}
	replica->kv_budget_bytes = fmax(replica->kv_budget_bytes, 0);
	memory->kv_cache_bytes = replica->kv_budget_bytes;
	memory->total_bytes = memory->weights_bytes + memory->activations_bytes + memory->overhead_bytes + memory->kv_cache_bytes;
	for (int i = 0; i < replica->kind_count; i++)
		per_token += replica->kinds[i].layers * replica->kinds[i].kv_bytes_per_token / replica->pipeline;
	memory->kv_tokens_capacity = per_token > 0 ? replica->kv_budget_bytes / per_token * replica->attention_data : 0;
}

double replica_sequence_bytes(const struct replica *replica, double context_tokens)
{
	double block = replica->rules.block_tokens, tokens = ceil(context_tokens / block) * block, bytes = 0;

	for (int i = 0; i < replica->kind_count; i++) {
		const struct replica_kind *kind = &replica->kinds[i];
		double kept = kind->window_tokens > 0 ? fmin(tokens, ceil(kind->window_tokens / block) * block) : tokens;

		bytes += kind->layers / replica->pipeline * (kind->kv_bytes_per_token * kept + kind->state_bytes / 2);
	}
	return bytes;
}

bool replica_fits(const struct replica *replica, double context_tokens)
{
	return replica->kv_budget_bytes > 0 && replica_sequence_bytes(replica, context_tokens) <= replica->kv_budget_bytes;
}

double replica_sequences_max(const struct replica *replica, double prompt_tokens, double output_tokens)
{
	double kept = replica->rules.reserves_whole_output ? output_tokens : output_tokens / 2;
	double bytes = replica_sequence_bytes(replica, prompt_tokens + kept), by_engine = replica->rules.max_batch;
	double by_memory = bytes > 0 ? floor(replica->kv_budget_bytes / bytes) : by_engine;

	return fmax(1, fmin(by_memory, by_engine)) * replica->attention_data;
}
