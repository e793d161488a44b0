#include "planner/step/step.h"

#include "planner/operators/collective.h"
#include "planner/operators/memory_traffic.h"
#include "planner/step/adapters.h"

/* The host's part of the optimizer (offload): 28 bytes read and written a parameter. Adam of 8e9 parameters takes 2.41
 * s on a machine of twelve DDR4-2666 channels, 0.36 of their 256 GB/s (ZeRO-Offload, Ren et al. 2021, arXiv
 * 2101.06840, table 4). The same share is taken of the 204.8 GB/s of eight DDR4-3200 channels (JEDEC), which four
 * accelerators share. */
static const double host_update_bytes = 28, host_memory_bytes_per_s = 0.36 * 204.8e9 / 4;
static const double optimizer_traffic_bytes = 34; /* AdamW: gradient 4, master 4 + 4, moments 8 + 8, weight 2, norm 4 */

struct stage_time {
	struct layer_time sum; /* one micro-batch */
	double layers, expert_layers, kept_share, total_s;
	double offload_s; /* of total_s: transfer of the layers' inputs to the host and back, as far as the passes do not hide it */
	double issued_s;  /* total_s, or longer where the host issues kernels more slowly than the device runs them */
};

struct step_work {
	const struct setting *setting;
	const struct parallelism *layout;
	const struct stages *stages;
	struct degrees degrees;
	const struct step_parts *parts, *kept; /* kept: for layers that keep their activations; read where the layout has such layers */
	const struct sharding *sharding;
	double teacher_s, transfer_s; /* transfer_s: exposed, of one micro-batch and stage */
};

static void layer_time_add(struct layer_time *sum, const struct layer_time *one, double count)
{
	sum->forward_s += count * one->forward_s;
	sum->backward_s += count * one->backward_s;
	sum->recompute_s += count * one->recompute_s;
	sum->traffic_s += count * one->traffic_s;
	sum->tensor_s += count * one->tensor_s;
	sum->context_s += count * one->context_s;
	sum->expert_s += count * one->expert_s;
	sum->waits_s += count * one->waits_s;
	sum->gather_s += count * one->gather_s;
	sum->hidden_backward_s += count * one->hidden_backward_s;
	sum->ring_forward_s += count * one->ring_forward_s;
	sum->ring_backward_s += count * one->ring_backward_s;
}

/* Kernels of one layer's forward pass, from which the ranges of host_layer_s and kernel_gap_s follow (physics.h). */
static const double kernels_of_layer = 20;

/* E157. Returns the host time to issue a stage's kernels for one micro-batch: forward, about as long backward, and the
 * recomputed part. */
static double host_issue_s(const struct step_work *work, const struct stage_time *stage)
{
	const struct physics *physics = work->setting->physics;
	double layer_least_s = kernels_of_layer *
		CALIBRATED(&work->setting->candidate->calibration, kernel_launch_s, 0); /* no software issues faster */
	double adapters = (work->setting->frozen && work->setting->software.separate_adapters ? 1 + added_kernels : 1) +
		(work->setting->quantized ? added_kernels : 0);
	double passes = 2 + (work->layout->recompute == RECOMPUTE_FULL ? 1 - stage->kept_share : 0);

	return passes * adapters *
		((stage->layers - stage->expert_layers) * fmax(layer_least_s, physics->host_layer_s * work->setting->software.host_factor) +
			stage->expert_layers * fmax(layer_least_s, physics->expert_host_s * work->setting->software.expert_host_factor));
}

/* Host and device run beside each other. The longer one decides; where both take about as long, each sometimes waits
 * for the other. */
static double issued_s(double host_s, double device_s)
{
	double longer = fmax(host_s, device_s), ratio = longer > 0 ? fmin(host_s, device_s) / longer : 0;
	double sixth = ratio * ratio * ratio * ratio * ratio * ratio;

	return longer * sqrt(cbrt(1 + sixth));
}

/* E161. Returns the exposed transfer of the inputs of a stage's recomputed layers. They leave beside the forward pass
 * and come back beside the backward pass. Copies need no multiprocessor and no network: only the part longer than the
 * pass, with everything that the pass waits for, is exposed (Isaev et al. 2023, Calculon). With full recomputation a
 * forward pass is one of four parts. `passes_s`: both passes of a micro-batch. */
static double inputs_exposed_s(const struct step_work *work, const struct stage_time *stage, double passes_s)
{
	const struct setting *setting = work->setting;
	const struct parallelism *layout = work->layout;
	double spread = layout->sequence_parallel == TRUTH_TRUE ? work->degrees.tensor : 1, moved_s;

	if (layout->offload_activations != TRUTH_TRUE || layout->recompute != RECOMPUTE_FULL)
		return 0;
	moved_s = (1 - stage->kept_share) * stage->layers * setting->device.wide_bytes * setting->model->hidden / spread * work->degrees.rows /
			setting->device.host_bytes_per_s +
		setting->device.host_latency_s;
	return fmax(0, moved_s - passes_s / 4) + fmax(0, moved_s - 3 * passes_s / 4);
}

static struct stage_time stage_time_of(const struct step_work *work, int stage)
{
	const struct model *model = work->setting->model;
	struct stage_time time = {.kept_share = stage_kept_share(work->layout, work->stages, stage)};

	for (int k = 0; k < work->parts->kinds; k++) {
		layer_time_add(&time.sum, &work->parts->layers[k], (1 - time.kept_share) * work->stages->layers[stage][k]);
		if (time.kept_share > 0)
			layer_time_add(&time.sum, &work->kept->layers[k], time.kept_share * work->stages->layers[stage][k]);
		time.layers += work->stages->layers[stage][k];
		if (model->kinds[k].feed_forward == FEED_FORWARD_EXPERTS)
			time.expert_layers += work->stages->layers[stage][k];
	}
	if (stage == work->stages->count - 1)
		layer_time_add(&time.sum, &work->parts->ends, 1);
	time.sum.forward_s += work->teacher_s;
	time.total_s = layer_time_total_s(&time.sum) + work->transfer_s;
	time.offload_s = inputs_exposed_s(work, &time, time.total_s);
	time.total_s += time.offload_s;
	time.issued_s = issued_s(host_issue_s(work, &time), time.total_s);
	return time;
}

/* Returns the exposed transfers between stages, in s: activations go to the next stage and their gradients come back,
 * sliced over the tensor ranks. */
static double transfer_exposed_s(const struct step_work *work)
{
	const struct setting *setting = work->setting;
	const struct degrees *degrees = &work->degrees;
	double bytes = degrees->rows * setting->model->hidden * setting->device.wide_bytes / degrees->tensor;
	double stride = degrees->tensor * degrees->context * degrees->data, once_s;

	if (work->layout->pipeline <= 1)
		return 0;
	once_s = point_to_point_s(&setting->device, setting->physics, stride, bytes);
	return 2 * degrees->interleave * once_s *
		(setting->software.hides_pipeline && degrees->interleave > 1 ? 1 - setting->physics->overlap : 1);
}

/* Returns the trained parameters of one rank of a stage: dense and expert. */
static struct layer_params local_params(const struct step_work *work, int stage)
{
	const struct model *model = work->setting->model;
	const struct sharding *sharding = work->sharding;
	const uint16_t *layers = work->stages->layers[stage];
	struct layer_params params = {0};
	double trained = work->setting->frozen ? work->setting->trained_params / fmax(1, model->params_total) : 1;

	if (model->kind == MODEL_GENERIC)
		params = sharding->params[0];
	for (int k = 0; k < model->kind_count; k++) {
		params.dense += layers[k] * sharding->params[k].dense;
		params.expert += layers[k] * sharding->params[k].expert;
	}
	params.dense += sharding->table_params *
		((stage == 0) + (stage == work->stages->count - 1 && !(stage == 0 && model->tied_embeddings) && model->label_count == 0));
	return (struct layer_params){.dense = params.dense * trained, .expert = params.expert * trained};
}

/* Returns the time to sum the gradients of a tied embedding table, which the first and the last stage both store: once
 * a step over the two (Narayanan et al. 2021, Megatron-LM). */
static double tied_table_s(const struct step_work *work)
{
	const struct setting *setting = work->setting;
	const struct degrees *degrees = &work->degrees;
	double bytes = setting->software.gradient_bytes * (double)setting->model->vocabulary * setting->model->hidden / degrees->tensor;

	if (degrees->pipeline <= 1 || !setting->model->tied_embeddings || setting->model->label_count > 0 || setting->frozen)
		return 0;
	return collective_all_reduce_s(&setting->device, setting->physics,
		collective_group(&setting->device, 2, degrees->tensor * degrees->context * degrees->data), bytes);
}

/* Work of a stage's last backward pass that can hide transfers. */
struct hiding {
	double work_s, left_s; /* length of the pass; the part of it that hides nothing yet */
	double idle_s;         /* time that the device waits for its host: it hides everything that is sent meanwhile */
	double overlap;
};

static struct hiding hiding_of(const struct step_work *work, const struct stage_time *stage)
{
	const struct setting *setting = work->setting;
	if (!setting->software.hides_data)
		return (struct hiding){0};
	return (struct hiding){.work_s = layer_hiding_backward_s(&stage->sum),
		.left_s = layer_left_backward_s(&stage->sum, setting->physics->overlap),
		.idle_s = stage->issued_s - stage->total_s,
		.overlap = setting->physics->overlap};
}

/* E29. Returns the exposed part of a transfer, and takes from `hiding` what hides the rest. */
static double hiding_take(struct hiding *hiding, double transfer_s)
{
	double sent_s = fmin(transfer_s, hiding->idle_s), rest_s = transfer_s - sent_s;
	double exposed = layer_exposed_s(rest_s, hiding->work_s, hiding->left_s, hiding->overlap);

	hiding->idle_s -= sent_s;
	hiding->left_s -= rest_s - exposed;
	return exposed;
}

/* Costs of one stage once a step: exchange of gradients, update, and with offload the transfer to the host and back. */
struct stage_end {
	double data_s, optimizer_s, host_s;
};

/* E39, E40. Returns these costs of one stage. */
static struct stage_end stage_end_of(const struct step_work *work, const struct stage_time *time, int stage)
{
	const struct setting *setting = work->setting;
	struct layer_params params = local_params(work, stage);
	struct hiding hiding = hiding_of(work, time);
	const struct sharding *sharding = work->sharding;
	struct stage_end end = {.data_s = hiding_take(&hiding, sharding_step_s(sharding, &params, time->layers))};
	double updated = params.dense / sharding->group + params.expert / sharding->copies;
	double synchronised = work->layout->zero_stage >= 3 ? updated
														: params.dense + params.expert; /* parameters that a rank stores between steps */
	double moved_s = 2 * (setting->device.wide_bytes * updated / setting->device.host_bytes_per_s + setting->device.host_latency_s);

	for (int k = 0; sharding->once && k < setting->model->kind_count; k++)
		end.data_s += work->stages->layers[stage][k] * (sharding->layers[k].gather_s + sharding->layers[k].scatter_s);
	if (sharding->once && (stage == 0 || stage == work->stages->count - 1))
		end.data_s += sharding->table.gather_s + sharding->table.scatter_s;
	if (work->layout->offload == TRUTH_TRUE)
		end.host_s = hiding_take(&hiding, moved_s) + updated * host_update_bytes / host_memory_bytes_per_s;
	else
		end.optimizer_s = memory_stream_s(&setting->device, updated * optimizer_traffic_bytes) +
			(sharding->group > 1 ? setting->software.synchronise_s * synchronised : 0); /* a single rank synchronises nothing */
	return end;
}

/* Keeps the stage whose end takes longest: it ends the step. */
static void end_keep(struct stage_end *worst, const struct stage_end *one)
{
	if (one->data_s + one->optimizer_s + one->host_s > worst->data_s + worst->optimizer_s + worst->host_s)
		*worst = *one;
}

struct input_time step_input_time(const struct training_request *request, double samples, double gpu_count)
{
	struct input_time time = {0};

	if (is_given(request->input_pipeline.sample_bytes) && request->input_pipeline.storage_gbs > 0)
		time.read_s = samples * request->input_pipeline.sample_bytes / (request->input_pipeline.storage_gbs * 1e9);
	if (is_given(request->input_pipeline.cpu_ms_per_sample))
		time.decode_s = samples * request->input_pipeline.cpu_ms_per_sample * 1e-3 /
			(gpu_count * (request->input_pipeline.workers >= 1 ? (double)request->input_pipeline.workers : 1));
	return time;
}

/* Samples are read and decoded beside the step. Returns the time by which that takes longer than the step, in s. */
static double input_wait_s(const struct setting *setting, double samples, double gpu_count, double step_s)
{
	const struct training_request *request = &setting->input->request;
	struct input_time time = step_input_time(request, samples, gpu_count);
	double storage_bytes_per_s = CALIBRATED(&setting->candidate->calibration, storage_bytes_per_s, 0);

	/* the request describes no storage, but its rate was measured: each machine reads its own part */
	if (is_given(request->input_pipeline.sample_bytes) && !is_given(request->input_pipeline.storage_gbs) && storage_bytes_per_s > 0)
		time.read_s = samples * request->input_pipeline.sample_bytes / (storage_bytes_per_s * ceil(gpu_count / (double)setting->device.node));

	return fmax(0, fmax(time.read_s, time.decode_s) - step_s);
}

static double step_sum(const struct step_time *time)
{
	return time->compute_s + time->recompute_s + time->tensor_comm_s + time->context_comm_s + time->pipeline_comm_s +
		time->pipeline_bubble_s + time->data_comm_exposed_s + time->expert_comm_s + time->optimizer_s + time->input_wait_s +
		time->host_transfer_s + time->launch_overhead_s;
}

/* Returns the share of all layers that keep their activations under full recomputation. */
static double kept_share(const struct step_work *work)
{
	double kept = 0, layers = 0;

	for (int stage = 0; work->layout->kept_layers > 0 && stage < work->stages->count; stage++) {
		double own = stage_layers(work->stages, stage);

		kept += own * stage_kept_share(work->layout, work->stages, stage);
		layers += own;
	}
	return kept / fmax(1, layers);
}

/* Fills the model FLOPs, and the hardware FLOPs, which include recomputation. */
static void step_flops(const struct step_work *work, struct step_result *result)
{
	const struct setting *setting = work->setting;
	double tokens = work->degrees.batch * setting->sequence, again = 0;

	switch (work->layout->recompute) {
	case RECOMPUTE_FULL:
		again = (setting->forward_flops_per_token - (setting->software.drops_unread ? layer_unread_flops_per_token(setting->model) : 0)) *
			(1 - kept_share(work));
		break;
	case RECOMPUTE_SELECTIVE:
		again = setting->attention_flops_per_token;
		break;
	case RECOMPUTE_UNSET:
	case RECOMPUTE_NONE:
	case RECOMPUTE_COUNT:
		break;
	}
	result->samples = work->degrees.batch;
	result->model_flops = tokens * setting->flops_per_token;
	result->hardware_flops = tokens * (setting->flops_per_token + again);
}

/* Times of one micro-batch: on the longest stage, and summed over all stages. */
struct schedule {
	double longest_s, all_s;
};

static double schedule_s(const struct step_work *work, const struct schedule *schedule)
{
	return pipeline_time_s(
		schedule->longest_s, schedule->all_s, work->degrees.micro_batches, work->degrees.pipeline, work->degrees.interleave);
}

/* Fills the result. `device`: the schedule of the devices' work alone; `issued`: with the host that issues it. */
static void step_fill(const struct step_work *work, const struct stage_time *longest, const struct schedule *device,
	const struct schedule *issued, const struct stage_end *end, struct step_result *result)
{
	const struct setting *setting = work->setting;
	struct step_time *time = &result->time;
	double m = work->degrees.micro_batches,
		   gpu_count = work->degrees.tensor * work->degrees.pipeline * work->degrees.data * work->degrees.context;

	time->compute_s = m * (longest->sum.forward_s + longest->sum.backward_s);
	result->traffic_s = m * longest->sum.traffic_s;
	time->recompute_s = m * longest->sum.recompute_s;
	time->tensor_comm_s = m * longest->sum.tensor_s;
	time->context_comm_s = m * longest->sum.context_s;
	time->expert_comm_s = m * longest->sum.expert_s;
	time->pipeline_comm_s = m * work->transfer_s;
	time->data_comm_exposed_s = m * longest->sum.gather_s + end->data_s + tied_table_s(work);
	time->pipeline_bubble_s = schedule_s(work, device) - m * longest->total_s;
	time->launch_overhead_s = setting->physics->step_fixed_s + m * longest->sum.waits_s +
		(schedule_s(work, issued) - schedule_s(work, device));
	time->optimizer_s = end->optimizer_s;
	time->host_transfer_s = end->host_s + m * longest->offload_s;
	time->input_wait_s = input_wait_s(setting, work->degrees.batch, gpu_count, step_sum(time));
	time->time_s = step_sum(time);
}

void step_parts_of(const struct setting *setting, const struct parallelism *layout, struct step_parts *parts)
{
	struct degrees degrees = degrees_of(setting, layout);

	parts->kinds = setting->model->kind_count > 0 ? setting->model->kind_count : 1;
	for (int k = 0; k < parts->kinds; k++)
		parts->layers[k] = layer_time_of(setting, layout, &degrees, k);
	parts->ends = ends_time_of(setting, &degrees);
}

void step_parts_each(const struct setting *setting, const struct parallelism *layout, struct step_parts parts[RECOMPUTE_COUNT])
{
	struct degrees degrees = degrees_of(setting, layout);
	struct layer_time times[RECOMPUTE_COUNT], ends = ends_time_of(setting, &degrees);
	int kinds = setting->model->kind_count > 0 ? setting->model->kind_count : 1;

	for (int k = 0; k < kinds; k++) {
		layer_times_of(setting, layout, &degrees, k, times);
		for (int recompute = RECOMPUTE_NONE; recompute < RECOMPUTE_COUNT; recompute++)
			parts[recompute].layers[k] = times[recompute];
	}
	for (int recompute = RECOMPUTE_NONE; recompute < RECOMPUTE_COUNT; recompute++) {
		parts[recompute].kinds = kinds;
		parts[recompute].ends = ends;
	}
}

/* True if a stage has the same layers as the one before it, and so takes the same time. */
static bool like_the_one_before(const struct stages *stages, int stage)
{
	return stage > 0 && stage < stages->count - 1 && memcmp(stages->layers[stage], stages->layers[stage - 1], sizeof stages->layers[0]) == 0;
}

const struct step_parts *step_parts_scattered(const struct setting *setting, const struct parallelism *layout,
	const struct sharding *sharding, const struct step_parts *parts, struct step_parts *own)
{
	if (!sharding->scatters || sharding->once)
		return parts;
	own->kinds = parts->kinds;
	own->ends = parts->ends;
	if (sharding->table_params > 0)
		sharding_expose(setting, layout, &sharding->tables, &own->ends);
	for (int k = 0; k < parts->kinds; k++) {
		own->layers[k] = parts->layers[k];
		sharding_expose(setting, layout, &sharding->layers[k], &own->layers[k]);
	}
	return own;
}

void step_of_parts(const struct setting *setting, const struct parallelism *layout, const struct stages *stages,
	const struct step_parts *parts, const struct step_parts *kept, const struct sharding *sharding, struct step_result *result)
{
	struct step_work work = {
		.setting = setting, .layout = layout, .stages = stages, .degrees = degrees_of(setting, layout), .sharding = sharding};
	struct stage_time longest = {0}, one;
	UNCLEARED struct step_parts own, own_kept;
	struct schedule device = {0}, issued = {0};
	struct stage_end end, last_end = {0};

	work.parts = step_parts_scattered(setting, layout, sharding, parts, &own);
	work.kept = layout->kept_layers > 0 ? step_parts_scattered(setting, layout, sharding, kept, &own_kept) : work.parts;
	work.teacher_s = teacher_time_s(setting, layout, &work.degrees);
	work.transfer_s = transfer_exposed_s(&work);
	for (int stage = 0; stage < stages->count; stage++) {
		if (!like_the_one_before(stages, stage)) {
			one = stage_time_of(&work, stage);
			end = stage_end_of(&work, &one, stage);
			end_keep(&last_end, &end);
		}
		device.all_s += one.total_s;
		issued.all_s += one.issued_s;
		issued.longest_s = fmax(issued.longest_s, one.issued_s);
		if (one.total_s > longest.total_s)
			longest = one;
	}
	*result = (struct step_result){.traffic_s = 0};
	device.longest_s = longest.total_s;
	step_fill(&work, &longest, &device, &issued, &last_end, result);
	step_flops(&work, result);
	CHECK(isfinite(result->time.time_s) && result->time.time_s > 0);
}

void step_of_layout(const struct setting *setting, const struct parallelism *layout, const struct stages *stages, struct step_result *result)
{
	struct parallelism keeping = *layout;
	struct degrees degrees = degrees_of(setting, layout);
	struct step_parts parts, kept;
	struct sharding sharding;

	sharding_of(setting, layout, &degrees, &sharding);
	step_parts_of(setting, layout, &parts);
	keeping.recompute = RECOMPUTE_NONE;
	if (layout->kept_layers > 0)
		step_parts_of(setting, &keeping, &kept);
	step_of_parts(setting, layout, stages, &parts, &kept, &sharding, result);
}

void step_scale(double factor, struct step_result *result)
{
	struct step_time *time = &result->time;
	double *parts[] = {&time->compute_s, &time->recompute_s, &time->tensor_comm_s, &time->context_comm_s, &time->pipeline_comm_s,
		&time->pipeline_bubble_s, &time->data_comm_exposed_s, &time->expert_comm_s, &time->optimizer_s, &time->input_wait_s,
		&time->host_transfer_s, &time->launch_overhead_s};

	for (size_t i = 0; i < COUNT_OF(parts); i++)
		*parts[i] *= factor;
	result->traffic_s *= factor;
	time->time_s = step_sum(time);
}

void step_pin_mfu(const struct setting *setting, double gpu_count, double mfu, struct step_result *result)
{
	step_scale(result->model_flops / (gpu_count * setting->device.peak_flops_per_s * mfu) / result->time.time_s, result);
}

struct bottleneck_use step_bottleneck(const struct step_result *result)
{
	const struct step_time *time = &result->time;
	struct bottleneck_use use = {.kind = BOTTLENECK_COMPUTE};
	double sum = 0;

	use.shares[BOTTLENECK_COMPUTE] = time->compute_s - result->traffic_s;
	use.shares[BOTTLENECK_MEMORY] = time->recompute_s;
	use.shares[BOTTLENECK_MEMORY_BANDWIDTH] = result->traffic_s + time->optimizer_s;
	use.shares[BOTTLENECK_INTERCONNECT] = time->tensor_comm_s + time->context_comm_s + time->pipeline_comm_s + time->data_comm_exposed_s +
		time->expert_comm_s;
	use.shares[BOTTLENECK_PIPELINE_BUBBLE] = time->pipeline_bubble_s;
	use.shares[BOTTLENECK_INPUT] = time->input_wait_s;
	use.shares[BOTTLENECK_HOST_TRANSFER] = time->host_transfer_s;
	use.shares[BOTTLENECK_LAUNCH_OVERHEAD] = time->launch_overhead_s;
	for (int kind = BOTTLENECK_COMPUTE; kind < BOTTLENECK_COUNT; kind++) {
		use.shares[kind] = fmax(0, use.shares[kind]);
		sum += use.shares[kind];
		if (use.shares[kind] > use.shares[use.kind])
			use.kind = (enum bottleneck)kind;
	}
	for (int kind = BOTTLENECK_COMPUTE; kind < BOTTLENECK_COUNT; kind++)
		use.shares[kind] /= sum;
	return use;
}
