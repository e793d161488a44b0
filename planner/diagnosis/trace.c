#include "planner/diagnosis/trace.h"

#include "planner/diagnosis/timings.h"

/* E80: between two operators the interpreter takes tens of microseconds, in which the host is busy issuing. */
static const double interpreter_gap_us = 50;

/* E80: where launches are known and nothing is queued, a shorter pause of the host is still part of issuing. In a
 * longer pause it does something else (evaluation, a checkpoint, logging). */
static const double issuing_pause_us = 1000;

/* E80: time from the return of a launch to the start on a waiting accelerator, and from one queued kernel to the
 * next. */
static const double launch_latency_us = 10;

bool trace_queued(double called_us, double started_us, struct span *queued)
{
	*queued = (struct span){called_us + launch_latency_us, started_us};
	return queued->end > queued->start;
}

/* --- windows -------------------------------------------------------------------------------------------------------- */

static void sort_steps(struct step_window *steps, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct step_window step = steps[i];
		size_t at = i;

		for (; at > 0 && steps[at - 1].window.start > step.window.start; at--)
			steps[at] = steps[at - 1];
		steps[at] = step;
	}
}

static void stretch_windows(struct traced *traced)
{
	struct step_window *steps = traced->steps;

	sort_steps(steps, traced->step_count);
	for (size_t i = 0; i + 1 < traced->step_count; i++)
		steps[i].window.end = steps[i + 1].window.start;
	if (traced->step_count > 0 && traced->kernels > 0)
		steps[traced->step_count - 1].window.end = fmax(steps[traced->step_count - 1].window.end, traced->device_end);
}

/* --- the sweep ------------------------------------------------------------------------------------------------------ */

/* Time by the set of activities that were under way: bit a is activity a. */
struct swept {
	double time_us[1 << ACTIVITY_COUNT];
	double queued_us;              /* of the current stretch in which the device is idle although work is queued */
	double waiting_us, passing_us; /* sums of these stretches: long ones, and those between two kernels */
};

#define BIT(activity) (1U << ACTIVITY_##activity)

static const unsigned computing = BIT(PRODUCT) | BIT(TRAFFIC);
static const unsigned busy = BIT(PRODUCT) | BIT(TRAFFIC) | BIT(COMMUNICATION) | BIT(HOST_TO_DEVICE) | BIT(OTHER_COPY);

static void end_queued(struct swept *swept)
{
	*(swept->queued_us > launch_latency_us ? &swept->waiting_us : &swept->passing_us) += swept->queued_us;
	swept->queued_us = 0;
}

/* Sweeps one window. `cursors` continue from the window before, because windows follow each other. */
static void sweep(const struct traced *traced, struct span window, size_t *cursors, struct swept *swept)
{
	double now = window.start;

	*swept = (struct swept){.queued_us = 0};
	while (now < window.end) {
		double next = window.end;
		unsigned active = 0;

		for (size_t a = 0; a < ACTIVITY_COUNT; a++) {
			const struct intervals *set = &traced->sets[a];

			while (cursors[a] < set->count && set->items[cursors[a]].end <= now)
				cursors[a]++;
			if (cursors[a] == set->count)
				continue;
			active |= set->items[cursors[a]].start <= now ? 1U << a : 0;
			next = fmin(next, set->items[cursors[a]].start <= now ? set->items[cursors[a]].end : set->items[cursors[a]].start);
		}
		swept->time_us[active] += next - now;
		if ((active & BIT(QUEUED)) && !(active & busy))
			swept->queued_us += next - now;
		else
			end_queued(swept);
		now = next;
	}
	end_queued(swept);
}

/* Returns the time in ms in which an activity of `any` and none of `none` was under way. */
static double swept_ms(const struct swept *swept, unsigned any, unsigned none)
{
	double time_us = 0;

	for (unsigned mask = 0; mask < 1U << ACTIVITY_COUNT; mask++)
		if ((mask & any) && !(mask & none))
			time_us += swept->time_us[mask];
	return time_us / 1000;
}

/* E81. Fills the parts of a device: a moment belongs to the first activity in the order. */
static void device_parts(const struct swept *swept, bool launches, struct step_timings *timings)
{
	const unsigned moving = computing | BIT(COMMUNICATION), held = busy | BIT(QUEUED);

	timings->compute_ms = swept_ms(swept, computing, 0);
	timings->memory_bandwidth_ms = swept_ms(swept, BIT(TRAFFIC), BIT(PRODUCT));
	timings->communication_ms = swept_ms(swept, BIT(COMMUNICATION), 0);
	timings->exposed_communication_ms = swept_ms(swept, BIT(COMMUNICATION), computing);
	timings->host_to_device_ms = swept_ms(swept, BIT(HOST_TO_DEVICE), 0);
	timings->exposed_host_to_device_ms = swept_ms(swept, BIT(HOST_TO_DEVICE), moving);
	timings->other_copies_ms = swept_ms(swept, BIT(OTHER_COPY), moving | BIT(HOST_TO_DEVICE));
	timings->device_wait_ms = launches ? swept->waiting_us / 1000 : ABSENT_NUMBER;
	timings->data_wait_ms = swept_ms(swept, BIT(LOADER), held);
	timings->launch_gap_ms = swept_ms(swept, BIT(HOST) | BIT(HOST_COLLECTIVE), held | BIT(LOADER) | BIT(SYNCHRONISE)) +
		swept->passing_us / 1000;
}

/* E81. Fills the parts without a device: the operators are the computing; inside the loader they are part of
 * loading. */
static void host_parts(const struct swept *swept, struct step_timings *timings)
{
	timings->compute_ms = swept_ms(swept, BIT(HOST), BIT(LOADER) | BIT(HOST_COLLECTIVE));
	timings->communication_ms = swept_ms(swept, BIT(HOST_COLLECTIVE), 0);
	timings->exposed_communication_ms = swept_ms(swept, BIT(HOST_COLLECTIVE), BIT(LOADER));
	timings->data_wait_ms = swept_ms(swept, BIT(LOADER), 0);
}

static const struct step_timings nothing_measured = {.step_time_ms = ABSENT_NUMBER,
	.compute_ms = ABSENT_NUMBER,
	.memory_bandwidth_ms = ABSENT_NUMBER,
	.recompute_ms = ABSENT_NUMBER,
	.optimizer_ms = ABSENT_NUMBER,
	.communication_ms = ABSENT_NUMBER,
	.exposed_communication_ms = ABSENT_NUMBER,
	.host_to_device_ms = ABSENT_NUMBER,
	.exposed_host_to_device_ms = ABSENT_NUMBER,
	.other_copies_ms = ABSENT_NUMBER,
	.device_wait_ms = ABSENT_NUMBER,
	.data_wait_ms = ABSENT_NUMBER,
	.launch_gap_ms = ABSENT_NUMBER,
	.pipeline_bubble_ms = ABSENT_NUMBER,
	.idle_ms = ABSENT_NUMBER};

static void window_parts(const struct traced *traced, struct span window, size_t *cursors, struct step_timings *timings, double *waited_ms)
{
	struct swept swept;

	sweep(traced, window, cursors, &swept);
	*timings = nothing_measured;
	timings->step_time_ms = (window.end - window.start) / 1000;
	if (traced->kernels > 0)
		device_parts(&swept, traced->launches > 0, timings);
	else
		host_parts(&swept, timings);
	timings->idle_ms = fmax(0, timings->step_time_ms - timings_sum_ms(timings));
	*waited_ms += swept_ms(&swept, BIT(SYNCHRONISE), 0);
}

/* --- the mean step ---------------------------------------------------------------------------------------------------- */

static void add_part(double *sum, double part)
{
	*sum = is_given(part) ? given_or(*sum, 0) + part : *sum;
}

static void add_parts(struct step_timings *sum, const struct step_timings *parts, double weight)
{
	add_part(&sum->step_time_ms, weight * parts->step_time_ms);
	add_part(&sum->compute_ms, weight * parts->compute_ms);
	add_part(&sum->memory_bandwidth_ms, weight * parts->memory_bandwidth_ms);
	add_part(&sum->communication_ms, weight * parts->communication_ms);
	add_part(&sum->exposed_communication_ms, weight * parts->exposed_communication_ms);
	add_part(&sum->host_to_device_ms, weight * parts->host_to_device_ms);
	add_part(&sum->exposed_host_to_device_ms, weight * parts->exposed_host_to_device_ms);
	add_part(&sum->other_copies_ms, weight * parts->other_copies_ms);
	add_part(&sum->device_wait_ms, weight * parts->device_wait_ms);
	add_part(&sum->data_wait_ms, weight * parts->data_wait_ms);
	add_part(&sum->launch_gap_ms, weight * parts->launch_gap_ms);
}

static double host_pause_us(const struct traced *traced)
{
	return traced->launches > 0 ? issuing_pause_us : traced->kernels > 0 ? interpreter_gap_us : 0;
}

bool trace_timings(struct traced *traced, struct trace_summary *summary, struct step_timings *mean)
{
	size_t cursors[ACTIVITY_COUNT] = {0}, windows = traced->step_count;
	double waited_ms = 0;

	for (size_t a = 0; a < ACTIVITY_COUNT; a++)
		intervals_settle(&traced->sets[a], a == ACTIVITY_HOST ? host_pause_us(traced) : 0);
	*mean = nothing_measured;
	if (!(traced->all.end > traced->all.start))
		return false;
	stretch_windows(traced);
	for (size_t i = 0; i < windows; i++) {
		summary->steps[i].step = traced->steps[i].step;
		window_parts(traced, traced->steps[i].window, cursors, &summary->steps[i].timings, &waited_ms);
		add_parts(mean, &summary->steps[i].timings, 1.0 / (double)windows);
	}
	summary->step_count = windows;
	if (windows == 0)
		window_parts(traced, traced->all, cursors, mean, &waited_ms);
	mean->idle_ms = ABSENT_NUMBER; /* diagnose_timings() computes it */
	summary->window_ms = mean->step_time_ms * (double)(windows ? windows : 1);
	summary->synchronisation_ms = waited_ms / (double)(windows ? windows : 1);
	summary->cpu_only = traced->kernels > 0 ? TRUTH_FALSE : TRUTH_TRUE;
	return mean->step_time_ms > 0;
}
