#include "server/bench_calibration.h"

#include <math.h>
#include <stdarg.h>

#include "base/clock.h"
#include "base/units.h"

/* Watts of one busy hardware thread: mean of the server processors in Cloud Carbon Footprint's AWS table
 * (AwsFootprintEstimationConstants, MAX_WATTS_AVG). A CPU seldom tells its own. */
#define CPU_THREAD_W 3.5

/* A change of a measured peak below this is noise, and no new row. */
#define PEAK_NOISE 0.02

struct calibrating {
	const struct bench_evidence *evidence;
	struct bench_calibrations *out;
	struct arena *arena;
	bool exhausted; /* the arena */
};

__attribute__((format(printf, 3, 4)))
static void refuse(struct calibrating *work, const char *quantity, const char *format, ...)
{
	struct bench_refusal *refusal;
	va_list arguments;

	if (work->out->refused == BENCH_CALIBRATIONS_MAX)
		return;
	refusal = &work->out->refusals[work->out->refused++];
	refusal->quantity = quantity;
	va_start(arguments, format);
	vsnprintf(refusal->reason, sizeof(refusal->reason), format, arguments);
	va_end(arguments);
}

static const char *keep(struct calibrating *work, const char *text)
{
	if (!text)
		work->exhausted = true;
	return text ? text : "";
}

/* Why a figure cannot be a bound of what the device can do; NULL when it can. That its repetitions disagree does not
 * matter: what disturbs a device only makes it slower, and a later run raises the bound. */
static const char *distrust_bound(const struct bench_line_measure *measure)
{
	if (!measure->verified)
		return "its output was wrong";
	if (measure->throttled)
		return "the device was throttled";
	if (measure->cache_resident)
		return "its data fit a cache";
	return NULL;
}

/* Why a figure cannot be trusted; NULL when it can. */
static const char *distrust(const struct bench_line_measure *measure)
{
	return measure->unstable ? "its repetitions disagree by more than 5 %, or drifted" : distrust_bound(measure);
}

/* Whether a later measure of the same test and size stands in for this one: the worker repeats what was unstable. */
static bool is_superseded(const struct bench_evidence *evidence, size_t index)
{
	const struct bench_line_measure *measure = &evidence->measures[index];
	double flops = given_or(measure->flops, 0);

	for (size_t i = index + 1; i < evidence->measure_count; i++)
		if (!strcmp(evidence->measures[i].test, measure->test) && fabs(given_or(evidence->measures[i].flops, 0) - flops) <= 0)
			return true;
	return false;
}

static const struct bench_line_measure *find(const struct bench_evidence *evidence, const char *test)
{
	for (size_t i = evidence->measure_count; i > 0; i--)
		if (!strcmp(evidence->measures[i - 1].test, test))
			return &evidence->measures[i - 1];
	return NULL;
}

static const char *date_of(struct calibrating *work)
{
	char text[CLOCK_TEXT_MAX];

	clock_format(text, work->evidence->now_us);
	return keep(work, arena_strndup(work->arena, text, strlen("2026-11-21")));
}

static void add(struct calibrating *work, const char *quantity, const char *method, enum precision precision, double value,
	double low, double high)
{
	const struct bench_evidence *evidence = work->evidence;
	struct calibration_row *row;

	if (work->out->count == BENCH_CALIBRATIONS_MAX)
		return;
	row = &work->out->rows[work->out->count++];
	*row = (struct calibration_row){
		.meta = {.origin = "measured", .source_date = date_of(work),
			.source = keep(work, arena_printf(work->arena, "benchmark %s on %s (%s)", evidence->benchmark_id,
				evidence->device.id, evidence->device.name))},
		.id = keep(work, arena_printf(work->arena, "%s%s%s.%s", quantity, precision ? "." : "",
			precision_name(precision), evidence->device.id)),
		.accelerator_id = evidence->device.accelerator,
		.device_id = evidence->device.id,
		.benchmark_id = evidence->benchmark_id,
		.precision = precision,
		.quantity = quantity,
		.method = method,
		.value = value,
		.low = low,
		.high = high,
	};
}

static bool measured_before(const struct accelerator_row *row)
{
	return row && row->meta.origin && !strcmp(row->meta.origin, "measured");
}

/* The higher of a new figure and the one of a measured row; *changed when that is news. */
static double higher(double fresh, double before, bool *changed)
{
	if (is_given(before) && !(fresh > before * (1 + PEAK_NOISE)))
		return before;
	*changed = *changed || is_given(fresh);
	return given_or(fresh, before);
}

/* Median of the fastest stream, bytes/s; NaN when there is none. */
static double best_stream(const struct bench_evidence *evidence)
{
	double best = ABSENT_NUMBER;

	for (size_t i = 0; i < evidence->measure_count; i++) {
		const struct bench_line_measure *measure = &evidence->measures[i];

		if (!strcmp(measure->method, "stream") && !distrust_bound(measure))
			best = fmax(best, measure->median); /* fmax takes the number where the other is NaN */
	}
	return best;
}

static double best_issue(const struct bench_evidence *evidence)
{
	const struct bench_line_measure *measure = find(evidence, "issue_rate_fp32");

	return measure && !distrust_bound(measure) ? measure->p90 : ABSENT_NUMBER;
}

static void describe_cpu(struct calibrating *work, struct accelerator_row *row)
{
	const struct bench_line_device *device = &work->evidence->device;
	struct accelerator *accelerator = &row->accelerator;

	*accelerator = (struct accelerator){.id = device->accelerator, .vendor = device->vendor ? device->vendor : "cpu",
		.name = device->name, .form_factor = "cpu", .memory_type = "host", .interconnect = "none",
		.release_year = ABSENT_COUNT, .pcie_gen = ABSENT_COUNT, .max_nvlink_domain = 1, .transistor_nm = ABSENT_COUNT};
	accelerator->tflops_fp64 = accelerator->tflops_tf32 = accelerator->tflops_bf16 = accelerator->tflops_fp16 = ABSENT_NUMBER;
	accelerator->tflops_fp8 = accelerator->tops_int8 = accelerator->tflops_fp4 = ABSENT_NUMBER;
	accelerator->idle_w = accelerator->interconnect_gbs = accelerator->die_area_mm2 = ABSENT_NUMBER;
	accelerator->embodied_kgco2e = accelerator->embodied_boavizta_kgco2e = ABSENT_NUMBER;
	accelerator->memory_gb = device->memory_bytes / BYTES_PER_GB;
	accelerator->memory_usable_bytes = device->memory_bytes;
	accelerator->tdp_w = CPU_THREAD_W * device->threads;
	accelerator->unverified = "tdp_w";
	accelerator->source_date = date_of(work);
	accelerator->notes = keep(work, arena_printf(work->arena,
		"tflops_fp32 is the measured issue rate of multiply-adds (%s, %.0f threads), memory_bandwidth_gbs the fastest measured "
		"stream, tdp_w an estimate: %.2g W a busy hardware thread (Cloud Carbon Footprint, AWS mean)",
		device->instruction_set ? device->instruction_set : "cpu", device->threads, CPU_THREAD_W));
	accelerator->source = keep(work, arena_printf(work->arena, "measured by benchmark %s on %s",
		work->evidence->benchmark_id, device->id));
	row->meta = (struct row_meta){.origin = "measured", .source = accelerator->source, .source_date = accelerator->source_date};
	row->memory_usable_source = "MemTotal, or the container's limit";
}

/* A CPU's row out of what was measured; the evidence's row where there is nothing new. NULL: not enough for one. */
static const struct accelerator_row *own_row(struct calibrating *work)
{
	const struct accelerator_row *before = work->evidence->accelerator;
	struct accelerator_row *row = &work->out->accelerator;
	double tflops_before = ABSENT_NUMBER, gbs_before = ABSENT_NUMBER, tflops, gbs;
	bool changed = false;

	if (before && !measured_before(before))
		return before; /* somebody entered one: it is theirs */
	if (before) {
		tflops_before = before->accelerator.tflops_fp32;
		gbs_before = before->accelerator.memory_bandwidth_gbs;
	}
	tflops = higher(best_issue(work->evidence) / FLOPS_PER_TFLOP, tflops_before, &changed);
	gbs = higher(best_stream(work->evidence) / BYTES_PER_GB, gbs_before, &changed);
	if (!changed || !is_given(tflops) || !is_given(gbs) || !is_given(work->evidence->device.memory_bytes) ||
		!is_given(work->evidence->device.threads))
		return before;
	*row = (struct accelerator_row){0};
	describe_cpu(work, row);
	row->accelerator.tflops_fp32 = tflops;
	row->accelerator.memory_bandwidth_gbs = gbs;
	work->out->has_accelerator = true;
	return row;
}

/* A precision's products together: all operations over all time, which is the harmonic mean weighted by operations. */
static void calibrate_gemm(struct calibrating *work, const struct accelerator *accelerator, enum precision precision)
{
	double flops = 0, time_s = 0, slow_s = 0, fast_s = 0, peak;
	enum precision used;
	size_t products = 0;

	for (size_t i = 0; i < work->evidence->measure_count; i++) {
		const struct bench_line_measure *measure = &work->evidence->measures[i];
		const char *reason = distrust(measure);

		if (measure->precision != precision || strcmp(measure->method, "library_gemm") != 0 || !is_given(measure->flops) ||
			is_superseded(work->evidence, i))
			continue;
		products++;
		if (reason) {
			refuse(work, "gemm_efficiency", "%.40s: %s", measure->test, reason);
			return;
		}
		flops += measure->flops;
		time_s += measure->flops / measure->median;
		slow_s += measure->flops / measure->p10;
		fast_s += measure->flops / measure->p90;
	}
	if (!products)
		return;
	peak = accelerator_peak_flops_per_s(accelerator, precision, &used);
	if (used != precision || !(peak > 0))
		refuse(work, "gemm_efficiency", "the catalogue has no %s rate of %.60s", precision_name(precision), accelerator->id);
	else if (flops / time_s > peak)
		refuse(work, "gemm_efficiency", "peak_suspect: %.4g TFLOP/s measured, above the catalogue's %.4g", flops / time_s / FLOPS_PER_TFLOP,
			peak / FLOPS_PER_TFLOP);
	else
		add(work, "gemm_efficiency", "library_gemm", precision, flops / time_s / peak, flops / slow_s / peak,
			fmin(flops / fast_s / peak, 1));
}

static void calibrate_memory(struct calibrating *work, const struct accelerator *accelerator)
{
	const struct bench_line_measure *triad = find(work->evidence, "stream_triad");
	double peak = accelerator->memory_bandwidth_gbs * BYTES_PER_GB;
	const char *reason = triad ? distrust(triad) : NULL;

	if (!triad)
		return;
	if (reason)
		refuse(work, "memory_efficiency", "stream_triad: %s", reason);
	else if (!(peak > 0))
		refuse(work, "memory_efficiency", "the catalogue has no bandwidth of %.60s", accelerator->id);
	else if (triad->median > peak)
		refuse(work, "memory_efficiency", "peak_suspect: %.4g GB/s measured, above the catalogue's %.4g",
			triad->median / BYTES_PER_GB, peak / BYTES_PER_GB);
	else
		add(work, "memory_efficiency", "stream", PRECISION_UNSET, triad->median / peak, triad->p10 / peak, fmin(triad->p90 / peak, 1));
}

static void calibrate_launch(struct calibrating *work)
{
	const struct bench_line_measure *launch = find(work->evidence, "launch_round_trip");
	const char *reason = launch ? distrust(launch) : NULL;

	if (reason)
		refuse(work, "kernel_launch_s", "launch_round_trip: %s", reason);
	else if (launch)
		add(work, "kernel_launch_s", launch->method, PRECISION_UNSET, launch->median, launch->p10, launch->p90);
}

static void calibrate_by(struct calibrating *work, const struct accelerator_row *row)
{
	for (int precision = PRECISION_UNSET + 1; precision < PRECISION_COUNT; precision++)
		calibrate_gemm(work, &row->accelerator, (enum precision)precision);
	calibrate_memory(work, &row->accelerator);
	calibrate_launch(work);
}

static bool has_calibrated(const struct bench_calibrations *calibrations, const char *quantity)
{
	for (size_t i = 0; i < calibrations->count; i++)
		if (!strcmp(calibrations->rows[i].quantity, quantity))
			return true;
	return false;
}

enum status bench_calibrate(const struct bench_evidence *evidence, struct arena *arena,
	struct bench_calibrations *calibrations, struct failure *failure)
{
	struct calibrating work = {.evidence = evidence, .out = calibrations, .arena = arena};
	const struct accelerator_row *row = evidence->accelerator;

	*calibrations = (struct bench_calibrations){.count = 0};
	if (!strcmp(evidence->device.backend, "cpu") && evidence->device.accelerator)
		row = own_row(&work);
	if (!row) {
		refuse(&work, "accelerator", "%s has no catalogue row, and this run did not measure what one takes",
			evidence->device.accelerator ? evidence->device.accelerator : evidence->device.id);
		return STATUS_OK;
	}
	calibrate_by(&work, row);
	/* Efficiencies of before are fractions of the peak of before: a new peak comes with new ones, or not at all. */
	if (calibrations->has_accelerator && evidence->accelerator &&
		!(has_calibrated(calibrations, "gemm_efficiency") && has_calibrated(calibrations, "memory_efficiency"))) {
		*calibrations = (struct bench_calibrations){.count = 0};
		calibrate_by(&work, evidence->accelerator);
	}
	return work.exhausted ? failure_set(failure, STATUS_NO_MEMORY, "no memory for calibrations") : STATUS_OK;
}
