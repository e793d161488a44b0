/* A transformer block by itself: the block that represents a model, and its time by the step model. */
#include "planner/measurement/shapes.h"
#include "planner/operators/memory_traffic.h"
#include "planner/step/layer_time.h"

static const double adamw_bytes = 34;    /* read and written of one parameter: E40 */
static const double parts_of_layer = 20; /* products, attention and element-wise work of a layer, forward and backward, that a worker issues */
static const int64_t shortest_sequence = 16;

struct physics shapes_bare_physics(void)
{
	struct physics bare = physics_fitted;

	bare.gemm_fraction = bare.narrow_fraction = bare.nvfp4_fraction = 1;
	bare.element_traffic = 1;
	bare.power_exponent = 0; /* a benchmark takes seconds, too short to heat the accelerator */
	return bare;
}

/* Makes a model of only the block's layers, which are already divided over ranks. */
static void block_model(const struct bench_block *block, struct model *model)
{
	*model = (struct model){.kind = MODEL_TRANSFORMER,
		.hidden = (int)block->hidden,
		.layer_count = (int)block->layers,
		.kind_count = 1,
		.params_total = ABSENT_NUMBER,
		.params_active = ABSENT_NUMBER,
		.params_embedding = ABSENT_NUMBER};
	model->kinds[0] = (struct layer_kind){.mixer = MIXER_ATTENTION,
		.heads = (int)block->heads,
		.kv_heads = (int)block->kv_heads,
		.head_dim = (int)block->head_dimension,
		.value_head_dim = (int)block->head_dimension,
		.feed_forward = FEED_FORWARD_DENSE,
		.width = (int)block->ffn,
		.gated = block->gated == TRUTH_TRUE};
	model_finish(model);
}

static double head_s(const struct setting *setting, const struct bench_block *block)
{
	struct product logits = {.rows = (double)(block->sequence * block->micro_batch),
		.inner = (double)block->hidden,
		.columns = (double)block->vocabulary,
		.count = 1,
		.narrow = true};

	if (block->vocabulary < 1)
		return 0;
	return gemm_forward(&setting->device, setting->physics, &logits).time_s +
		gemm_backward(&setting->device, setting->physics, &logits, false).time_s;
}

double block_predicted_s(const struct candidate *candidate, const struct bench_block *block)
{
	const struct parallelism alone = {.tensor = 1,
		.pipeline = 1,
		.data = 1,
		.context = 1,
		.expert = 1,
		.interleave = 1,
		.micro_batch = block->micro_batch,
		.zero_group = 1,
		.recompute = RECOMPUTE_NONE};
	struct physics bare = shapes_bare_physics();
	struct candidate whole = *candidate;
	struct setting setting = {.candidate = &whole,
		.physics = &bare,
		.sequence = (double)block->sequence,
		.batch = (double)block->micro_batch,
		.software = {.attention_speed = 1, .speed = 1}};
	struct degrees degrees;
	struct layer_time layer;
	struct model model;
	double time_s;

	block_model(block, &model);
	setting.model = &model;
	if (!device_of_candidate(&whole, block->precision, &bare, 1, &setting.device))
		return ABSENT_NUMBER;
	degrees = degrees_of(&setting, &alone);
	layer = layer_time_of(&setting, &alone, &degrees, 0);
	time_s = (double)block->layers * layer_time_total_s(&layer) + head_s(&setting, block) +
		memory_stream_s(&setting.device, bench_block_parameters(block) * given_or(block->optimizer_bytes_per_parameter, 0));
	return fmax(time_s, (double)block->layers * parts_of_layer * CALIBRATED(&candidate->calibration, kernel_launch_s, 0));
}

/* Returns the attention layer's kind with the most layers; NULL: none. */
static const struct layer_kind *most_frequent(const struct model *model)
{
	const struct layer_kind *found = NULL;
	int most = 0;

	for (int k = 0; k < model->kind_count; k++) {
		const struct layer_kind *kind = &model->kinds[k];

		if ((kind->mixer == MIXER_ATTENTION || kind->mixer == MIXER_MLA) && kind->feed_forward != FEED_FORWARD_NONE &&
			model_kind_layers(model, k) > most) {
			most = model_kind_layers(model, k);
			found = kind;
		}
	}
	return found;
}

static int64_t divided(int64_t size, int64_t ranks)
{
	return size / ranks > 1 ? size / ranks : 1;
}

static bool block_fits(const struct candidate *candidate, struct bench_block *block, double least_s)
{
	block->predicted_s = block_predicted_s(candidate, block);
	return !(block->predicted_s > least_s);
}

/* Shortens the block until it fits: layers, head, then tokens. */
static void block_shorten(const struct candidate *candidate, struct bench_block *block)
{
	if (block_fits(candidate, block, SHAPES_BLOCK_MOST_S))
		return;
	block->layers = 1;
	if (block_fits(candidate, block, SHAPES_BLOCK_MOST_S))
		return;
	block->vocabulary = ABSENT_COUNT;
	while (!block_fits(candidate, block, SHAPES_BLOCK_MOST_S) && block->micro_batch > 1)
		block->micro_batch /= 2;
	while (!block_fits(candidate, block, SHAPES_BLOCK_MOST_S) && block->sequence >= 2 * shortest_sequence)
		block->sequence /= 2;
}

struct bench_block shapes_block(const struct model *model, const struct candidate *candidate, const struct parallelism *layout,
	double sequence, enum precision precision)
{
	const struct layer_kind *kind = most_frequent(model);
	struct bench_spec none;
	struct bench_block block;
	int64_t tensor = layout->tensor;

	bench_spec_init(&none);
	if (model->kind == MODEL_GENERIC || !kind)
		return none.block;
	block = (struct bench_block){.layers = model->layer_count > 1 ? 2 : 1,
		.hidden = model->hidden,
		.heads = divided(kind->heads, tensor),
		.kv_heads = kind->mixer == MIXER_MLA ? divided(kind->heads, tensor) : divided(kind->kv_heads, tensor),
		.head_dimension = kind->head_dim + kind->rope_head_dim,
		.vocabulary = divided(model->vocabulary, tensor),
		.sequence = (int64_t)fmax(1, sequence / (double)layout->context),
		.micro_batch = layout->micro_batch,
		.precision = precision,
		.gated = kind->gated ? TRUTH_TRUE : TRUTH_FALSE,
		.optimizer_bytes_per_parameter = adamw_bytes};
	block.ffn = kind->feed_forward == FEED_FORWARD_DENSE
		? divided(kind->width, tensor)
		: divided((int64_t)kind->experts_active * kind->expert_width + kind->shared_width, tensor);
	block_shorten(candidate, &block);
	return block;
}
