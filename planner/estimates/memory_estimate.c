#include "planner/estimates/memory_estimate.h"

#include "planner/replica/capacity.h"
#include "planner/serving/serving_option.h"
#include "planner/step/batch.h"
#include "planner/step/layer_time.h"
#include "planner/training/least_layout.h"
#include "planner/training/scaling.h"

enum { NODE_DEFAULT = 8 };
static const double default_sequence = 4096; /* pre-training length of Llama 2, arXiv 2307.09288 */

/* An accelerator for requests without one: none of its figures changes the memory. */
static const struct accelerator unnamed = {.id = "",
	.tflops_bf16 = 1,
	.tflops_fp16 = 1,
	.tflops_fp32 = 1,
	.tflops_tf32 = 1,
	.tflops_fp8 = 1,
	.tflops_fp4 = 1,
	.tops_int8 = 1,
	.memory_gb = 1,
	.memory_bandwidth_gbs = 1,
	.memory_usable_bytes = ABSENT_NUMBER,
	.tdp_w = ABSENT_NUMBER};

static int64_t degree(int64_t pin)
{
	return pin >= 1 ? pin : 1;
}

static void training_input_of(const struct memory_request *request, const struct model *model, struct training_input *input)
{
	input->model = *model;
	input->request.common.precision = request->common.precision == PRECISION_UNSET ? PRECISION_BF16 : request->common.precision;
	input->request.stack = STACK_GENERIC;
	input->request.optimizer = request->optimizer;
	input->request.fine_tuning.method = request->fine_tuning.method;
	input->request.fine_tuning.rank = request->fine_tuning.rank;
	input->request.distillation.teacher.params = ABSENT_NUMBER;
}

/* Returns the layout of the requested degrees: absent ones are 1, data is what gpu_count leaves. */
static struct parallelism layout_of(const struct memory_request *request)
{
	const struct parallelism *pins = &request->parallelism;
	struct parallelism layout = {.tensor = degree(pins->tensor),
		.pipeline = degree(pins->pipeline),
		.context = degree(pins->context),
		.expert = degree(pins->expert),
		.interleave = degree(pins->interleave),
		.micro_batch = degree(pins->micro_batch),
		.zero_stage = pins->zero_stage >= 0 ? pins->zero_stage : 0,
		.sequence_parallel = pins->sequence_parallel,
		.offload = pins->offload,
		.offload_activations = pins->offload_activations,
		.recompute = pins->recompute == RECOMPUTE_UNSET ? RECOMPUTE_NONE : pins->recompute,
		.kept_layers = pins->kept_layers > 0 ? pins->kept_layers : 0};
	int64_t inner = layout.tensor * layout.pipeline * layout.context;

	layout.data = pins->data >= 1 ? pins->data : request->common.gpu_count > inner ? request->common.gpu_count / inner : 1;
	layout.zero_group = pins->zero_group >= 1 ? pins->zero_group : layout.data * layout.context;
	if (layout.sequence_parallel == TRUTH_UNSET)
		layout.sequence_parallel = layout.tensor > 1 ? TRUTH_TRUE : TRUTH_FALSE;
	return layout;
}

/* Returns the batch that a plan would choose for a compute-optimal number of tokens, in samples: at least one for each
 * accelerator. */
static double usual_batch(const struct training_input *input, double sequence, int64_t gpu_count)
{
	const struct scaling_law *law = scaling_law_named(NULL);
	struct scaling_point point = scaling_optimum_of_params(law, fmax(1e6, input->model.params_active));
	const char *source;

	return fmax((double)gpu_count, batch_choose_samples(input, point.tokens, sequence, point.loss, &source));
}

/* Fills a training's memory on an accelerator: the layout that a plan takes on that number, or the leanest one where
 * none fits. Where only a smaller number of accelerators has a fitting layout, the rest stays idle. */
static bool fill_on_accelerator(
	const struct memory_request *request, struct setting *setting, struct memory_estimate *estimate, struct failure *failure)
{
	int64_t given = degree(request->common.gpu_count), count = given;
	struct layout_search search = {.setting = setting, .pins = request->parallelism};
	struct found least = least_layout(setting, given, &request->parallelism);

	if (!least.any) {
		failure_add(failure, "/parallelism", "impossible", "no layout of %lld accelerators has these degrees: leave some degrees out",
			(long long)given);
		return false;
	}
	estimate->gpu_count_min = least_gpu_count(setting, &request->parallelism);
	if (least.fits && (estimate->gpu_count_min < 1 || estimate->gpu_count_min > given))
		estimate->gpu_count_min = given;
	while (!least.fits && estimate->gpu_count_min >= 1 && count > estimate->gpu_count_min)
		least = least_layout(setting, --count, &request->parallelism);
	search.gpu_count = count;
	setting->batch = usual_batch(setting->input, setting->sequence, count) * fmax(1, (double)request->parallelism.micro_batch);
	setting->batch_free = true;
	least_token_times(setting);
	if (least.fits)
		layout_search(&search);
	estimate->parallelism = search.best.any ? search.best.layout : least.layout;
	estimate->training = search.best.any ? search.best.memory : least.memory;
	estimate->least_bytes = least.memory.total_bytes;
	estimate->headroom_bytes = estimate->training.capacity_bytes - estimate->training.total_bytes;
	estimate->fits = least.fits ? TRUTH_TRUE : TRUTH_FALSE;
	if (count < given)
		findings_warn(&estimate->findings, "gpu_count %lld has no layout that fits: the layout uses %lld accelerators, the others stay idle",
			(long long)given, (long long)count);
	return true;
}

static enum status fill_training(const struct memory_request *request, const struct model *model, const struct accelerator *accelerator,
	struct memory_estimate *estimate, struct failure *failure)
{
	struct training_input input = {.candidate_count = 0};
	struct candidate candidate = {.accelerator = accelerator ? *accelerator : unnamed,
		.gpus_per_node = request->common.gpus_per_node >= 1 ? request->common.gpus_per_node : NODE_DEFAULT,
		.internode_gbs = request->common.internode_gbs};
	struct parallelism layout = layout_of(request),
					   right; /* layout: for a request without an accelerator, which gives no capacity to search under */
	double sequence = model->kind == MODEL_GENERIC ? 1 : given_or(request->sequence_length, default_sequence);
	struct setting setting;
	struct stages stages;

	training_input_of(request, model, &input);
	if (!setting_of_candidate(&input, &candidate, &physics_fitted, NULL, sequence, &setting) && accelerator) {
		failure_add(failure, "/accelerator", "unusable",
			"its row lacks a rate for this precision, a bandwidth or a memory size: add the missing figure, or give another precision or accelerator");
		return STATUS_INVALID;
	}
	setting.batch = (double)(layout.data * layout.micro_batch * layout.pipeline);
	if (!layout_pins_check(&setting, request->common.gpu_count, accelerator ? &request->parallelism : &layout, &right, failure))
		return failure->status;
	if (!is_given(request->sequence_length) && model->kind != MODEL_GENERIC)
		findings_assume_number(
			&estimate->findings, "sequence_length", sequence, "E44: pre-training length of Llama 2, Touvron et al. 2023, arXiv 2307.09288");
	if (accelerator)
		return fill_on_accelerator(request, &setting, estimate, failure) ? STATUS_OK : failure->status;
	stages_split(model, (int)layout.pipeline, (int)layout.interleave, setting.software.balances_ends, &stages);
	memory_of_layout(&setting, &layout, &stages, &estimate->training);
	estimate->parallelism = layout;
	estimate->training.capacity_bytes = ABSENT_NUMBER;
	return STATUS_OK;
}

static double context_tokens_of(const struct memory_request *request, const struct model *model)
{
	return given_or(request->context_tokens, model->max_positions > 0 ? fmin(model->max_positions, default_sequence) : default_sequence);
}

/* Fills a service's memory without an accelerator: the given degrees, tensor parallel over the given number, and the
 * given number of sequences. */
static enum status fill_unplaced(
	const struct memory_request *request, const struct model *model, struct memory_estimate *estimate, struct failure *failure)
{
	enum precision precision = request->common.precision == PRECISION_UNSET ? PRECISION_BF16 : request->common.precision;
	struct replica_layout layout = {.tensor = (int)degree(request->parallelism.tensor),
		.pipeline = (int)degree(request->parallelism.pipeline),
		.expert = (int)degree(request->parallelism.expert),
		.attention_data = 1,
		.precision = precision,
		.engine = request->engine,
		.kv_precision = request->kv_precision,
		.release_years = engine_newest_release_years(),
		.max_batch = engine_rules_of(request->engine)->max_batch,
		.chunk_tokens = engine_rules_of(request->engine)->chunk_tokens}; /* as on a large accelerator */
	double context = context_tokens_of(request, model), sequences = given_or(request->concurrency, 1);
	struct replica replica;

	if (layout.kv_precision == PRECISION_UNSET)
		layout.kv_precision = engine_kv_precision(request->engine, precision, &unnamed);
	if (layout.tensor == 1 && layout.pipeline == 1 && request->common.gpu_count > 1)
		layout.tensor = (int)request->common.gpu_count;
	if (!replica_prepare(&replica, model, &unnamed, NULL, &layout, &serving_constants)) {
		failure_add(failure, "/parallelism", "impossible", "tensor %d and pipeline %d do not fit the model: give others", layout.tensor,
			layout.pipeline);
		return failure->status;
	}
	estimate->inference = replica.memory;
	estimate->inference.kv_cache_bytes = sequences * replica_sequence_bytes(&replica, context);
	estimate->inference.total_bytes = estimate->inference.weights_bytes + estimate->inference.kv_cache_bytes +
		estimate->inference.activations_bytes + estimate->inference.overhead_bytes;
	estimate->inference.capacity_bytes = estimate->inference.kv_tokens_capacity = ABSENT_NUMBER;
	if (!is_given(request->concurrency))
		findings_assume_number(&estimate->findings, "concurrency", 1,
			"E54: without an accelerator the number that fits is not known; one sequence is counted");
	return STATUS_OK;
}

static enum status fill_inference(const struct memory_request *request, const struct model *model, const struct accelerator *accelerator,
	struct memory_estimate *estimate, struct failure *failure)
{
	struct serving_parallelism pins = {.tensor = request->parallelism.tensor,
		.pipeline = request->parallelism.pipeline,
		.expert = request->parallelism.expert,
		.attention_data = ABSENT_COUNT,
		.max_batch = ABSENT_COUNT,
		.chunk_tokens = ABSENT_COUNT};
	double context = context_tokens_of(request, model), sequences;
	int64_t given = degree(request->common.gpu_count);
	struct candidate candidate = {.gpus_per_node = request->common.gpus_per_node};
	struct replica_layout base;
	struct capacity capacity;

	if (model->kind == MODEL_GENERIC)
		return STATUS_OK;
	if (!accelerator)
		return fill_unplaced(request, model, estimate, failure);
	candidate.accelerator = *accelerator;
	base = layout_base(&request->common, request->kv_precision, request->engine, NULL, &pins, &candidate);
	base.precision = request->common.precision == PRECISION_UNSET ? PRECISION_BF16 : request->common.precision;
	if (request->kv_precision == PRECISION_UNSET)
		base.kv_precision = engine_kv_precision(base.engine, base.precision, accelerator);
	capacity = (struct capacity){
		.model = model, .candidate = candidate, .pins = pins, .base = base, .context_tokens = context, .sequences = request->concurrency};
	if (given == 1)
		given = degree(pins.tensor) * degree(pins.pipeline);
	if (!capacity_find(&capacity, given)) {
		failure_add(failure, "/parallelism", "impossible",
			"no layout of these degrees fits the model and %lld accelerators: leave the degrees out, or give others", (long long)given);
		return failure->status;
	}
	sequences = is_given(request->concurrency) ? ceil(request->concurrency / (double)capacity.replicas)
											   : fmax(0, floor(replica_sequences_max(&capacity.replica, context, 1)));
	estimate->inference = capacity.replica.memory;
	estimate->inference.kv_cache_bytes = sequences / capacity.replica.attention_data * replica_sequence_bytes(&capacity.replica, context);
	estimate->inference.total_bytes = estimate->inference.weights_bytes + estimate->inference.kv_cache_bytes +
		estimate->inference.activations_bytes + estimate->inference.overhead_bytes;
	estimate->headroom_bytes = fmin(estimate->inference.capacity_bytes - estimate->inference.total_bytes,
		capacity.replica.kv_budget_bytes - estimate->inference.kv_cache_bytes); /* an engine keeps a part of the memory free */
	estimate->fits = capacity.fits ? TRUTH_TRUE : TRUTH_FALSE;
	estimate->gpu_count_min = capacity.gpu_count_min;
	estimate->replica_layout = option_parallelism(&capacity.replica);
	estimate->replicas = capacity.replicas;
	return STATUS_OK;
}

static void fill_sizes(const struct memory_request *request, const struct model *model, struct memory_estimate *estimate)
{
	enum precision precision = request->common.precision == PRECISION_UNSET ? PRECISION_BF16 : request->common.precision;
	bool generic = model->kind == MODEL_GENERIC;

	estimate->params_total = model->params_total;
	estimate->params_active = model->params_active;
	estimate->weights_bytes = model_weight_bytes(model, precision);
	estimate->weights_fp32_bytes = model_weight_bytes(model, PRECISION_FP32);
	estimate->weights_bf16_bytes = model_weight_bytes(model, PRECISION_BF16);
	estimate->weights_int8_bytes = model_weight_bytes(model, PRECISION_INT8);
	estimate->weights_int4_bytes = model_weight_bytes(model, PRECISION_INT4);
	estimate->kv_bytes_per_token = generic
		? ABSENT_NUMBER
		: model_kv_bytes_per_token(
			  model, precision_weight_bytes(request->kv_precision == PRECISION_UNSET ? PRECISION_BF16 : request->kv_precision));
}

enum status planner_memory(const struct memory_request *request, const struct model *model, const struct accelerator *accelerator,
	struct memory_estimate *estimate, struct failure *failure)
{
	fill_sizes(request, model, estimate);
	estimate->training = (struct memory_use){ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER,
		ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER};
	estimate->inference = (struct serving_memory){
		ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER};
	estimate->fits = TRUTH_UNSET;
	estimate->headroom_bytes = ABSENT_NUMBER;
	estimate->gpu_count_min = estimate->replicas = ABSENT_COUNT;
	estimate->least_bytes = ABSENT_NUMBER;
	estimate->has_training = request->purpose != MEMORY_PURPOSE_INFERENCE;
	estimate->has_inference = !estimate->has_training && accelerator && model->kind != MODEL_GENERIC;
	if (request->purpose == MEMORY_PURPOSE_INFERENCE)
		return fill_inference(request, model, accelerator, estimate, failure);
	return fill_training(request, model, accelerator, estimate, failure);
}
