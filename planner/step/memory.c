#include "planner/step/memory.h"

#include "planner/step/layer_time.h"

/* E38. CUDA context and libraries take 0.6 to 1.5 GB, each communicator's buffers 0.25 to 1 GB (NCCL: channels x 4 MiB x
 * both directions x peers; stas00/ml-engineering). What the allocator keeps as well depends on the software (E30). */
static const double context_bytes = 1.3e9, communicator_bytes = 0.5e9;
static const double fragmentation = 0.06; /* 3 to 8 % between blocks, even where memory is short (stas00/ml-engineering) */
static const double spare_fill = 0.9;     /* of the capacity: above, the allocator gives back what it keeps */

double optimizer_bytes_per_param(enum optimizer optimizer, bool wide)
{
	double master = wide ? 0 : 4;

	switch (optimizer) {
	case OPTIMIZER_UNSET:
	case OPTIMIZER_ADAMW:
		return master + 8; /* two 32-bit moments: Kingma and Ba 2014 */
	case OPTIMIZER_ADAMW_8BIT:
		return master + 2; /* two 8-bit moments: Dettmers et al. 2021, arXiv 2110.02861 */
	case OPTIMIZER_ADAFACTOR:
		return master + 0.02; /* row and column sums instead of a second moment: Shazeer and Stern 2018 */
	case OPTIMIZER_MUON:
		return master + 4; /* one momentum: Jordan et al. 2024 */
	case OPTIMIZER_SGD:
		return master + 4; /* with momentum */
	case OPTIMIZER_LION:
		return master + 4; /* one momentum: Chen et al. 2023, arXiv 2302.06675 */
	case OPTIMIZER_COUNT:
		break;
	}
	return master + 8;
}

/* Returns the bytes that the feed-forward part keeps of a token. A frozen product keeps no input, because its weights
 * have no gradient. */
static double feed_forward_bytes(
	const struct setting *setting, const struct layer_kind *kind, const struct degrees *degrees, double wide, double input, bool selective)
{
	const struct software *software = &setting->software;
	double hidden = setting->model->hidden, before = setting->frozen_narrow ? setting->device.operand_bytes : wide;
	double kept = before * (kind->gated ? 2 : 1) + (selective || setting->frozen_narrow ? 0 : input), dense = 0, experts = 0, rows;

	if (kind->feed_forward == FEED_FORWARD_DENSE)
		dense = kept * kind->width / degrees->tensor;
	if (kind->feed_forward == FEED_FORWARD_EXPERTS) {
		rows = kind->experts_active * degrees->expert_tensor / degrees->tensor; /* experts' tokens on this rank for one token */
		experts = rows *
			((input + (software->keeps_expert_outputs ? wide : 0)) * hidden + kept * kind->expert_width / degrees->expert_tensor);
		dense = kept * kind->shared_width / degrees->tensor + wide * 2 * kind->experts / degrees->tensor;
	}
	return dense + experts;
}

static double mixer_bytes(
	const struct setting *setting, const struct layer_kind *kind, const struct degrees *degrees, double wide, enum recompute recompute)
{
	double value_dim = kind->value_head_dim > 0 ? kind->value_head_dim : kind->head_dim, t = degrees->tensor;
	double heads = kind->heads / t, key_dim = kind->head_dim + kind->rope_head_dim;
	double scores = setting->software.fused_attention ? 0 : 5 * heads * setting->sequence;
	double operand = setting->frozen_narrow ? setting->device.operand_bytes : wide;

	switch (kind->mixer) {
	case MIXER_ATTENTION:
		return operand * (heads * kind->head_dim + fmax(1, kind->kv_heads / t) * (kind->head_dim + value_dim)) + wide * heads * value_dim +
			4 * heads + (recompute == RECOMPUTE_NONE ? scores : 0);
	case MIXER_MLA:
		return wide *
			(heads * ((recompute == RECOMPUTE_NONE ? 2 * key_dim + value_dim : 0) + value_dim) + kind->q_lora_rank + kind->kv_lora_rank +
				kind->rope_head_dim) +
			4 * heads;
	case MIXER_MAMBA2:
	case MIXER_GATED_DELTA:
		return wide * 4 * heads * value_dim;
	case MIXER_NONE:
	case MIXER_COUNT:
		break;
	}
	return 0;
}

/* Returns what PyTorch's selective recomputation keeps of a token: a layer's input, the output of attention, and every
 * second product's output. */
static double alternate_bytes(const struct layer_kind *kind, const struct degrees *degrees, double hidden, double spread, double wide)
{
	double queries = (double)kind->heads * kind->head_dim / degrees->tensor,
		   keys = 2 * fmax(1, kind->kv_heads / degrees->tensor) * kind->head_dim;
	double width = kind->feed_forward == FEED_FORWARD_EXPERTS ? (double)kind->experts_active * kind->expert_width + kind->shared_width
															  : kind->width;
	double products = queries + keys + hidden / spread + (kind->gated ? 2 : 1) * width / degrees->tensor + hidden / spread;

	return wide * (hidden / spread + queries + products / 2);
}

double activation_bytes_per_token(const struct setting *setting, const struct parallelism *layout, const struct degrees *degrees, int kind)
{
	const struct layer_kind *layer = &setting->model->kinds[kind];
	bool fused = setting->software.fused_attention, selective = fused && layout->recompute == RECOMPUTE_SELECTIVE;
	double hidden = setting->model->hidden, wide = setting->device.wide_bytes;
	double input = fmin(wide, setting->device.operand_bytes); /* inputs of linear layers are kept in the format that their products read */
	double spread = layout->sequence_parallel == TRUTH_TRUE ? degrees->tensor : 1;
	double masks = fused ? 0 : 2; /* recipes older than flash attention train with dropout: two masks of one byte */

	if (layout->recompute == RECOMPUTE_FULL)
		return wide * hidden / spread;
	if (layout->recompute == RECOMPUTE_SELECTIVE && setting->software.alternates)
		return alternate_bytes(layer, degrees, hidden, spread, wide);
	/* Inputs of two norms and of two linear layers; selective recomputation repeats the norms' outputs. */
	return hidden / spread * (2 * wide + (selective ? 0 : (setting->frozen_narrow ? 1 : 2) * input) + masks) +
		mixer_bytes(setting, layer, degrees, wide, layout->recompute) + feed_forward_bytes(setting, layer, degrees, wide, input, selective);
}

/* E161. Returns the bytes of a layer's input that host memory stores instead of the accelerator; 0 without offload. The
 * caller adds two inputs, which are on the accelerator meanwhile: one comes back and one leaves. */
static double input_bytes_on_host(const struct setting *setting, const struct parallelism *layout, const struct degrees *degrees)
{
	double spread = layout->sequence_parallel == TRUTH_TRUE ? degrees->tensor : 1;

	return layout->offload_activations == TRUTH_TRUE && layout->recompute == RECOMPUTE_FULL
		? setting->device.wide_bytes * setting->model->hidden / spread
		: 0;
}

static double stage_activations(const struct setting *setting, const struct parallelism *layout, const struct degrees *degrees,
	const struct layer_memory *kinds, const struct stages *stages, int stage, double *logits_bytes)
{
	double bytes = 0, widest = 0, logits = 0, host = input_bytes_on_host(setting, layout, degrees),
		   in_flight = stages_in_flight(stages, stage, degrees->micro_batches), kept = stage_kept_share(layout, stages, stage);

	if (setting->model->kind == MODEL_GENERIC)
		return degrees->rows * generic_sample_activation_bytes(setting, 2);
	for (int k = 0; k < setting->model->kind_count; k++) {
		if (stages->layers[stage][k] == 0)
			continue;
		bytes += stages->layers[stage][k] * ((1 - kept) * (kinds[k].kept_bytes - host) + kept * kinds[k].keeping_bytes);
		if (layout->recompute == RECOMPUTE_FULL)
			widest = fmax(widest, kinds[k].open_bytes);
	}
	if (setting->software.sends_copies && stages->count > 1) /* a stage keeps what it sent until the gradient comes back */
		bytes += setting->device.wide_bytes * setting->model->hidden;
	if (stage == stages->count - 1)
		logits = setting->software.logits_bytes * model_head_columns(setting->model) / degrees->tensor;
	bytes = bytes * in_flight + 2 * host;
	/* the loss ends before a layer is recomputed: buffers that are placed ahead share one place */
	logits = setting->software.places ? fmax(0, logits - widest) : logits;
	*logits_bytes = logits * degrees->rows;
	return (bytes + widest + logits) * degrees->rows;
}

/* Returns the parameters that ZeRO-3 gathers at a time: a whole layer. Where submodules are gathered one by one, as many
 * as DeepSpeed keeps (stage3_max_live_parameters, 1e9 by default: its documentation of the configuration), but at least
 * the largest matrix. A compiled program gathers each matrix where it is used; the experts' matrices of one kind count as
 * one matrix. */
static double gathered_params(
	const struct setting *setting, const struct layer_kind *kind, const struct layer_params *layer, const struct degrees *degrees)
{
	static const double live_params = 1e9;
	double columns = fmax(fmax(kind->width, kind->shared_width), (double)(kind->heads + 2 * kind->kv_heads) * kind->head_dim);
	double whole = layer->dense + layer->expert;

	if (setting->software.places)
		return fmin(whole, fmax(setting->model->hidden * columns / degrees->tensor, layer->expert / (kind->gated ? 3 : 2)));

	return setting->software.submodules ? fmin(whole, fmax(live_params, setting->model->hidden * columns / degrees->tensor)) : whole;
}

void memory_layers_of(const struct setting *setting, const struct parallelism *layout, struct memory_layers *layers)
{
	const struct model *model = setting->model;
	struct degrees degrees = degrees_of(setting, layout);
	struct parallelism open = *layout, keeping = *layout;
	struct layer_memory *kinds = layers->kinds;

	keeping.recompute = RECOMPUTE_NONE;
	open.recompute = RECOMPUTE_SELECTIVE; /* while one layer is recomputed, its own tensors are in memory */
	for (int k = 0; model->kind != MODEL_GENERIC && k < model->kind_count; k++) {
		kinds[k].params = layer_params_of(model, k, &degrees);
		kinds[k].gathered_params = gathered_params(setting, &model->kinds[k], &kinds[k].params, &degrees);
		kinds[k].kept_bytes = activation_bytes_per_token(setting, layout, &degrees, k);
		kinds[k].keeping_bytes = layout->kept_layers > 0 ? activation_bytes_per_token(setting, &keeping, &degrees, k) : 0;
		kinds[k].open_bytes = layout->recompute == RECOMPUTE_FULL ? activation_bytes_per_token(setting, &open, &degrees, k) : 0;
	}
}

static struct stage_memory stage_params_of(
	const struct setting *setting, const struct degrees *degrees, const struct layer_memory *kinds, const struct stages *stages, int stage)
{
	const struct model *model = setting->model;
	struct stage_memory params = {0};
	double table = (double)model->vocabulary * model->hidden / degrees->tensor;
	bool first = stage == 0, last = stage == stages->count - 1;

	if (model->kind == MODEL_GENERIC) {
		params.dense = model->params_active / (degrees->tensor * degrees->pipeline);
		params.largest = params.dense / 16; /* gathered in blocks of a sixteenth */
		return params;
	}
	for (int k = 0; k < model->kind_count; k++) {
		if (stages->layers[stage][k] == 0)
			continue;
		params.dense += stages->layers[stage][k] * kinds[k].params.dense;
		params.expert += stages->layers[stage][k] * kinds[k].params.expert;
		params.largest = fmax(params.largest, kinds[k].gathered_params);
	}
	if (first)
		params.tables += table + (double)model->learned_positions * model->hidden;
	if (last && !(first && model->tied_embeddings) && model->label_count == 0)
		params.tables += table;
	params.dense += params.tables;
	return params;
}

static struct stage_memory stage_memory_of(const struct setting *setting, const struct parallelism *layout, const struct degrees *degrees,
	const struct layer_memory *kinds, const struct stages *stages, int stage)
{
	struct stage_memory part = stage_params_of(setting, degrees, kinds, stages, stage);

	part.activations_bytes = stage_activations(setting, layout, degrees, kinds, stages, stage, &part.logits_bytes);
	return part;
}

/* E35. The states that all stages of a layout share: bytes of one parameter, and how they are sharded. */
struct states {
	double weight, unsharded, wide, trained; /* trained: the share of the parameters */
	double gradient, optimizer;              /* of one parameter, trained or not */
	bool whole;                              /* gathered once a step for all micro-batches, whose gradients are summed before the scatter */
	bool gathers, scatters;                  /* one layer at a time */
	int zero_stage;
};

static struct states states_of(const struct setting *setting, const struct parallelism *layout)
{
	const struct software *software = &setting->software;
	bool wide = setting->device.wide_bytes > 2, blocks = software->blocks && layout->zero_stage >= 3, whole = blocks && layout->pipeline > 1;
	double trained = setting->frozen ? setting->trained_params / fmax(1, setting->model->params_total) : 1;

	return (struct states){.weight = setting->quantized ? precision_weight_bytes(PRECISION_INT4)
			: setting->frozen_narrow                    ? setting->device.operand_bytes
			: blocks && !setting->frozen                ? 4
														: setting->device.wide_bytes,
		.unsharded = software->unsharded_bytes,
		.wide = setting->device.wide_bytes,
		.trained = trained,
		.gradient = trained * software->gradient_bytes,
		.optimizer = layout->offload == TRUTH_TRUE
			? 0
			: trained * (optimizer_bytes_per_param(setting->input->request.optimizer, wide || blocks) - software->remainder_bytes),
		.whole = whole,
		.gathers = layout->zero_stage >= 3,
		.scatters = layout->zero_stage >= 2 && !whole,
		.zero_stage = (int)layout->zero_stage};
}

/* Adds the bytes of weights, gradients and optimizer of `params` parameters, each sharded over `group` ranks. */
static void memory_states(const struct states *states, double params, double group, double largest, struct memory_use *memory)
{
	double shards[4] = {1, 1, 1, 1}; /* by ZeRO stage: 1 where a state is whole */

	for (int stage = 1; stage <= states->zero_stage && stage <= 3; stage++)
		shards[stage] = group;
	memory->weights_bytes += states->weight * params / shards[3] +
		(states->whole            ? states->wide * params
				: states->gathers ? 2 * states->wide * largest
								  : 0) +
		states->unsharded * params * states->trained / shards[3];
	memory->gradients_bytes += states->gradient * params * (states->whole ? 1 + 1 / shards[2] : 1 / shards[2]) +
		(states->scatters ? states->trained * states->wide * largest : 0);
	memory->optimizer_bytes += states->optimizer * params / shards[1];
}

/* Adds a generic model's tables. They are split over all ranks, with the optimizer states of every row; gradients exist
 * only for the few rows that a batch reads (Naumov et al. 2019, arXiv 1906.00091, section 4). */
static void memory_tables(const struct setting *setting, const struct degrees *degrees, struct memory_use *memory)
{
	bool wide = setting->device.wide_bytes > 2;
	double rows = setting->model->params_embedding / (degrees->tensor * degrees->pipeline * degrees->data * degrees->context);

	memory->weights_bytes += rows * setting->device.wide_bytes;
	memory->optimizer_bytes += rows * optimizer_bytes_per_param(setting->input->request.optimizer, wide);
}

/* Returns the bytes of a frozen teacher in the requested precision, spread like the student. */
static double teacher_bytes(const struct setting *setting, const struct parallelism *layout, const struct degrees *degrees)
{
	enum precision precision = setting->input->request.distillation.teacher_precision;

	if (!setting->teacher)
		return 0;
	return model_weight_bytes(setting->teacher, precision == PRECISION_UNSET ? PRECISION_BF16 : precision) /
		(degrees->tensor * degrees->pipeline * (layout->zero_stage >= 3 ? degrees->zero_group : 1));
}

static int communicators_of(const struct parallelism *layout)
{
	return (layout->tensor > 1) + (layout->pipeline > 1) + (layout->data > 1) + (layout->context > 1) + (layout->expert > 1);
}

/* What all stages share under the layout's ZeRO stage and group. */
struct held {
	const struct setting *setting;
	const struct degrees *degrees;
	struct states states;
	double copies, capacity_bytes, teacher_bytes, fixed_bytes; /* fixed_bytes: of the overhead */
};

static struct held held_of(const struct setting *setting, const struct parallelism *layout, const struct degrees *degrees)
{
	return (struct held){.setting = setting,
		.degrees = degrees,
		.states = states_of(setting, layout),
		.copies = fmin(degrees->zero_group, degrees->expert_copies),
		.capacity_bytes = accelerator_capacity_bytes(&setting->candidate->accelerator),
		.teacher_bytes = teacher_bytes(setting, layout, degrees),
		.fixed_bytes = context_bytes + communicator_bytes * communicators_of(layout)};
}

/* Fills the memory of one stage, without layers_bytes. */
static void memory_of_part(const struct held *held, const struct stage_memory *part, struct memory_use *memory)
{
	const struct setting *setting = held->setting;

	*memory = (struct memory_use){.capacity_bytes = held->capacity_bytes};
	memory_states(&held->states, part->dense, held->degrees->zero_group, part->largest, memory);
	if (part->expert > 0)
		memory_states(&held->states, part->expert, held->copies, 0, memory);
	if (setting->model->kind == MODEL_GENERIC)
		memory_tables(setting, held->degrees, memory);
	memory->weights_bytes += held->teacher_bytes;
	memory->activations_bytes = part->activations_bytes;
	memory->model_bytes = memory->weights_bytes + memory->gradients_bytes + memory->optimizer_bytes + memory->activations_bytes;
	/* A compiled program places all buffers, collectives' too, before it begins; its runtime's reserve is not usable memory. */
	memory->overhead_bytes = setting->physics == &setting->compiled ? compiled_fragmentation * memory->model_bytes
																	: held->fixed_bytes + fragmentation * memory->model_bytes;
	memory->overhead_bytes += fmin(setting->software.spare * memory->activations_bytes,
		fmax(0, spare_fill * memory->capacity_bytes - memory->model_bytes - memory->overhead_bytes));
	memory->total_bytes = memory->model_bytes + memory->overhead_bytes;
}

static double layers_bytes_of(const struct held *held, const struct stage_memory *part, const struct memory_use *memory)
{
	struct memory_use tables = {.weights_bytes = 0};

	if (part->tables > 0)
		memory_states(&held->states, part->tables, held->degrees->zero_group, 0, &tables);
	return memory->model_bytes - tables.weights_bytes - tables.gradients_bytes - tables.optimizer_bytes - part->logits_bytes;
}

void memory_of_stage(
	const struct setting *setting, const struct parallelism *layout, const struct stages *stages, int stage, struct memory_use *memory)
{
	struct degrees degrees = degrees_of(setting, layout);
	struct held held = held_of(setting, layout, &degrees);
	struct memory_layers layers;
	struct stage_memory part;

	memory_layers_of(setting, layout, &layers);
	part = stage_memory_of(setting, layout, &degrees, layers.kinds, stages, stage);
	memory_of_part(&held, &part, memory);
	memory->layers_bytes = layers_bytes_of(&held, &part, memory);
}

double memory_least_bytes(const struct setting *setting, const struct parallelism *layout)
{
	struct degrees degrees = degrees_of(setting, layout);
	struct parallelism lean = *layout;
	double dense = 0, expert = 0, least = INFINITY;

	for (int k = 0; k < setting->model->kind_count; k++) {
		struct layer_params layer = layer_params_of(setting->model, k, &degrees);
		double layers = model_kind_layers(setting->model, k) / degrees.pipeline;

		dense += layers * layer.dense;
		expert += layers * layer.expert;
	}
	for (lean.zero_stage = 0; lean.zero_stage <= layout->zero_stage; lean.zero_stage++) {
		struct memory_use memory = {.weights_bytes = 0};
		struct states states;

		states = states_of(setting, &lean);
		memory_states(&states, dense, degrees.zero_group, 0, &memory);
		memory_states(&states, expert, fmin(degrees.zero_group, degrees.expert_copies), 0, &memory);
		least = fmin(least, memory.weights_bytes + memory.gradients_bytes + memory.optimizer_bytes);
	}
	return setting->physics == &setting->compiled ? least : context_bytes + (1 + fragmentation) * least;
}

/* True if an earlier part has at least as much of everything as the new part, which is behind the last. Then the new
 * part is not the worst under any sharding. */
static bool holds_no_more(const struct memory_parts *parts)
{
	const struct stage_memory *part = &parts->stages[parts->count];

	for (int i = 0; i < parts->count; i++) {
		const struct stage_memory *other = &parts->stages[i];

		if (part->dense <= other->dense && part->expert <= other->expert && part->largest <= other->largest &&
			part->activations_bytes <= other->activations_bytes)
			return true;
	}
	return false;
}

void memory_parts_of(const struct setting *setting, const struct parallelism *layout, const struct degrees *degrees,
	const struct memory_layers *layers, const struct stages *stages, struct memory_parts *parts)
{
	parts->count = 0;
	/* Stages differ by at most one layer, and the number in flight falls from stage to stage. So the worst stage is the
	 * first, the second (a balanced first stage has fewer layers) or the last (logits). Where kinds of layers are mixed,
	 * also count the first of each run of equal stages. */
	for (int stage = 0; stage < stages->count; stage++) {
		if (stage > 1 && stage < stages->count - 1 &&
			(setting->model->kind_count <= 1 || memcmp(stages->layers[stage], stages->layers[stage - 1], sizeof stages->layers[0]) == 0))
			continue;
		parts->stages[parts->count] = stage_memory_of(setting, layout, degrees, layers->kinds, stages, stage);
		if (!holds_no_more(parts))
			parts->count++;
	}
}

int memory_of_parts(const struct setting *setting, const struct parallelism *layout, const struct degrees *degrees,
	const struct memory_parts *parts, double most_bytes, struct memory_use *memory)
{
	struct held held = held_of(setting, layout, degrees);
	struct memory_use other;
	int worst = 0;

	CHECK(parts->count > 0);
	memory_of_part(&held, &parts->stages[0], memory);
	for (int i = 1; i < parts->count && memory->total_bytes <= most_bytes; i++) {
		memory_of_part(&held, &parts->stages[i], &other);
		if (other.total_bytes > memory->total_bytes) {
			*memory = other;
			worst = i;
		}
	}
	return worst;
}

struct memory_bounds memory_bounds_of_parts(const struct setting *setting, const struct parallelism *layout, const struct degrees *degrees,
	const struct memory_parts *parts, double spared)
{
	struct held held = held_of(setting, layout, degrees);
	struct memory_bounds bounds = {0, INFINITY};

	held.states.gathers = held.states.scatters = held.states.whole = false;
	for (int i = 0; i < parts->count; i++) {
		struct memory_use memory;

		memory_of_part(&held, &parts->stages[i], &memory);
		bounds.total_bytes = fmax(bounds.total_bytes, memory.total_bytes);
		bounds.spared_bytes = fmin(bounds.spared_bytes, memory.total_bytes - spared * memory.activations_bytes);
	}
	return bounds;
}

void memory_of_layout(const struct setting *setting, const struct parallelism *layout, const struct stages *stages, struct memory_use *memory)
{
	struct degrees degrees = degrees_of(setting, layout);
	struct held held = held_of(setting, layout, &degrees);
	struct memory_layers layers;
	struct memory_parts parts;
	int worst;

	memory_layers_of(setting, layout, &layers);
	memory_parts_of(setting, layout, &degrees, &layers, stages, &parts);
	worst = memory_of_parts(setting, layout, &degrees, &parts, INFINITY, memory);
	memory->layers_bytes = layers_bytes_of(&held, &parts.stages[worst], memory);
}
