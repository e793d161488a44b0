#include "planner/training/memory_estimate.h"

#include "planner/serving/replica.h"
#include "planner/training/layout.h"
#include "planner/training/search.h"

static const double default_sequence = 4096; /* pre-training length of Llama 2, arXiv 2307.09288 */

/* Everything about an accelerator that its memory does not depend on. */
static const struct accelerator unnamed = {.id = "", .tflops_bf16 = 1, .tflops_fp16 = 1, .tflops_fp32 = 1, .tflops_tf32 = 1, .tflops_fp8 = 1,
	.tflops_fp4 = 1, .tops_int8 = 1, .memory_gb = 1, .memory_bandwidth_gbs = 1, .memory_usable_bytes = ABSENT_NUMBER, .tdp_w = ABSENT_NUMBER};

static int64_t degree(int64_t pin)
{
	return pin >= 1 ? pin : 1;
}

static void training_input_of(const struct memory_request *request, const struct model *model, struct training_input *input)
{
	input->model = *model;
	input->request.common.precision = request->common.precision == PRECISION_UNSET ? PRECISION_BF16 : request->common.precision;
	input->request.optimizer = request->optimizer;
	input->request.fine_tuning.method = request->fine_tuning.method;
	input->request.fine_tuning.rank = request->fine_tuning.rank;
	input->request.distillation.teacher.params = ABSENT_NUMBER;
}

/* The degrees asked for, what is left out 1; data is what gpu_count leaves. */
static struct parallelism layout_of(const struct memory_request *request)
{
	const struct parallelism *pins = &request->parallelism;
	struct parallelism layout = {.tensor = degree(pins->tensor), .pipeline = degree(pins->pipeline), .context = degree(pins->context),
		.expert = degree(pins->expert), .interleave = degree(pins->interleave), .micro_batch = degree(pins->micro_batch),
		.zero_stage = pins->zero_stage >= 0 ? pins->zero_stage : 0, .sequence_parallel = pins->sequence_parallel, .offload = pins->offload,
		.recompute = pins->recompute == RECOMPUTE_UNSET ? RECOMPUTE_NONE : pins->recompute, .kept_layers = pins->kept_layers > 0 ? pins->kept_layers : 0};
	int64_t inner = layout.tensor * layout.pipeline * layout.context;

	layout.data = pins->data >= 1 ? pins->data : request->common.gpu_count > inner ? request->common.gpu_count / inner : 1;
	layout.zero_group = pins->zero_group >= 1 ? pins->zero_group : layout.data * layout.context;
	if (layout.sequence_parallel == TRUTH_UNSET)
		layout.sequence_parallel = layout.tensor > 1 ? TRUTH_TRUE : TRUTH_FALSE;
	return layout;
}

/* The least number, by doubling, on which any layout holds it. */
static int64_t least_training_count(struct setting *setting)
{
	struct layout_search search = {.setting = setting, .pins = {.tensor = ABSENT_COUNT, .pipeline = ABSENT_COUNT, .data = ABSENT_COUNT,
		.context = ABSENT_COUNT, .expert = ABSENT_COUNT, .interleave = ABSENT_COUNT, .micro_batch = 1, .zero_stage = ABSENT_COUNT,
		.zero_group = ABSENT_COUNT, .kept_layers = ABSENT_COUNT}};

	for (search.gpu_count = 1; search.gpu_count <= SEARCH_GPUS_MAX; search.gpu_count *= 2) {
		setting->batch = (double)search.gpu_count;
		layout_search(&search);
		if (search.best.any)
			return search.gpu_count;
	}
	return ABSENT_COUNT;
}

static enum status fill_training(const struct memory_request *request, const struct model *model, const struct accelerator *accelerator,
	struct memory_estimate *estimate, struct failure *failure)
{
	struct training_input input = {.candidate_count = 0};
	struct candidate candidate = {.accelerator = accelerator ? *accelerator : unnamed, .gpus_per_node = degree(request->common.gpus_per_node),
		.internode_gbs = request->common.internode_gbs};
	struct parallelism layout = layout_of(request), right;
	double sequence = model->kind == MODEL_GENERIC ? 1 : given_or(request->sequence_length, default_sequence);
	struct setting setting;
	struct stages stages;

	training_input_of(request, model, &input);
	if (!setting_of_candidate(&input, &candidate, &physics_fitted, NULL, sequence, &setting) && accelerator) {
		failure_add(failure, "/accelerator", "unusable", "its row has no rate in a format that this precision can be computed in, no bandwidth or no memory: give it what is missing, or name another precision or accelerator");
		return STATUS_INVALID;
	}
	setting.batch = (double)(layout.data * layout.micro_batch * layout.pipeline);
	if (!layout_pins_check(&setting, request->common.gpu_count, &layout, &right, failure))
		return failure->status;
	stages_split(model, (int)layout.pipeline, (int)layout.interleave, setting.software.balances_ends, &stages);
	memory_of_layout(&setting, &layout, &stages, &estimate->training);
	if (!is_given(request->sequence_length) && model->kind != MODEL_GENERIC)
		findings_assume_number(&estimate->findings, "sequence_length", sequence, "E44: pre-training length of Llama 2, Touvron et al. 2023, arXiv 2307.09288");
	if (!accelerator) {
		estimate->training.capacity_bytes = ABSENT_NUMBER;
		return STATUS_OK;
	}
	estimate->headroom_bytes = estimate->training.capacity_bytes - estimate->training.total_bytes;
	estimate->fits = estimate->headroom_bytes >= 0 ? TRUTH_TRUE : TRUTH_FALSE;
	estimate->gpu_count_min = least_training_count(&setting);
	return STATUS_OK;
}

static double or_context(const struct memory_request *request, const struct model *model)
{
	return given_or(request->context_tokens, model->max_positions > 0 ? fmin(model->max_positions, default_sequence) : default_sequence);
}

/* The least number of accelerators, all tensor-parallel up to a node's eight and pipelined beyond, that holds weights and one sequence. */
static int64_t least_serving_count(const struct model *model, const struct accelerator *accelerator, struct replica_layout layout, double context)
{
	for (int count = 1; count <= 1024; count *= 2) {
		struct replica replica;

		layout.tensor = count < 8 ? count : 8;
		layout.pipeline = count / layout.tensor;
		layout.expert = layout.attention_data = 1;
		if (replica_prepare(&replica, model, accelerator, NULL, &layout, &serving_constants) && replica_fits(&replica, context))
			return count;
	}
	return ABSENT_COUNT;
}

static enum status fill_inference(const struct memory_request *request, const struct model *model, const struct accelerator *accelerator,
	struct memory_estimate *estimate, struct failure *failure)
{
	enum precision precision = request->common.precision == PRECISION_UNSET ? PRECISION_BF16 : request->common.precision;
	struct replica_layout layout = {.tensor = (int)degree(request->parallelism.tensor), .pipeline = (int)degree(request->parallelism.pipeline),
		.expert = (int)degree(request->parallelism.expert), .attention_data = 1, .precision = precision, .engine = request->engine,
		.kv_precision = request->kv_precision, .release_years = engine_newest_release_years(), .max_batch = ABSENT_NUMBER, .chunk_tokens = ABSENT_NUMBER};
	double context = or_context(request, model), sequences;
	const struct accelerator *device = accelerator ? accelerator : &unnamed;
	struct replica replica;

	if (model->kind == MODEL_GENERIC)
		return STATUS_OK;
	if (layout.kv_precision == PRECISION_UNSET)
		layout.kv_precision = engine_kv_precision(request->engine, precision, device);
	if (layout.tensor == 1 && layout.pipeline == 1 && request->common.gpu_count > 1)
		layout.tensor = (int)request->common.gpu_count;
	if (!replica_prepare(&replica, model, device, NULL, &layout, &serving_constants)) {
		failure_add(failure, "/parallelism", "impossible", "tensor %d and pipeline %d do not fit the model", layout.tensor, layout.pipeline);
		return failure->status;
	}
	sequences = given_or(request->concurrency, accelerator ? fmax(0, floor(replica_sequences_max(&replica, context, 1))) : 1);
	estimate->inference = replica.memory;
	estimate->inference.kv_cache_bytes = sequences * replica_sequence_bytes(&replica, context);
	estimate->inference.total_bytes = estimate->inference.weights_bytes + estimate->inference.kv_cache_bytes +
		estimate->inference.activations_bytes + estimate->inference.overhead_bytes;
	if (!accelerator) {
		estimate->inference.capacity_bytes = estimate->inference.kv_tokens_capacity = ABSENT_NUMBER;
		if (!is_given(request->concurrency))
			findings_assume_number(&estimate->findings, "concurrency", 1, "E54: how many fit is known of an accelerator; one sequence is counted without it");
		return STATUS_OK;
	}
	estimate->headroom_bytes = estimate->inference.capacity_bytes - estimate->inference.total_bytes;
	estimate->fits = estimate->headroom_bytes >= 0 && replica_fits(&replica, context) ? TRUTH_TRUE : TRUTH_FALSE;
	estimate->gpu_count_min = least_serving_count(model, accelerator, layout, context);
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
	estimate->kv_bytes_per_token = generic ? ABSENT_NUMBER
		: model_kv_bytes_per_token(model, precision_weight_bytes(request->kv_precision == PRECISION_UNSET ? PRECISION_BF16 : request->kv_precision));
}

enum status planner_memory(const struct memory_request *request, const struct model *model, const struct accelerator *accelerator,
	struct memory_estimate *estimate, struct failure *failure)
{
	fill_sizes(request, model, estimate);
	estimate->training = (struct memory_use){ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER,
		ABSENT_NUMBER, ABSENT_NUMBER};
	estimate->inference = (struct serving_memory){ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER,
		ABSENT_NUMBER, ABSENT_NUMBER};
	estimate->fits = TRUTH_UNSET;
	estimate->headroom_bytes = ABSENT_NUMBER;
	estimate->gpu_count_min = ABSENT_COUNT;
	if (request->purpose == MEMORY_PURPOSE_INFERENCE)
		return fill_inference(request, model, accelerator, estimate, failure);
	return fill_training(request, model, accelerator, estimate, failure);
}
