#include "planner/training/levers.h"

#include "planner/step/batch.h"
#include "planner/training/measured.h"
#include "planner/training/range.h"
#include "planner/training/scaling.h"

static const double worth_trying = 0.05;   /* least share of the step that a lever must act on */
static const double worth_offering = 0.02; /* least fraction of hours or dollars that it must save */
static const double graphs_factor = 0.3;   /* host time under CUDA graphs over host time in eager mode: E30 */

/* A plan with one thing changed. */
struct replan {
	struct stage_schedule schedule;
	struct training_input input;
	struct candidate candidate;
	struct physics physics;
	struct parallelism pins;
	int64_t gpu_count;
	char detail[240];
};

struct lever_case {
	const struct stage_schedule *schedule;
	const struct candidate_plan *best;
	const struct training_plan *plan;
	const struct training_request *request;
	struct measured_scale scale; /* factors from predicted steps to measured ones; levers use the shares of the measured step */
};

/* Changes `again`, and fills its detail if the row of the table has none. False: the lever does not apply to this
 * plan. */
typedef bool lever_change(const struct lever_case *now, struct replan *again);

struct lever {
	const char *code, *severity;
	lever_change *change;
	const char *detail;
	enum bottleneck kind; /* the part of the step that it acts on */
	bool memory;          /* also offered for the memory that it frees */
	bool dear;            /* may cost up to half as much again for the time that it saves */
};

static void replan_begin(const struct lever_case *now, struct replan *again)
{
	again->schedule = *now->schedule;
	again->input = *now->schedule->input;
	again->candidate = now->schedule->input->candidates[now->best->candidate];
	again->physics = *now->schedule->physics;
	again->pins = now->request->parallelism;
	again->gpu_count = now->best->gpu_count;
	again->schedule.input = &again->input;
	again->schedule.physics = &again->physics;
	again->input.candidates = &again->candidate;
	again->input.candidate_count = 1;
	again->detail[0] = '\0';
}

static bool layout_is_pinned(const struct parallelism *pins)
{
	return pins->tensor >= 1 || pins->pipeline >= 1 || pins->data >= 1 || pins->context >= 1 || pins->expert >= 1 || pins->interleave >= 1 ||
		pins->micro_batch >= 1 || pins->zero_stage >= 0 || pins->zero_group >= 1 || pins->recompute != RECOMPUTE_UNSET;
}

/* --- use of the accelerators ------------------------------------------------------------------------------- */

static bool other_layout(const struct lever_case *now, struct replan *again)
{
	if (!layout_is_pinned(&now->request->parallelism))
		return false;
	again->pins = (struct parallelism){.tensor = ABSENT_COUNT,
		.pipeline = ABSENT_COUNT,
		.data = ABSENT_COUNT,
		.context = ABSENT_COUNT,
		.expert = ABSENT_COUNT,
		.interleave = ABSENT_COUNT,
		.micro_batch = ABSENT_COUNT,
		.zero_stage = ABSENT_COUNT,
		.zero_group = ABSENT_COUNT,
		.kept_layers = ABSENT_COUNT};
	return true;
}

static bool other_micro_batch(const struct lever_case *now, struct replan *again)
{
	again->pins.micro_batch = ABSENT_COUNT;
	return now->request->parallelism.micro_batch >= 1;
}

static bool other_recomputation(const struct lever_case *now, struct replan *again)
{
	again->pins.recompute = RECOMPUTE_UNSET;
	again->pins.kept_layers = ABSENT_COUNT;
	return now->request->parallelism.recompute != RECOMPUTE_UNSET;
}

/* Doubles the batch by accumulating more micro-batches, as long as it stays below the critical batch. */
static bool more_accumulation(const struct lever_case *now, struct replan *again)
{
	double batch_tokens = now->best->found.step.samples * now->schedule->stages[now->best->main_stage].sequence;
	double critical = now->plan->batch.critical_batch_tokens;

	if (now->scale.shares[BOTTLENECK_PIPELINE_BUBBLE] + now->scale.shares[BOTTLENECK_INTERCONNECT] < worth_trying ||
		2 * batch_tokens > critical || now->schedule->input->model.kind == MODEL_GENERIC)
		return false;
	for (size_t i = 0; i < again->schedule.stage_count; i++)
		again->schedule.stages[i].batch *= 2;
	snprintf(again->detail, sizeof again->detail,
		"twice the batch, by more micro-batches a step: bubble and gradient exchange are spread over more tokens; %.3g tokens stay below the critical batch of %.3g",
		2 * batch_tokens, critical);
	return true;
}

static bool less_precision(const struct lever_case *now, struct replan *again)
{
	enum precision precision = now->request->common.precision;
	const struct accelerator *accelerator = &again->candidate.accelerator;
	bool wide = precision == PRECISION_FP32 || precision == PRECISION_TF32;

	again->input.request.common.precision = wide ? PRECISION_BF16 : PRECISION_FP8;
	if (wide ? !(accelerator->tflops_bf16 > 0)
			 : !(accelerator->tflops_fp8 > 0) || (precision != PRECISION_BF16 && precision != PRECISION_FP16))
		return false;
	snprintf(again->detail, sizeof again->detail,
		wide ? "mixed precision in BF16, with 32-bit master weights"
			 : "linear layers in FP8, which this accelerator has (check the loss against a BF16 run first)");
	return true;
}

static bool fused_kernels(const struct lever_case *now, struct replan *again)
{
	again->physics.host_layer_s *= graphs_factor;
	again->physics.expert_host_s *= graphs_factor;
	return now->scale.shares[BOTTLENECK_LAUNCH_OVERHEAD] >= worth_trying;
}

static bool fewer_syncs(const struct lever_case *now, struct replan *again)
{
	again->physics.step_fixed_s = 0;
	return now->schedule->physics->step_fixed_s > worth_offering * now->best->found.step.time.time_s;
}

static bool newer_software(const struct lever_case *now, struct replan *again)
{
	again->input.request.stack_release = stack_newest_release(now->request->stack);
	if (!now->request->stack_release)
		return false;
	snprintf(again->detail, sizeof again->detail, "the same software of %s instead of %s: newer kernels, more overlap",
		again->input.request.stack_release, now->request->stack_release);
	return true;
}

static bool no_offload(const struct lever_case *now, struct replan *again)
{
	again->pins.offload = TRUTH_FALSE;
	again->input.request.optimizer = OPTIMIZER_ADAMW_8BIT;
	return now->best->found.layout.offload == TRUTH_TRUE;
}

/* --- number and kind of accelerators ------------------------------------------------------------------------- */

static bool more_accelerators(const struct lever_case *now, struct replan *again)
{
	again->gpu_count *= 2;
	if (now->request->common.gpu_count < 1 || layout_is_pinned(&now->request->parallelism))
		return false;
	snprintf(again->detail, sizeof again->detail, "twice the accelerators: %lld", (long long)again->gpu_count);
	return true;
}

static bool fewer_accelerators(const struct lever_case *now, struct replan *again)
{
	again->gpu_count /= 2;
	if (now->best->gpu_count % 2 || now->request->common.gpu_count < 1 || layout_is_pinned(&now->request->parallelism))
		return false;
	snprintf(again->detail, sizeof again->detail, "half the accelerators, %lld, lose less to communication, bubbles and failures",
		(long long)again->gpu_count);
	return true;
}

static bool faster_network(const struct lever_case *now, struct replan *again)
{
	again->candidate.internode_gbs *= 2;
	if (now->scale.shares[BOTTLENECK_INTERCONNECT] < worth_trying || now->best->node_count < 2 || !(again->candidate.internode_gbs > 0))
		return false;
	snprintf(again->detail, sizeof again->detail, "a network twice as fast: %g GB/s for each accelerator", again->candidate.internode_gbs);
	return true;
}

/* True if a lack of memory costs the plan time: recomputation, gathering of shards, or splitting what one accelerator
 * could hold. */
static bool memory_costs(const struct lever_case *now)
{
	const struct parallelism *layout = &now->best->found.layout;
	const struct memory_use *memory = &now->best->found.memory;
	bool split = layout->tensor * layout->pipeline * layout->context > 1;

	return now->scale.shares[BOTTLENECK_MEMORY] >= worth_trying || layout->zero_stage == 3 ||
		(split && memory->total_bytes > 0.7 * memory->capacity_bytes);
}

static bool more_memory(const struct lever_case *now, struct replan *again)
{
	again->candidate.accelerator.memory_usable_bytes = 2 * accelerator_capacity_bytes(&again->candidate.accelerator);
	if (!memory_costs(now))
		return false;
	snprintf(again->detail, sizeof again->detail,
		"an accelerator of the same rates with %.0f GB of memory: less recomputation, gathering or splitting",
		again->candidate.accelerator.memory_usable_bytes / 1e9);
	return now->request->parallelism.recompute == RECOMPUTE_UNSET;
}

static bool newer_accelerator(const struct lever_case *now, struct replan *again)
{
	const struct candidate *newer = now->schedule->input->newer;
	const struct accelerator *had = &now->schedule->input->candidates[now->best->candidate].accelerator;

	if (!newer)
		return false;
	again->candidate = *newer;
	/* The request's price of its own accelerators does not apply to others. Neither does a number format that was
	 * chosen because those have no better one. */
	if (newer->has_offer)
		again->input.request.common.pricing.usd_per_gpu_hour = again->input.request.common.pricing.on_premises.capex_usd_per_gpu = ABSENT_NUMBER;
	if (!(had->tflops_bf16 > 0) && now->request->common.precision == accelerator_training_precision(had))
		again->input.request.common.precision = accelerator_training_precision(&newer->accelerator);
	snprintf(again->detail, sizeof again->detail, "%.60s, newer and from the same vendor, in the same number at its cheapest offer%s%s",
		newer->accelerator.id, again->input.request.common.precision == now->request->common.precision ? "" : ", in ",
		again->input.request.common.precision == now->request->common.precision ? "" : precision_name(again->input.request.common.precision));
	return true;
}

/* --- stored and sent data ------------------------------------------------------------------------------------ */

static bool optimizer_8bit(const struct lever_case *now, struct replan *again)
{
	const struct memory_use *memory = &now->best->found.memory;

	again->input.request.optimizer = OPTIMIZER_ADAMW_8BIT;
	return now->request->optimizer == OPTIMIZER_ADAMW && memory->optimizer_bytes > worth_trying * memory->total_bytes &&
		(now->scale.shares[BOTTLENECK_MEMORY] >= worth_trying || memory->total_bytes > 0.7 * memory->capacity_bytes);
}

static bool gradient_compression(const struct lever_case *now, struct replan *again)
{
	const struct step_time *time = &now->best->found.step.time;

	again->schedule.gradient_bytes = 2;
	return time->data_comm_exposed_s > worth_offering * time->time_s && now->best->found.layout.zero_stage < 3;
}

/* A teacher's outputs are the same in every epoch and every run. Computed once and stored, they are read like
 * samples. */
static bool teacher_outputs(const struct lever_case *now, struct replan *again)
{
	again->schedule.teacher = NULL;
	return now->schedule->teacher != NULL;
}

static bool low_rank(const struct lever_case *now, struct replan *again)
{
	again->input.request.fine_tuning.method = FINE_TUNING_LORA;
	again->input.request.fine_tuning.rank = 16;
	return now->request->fine_tuning.method == FINE_TUNING_FULL;
}

static bool asynchronous_checkpoints(const struct lever_case *now, struct replan *again)
{
	again->input.request.reliability.asynchronous = TRUTH_TRUE;
	return now->request->reliability.asynchronous != TRUTH_TRUE && 1 - now->best->reliability.fraction > worth_offering;
}

/* --- samples ------------------------------------------------------------------------------------------------ */

static struct input_time input_time(const struct lever_case *now)
{
	return step_input_time(now->request, now->best->found.step.samples, (double)now->best->gpu_count);
}

static double computing_s(const struct lever_case *now)
{
	return now->best->found.step.time.time_s - now->best->found.step.time.input_wait_s;
}

static bool loader_workers(const struct lever_case *now, struct replan *again)
{
	int64_t workers = now->request->input_pipeline.workers >= 1 ? now->request->input_pipeline.workers : 1;

	if (now->scale.shares[BOTTLENECK_INPUT] < worth_offering || input_time(now).decode_s <= computing_s(now))
		return false;
	again->input.request.input_pipeline.workers = (int64_t)ceil((double)workers * input_time(now).decode_s / computing_s(now));
	snprintf(again->detail, sizeof again->detail, "%lld loader workers for each accelerator instead of %lld: decoding keeps up with the step",
		(long long)again->input.request.input_pipeline.workers, (long long)workers);
	return true;
}

static bool faster_storage(const struct lever_case *now, struct replan *again)
{
	if (now->scale.shares[BOTTLENECK_INPUT] < worth_offering || input_time(now).read_s <= computing_s(now))
		return false;
	again->input.request.input_pipeline.storage_gbs *= input_time(now).read_s / computing_s(now);
	snprintf(again->detail, sizeof again->detail,
		"storage that reads %.3g GB/s, or parallel reads from several: samples arrive as fast as the step uses them",
		again->input.request.input_pipeline.storage_gbs);
	return true;
}

static bool data_format(const struct lever_case *now, struct replan *again)
{
	again->input.request.input_pipeline.cpu_ms_per_sample = ABSENT_NUMBER;
	return now->scale.shares[BOTTLENECK_INPUT] >= worth_offering && input_time(now).decode_s > fmax(computing_s(now), input_time(now).read_s);
}

/* --- the model and the length of its training ----------------------------------------------------------------- */

static bool scaling_holds(const struct lever_case *now)
{
	const struct model *model = &now->schedule->input->model;

	return model_is_causal(model) && model->params_active >= model->params_total && now->request->stages.count == 0 &&
		now->request->fine_tuning.method == FINE_TUNING_UNSET && !is_given(now->request->mfu);
}

static void replan_tokens(struct replan *again, double tokens)
{
	again->schedule.stages[0].tokens = tokens;
	again->schedule.tokens_total = tokens;
}

/* Plans the compute-optimal size that reaches the same loss: smaller or larger, always with less compute. */
static bool other_size(const struct lever_case *now, struct replan *again)
{
	const struct scaling_law *law = scaling_law_named(NULL);
	double loss = now->plan->compute_optimal.predicted_loss, epochs = given_or(now->request->epochs, 1);
	struct scaling_point point;

	if (!scaling_holds(now) || now->plan->compute_optimal.verdict == VERDICT_NEAR_OPTIMAL || layout_is_pinned(&now->request->parallelism))
		return false;
	point = scaling_optimum(law, scaling_compute_of_loss(law, loss));
	if (epochs > 1 && point.tokens > now->schedule->tokens_total / epochs)
		return false; /* the optimum is of new tokens; a training that repeats its tokens has no more of them */
	model_from_size(&again->input.model, fmin(fmax(point.params, 1e6), 1e15), ABSENT_NUMBER);
	replan_tokens(again, point.tokens);
	snprintf(again->detail, sizeof again->detail,
		"a %s model, %.3g parameters on %.3g tokens, reaches the same predicted loss of %.4g with less compute%s",
		point.params < now->plan->workload.params_active ? "smaller" : "larger", point.params, point.tokens, loss,
		point.params < now->plan->workload.params_active ? "; distilling it from a larger one helps further" : ", but costs more to serve");
	return true;
}

static bool fewer_steps(const struct lever_case *now, struct replan *again)
{
	const struct scaling_law *law = scaling_law_named(NULL);
	double params = now->plan->workload.params_active, tokens = now->schedule->tokens_total,
		   once = tokens / given_or(now->request->epochs, 1), loss;
	double enough = scaling_optimum_of_params(law, params).tokens;

	if (!scaling_holds(now) || now->plan->compute_optimal.verdict != VERDICT_DATA_INEFFICIENT || enough >= tokens)
		return false;
	loss = scaling_judge(law, params, once, enough / once).loss;
	replan_tokens(again, enough);
	snprintf(again->detail, sizeof again->detail,
		"fewer steps: %.3g tokens are compute-optimal for this size; predicted loss %.4g instead of %.4g", enough, loss,
		now->plan->compute_optimal.predicted_loss);
	return true;
}

static void model_again(struct model *model)
{
	model->params_total = model->params_active = model->params_embedding = ABSENT_NUMBER;
	model_finish(model);
}

/* Removes layers. Layers that do not divide evenly over the stages make every stage wait for the fullest stage. A model
 * that is large for its data loses little with fewer layers: the loss predicted for the same tokens may rise by less
 * than 1 %. */
static bool fewer_layers(const struct lever_case *now, struct replan *again)
{
	static const double shallower = 0.75, loss_that_may_rise = 0.01;
	int stages = (int)now->best->found.layout.pipeline, layers = now->schedule->input->model.layer_count, extra = layers % stages, fewer;
	double epochs = given_or(now->request->epochs, 1), loss;

	if (now->request->fine_tuning.method != FINE_TUNING_UNSET || now->schedule->input->model.shape_is_guessed || layers < 4)
		return false;
	if (stages >= 2 && extra > 0 && 4 * extra <= layers) {
		again->input.model.layer_count = layers - extra;
		model_again(&again->input.model);
		snprintf(again->detail, sizeof again->detail, "%d layers instead of %d divide evenly over the %d stages (a slightly smaller model)",
			layers - extra, layers, stages);
		return true;
	}
	fewer = (int)(shallower * layers) / stages * stages;
	if (!scaling_holds(now) || fewer < 1 || now->schedule->input->model.kind_count != 1)
		return false;
	again->input.model.layer_count = fewer;
	model_again(&again->input.model);
	loss = scaling_judge(scaling_law_named(NULL), again->input.model.params_active, now->schedule->tokens_total / epochs, epochs).loss;
	if (!(loss < (1 + loss_that_may_rise) * now->plan->compute_optimal.predicted_loss))
		return false;
	snprintf(again->detail, sizeof again->detail,
		"%d layers instead of %d, %.3g parameters on the same tokens: predicted loss %.4g instead of %.4g", fewer, layers,
		again->input.model.params_active, loss, now->plan->compute_optimal.predicted_loss);
	return true;
}

/* Where samples arrive too slowly for the step, a smaller batch saves the samples that a batch above the critical one
 * wastes. To the same loss a batch B takes 1 + B / critical times as many samples as the smallest batch (McCandlish et
 * al. 2018, arXiv 1812.06162, eq. 2.11). A generic model has no known loss, so its critical batch does not follow from
 * it: the same paper finds useful batches of tens of thousands of samples on ImageNet, and the lever uses 20,000. */
static bool smaller_batch(const struct lever_case *now, struct replan *again)
{
	static const double above_critical = 1.5, of_images = 2e4;
	bool generic = now->schedule->input->model.kind == MODEL_GENERIC;
	double batch_tokens = now->best->found.step.samples * now->schedule->stages[now->best->main_stage].sequence;
	double critical = generic ? of_images : now->plan->batch.critical_batch_tokens, fewer = 2 / (1 + batch_tokens / critical);

	if (now->scale.shares[BOTTLENECK_INPUT] < worth_offering || !(batch_tokens > above_critical * critical) || now->request->stages.count > 0)
		return false;
	again->schedule.stages[0].batch = floor(critical / again->schedule.stages[0].sequence);
	again->schedule.stages[0].tokens *= fewer;
	again->schedule.tokens_total *= fewer;
	snprintf(again->detail, sizeof again->detail,
		"a batch of %.3g %s, %s, instead of %.3g: each sample teaches more, and %.3g reach the loss that takes %.3g now",
		again->schedule.stages[0].batch * again->schedule.stages[0].sequence, generic ? "samples" : "tokens",
		generic ? "a useful batch on ImageNet (measure the gradient noise scale of your task)" : "the critical one", batch_tokens,
		again->schedule.tokens_total, now->schedule->tokens_total);
	return again->schedule.stages[0].batch >= 1;
}

static bool fewer_experts(const struct lever_case *now, struct replan *again)
{
	int most = 0;

	for (int k = 0; k < again->input.model.kind_count; k++) {
		struct layer_kind *kind = &again->input.model.kinds[k];

		if (kind->feed_forward != FEED_FORWARD_EXPERTS || kind->experts_active < 2)
			continue;
		most = kind->experts_active > most ? kind->experts_active : most;
		kind->experts_active /= 2;
	}
	if (most == 0 || now->request->fine_tuning.method != FINE_TUNING_UNSET || now->scale.shares[BOTTLENECK_INTERCONNECT] < worth_trying)
		return false;
	model_again(&again->input.model);
	snprintf(again->detail, sizeof again->detail,
		"half the experts for each token (%d instead of %d): fewer products and half the all-to-all; this is another model: measure its loss",
		most / 2, most);
	return true;
}

/* Removes the gate of a feed-forward layer. At 3/2 of the width the layer would have the same parameters, products and
 * element-wise work; at the same width it saves the third matrix. */
static bool cheaper_activation(const struct lever_case *now, struct replan *again)
{
	bool gated = false;

	for (int k = 0; k < again->input.model.kind_count; k++) {
		struct layer_kind *kind = &again->input.model.kinds[k];

		if (kind->feed_forward != FEED_FORWARD_DENSE || !kind->gated)
			continue;
		gated = true;
		kind->gated = false;
	}
	if (!gated || now->request->fine_tuning.method != FINE_TUNING_UNSET || now->scale.shares[BOTTLENECK_MEMORY_BANDWIDTH] < worth_trying)
		return false;
	model_again(&again->input.model);
	return true;
}

/* --- the table ---------------------------------------------------------------------------------------------- */

static const struct lever levers[] = {
	{"layout", "suggestion", other_layout, "leave the parallelism to the search: it finds a faster layout", BOTTLENECK_INTERCONNECT, false,
		false},
	{"micro_batch", "suggestion", other_micro_batch, "another micro-batch, the rest as pinned", BOTTLENECK_COMPUTE, false, false},
	{"recompute", "suggestion", other_recomputation, "another amount of recomputation (activation checkpointing), the rest as pinned",
		BOTTLENECK_MEMORY, true, false},
	{"gradient_accumulation", "suggestion", more_accumulation, NULL, BOTTLENECK_PIPELINE_BUBBLE, false, false},
	{"precision", "suggestion", less_precision, NULL, BOTTLENECK_COMPUTE, true, false},
	{"fused_kernels", "suggestion", fused_kernels,
		"the host's kernel launches limit the step: CUDA graphs or fused kernels cut the host's time to about a third",
		BOTTLENECK_LAUNCH_OVERHEAD, false, false},
	{"host_syncs", "info", fewer_syncs,
		"pinned memory and no host synchronisation in the step: loss scale, clipping and logging without waiting",
		BOTTLENECK_LAUNCH_OVERHEAD, false, false},
	{"newer_software", "suggestion", newer_software, NULL, BOTTLENECK_COMPUTE, false, false},
	{"offload", "suggestion", no_offload, "an 8-bit optimizer on the accelerator instead of one offloaded to the host",
		BOTTLENECK_HOST_TRANSFER, false, false},
	{"loader_workers", "important", loader_workers, NULL, BOTTLENECK_INPUT, false, false},
	{"faster_storage", "important", faster_storage, NULL, BOTTLENECK_INPUT, false, false},
	{"data_format", "suggestion", data_format, "samples decoded beforehand and stored as they are read (a binary, sharded format)",
		BOTTLENECK_INPUT, false, false},
	{"reduce_batch", "suggestion", smaller_batch, NULL, BOTTLENECK_INPUT, false, false},
	{"asynchronous_checkpoints", "suggestion", asynchronous_checkpoints,
		"asynchronous checkpoints: the training waits only for the copy to host memory", BOTTLENECK_HOST_TRANSFER, false, false},
	{"optimizer_8bit", "suggestion", optimizer_8bit, "AdamW with 8-bit moments (Dettmers et al. 2021, arXiv 2110.02861)", BOTTLENECK_MEMORY,
		true, false},
	{"gradient_compression", "suggestion", gradient_compression, "gradients exchanged in 16 bits instead of 32", BOTTLENECK_INTERCONNECT,
		false, false},
	{"teacher_outputs", "suggestion", teacher_outputs,
		"the teacher's outputs computed once and stored, a few most likely tokens each: the step needs neither its forward pass nor its weights (the figures exclude the one pass that computes them)",
		BOTTLENECK_COMPUTE, true, false},
	{"lora", "info", low_rank, "LoRA of rank 16 instead of full fine-tuning: frozen weights need no gradients and no optimizer states",
		BOTTLENECK_MEMORY, true, false},
	{"more_accelerators", "info", more_accelerators, NULL, BOTTLENECK_COMPUTE, false, true},
	{"fewer_accelerators", "suggestion", fewer_accelerators, NULL, BOTTLENECK_INTERCONNECT, false, false},
	{"faster_network", "suggestion", faster_network, NULL, BOTTLENECK_INTERCONNECT, false, false},
	{"more_memory", "suggestion", more_memory, NULL, BOTTLENECK_MEMORY, false, false},
	{"newer_accelerator", "suggestion", newer_accelerator, NULL, BOTTLENECK_COMPUTE, false, true},
	{"model_size", "info", other_size, NULL, BOTTLENECK_COMPUTE, false, false},
	{"fewer_steps", "info", fewer_steps, NULL, BOTTLENECK_COMPUTE, false, false},
	{"fewer_layers", "info", fewer_layers, NULL, BOTTLENECK_PIPELINE_BUBBLE, false, false},
	{"fewer_experts", "info", fewer_experts, NULL, BOTTLENECK_COMPUTE, false, false},
	{"cheaper_activation", "info", cheaper_activation,
		"a cheaper activation, GELU or squared ReLU without a gate at the same width: two matrices instead of three and less element-wise work; the model is smaller: measure its loss",
		BOTTLENECK_MEMORY_BANDWIDTH, false, false},
};

static double gigabytes(const struct candidate_plan *candidate_plan)
{
	return candidate_plan->found.memory.total_bytes / 1e9;
}

static double step_s(const struct lever_case *now, const struct candidate_plan *candidate_plan)
{
	return now->schedule->input->measured ? measured_step_s(&now->scale, &candidate_plan->found.step, (double)candidate_plan->gpu_count)
										  : candidate_plan->found.step.time.time_s;
}

/* Hours and dollars of the plan, scaled to the measured step where the input has one. */
static double hours_of(const struct lever_case *now, const struct candidate_plan *candidate_plan)
{
	return candidate_plan->wall_clock_hours * step_s(now, candidate_plan) / candidate_plan->found.step.time.time_s;
}

static double usd_of(const struct lever_case *now, const struct candidate_plan *candidate_plan)
{
	return candidate_plan->total_usd * step_s(now, candidate_plan) / candidate_plan->found.step.time.time_s;
}

/* The plan's ranges, scaled from the predicted step to the measured one. */
static struct interval scaled(struct interval range, double factor)
{
	return (struct interval){factor * range.p10, factor * range.p50, factor * range.p90};
}

static size_t promises_of(const struct lever_case *now, const struct candidate_plan *candidate_plan, struct promised *promises)
{
	double factor = step_s(now, candidate_plan) / candidate_plan->found.step.time.time_s;
	struct candidate_plan measured = *candidate_plan;

	measured.range.wall_clock_hours = scaled(measured.range.wall_clock_hours, factor);
	measured.range.total_usd = scaled(measured.range.total_usd, factor);
	measured.range.total_kwh = scaled(measured.range.total_kwh, factor);
	measured.range.total_kgco2e = scaled(measured.range.total_kgco2e, factor);
	return range_promises(now->schedule, &measured, promises);
}

/* True if each limit is kept with the request's confidence, or at least as likely as without the lever. */
static bool still_keeps(const struct lever_case *now, const struct candidate_plan *again)
{
	struct promised before[PROMISES_MAX], after[PROMISES_MAX];
	size_t count = promises_of(now, now->best, before);

	(void)promises_of(now, again, after); /* the same limits in the same order */
	for (size_t i = 0; i < count; i++)
		if (after[i].probability < now->schedule->confidence && after[i].probability < before[i].probability)
			return false;
	return true;
}

/* True if a lever saves hours, dollars or memory, does not cost much more for the time that it saves, and breaks no
 * limit. */
static bool lever_gains(const struct lever_case *now, const struct lever *lever, const struct candidate_plan *again)
{
	double hours = hours_of(now, again) / hours_of(now, now->best) - 1;
	double usd = now->best->priced && again->priced
		? usd_of(now, again) / usd_of(now, now->best) - 1
		: (1 + hours) * (again->gpu_hours / again->wall_clock_hours) / (now->best->gpu_hours / now->best->wall_clock_hours) - 1;
	double memory = gigabytes(again) / gigabytes(now->best) - 1;

	return ((hours <= -worth_offering && usd <= (lever->dear ? 0.5 : 0.1)) || usd <= -worth_offering ||
			   (lever->memory && memory <= -0.1 && hours <= worth_offering)) &&
		still_keeps(now, again);
}

static void effect_part(struct advice *advice, double change, double least, const char *unit)
{
	size_t length = strlen(advice->effect);

	if (fabs(change) >= least) /* false where the figure is absent (NaN) */
		snprintf(advice->effect + length, sizeof advice->effect - length, "%s%.4g %s %s", length > 0 ? ", " : "", fabs(change), unit,
			change < 0 ? "less" : "more");
}

static void offer_lever(const struct lever_case *now, const struct lever *lever, const struct replan *replan,
	const struct candidate_plan *again, struct findings *findings)
{
	struct advice *advice = findings_advise(findings, lever->code, lever->severity, "%s", replan->detail[0] ? replan->detail : lever->detail);

	advice->change_hours = hours_of(now, again) - hours_of(now, now->best);
	advice->change_usd = now->best->priced && again->priced ? usd_of(now, again) - usd_of(now, now->best) : ABSENT_NUMBER;
	advice->sample_time_ratio = step_s(now, again) / again->found.step.samples / (step_s(now, now->best) / now->best->found.step.samples);
	advice->change_gb = gigabytes(again) - gigabytes(now->best);
	effect_part(advice, advice->change_hours, 0.002 * hours_of(now, now->best), "hours");
	effect_part(advice, advice->change_usd, 0.002 * usd_of(now, now->best), "USD");
	effect_part(advice, advice->change_gb, 0.01 * gigabytes(now->best), "GB of memory");
}

enum bottleneck levers_kind(const char *code)
{
	for (size_t i = 0; i < COUNT_OF(levers); i++)
		if (strcmp(levers[i].code, code) == 0)
			return levers[i].kind;
	return BOTTLENECK_UNSET;
}

void levers_advise(const struct stage_schedule *schedule, const struct candidate_plan *best, struct training_plan *plan)
{
	struct lever_case now = {.schedule = schedule,
		.best = best,
		.plan = plan,
		.request = &schedule->input->request,
		.scale = measured_scale_of(schedule->input->measured, &best->found.step, (double)best->gpu_count)};

	for (size_t i = 0; i < COUNT_OF(levers); i++) {
		struct search_counts counts = {.last = best->found.layout};
		struct replan replan;
		struct candidate_plan again;

		replan_begin(&now, &replan);
		if (progress_stopped(schedule->input->progress))
			return; /* planner_training() reports the cancellation */
		if (!levers[i].change(&now, &replan))
			continue;
		fleet_candidate_plan(&replan.schedule, 0, replan.gpu_count, &replan.pins, &again, &counts);
		if (again.any && again.fits && lever_gains(&now, &levers[i], &again))
			offer_lever(&now, &levers[i], &replan, &again, &plan->findings);
	}
}
