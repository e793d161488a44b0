#include "service/bench_trust.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "planner/measurement/trust.h"

static bool is_compute(const struct bench_line_measure *measure)
{
	return measure->precision != PRECISION_UNSET &&
		(!strcmp(measure->method, "library_gemm") || !strcmp(measure->method, "kernel_gemm") || !strcmp(measure->method, "issue_rate"));
}

/* The rate of the catalogue row for a measurement, and the unit to show it in. NaN: the row has no such rate. */
static double rate_of_row(
	const struct bench_line_measure *measure, const struct accelerator *accelerator, double *unit, const char **unit_name)
{
	enum precision used;
	double peak;

	if (!strcmp(measure->method, "stream") && !measure->cache_resident) {
		*unit = BYTES_PER_GB;
		*unit_name = "GB/s";
		return accelerator->memory_bandwidth_gbs * BYTES_PER_GB;
	}
	if (!is_compute(measure))
		return ABSENT_NUMBER;
	peak = accelerator_peak_flops_per_s(accelerator, measure->precision, &used);
	*unit = FLOPS_PER_TFLOP;
	*unit_name = "TFLOP/s";
	return used == measure->precision ? peak : ABSENT_NUMBER;
}

static bool is_beyond(const struct bench_line_measure *measure, const struct accelerator *accelerator, char *detail, size_t size)
{
	const char *unit_name = "";
	double unit = 1, rate = rate_of_row(measure, accelerator, &unit, &unit_name);

	if (rate > 0 && measure->median > TRUST_MOST * rate) {
		snprintf(detail, size,
			"impossible figure: %.60s shows %.4g %s, and %.60s can do %.4g by its catalogue row; the limit is %.1f times that. If the row is "
			"wrong, correct it and measure again",
			measure->test, measure->median / unit, unit_name, accelerator->id, rate / unit, TRUST_MOST);
		return true;
	}
	if (measure->has_energy && accelerator->tdp_w > 0 && measure->energy.mean_w > TRUST_POWER_MOST * accelerator->tdp_w) {
		snprintf(detail, size,
			"impossible figure: %.60s shows %.4g W, and %.60s takes %.4g W by its catalogue row; the limit is %.1f times that",
			measure->test, measure->energy.mean_w, accelerator->id, accelerator->tdp_w, TRUST_POWER_MOST);
		return true;
	}
	return false;
}

bool bench_is_impossible(const struct bench_job *job, const struct accelerator_row *accelerator, char *detail, size_t size)
{
	bool bounded = accelerator && !(accelerator->meta.origin && !strcmp(accelerator->meta.origin, "measured"));

	if (job->measure_count > 0 && is_given(job->elapsed_s) && !(job->elapsed_s > 0)) {
		snprintf(detail, size, "impossible figure: %zu measurements in %.3g s", job->measure_count, job->elapsed_s);
		return true;
	}
	for (size_t i = 0; bounded && i < job->measure_count; i++)
		if (is_beyond(&job->measures[i], &accelerator->accelerator, detail, size))
			return true;
	return false;
}

static bool is_raised(double before, double after)
{
	return after > TRUST_MOST * before;
}

bool bench_may_make_row(const struct bench_bearer *bearer, const struct bench_line_device *device, const struct accelerator_row *before,
	const struct accelerator_row *after)
{
	const char *maker;

	if (!bearer->key_id || !before)
		return true;
	maker = before->meta.source ? strstr(before->meta.source, " on ") : NULL; /* "measured by benchmark ID on DEVICE" */
	return maker && !strcmp(maker + strlen(" on "), device->id) &&
		!is_raised(before->accelerator.tflops_fp32, after->accelerator.tflops_fp32) &&
		!is_raised(before->accelerator.memory_bandwidth_gbs, after->accelerator.memory_bandwidth_gbs);
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* True if the key already has as many rows of this kind as plans use. */
static bool has_enough(const struct bench_bearer *bearer, const struct calibration_row *row)
{
	const struct catalogue_rows *rows = &bearer->catalogue->rows;
	size_t count = 0;

	for (size_t i = 0; i < rows->calibration_count; i++) {
		const struct calibration_row *other = &rows->calibrations[i];

		if (!strcmp(other->id, row->id))
			return false;
		count += same_text(other->delivered_by, bearer->key_id) && !strcmp(other->accelerator_id, row->accelerator_id) &&
			!strcmp(other->quantity, row->quantity) && other->precision == row->precision && same_text(other->class, row->class) &&
			same_text(other->plan_id, row->plan_id);
	}
	return count >= EVIDENCE_DEVICES_MAX;
}

/* Why a figure is held. NULL: it is not held, or (with *exhausted) there is no memory. */
static const char *why_held(const struct accelerator *accelerator, const struct calibration_row *row, struct arena *arena, bool *exhausted)
{
	enum quantity quantity = quantity_of_name(row->quantity);
	struct trust_range range;
	const char *why;

	if (!trust_range_of(accelerator, quantity, row->precision, &range))
		why = arena_printf(
			arena, "%s of %.4g was delivered with an agent's key, and there is no figure to compare it with", row->quantity, row->value);
	else if (row->value >= range.low && row->value <= range.high)
		return NULL;
	else
		why = arena_printf(arena, "%s of %.4g was delivered with an agent's key; %.4g to %.4g is accepted at once, by %s", row->quantity,
			row->value, range.low, range.high, range.of);
	*exhausted = *exhausted || !why;
	return why;
}

enum status bench_hold(
	const struct bench_bearer *bearer, const struct accelerator *accelerator, struct arena *arena, struct bench_calibrations *calibrations)
{
	bool exhausted = false;
	size_t kept = 0;

	for (size_t i = 0; bearer->key_id && i < calibrations->count; i++) {
		struct calibration_row row = calibrations->rows[i];

		row.delivered_by = bearer->key_id;
		row.held_because = why_held(accelerator, &row, arena, &exhausted);
		if (row.held_because)
			row.id = arena_printf(arena, "%s" BENCH_HELD_SUFFIX, row.id);
		exhausted = exhausted || !row.id;
		if (exhausted)
			return STATUS_NO_MEMORY;
		if (!has_enough(bearer, &row)) {
			calibrations->rows[kept++] = row;
		} else if (calibrations->refused < BENCH_CALIBRATIONS_MAX) {
			struct bench_refusal *refusal = &calibrations->refusals[calibrations->refused++];

			refusal->quantity = row.quantity;
			snprintf(
				refusal->reason, sizeof refusal->reason, "this key already has figures of %d devices, the maximum", EVIDENCE_DEVICES_MAX);
		}
	}
	if (bearer->key_id)
		calibrations->count = kept;
	return STATUS_OK;
}
