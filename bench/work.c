/* Time-filled repetition of one prepared work, and the figure that comes out of it. */
#include <math.h>

#include "base/clock.h"
#include "bench/sampler.h"
#include "bench/suite.h"

/* Part of a slice that goes into warming up: caches, pages, clocks. Power and heat take longer to settle. */
#define WARMUP_SHARE 0.1
#define WARMUP_STEADY_SHARE 0.2

/* Energy is told of windows that are long enough for it to be trusted. */
#define ENERGY_WINDOW_S 2.0

/* A sample is the mean of as many runs as take at least this long: one run of microseconds measures the scheduler. */
#define SAMPLE_LEAST_S 0.01

struct repetition {
	struct bench_run *run;
	struct bench_work *work;
	struct bench_reason reason;
	enum bench_outcome outcome;
	double *samples_s; /* BENCH_SAMPLES_MAX, and as many for sorting behind them */
	size_t count, warmup;
	size_t runs; /* of one sample */
	double warmup_share;
};

static double seconds_since(int64_t start_ns)
{
	return (double)(clock_monotonic_ns() - start_ns) * 1e-9;
}

/* False once a run failed, or took no time that the clock could tell. */
static bool repeat_once(struct repetition *repetition, double *elapsed_s)
{
	*elapsed_s = 0;
	repetition->outcome = repetition->work->run(repetition->work, elapsed_s, &repetition->reason);
	atomic_fetch_add_explicit(repetition->run->alive, 1, memory_order_relaxed);
	if (repetition->outcome == BENCH_OK && !(*elapsed_s > 0 && isfinite(*elapsed_s)))
		repetition->outcome = bench_refuse(&repetition->reason, BENCH_FAILED, "a run took no time: the clock is broken");
	return repetition->outcome == BENCH_OK;
}

/* One sample: the mean time of a run. */
static bool repeat_sample(struct repetition *repetition, double *sample_s)
{
	double elapsed_s;

	*sample_s = 0;
	for (size_t i = 0; i < repetition->runs; i++) {
		if (!repeat_once(repetition, &elapsed_s))
			return false;
		*sample_s += elapsed_s;
	}
	*sample_s /= (double)repetition->runs;
	return true;
}

/* Warm-up whose fastest run, which nothing disturbed, tells how many make a sample, and how many samples fit the slice. What a
 * run costs is more than it tells of where it flushes caches before, or tells of one of a thousand launches. */
static bool repeat_warm(struct repetition *repetition, double slice_s, size_t *wanted)
{
	int64_t start_ns = clock_monotonic_ns();
	double once_s = HUGE_VAL, elapsed_s;

	do {
		int64_t run_ns = clock_monotonic_ns();

		if (!repeat_once(repetition, &elapsed_s))
			return false;
		once_s = fmin(once_s, fmax(elapsed_s, seconds_since(run_ns)));
		repetition->warmup++;
	} while (seconds_since(start_ns) < repetition->warmup_share * slice_s && repetition->warmup < BENCH_SAMPLES_MAX);
	if (once_s * BENCH_SAMPLES_MIN > bench_run_left_s(repetition->run)) {
		repetition->outcome = bench_refuse(&repetition->reason, BENCH_UNSUPPORTED,
			"budget: one repetition takes %.3g s, and %d do not fit what is left", once_s, BENCH_SAMPLES_MIN);
		return false;
	}
	repetition->runs = (size_t)fmax(1, ceil(fmin(SAMPLE_LEAST_S, slice_s / (2 * BENCH_SAMPLES_MIN)) / once_s));
	*wanted = (size_t)fmin(fmax((1 - repetition->warmup_share) * slice_s / (once_s * (double)repetition->runs), BENCH_SAMPLES_MIN),
		BENCH_SAMPLES_MAX);
	return true;
}

static bool repeat_fill(struct repetition *repetition, double slice_s)
{
	int64_t start_ns;
	size_t wanted;

	slice_s = fmin(slice_s, bench_run_left_s(repetition->run)); /* preparing and verifying took from it */
	if (!repeat_warm(repetition, slice_s, &wanted))
		return false;
	bench_sampler_begin(repetition->run->sampler);
	start_ns = clock_monotonic_ns();
	while (repetition->count < wanted) {
		/* A machine that became slower since the warm-up ends with fewer samples, not late. */
		if (repetition->count >= BENCH_SAMPLES_MIN && seconds_since(start_ns) > slice_s)
			break;
		if (!repeat_sample(repetition, &repetition->samples_s[repetition->count]))
			return false;
		repetition->count++;
	}
	return true;
}

/* Rates are taken from each run's time before quantiles are, so that p10 is the low rate. */
static void to_unit(struct repetition *repetition, enum bench_unit unit)
{
	const struct bench_work *work = repetition->work;
	double amount = unit == UNIT_FLOPS_PER_S ? work->flops : unit == UNIT_BYTES_PER_S ? work->bytes : work->items;

	if (unit == UNIT_SECONDS)
		return;
	for (size_t i = 0; i < repetition->count; i++)
		repetition->samples_s[i] = amount / repetition->samples_s[i];
}

/* What tells a figure from the others of its test, so that the second pass finds its first. */
static uint64_t figure_key(const struct bench_work_request *request)
{
	const struct bench_attention *attention = &request->attention;
	const int64_t parts[] = {request->shape.m, request->shape.n, request->shape.k, (int64_t)request->product,
		(int64_t)request->precision, (int64_t)request->method, attention->batch, attention->heads, attention->queries, attention->keys,
		attention->head_dimension, attention->backward, (int64_t)request->transfer.direction, request->transfer.pinned,
		(int64_t)request->transfer.bytes, (int64_t)request->bytes};
	uint64_t key = 0xcbf29ce484222325u; /* FNV-1a */

	for (size_t i = 0; i < COUNT_OF(parts); i++)
		key = (key ^ (uint64_t)parts[i]) * 0x100000001b3u;
	return key;
}

/* How far the second pass is from the first; NaN in the first, which is kept. */
static double disagreement(struct bench_run *run, const struct bench_figure *figure, double median)
{
	uint64_t key = figure->request ? figure_key(figure->request) : 0;

	for (size_t i = 0; run->pass > 1 && i < run->earlier_count; i++)
		if (run->earlier[i].test == figure->test && run->earlier[i].key == key)
			return fabs(median / run->earlier[i].median - 1);
	if (run->pass == 1 && run->earlier_count < BENCH_MEASURED_MAX)
		run->earlier[run->earlier_count++] = (struct bench_earlier){figure->test, key, median};
	return (double)NAN;
}

/* The window of the samples, warm-up left out. What flushing caches took is in it, so that a cold run's joules are not its own. */
static bool take_energy(struct repetition *repetition, const struct bench_figure *figure, struct bench_energy *energy, uint64_t *throttle)
{
	double runs = (double)(repetition->count * repetition->runs);
	bool cold = figure->request && figure->request->cold;

	return bench_sampler_end(repetition->run->sampler, cold ? 0 : repetition->work->flops * runs, energy, throttle) &&
		energy->window_s >= ENERGY_WINDOW_S;
}

static void report_measure(struct repetition *repetition, const struct bench_figure *figure, const struct bench_check *check,
	double elapsed_s, double *median)
{
	const struct bench_work_request *request = figure->request;
	const struct bench_work *work = repetition->work;
	struct bench_energy energy;
	struct bench_run *run = repetition->run;
	struct bench_measure measure = {.test = figure->test->name, .bottleneck = figure->test->bottleneck, .detail = work->detail,
		.role = figure->role, .request = request, .block = figure->block, .method = request ? request->method : figure->test->methods[0],
		.precision = request ? request->precision : figure->test->precision, .unit = figure->test->unit, .warmup = repetition->warmup,
		.runs_per_sample = repetition->runs, .pass = run->pass, .count = figure->count, .bytes = work->bytes, .flops = work->flops,
		.elapsed_s = elapsed_s, .predicted_s = figure->predicted_s, .cache_resident = work->cache_resident, .check = *check};

	if (take_energy(repetition, figure, &energy, &measure.throttle_reasons))
		measure.energy = &energy;
	to_unit(repetition, figure->test->unit);
	bench_statistics_compute(repetition->samples_s, repetition->samples_s + BENCH_SAMPLES_MAX, repetition->count,
		&measure.statistics);
	measure.disagreement = disagreement(run, figure, measure.statistics.median);
	bench_report_measure(run->report, &measure);
	run->measured++;
	run->unstable = run->unstable || measure.statistics.unstable;
	run->failed += !check->verified;
	if (median)
		*median = measure.statistics.median;
}

bool bench_work_measure(struct bench_run *run, const struct bench_figure *figure, struct bench_work *work, double *median)
{
	struct repetition repetition = {.run = run, .work = work,
		.warmup_share = figure->steady ? WARMUP_STEADY_SHARE : WARMUP_SHARE};
	int64_t start_ns = clock_monotonic_ns();
	struct bench_check check = {.verified = false};
	double slice_s;
	bool measured;

	repetition.samples_s = malloc(2 * BENCH_SAMPLES_MAX * sizeof(double));
	if (!repetition.samples_s)
		repetition.outcome = bench_refuse(&repetition.reason, BENCH_FAILED, "out of memory for the samples");
	else
		repetition.outcome = work->verify(work, &check, &repetition.reason);
	/* verifying is part of the slice, up to half of it */
	slice_s = fmax(figure->slice_s - seconds_since(start_ns), figure->slice_s / 2);
	measured = repetition.outcome == BENCH_OK && repeat_fill(&repetition, slice_s);
	if (measured)
		report_measure(&repetition, figure, &check, seconds_since(start_ns), median);
	else
		bench_run_skip(run, figure->test, repetition.outcome == BENCH_UNSUPPORTED ? BENCH_UNSUPPORTED : BENCH_FAILED, repetition.reason.text);
	free(repetition.samples_s);
	return measured && check.verified;
}
