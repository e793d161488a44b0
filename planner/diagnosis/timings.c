/* Measured timings of a step: completes them, and shares the step out by bottleneck (E81, E82). */
#include "planner/diagnosis/timings.h"

/* Parts may exceed the step by this much of it: two processes' clocks differ, and people round what they type. */
static const double contradiction_share = 0.02;

static double part_or_zero(double value)
{
	return given_or(value, 0);
}

/* Returns the exposed part of a transfer where it was not measured: as much as fits into the step beside its other
 * parts. */
static double exposed_by_remainder(double total, double room_ms)
{
	return fmax(0, fmin(total, room_ms));
}

double timings_sum_ms(const struct step_timings *timings)
{
	return part_or_zero(timings->compute_ms) + part_or_zero(timings->optimizer_ms) + part_or_zero(timings->exposed_communication_ms) +
		part_or_zero(timings->exposed_host_to_device_ms) + part_or_zero(timings->other_copies_ms) + part_or_zero(timings->data_wait_ms) +
		part_or_zero(timings->launch_gap_ms) + part_or_zero(timings->device_wait_ms) + part_or_zero(timings->pipeline_bubble_ms);
}

static void complete_exposed(struct step_timings *timings, struct findings *findings)
{
	static const char source[] = "E81: exposed, as far as the step has room beside its other parts";
	bool communication = is_given(timings->communication_ms) && !is_given(timings->exposed_communication_ms);
	bool copies = is_given(timings->host_to_device_ms) && !is_given(timings->exposed_host_to_device_ms);
	double step_ms = given_or(timings->step_time_ms, INFINITY);

	if (communication) {
		timings->exposed_communication_ms = exposed_by_remainder(timings->communication_ms, step_ms - timings_sum_ms(timings));
		findings_assume_number(findings, "timings.exposed_communication_ms", timings->exposed_communication_ms, source);
	}
	if (copies) {
		timings->exposed_host_to_device_ms = exposed_by_remainder(timings->host_to_device_ms, step_ms - timings_sum_ms(timings));
		findings_assume_number(findings, "timings.exposed_host_to_device_ms", timings->exposed_host_to_device_ms, source);
	}
	if (is_given(timings->exposed_communication_ms) && !is_given(timings->communication_ms))
		timings->communication_ms = timings->exposed_communication_ms;
	if (is_given(timings->exposed_host_to_device_ms) && !is_given(timings->host_to_device_ms))
		timings->host_to_device_ms = timings->exposed_host_to_device_ms;
}

static void check_part(struct failure *failure, const char *pointer, double inner, const char *outer_name, double outer)
{
	if (is_given(inner) && inner > part_or_zero(outer) * (1 + contradiction_share))
		failure_add(failure, pointer, "contradiction", "%.6g ms is more than %s, of which it is a part: %.6g ms", inner, outer_name,
			part_or_zero(outer));
}

static enum status check_timings(const struct step_timings *timings, struct failure *failure)
{
	double sum_ms = timings_sum_ms(timings);

	check_part(failure, "/timings/memory_bandwidth_ms", timings->memory_bandwidth_ms, "compute_ms", timings->compute_ms);
	check_part(failure, "/timings/recompute_ms", timings->recompute_ms, "compute_ms", timings->compute_ms);
	if (part_or_zero(timings->memory_bandwidth_ms) + part_or_zero(timings->recompute_ms) >
		part_or_zero(timings->compute_ms) * (1 + contradiction_share))
		failure_add(failure, "/timings/compute_ms", "contradiction",
			"memory_bandwidth_ms and recompute_ms are parts of compute_ms, but together they are more");
	check_part(
		failure, "/timings/exposed_communication_ms", timings->exposed_communication_ms, "communication_ms", timings->communication_ms);
	check_part(
		failure, "/timings/exposed_host_to_device_ms", timings->exposed_host_to_device_ms, "host_to_device_ms", timings->host_to_device_ms);
	if (!(sum_ms > 0) && !is_given(timings->step_time_ms))
		failure_add(
			failure, "/timings", "required", "give step_time_ms and its measured parts: compute_ms, communication_ms, data_wait_ms, ...");
	else if (!(sum_ms > 0))
		failure_add(failure, "/timings", "required",
			"give at least one part of the step beside step_time_ms: compute_ms, communication_ms, data_wait_ms, ...");
	if (is_given(timings->step_time_ms) && sum_ms > timings->step_time_ms * (1 + contradiction_share))
		failure_add(failure, "/timings/step_time_ms", "contradiction",
			"the parts that do not overlap sum to %.6g ms, more than the step: give what runs beside computing as communication_ms or host_to_device_ms, not as its exposed part",
			sum_ms);
	return failure->fault_total > 0 ? failure->status : STATUS_OK;
}

static void fill_shares(struct diagnosis *diagnosis)
{
	const struct step_timings *timings = &diagnosis->timings;
	double *shares = diagnosis->bottleneck.shares;
	double bandwidth_ms = part_or_zero(timings->memory_bandwidth_ms) + part_or_zero(timings->optimizer_ms) +
		part_or_zero(timings->other_copies_ms);

	shares[DIAGNOSIS_COMPUTE] = part_or_zero(timings->compute_ms) - part_or_zero(timings->memory_bandwidth_ms) -
		part_or_zero(timings->recompute_ms);
	shares[DIAGNOSIS_MEMORY] = part_or_zero(timings->recompute_ms);
	shares[DIAGNOSIS_MEMORY_BANDWIDTH] = bandwidth_ms;
	shares[DIAGNOSIS_INTERCONNECT] = part_or_zero(timings->exposed_communication_ms);
	shares[DIAGNOSIS_PIPELINE_BUBBLE] = part_or_zero(timings->pipeline_bubble_ms);
	shares[DIAGNOSIS_INPUT] = part_or_zero(timings->data_wait_ms);
	shares[DIAGNOSIS_HOST_TRANSFER] = part_or_zero(timings->exposed_host_to_device_ms);
	shares[DIAGNOSIS_LAUNCH_OVERHEAD] = part_or_zero(timings->launch_gap_ms);
	shares[DIAGNOSIS_DEVICE_WAIT] = part_or_zero(timings->device_wait_ms);
	shares[DIAGNOSIS_IDLE] = timings->idle_ms;
	diagnosis->bottleneck.kind = DIAGNOSIS_COMPUTE;
	for (enum diagnosis_kind kind = DIAGNOSIS_COMPUTE; kind < DIAGNOSIS_KIND_COUNT; kind++) {
		shares[kind] = fmax(0, shares[kind]) / timings->step_time_ms;
		if (shares[kind] > shares[diagnosis->bottleneck.kind])
			diagnosis->bottleneck.kind = kind;
	}
}

enum status diagnose_timings(const struct step_timings *timings, struct diagnosis *diagnosis, struct failure *failure)
{
	struct step_timings *own = &diagnosis->timings;
	enum status status;
	double sum_ms;

	*own = *timings;
	complete_exposed(own, &diagnosis->findings);
	status = check_timings(own, failure);
	if (status != STATUS_OK)
		return status;
	sum_ms = timings_sum_ms(own);
	if (!is_given(own->step_time_ms)) {
		own->step_time_ms = sum_ms;
		findings_assume_number(&diagnosis->findings, "timings.step_time_ms", sum_ms, "E81: the sum of the given parts, without idle time");
	}
	own->step_time_ms = fmax(own->step_time_ms, sum_ms);
	own->idle_ms = own->step_time_ms - sum_ms;
	diagnosis->efficiency = (part_or_zero(own->compute_ms) + part_or_zero(own->optimizer_ms) - part_or_zero(own->recompute_ms)) /
		own->step_time_ms;
	diagnosis->has_step = true;
	fill_shares(diagnosis);
	CHECK(isfinite(diagnosis->efficiency) && isfinite(own->idle_ms));
	return STATUS_OK;
}
