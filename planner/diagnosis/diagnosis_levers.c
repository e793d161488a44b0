/* Possible changes to a measured step, and the step time with each (E83): from its timings alone, and where the
 * training is described, from planning again with the change. */
#include "planner/diagnosis/timings.h"
#include "planner/training/levers.h"

/* Smaller savings, as a share of the step, are noise beside the spread of steps. */
static const double worth_a_lever = 0.02;

/* A lever, and its change to the timings. */
struct lever_row {
	const char *code;
	enum diagnosis_kind kind;
	void (*change)(struct step_timings *timings);
	const char *detail;
	const char *planned; /* code of the planner's lever with the same change; NULL: none */
};

static void drop_wait(struct step_timings *timings)
{
	timings->data_wait_ms = 0;
}

static void halve_wait(struct step_timings *timings)
{
	timings->data_wait_ms /= 2;
}

static void drop_launches(struct step_timings *timings)
{
	timings->launch_gap_ms = 0;
}

/* Twice the work of each launch: half the launches a sample. */
static void halve_launches(struct step_timings *timings)
{
	timings->launch_gap_ms /= 2;
}

/* Returns the exposed time that can hide behind computing that nothing runs beside yet, in ms. */
static double hideable_ms(double exposed_ms, double total_ms, double compute_ms)
{
	double free_ms = fmax(0, compute_ms - (total_ms - exposed_ms));

	return fmin(exposed_ms, free_ms);
}

static void overlap_communication(struct step_timings *timings)
{
	timings->exposed_communication_ms -= hideable_ms(
		timings->exposed_communication_ms, timings->communication_ms, given_or(timings->compute_ms, 0));
}

/* Scales all communication by `factor`; as much of it is hidden as before. */
static void scale_communication(struct step_timings *timings, double factor)
{
	double overlapped_ms = timings->communication_ms - timings->exposed_communication_ms;

	timings->communication_ms *= factor;
	timings->exposed_communication_ms = fmax(0, timings->communication_ms - overlapped_ms);
}

static void halve_communication(struct step_timings *timings)
{
	scale_communication(timings, 0.5);
}

static void overlap_copies(struct step_timings *timings)
{
	timings->exposed_host_to_device_ms -= hideable_ms(
		timings->exposed_host_to_device_ms, timings->host_to_device_ms, given_or(timings->compute_ms, 0));
}

static void drop_recomputation(struct step_timings *timings)
{
	timings->compute_ms -= timings->recompute_ms;
	timings->recompute_ms = 0;
}

/* Fused chains of element-wise kernels read and write each tensor once instead of once a kernel; a chain has at least
 * two. */
static void fuse_traffic(struct step_timings *timings)
{
	timings->compute_ms -= timings->memory_bandwidth_ms / 2;
	timings->memory_bandwidth_ms /= 2;
}

/* Adam in 8 bits moves 22 bytes a parameter instead of 34 (E40, E35). */
static void narrow_optimizer(struct step_timings *timings)
{
	timings->optimizer_ms *= 22.0 / 34;
}

static void accumulate_updates(struct step_timings *timings)
{
	timings->optimizer_ms /= 2;
}

/* Twice the micro-batches: the same bubble for twice the work. */
static void halve_bubble(struct step_timings *timings)
{
	timings->pipeline_bubble_ms /= 2;
}

/* Matrix products in 8 bits run at twice the dense rate on accelerators that have it; element-wise work stays. */
static void narrow_products(struct step_timings *timings)
{
	timings->compute_ms -= (timings->compute_ms - given_or(timings->memory_bandwidth_ms, 0) - given_or(timings->recompute_ms, 0)) / 2;
}

static void drop_device_wait(struct step_timings *timings)
{
	timings->device_wait_ms = 0;
}

static void drop_idle(struct step_timings *timings)
{
	timings->idle_ms = 0;
}

static const struct lever_row rows[] = {
	{"more_loader_workers", DIAGNOSIS_INPUT, drop_wait,
		"prepare samples before the step needs them: more data-loader workers, prefetching, samples decoded in advance", "loader_workers"},
	{"faster_storage", DIAGNOSIS_INPUT, halve_wait,
		"read from storage at twice the rate: local disks, larger files read in parallel, a denser format", "faster_storage"},
	{"fused_kernels_or_graphs", DIAGNOSIS_LAUNCH_OVERHEAD, drop_launches,
		"issue fewer kernels: a compiled model (torch.compile), CUDA graphs, fused optimizer and norms", "fused_kernels"},
	{"larger_micro_batch", DIAGNOSIS_LAUNCH_OVERHEAD, halve_launches,
		"twice the micro-batch at the same global batch: half the launches a sample, where memory allows it", "micro_batch"},
	{"overlap_communication", DIAGNOSIS_INTERCONNECT, overlap_communication,
		"run communication beside computing: gradient buckets reduced during the backward pass, parameters gathered a layer ahead", NULL},
	{"gradient_accumulation", DIAGNOSIS_INTERCONNECT, halve_communication,
		"accumulate two micro-batches before gradients are reduced: half of that traffic a sample, where the batch may grow",
		"gradient_accumulation"},
	{"gradient_compression", DIAGNOSIS_INTERCONNECT, halve_communication,
		"send gradients in half the bytes (BF16 instead of FP32, FP8 instead of BF16); compare the loss with a run without it",
		"gradient_compression"},
	{"faster_interconnect", DIAGNOSIS_INTERCONNECT, halve_communication,
		"twice the network rate between accelerators, or a layout that keeps traffic inside the node", "faster_network"},
	{"pinned_memory", DIAGNOSIS_HOST_TRANSFER, overlap_copies,
		"copy from pinned memory without waiting (pin_memory, non_blocking), so that copies run beside the previous step", NULL},
	{"less_recomputation", DIAGNOSIS_MEMORY, drop_recomputation,
		"keep activations instead of computing them again: more sharding, an 8-bit optimizer, or more memory an accelerator", "recompute"},
	{"fused_elementwise", DIAGNOSIS_MEMORY_BANDWIDTH, fuse_traffic,
		"fuse element-wise kernels, norms and losses, so that each tensor passes through memory half as often", NULL},
	{"optimizer_8bit", DIAGNOSIS_MEMORY_BANDWIDTH, narrow_optimizer, "an 8-bit optimizer moves a third fewer bytes in the update",
		"optimizer_8bit"},
	{"fewer_updates", DIAGNOSIS_MEMORY_BANDWIDTH, accumulate_updates,
		"accumulate gradients over two micro-batches: half the updates a sample, where the batch may grow", NULL},
	{"more_micro_batches", DIAGNOSIS_PIPELINE_BUBBLE, halve_bubble,
		"twice the micro-batches a step (a larger global batch, or smaller micro-batches), or interleaved stages", NULL},
	{"precision_fp8", DIAGNOSIS_COMPUTE, narrow_products,
		"use 8-bit matrix products in place of 16-bit ones, where the accelerator has them; this is the most that it saves; compare the loss with a run without it",
		"precision"},
	{"fewer_stream_waits", DIAGNOSIS_DEVICE_WAIT, drop_device_wait,
		"the host issues kernels in time, but the device holds them back: wait for events later, prefetch a layer earlier, balance the ranks",
		NULL},
	{"fewer_host_syncs", DIAGNOSIS_IDLE, drop_idle,
		"find what the accelerator waits for: synchronisation (.item(), prints, logging), checkpoints and evaluation inside the step", NULL},
};

static void lever_price(struct lever *lever, const struct diagnosis_context *context)
{
	double hours = lever->saved_ms * context->steps_remaining / 3.6e6;

	lever->saved_hours = hours;
	lever->saved_usd = context->gpu_count > 0 ? hours * (double)context->gpu_count * context->usd_per_gpu_hour : ABSENT_NUMBER;
}

/* Inserts a lever in the order of savings; equal ones keep the table's order. */
static void lever_insert(struct diagnosis *diagnosis, const struct lever *lever)
{
	size_t at = diagnosis->lever_count;

	CHECK(diagnosis->lever_count < LEVERS_MAX);
	for (; at > 0 && diagnosis->levers[at - 1].saved_ms < lever->saved_ms; at--)
		diagnosis->levers[at] = diagnosis->levers[at - 1];
	diagnosis->levers[at] = *lever;
	diagnosis->lever_count++;
}

static void effect_part(struct advice *advice, double change, const char *unit)
{
	size_t length = strlen(advice->effect);

	if (fabs(change) > 0 && length < sizeof advice->effect) /* false where the figure is absent */
		snprintf(advice->effect + length, sizeof advice->effect - length, "%s%.4g %s %s", length > 0 ? ", " : "", fabs(change), unit,
			change < 0 ? "less" : "more");
}

static void lever_advise(const struct lever *lever, const struct diagnosis *diagnosis, struct findings *findings)
{
	bool binds = lever->kind == diagnosis->bottleneck.kind, planned = is_given(lever->change_hours);
	struct advice *advice = findings_advise(findings, lever->code, binds ? "important" : "suggestion", "%s", lever->detail);

	if (lever->saved_share >= worth_a_lever)
		snprintf(advice->effect, sizeof advice->effect, "%s%.4g ms less a step (%.3g %%)", planned ? "" : "at most ", lever->saved_ms,
			100 * lever->saved_share);
	effect_part(advice, planned ? lever->change_hours : -lever->saved_hours, planned ? "hours of the whole plan" : "hours");
	effect_part(advice, planned ? lever->change_usd : -lever->saved_usd, "USD");
	effect_part(advice, planned ? lever->change_gb : ABSENT_NUMBER, "GB of memory");
	advice->change_hours = lever->change_hours;
	advice->change_usd = lever->change_usd;
	advice->change_gb = lever->change_gb;
	advice->sample_time_ratio = planned ? lever->step_time_ms / diagnosis->timings.step_time_ms : ABSENT_NUMBER;
}

/* Returns the timings with 0 for absent parts: levers change numbers. */
static struct step_timings timings_filled(const struct step_timings *timings)
{
	struct step_timings all = *timings;
	double *parts[] = {&all.compute_ms, &all.memory_bandwidth_ms, &all.recompute_ms, &all.optimizer_ms, &all.communication_ms,
		&all.exposed_communication_ms, &all.host_to_device_ms, &all.exposed_host_to_device_ms, &all.other_copies_ms, &all.data_wait_ms,
		&all.launch_gap_ms, &all.device_wait_ms, &all.pipeline_bubble_ms};

	for (size_t i = 0; i < COUNT_OF(parts); i++)
		*parts[i] = given_or(*parts[i], 0);
	return all;
}

/* --- by the timings alone -------------------------------------------------------------------------------------------- */

static struct lever lever_of(const char *code, enum diagnosis_kind kind, const char *detail, double step_ms, const struct diagnosis *diagnosis)
{
	double now_ms = diagnosis->timings.step_time_ms;
	struct lever lever = {.code = code,
		.kind = kind,
		.step_time_ms = step_ms,
		.saved_ms = now_ms - step_ms,
		.saved_share = 1 - step_ms / now_ms,
		.change_hours = ABSENT_NUMBER,
		.change_usd = ABSENT_NUMBER,
		.change_gb = ABSENT_NUMBER};

	snprintf(lever.detail, sizeof lever.detail, "%s", detail);
	return lever;
}

static bool is_planned(const struct findings *planned, const char *code)
{
	for (size_t i = 0; planned && code && i < planned->advice_count; i++)
		if (strcmp(planned->advice[i].code, code) == 0 && is_given(planned->advice[i].change_hours))
			return true;
	return false;
}

static void try_rows(const struct diagnosis_context *context, const struct findings *planned, struct diagnosis *diagnosis)
{
	_Static_assert(COUNT_OF(rows) + ADVICE_MAX <= LEVERS_MAX, "room for every lever");
	const struct step_timings now = timings_filled(&diagnosis->timings);
	bool on_cpu = diagnosis->has_trace && diagnosis->trace.cpu_only == TRUTH_TRUE; /* number formats of accelerators do not apply to it */

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct step_timings changed = now;
		struct lever lever;

		rows[i].change(&changed);
		lever = lever_of(rows[i].code, rows[i].kind, rows[i].detail, timings_sum_ms(&changed) + changed.idle_ms, diagnosis);
		if (lever.saved_share < worth_a_lever || (on_cpu && lever.kind == DIAGNOSIS_COMPUTE) || is_planned(planned, rows[i].planned))
			continue;
		lever_price(&lever, context);
		lever_insert(diagnosis, &lever);
	}
}

/* --- by planning again ------------------------------------------------------------------------------------------------ */

static enum diagnosis_kind kind_of(enum bottleneck kind)
{
	static const enum diagnosis_kind kinds[BOTTLENECK_COUNT] = {[BOTTLENECK_COMPUTE] = DIAGNOSIS_COMPUTE,
		[BOTTLENECK_MEMORY] = DIAGNOSIS_MEMORY,
		[BOTTLENECK_MEMORY_BANDWIDTH] = DIAGNOSIS_MEMORY_BANDWIDTH,
		[BOTTLENECK_INTERCONNECT] = DIAGNOSIS_INTERCONNECT,
		[BOTTLENECK_PIPELINE_BUBBLE] = DIAGNOSIS_PIPELINE_BUBBLE,
		[BOTTLENECK_INPUT] = DIAGNOSIS_INPUT,
		[BOTTLENECK_HOST_TRANSFER] = DIAGNOSIS_HOST_TRANSFER,
		[BOTTLENECK_LAUNCH_OVERHEAD] = DIAGNOSIS_LAUNCH_OVERHEAD};

	return kinds[kind];
}

static void try_planned(const struct diagnosis_context *context, const struct findings *planned, struct diagnosis *diagnosis)
{
	for (size_t i = 0; planned && i < planned->advice_count; i++) {
		const struct advice *advice = &planned->advice[i];
		struct lever lever;

		if (levers_kind(advice->code) == BOTTLENECK_UNSET || !is_given(advice->change_hours))
			continue;
		lever = lever_of(advice->code, kind_of(levers_kind(advice->code)), advice->detail,
			advice->sample_time_ratio * diagnosis->timings.step_time_ms, diagnosis);
		lever.change_hours = advice->change_hours;
		lever.change_usd = advice->change_usd;
		lever.change_gb = advice->change_gb;
		lever_price(&lever, context);
		lever.saved_usd = ABSENT_NUMBER; /* the lever may change the number of accelerators: change_usd includes that */
		lever_insert(diagnosis, &lever);
	}
}

void diagnose_levers(const struct diagnosis_context *context, const struct findings *planned, struct diagnosis *diagnosis)
{
	diagnosis->lever_count = 0;
	try_rows(context, planned, diagnosis);
	try_planned(context, planned, diagnosis);
	for (size_t i = 0; i < diagnosis->lever_count && diagnosis->findings.advice_count < ADVICE_MAX; i++)
		lever_advise(&diagnosis->levers[i], diagnosis, &diagnosis->findings);
}
