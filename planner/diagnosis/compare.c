/* Compares a measured step with the planned one. */
#include "planner/diagnosis/diagnosis.h"

/* Smaller differences, as a part of the predicted step, are not named. */
static const double same_share = 0.02;

static void compare_part(struct diagnosis *diagnosis, const char *part, double measured_ms, double predicted_s)
{
	double predicted_ms = 1000 * predicted_s;

	if (!is_given(measured_ms) || !isfinite(predicted_ms))
		return;
	CHECK(diagnosis->compared_count < COMPARED_MAX);
	diagnosis->compared[diagnosis->compared_count++] = (struct compared_part){.part = part,
		.measured_ms = measured_ms,
		.predicted_ms = predicted_ms,
		.ratio = predicted_ms > 0 ? measured_ms / predicted_ms : ABSENT_NUMBER};
}

static void compare_parts(const struct step_time *predicted, struct diagnosis *diagnosis)
{
	const struct step_timings *measured = &diagnosis->timings;
	double exposed_s = predicted->tensor_comm_s + predicted->context_comm_s + predicted->pipeline_comm_s + predicted->data_comm_exposed_s +
		predicted->expert_comm_s;
	bool one = !is_given(measured->optimizer_ms); /* a trace does not separate the update from other computing */

	compare_part(diagnosis, "step_time", measured->step_time_ms, predicted->time_s);
	compare_part(
		diagnosis, "compute", measured->compute_ms, predicted->compute_s + predicted->recompute_s + (one ? predicted->optimizer_s : 0));
	compare_part(diagnosis, "optimizer", measured->optimizer_ms, predicted->optimizer_s);
	compare_part(diagnosis, "exposed_communication", measured->exposed_communication_ms, exposed_s);
	compare_part(diagnosis, "pipeline_bubble", measured->pipeline_bubble_ms, predicted->pipeline_bubble_s);
	compare_part(diagnosis, "data_wait", measured->data_wait_ms, predicted->input_wait_s);
	compare_part(diagnosis, "exposed_host_to_device", measured->exposed_host_to_device_ms, predicted->host_transfer_s);
	compare_part(diagnosis, "launch_gap", measured->launch_gap_ms, predicted->launch_overhead_s);
	compare_part(diagnosis, "device_wait", measured->device_wait_ms, 0);
	compare_part(diagnosis, "idle", measured->idle_ms, 0);
}

/* The first row is the step itself. */
static void name_the_largest(struct diagnosis *diagnosis)
{
	struct predicted_step *step = &diagnosis->prediction;

	step->differs_ms = ABSENT_NUMBER;
	for (size_t i = 1; i < diagnosis->compared_count; i++) {
		const struct compared_part *row = &diagnosis->compared[i];
		double more_ms = row->measured_ms - row->predicted_ms;

		if (fabs(more_ms) < same_share * step->step_time_ms.p50 || fabs(more_ms) <= fabs(given_or(step->differs_ms, 0)))
			continue;
		step->differs_most = row->part;
		step->differs_ms = more_ms;
	}
}

static void describe_difference(struct diagnosis *diagnosis)
{
	struct predicted_step *step = &diagnosis->prediction;
	double measured_ms = diagnosis->timings.step_time_ms;
	int length = snprintf(step->detail, sizeof step->detail, "the step takes %.4g ms, %.0f %% %s than the planned %.4g ms, %s p10 to p90",
		measured_ms, fabs(100 * (step->ratio - 1)), step->ratio < 1 ? "less" : "more", step->step_time_ms.p50,
		step->within == TRUTH_TRUE ? "inside" : "outside");

	if (step->differs_most && length > 0 && (size_t)length < sizeof step->detail)
		snprintf(step->detail + length, sizeof step->detail - (size_t)length, "; %s differs most: %.4g ms %s", step->differs_most,
			fabs(step->differs_ms), step->differs_ms < 0 ? "less" : "more");
}

void diagnose_compare(const struct training_option *predicted, struct diagnosis *diagnosis)
{
	const struct interval *times = &predicted->interval.step_time_s;
	struct predicted_step *step = &diagnosis->prediction;
	double measured_ms = diagnosis->timings.step_time_ms;

	compare_parts(&predicted->step, diagnosis);
	diagnosis->has_prediction = true;
	step->accelerator = predicted->accelerator.id;
	step->gpu_count = predicted->gpu_count;
	step->step_time_ms = (struct interval){1000 * times->p10, 1000 * predicted->step.time_s, 1000 * times->p90};
	step->bottleneck = predicted->bottleneck;
	step->ratio = measured_ms / step->step_time_ms.p50;
	step->within = measured_ms >= step->step_time_ms.p10 && measured_ms <= step->step_time_ms.p90 ? TRUTH_TRUE : TRUTH_FALSE;
	name_the_largest(diagnosis);
	describe_difference(diagnosis);
}

/* --- for planning with the measured step ------------------------------------------------------------------------------ */

static double seconds(double ms)
{
	return ms / 1000;
}

/* The update and other copies wait for memory too, where the timings separate these. */
static double bandwidth_ms(const struct step_timings *timings)
{
	return is_given(timings->memory_bandwidth_ms)
		? timings->memory_bandwidth_ms + given_or(timings->optimizer_ms, 0) + given_or(timings->other_copies_ms, 0)
		: ABSENT_NUMBER;
}

struct measured_step diagnose_measured(const struct diagnosis *diagnosis)
{
	const struct step_timings *timings = &diagnosis->timings;
	bool apart = is_given(timings->memory_bandwidth_ms);
	double compute_ms = timings->compute_ms - given_or(timings->recompute_ms, 0) - given_or(timings->memory_bandwidth_ms, 0) +
		(apart ? 0 : given_or(timings->optimizer_ms, 0) + given_or(timings->other_copies_ms, 0));

	return (struct measured_step){.time_s = seconds(timings->step_time_ms),
		.parts_s = {[BOTTLENECK_COMPUTE] = seconds(compute_ms),
			[BOTTLENECK_MEMORY] = seconds(timings->recompute_ms),
			[BOTTLENECK_MEMORY_BANDWIDTH] = seconds(bandwidth_ms(timings)),
			[BOTTLENECK_INTERCONNECT] = seconds(timings->exposed_communication_ms),
			[BOTTLENECK_PIPELINE_BUBBLE] = seconds(timings->pipeline_bubble_ms),
			[BOTTLENECK_INPUT] = seconds(timings->data_wait_ms),
			[BOTTLENECK_HOST_TRANSFER] = seconds(timings->exposed_host_to_device_ms),
			[BOTTLENECK_LAUNCH_OVERHEAD] = seconds(timings->launch_gap_ms)}};
}
