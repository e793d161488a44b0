/* Time-filled repetition of one prepared work, and the figure that comes out of it. */
#include <math.h>

#include "base/clock.h"
#include "bench/suite.h"

/* Part of a slice that goes into warming up: caches, pages, clocks. */
#define WARMUP_SHARE 0.1

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

/* Warm-up whose fastest run, which nothing disturbed, tells how many make a sample, and how many samples fit the slice. */
static bool repeat_warm(struct repetition *repetition, double slice_s, size_t *wanted)
{
	int64_t start_ns = clock_monotonic_ns();
	double once_s = HUGE_VAL, elapsed_s;

	do {
		if (!repeat_once(repetition, &elapsed_s))
			return false;
		once_s = fmin(once_s, elapsed_s);
		repetition->warmup++;
	} while (seconds_since(start_ns) < WARMUP_SHARE * slice_s && repetition->warmup < BENCH_SAMPLES_MAX);
	if (once_s * BENCH_SAMPLES_MIN > (double)(repetition->run->deadline_ns - clock_monotonic_ns()) * 1e-9) {
		repetition->outcome = bench_refuse(&repetition->reason, BENCH_UNSUPPORTED,
			"budget: one repetition takes %.3g s, and %d do not fit what is left", once_s, BENCH_SAMPLES_MIN);
		return false;
	}
	repetition->runs = (size_t)fmax(1, ceil(fmin(SAMPLE_LEAST_S, slice_s / (2 * BENCH_SAMPLES_MIN)) / once_s));
	*wanted = (size_t)fmin(fmax((1 - WARMUP_SHARE) * slice_s / (once_s * (double)repetition->runs), BENCH_SAMPLES_MIN),
		BENCH_SAMPLES_MAX);
	return true;
}

static bool repeat_fill(struct repetition *repetition, double slice_s)
{
	double left_s = (double)(repetition->run->deadline_ns - clock_monotonic_ns()) * 1e-9;
	int64_t start_ns;
	size_t wanted;

	slice_s = fmin(slice_s, left_s); /* preparing and verifying took from it */
	if (!repeat_warm(repetition, slice_s, &wanted))
		return false;
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
	double amount = unit == UNIT_FLOPS_PER_S ? repetition->work->flops : repetition->work->bytes;

	if (unit == UNIT_SECONDS)
		return;
	for (size_t i = 0; i < repetition->count; i++)
		repetition->samples_s[i] = amount / repetition->samples_s[i];
}

static void give_up(struct repetition *repetition, const struct bench_test *test)
{
	if (repetition->outcome != BENCH_UNSUPPORTED)
		repetition->run->failed++;
	bench_report_skip(repetition->run->report, test->name, repetition->reason.text);
}

void bench_work_measure(struct bench_run *run, const struct bench_test *test, struct bench_work *work,
	const struct bench_work_request *request, double slice_s)
{
	struct repetition repetition = {.run = run, .work = work};
	struct bench_measure measure = {.test = test->name, .bottleneck = test->bottleneck, .detail = work->detail,
		.method = test->method, .precision = test->precision, .unit = test->unit, .request = request, .disagreement = (double)NAN, .predicted_s = (double)NAN,
		.bytes = work->bytes, .flops = work->flops, .cache_resident = work->cache_resident};
	int64_t start_ns = clock_monotonic_ns();

	repetition.samples_s = malloc(2 * BENCH_SAMPLES_MAX * sizeof(double));
	if (!repetition.samples_s)
		repetition.outcome = bench_refuse(&repetition.reason, BENCH_FAILED, "out of memory for the samples");
	else
		repetition.outcome = work->verify(work, &measure.check, &repetition.reason);
	if (repetition.outcome != BENCH_OK || !repeat_fill(&repetition, slice_s)) {
		give_up(&repetition, test);
	} else {
		to_unit(&repetition, test->unit);
		bench_statistics_compute(repetition.samples_s, repetition.samples_s + BENCH_SAMPLES_MAX, repetition.count,
			&measure.statistics);
		measure.pass = run->pass;
		measure.warmup = repetition.warmup;
		measure.runs_per_sample = repetition.runs;
		measure.elapsed_s = seconds_since(start_ns);
		bench_report_measure(run->report, &measure);
		run->measured++;
		run->unstable = run->unstable || measure.statistics.unstable;
		run->failed += !measure.check.verified;
	}
	free(repetition.samples_s);
}
