#include "planner/diagnosis/levers.h"

/* Savings below this share of the step are noise beside the spread of steps. */
static const double worth_a_lever = 0.02;

/* A lever makes its change to the timings; what it says may hold one figure. */
struct lever_row {
	const char *code;
	enum diagnosis_kind kind;
	void (*change)(struct step_timings *timings);
	const char *detail;
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

/* Twice the work behind each launch: per sample, half the launches. */
static void halve_launches(struct step_timings *timings)
{
	timings->launch_gap_ms /= 2;
}

/* What is exposed hides behind computing that nothing runs beside yet. */
static double hidden(double exposed_ms, double total_ms, double compute_ms)
{
	double free_ms = fmax(0, compute_ms - (total_ms - exposed_ms));

	return fmin(exposed_ms, free_ms);
}

static void overlap_communication(struct step_timings *timings)
{
	timings->exposed_communication_ms -=
		hidden(timings->exposed_communication_ms, timings->communication_ms, given_or(timings->compute_ms, 0));
}

/* All communication takes `factor` of its time, and what was hidden hides as much as before. */
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
	timings->exposed_host_to_device_ms -=
		hidden(timings->exposed_host_to_device_ms, timings->host_to_device_ms, given_or(timings->compute_ms, 0));
}

static void drop_recomputation(struct step_timings *timings)
{
	timings->compute_ms -= timings->recompute_ms;
	timings->recompute_ms = 0;
}

/* Chains of element-wise kernels read and write each tensor once instead of once a kernel; pairs are the least that fuse. */
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

/* Twice the micro-batches: the same bubble beside twice the work. */
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
		"prepare samples ahead of the step: more data-loader workers and prefetching, samples decoded beforehand"},
	{"faster_storage", DIAGNOSIS_INPUT, halve_wait, "read from storage at twice the rate: local disks, larger files read in parallel, a denser format"},
	{"fused_kernels_or_graphs", DIAGNOSIS_LAUNCH_OVERHEAD, drop_launches,
		"issue fewer kernels: a compiled model (torch.compile), CUDA graphs, fused optimizer and norms"},
	{"larger_micro_batch", DIAGNOSIS_LAUNCH_OVERHEAD, halve_launches,
		"twice the micro-batch at the same global batch: half the launches a sample, where memory allows it"},
	{"overlap_communication", DIAGNOSIS_INTERCONNECT, overlap_communication,
		"run communication beside computing: gradient buckets reduced during the backward pass, parameters gathered a layer ahead"},
	{"gradient_accumulation", DIAGNOSIS_INTERCONNECT, halve_communication,
		"accumulate two micro-batches before gradients are reduced: half of that traffic a sample, where the batch may grow"},
	{"gradient_compression", DIAGNOSIS_INTERCONNECT, halve_communication,
		"send gradients in half the bytes (BF16 instead of FP32, FP8 instead of BF16); check the loss against a run without"},
	{"faster_interconnect", DIAGNOSIS_INTERCONNECT, halve_communication, "twice the network rate between accelerators, or a layout that keeps traffic inside the node"},
	{"pinned_memory", DIAGNOSIS_HOST_TRANSFER, overlap_copies,
		"copy from pinned memory without waiting (pin_memory, non_blocking), so that copies run beside the step before"},
	{"less_recomputation", DIAGNOSIS_MEMORY, drop_recomputation,
		"keep activations instead of computing them again: more sharding, an 8-bit optimizer, or more memory an accelerator"},
	{"fused_elementwise", DIAGNOSIS_MEMORY_BANDWIDTH, fuse_traffic, "fuse element-wise kernels, norms and losses, so that each tensor passes through memory half as often"},
	{"optimizer_8bit", DIAGNOSIS_MEMORY_BANDWIDTH, narrow_optimizer, "an 8-bit optimizer moves a third fewer bytes in the update"},
	{"fewer_updates", DIAGNOSIS_MEMORY_BANDWIDTH, accumulate_updates, "accumulate gradients over two micro-batches: half the updates a sample, where the batch may grow"},
	{"more_micro_batches", DIAGNOSIS_PIPELINE_BUBBLE, halve_bubble, "twice the micro-batches a step (a larger global batch, or smaller micro-batches), or interleaved stages"},
	{"precision_fp8", DIAGNOSIS_COMPUTE, narrow_products,
		"matrix products in 8 bits, where the accelerator has them and they are in 16 now; at most this, check the loss against a run without"},
	{"fewer_stream_waits", DIAGNOSIS_DEVICE_WAIT, drop_device_wait,
		"kernels are issued in time and held back on the device: wait for events later, prefetch a layer earlier, even out the ranks that others wait for"},
	{"fewer_host_syncs", DIAGNOSIS_IDLE, drop_idle,
		"find what the accelerator waits for: synchronisation (.item(), prints, logging), checkpoints and evaluation inside the step"},
};

static void lever_price(struct lever *lever, const struct diagnosis_context *context)
{
	double hours = lever->saved_ms * context->steps_remaining / 3.6e6;

	lever->saved_hours = hours;
	lever->saved_usd = context->gpu_count > 0 ? hours * (double)context->gpu_count * context->usd_per_gpu_hour : ABSENT_NUMBER;
}

/* In the order of savings; the table's among equals. */
static void lever_insert(struct diagnosis *diagnosis, const struct lever *lever)
{
	size_t at = diagnosis->lever_count;

	CHECK(diagnosis->lever_count < LEVERS_MAX);
	for (; at > 0 && diagnosis->levers[at - 1].saved_ms < lever->saved_ms; at--)
		diagnosis->levers[at] = diagnosis->levers[at - 1];
	diagnosis->levers[at] = *lever;
	diagnosis->lever_count++;
}

static void lever_advise(const struct lever *lever, const struct diagnosis *diagnosis, struct findings *findings)
{
	bool binds = lever->kind == diagnosis->bottleneck.kind;
	struct advice *advice = findings_advise(findings, lever->code, binds ? "important" : "suggestion", "%s", lever->detail);
	int length = snprintf(advice->effect, sizeof advice->effect, "at most %.4g ms less a step (%.3g %%)", lever->saved_ms, 100 * lever->saved_share);

	if (is_given(lever->saved_hours) && length > 0 && (size_t)length < sizeof advice->effect)
		length += snprintf(advice->effect + length, sizeof advice->effect - (size_t)length, ", %.4g hours", lever->saved_hours);
	if (is_given(lever->saved_usd) && length > 0 && (size_t)length < sizeof advice->effect)
		snprintf(advice->effect + length, sizeof advice->effect - (size_t)length, ", %.4g USD", lever->saved_usd);
}

/* Nothing to change is found absent rather than zero by the levers. */
static struct step_timings timings_filled(const struct step_timings *timings)
{
	struct step_timings all = *timings;
	double *parts[] = {&all.compute_ms, &all.memory_bandwidth_ms, &all.recompute_ms, &all.optimizer_ms, &all.communication_ms,
		&all.exposed_communication_ms, &all.host_to_device_ms, &all.exposed_host_to_device_ms, &all.other_copies_ms,
		&all.data_wait_ms, &all.launch_gap_ms, &all.device_wait_ms, &all.pipeline_bubble_ms};

	for (size_t i = 0; i < COUNT_OF(parts); i++)
		*parts[i] = given_or(*parts[i], 0);
	return all;
}

void levers_fill(const struct diagnosis_context *context, struct diagnosis *diagnosis)
{
	_Static_assert(COUNT_OF(rows) <= LEVERS_MAX, "room for every lever");
	const struct step_timings now = timings_filled(&diagnosis->timings);
	bool on_cpu = diagnosis->has_trace && diagnosis->trace.cpu_only == TRUTH_TRUE; /* accelerators' number formats are none of its */

	diagnosis->lever_count = 0;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct step_timings changed = now;
		struct lever lever = {.code = rows[i].code, .kind = rows[i].kind};

		rows[i].change(&changed);
		lever.step_time_ms = timings_sum_ms(&changed) + changed.idle_ms;
		lever.saved_ms = now.step_time_ms - lever.step_time_ms;
		lever.saved_share = lever.saved_ms / now.step_time_ms;
		if (lever.saved_share < worth_a_lever || (on_cpu && lever.kind == DIAGNOSIS_COMPUTE))
			continue;
		snprintf(lever.detail, sizeof lever.detail, "%s", rows[i].detail);
		lever_price(&lever, context);
		lever_insert(diagnosis, &lever);
	}
	for (size_t i = 0; i < diagnosis->lever_count; i++)
		lever_advise(&diagnosis->levers[i], diagnosis, &diagnosis->findings);
}
