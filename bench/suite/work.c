/* Time-filled repetition of one prepared work, and the figure that comes out of it. */
#include <math.h>

#include "base/clock.h"
#include "bench/report/sampler.h"
#include "bench/suite/suite_tests.h"

/* Part of a slice that goes into warming up: caches, pages, clocks. Power and heat take longer to settle. */
#define WARMUP_SHARE 0.1
#define WARMUP_STEADY_SHARE 0.2

/* Energy is told of windows that are long enough for it to be trusted. */
#define ENERGY_WINDOW_S 2.0

/* A sample is the mean of as many runs as take at least this long: one run of microseconds measures the scheduler. */
#define SAMPLE_LEAST_S 0.01

/* A figure that is known worse than this gets more rounds while there is time. */
#define KNOWN_WELL 0.05

/* A round in which other guests of the host and other processes had more of the CPUs does not count, where enough are left. */
#define OTHERS_MOST 0.1
#define ROUNDS_LEAST 3

struct repetition {
	struct bench_run *run;
	struct bench_work *work;
	struct bench_reason reason;
	enum bench_outcome outcome;
	double *samples_s;   /* where this round's go */
	size_t count, warmup;
	size_t least, most;  /* samples of this round */
	size_t fit;          /* samples for which time must be left, or the figure is not begun */
	size_t runs;         /* of one sample */
	double warmup_share;
	struct cpu_shares shares; /* who else had the CPUs meanwhile */
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
	if (once_s * (double)repetition->fit > bench_run_left_s(repetition->run)) {
		repetition->outcome = bench_refuse(&repetition->reason, BENCH_UNSUPPORTED,
			"budget: one repetition takes %.3g s, and %zu do not fit what is left", once_s, repetition->fit);
		return false;
	}
	repetition->runs = (size_t)fmax(1, ceil(fmin(SAMPLE_LEAST_S, slice_s / (2 * BENCH_ROUND_SAMPLES_MIN)) / once_s));
	*wanted = (size_t)fmin(fmax((1 - repetition->warmup_share) * slice_s / (once_s * (double)repetition->runs), (double)repetition->least),
		(double)repetition->most);
	return true;
}

static bool repeat_fill(struct repetition *repetition, double slice_s)
{
	struct cpu_load before, after;
	int64_t start_ns;
	size_t wanted;
	bool watched;

	slice_s = fmin(slice_s, bench_run_left_s(repetition->run)); /* preparing and verifying took from it */
	if (!repeat_warm(repetition, slice_s, &wanted))
		return false;
	bench_sampler_begin(repetition->run->sampler);
	watched = cpu_load_read(&before);
	start_ns = clock_monotonic_ns();
	while (repetition->count < wanted) {
		/* A machine that became slower since the warm-up ends with fewer samples, not late. */
		if (repetition->count >= repetition->least && seconds_since(start_ns) > slice_s)
			break;
		if (!repeat_sample(repetition, &repetition->samples_s[repetition->count]))
			return false;
		repetition->count++;
	}
	if (watched && cpu_load_read(&after))
		cpu_shares_add(&repetition->shares, &before, &after);
	repetition->run->sampled_s += seconds_since(start_ns);
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

/* The figure's rounds, from its first on; NULL without room. */
static struct bench_rounds *rounds_of(struct bench_run *run, const struct bench_figure *figure)
{
	uint64_t key = figure->request ? figure_key(figure->request) : 0;
	struct bench_rounds *rounds = run->figures;

	while (rounds < run->figures + run->figure_count && (rounds->measure.test != figure->test->name || rounds->key != key))
		rounds++;
	if (rounds == run->figures + BENCH_MEASURED_MAX)
		return NULL;
	if (rounds == run->figures + run->figure_count) {
		*rounds = (struct bench_rounds){.key = key, .samples = malloc(BENCH_SAMPLES_MAX * sizeof(double))};
		rounds->measure.test = figure->test->name;
		run->figure_count += rounds->samples != NULL;
	}
	return rounds->samples ? rounds : NULL;
}

static bool is_disturbed(const struct cpu_shares *shares)
{
	return shares->all_s > 0 && shares->steal_s + shares->others_s > OTHERS_MOST * shares->all_s;
}

/* Copies the samples that count to `kept`, round by round, and where each round ends: all rounds, or only those that other processes left undisturbed. */
static size_t keep_rounds(const struct bench_rounds *rounds, double *kept, size_t *ends, size_t *left_out)
{
	size_t disturbed = 0, count = 0, begin = 0, r_kept = 0;

	for (size_t r = 0; r < rounds->rounds; r++)
		disturbed += is_disturbed(&rounds->shares[r]);
	*left_out = rounds->rounds - disturbed >= ROUNDS_LEAST ? disturbed : 0;
	for (size_t r = 0; r < rounds->rounds; begin = rounds->ends[r++]) {
		size_t length = rounds->ends[r] - begin;

		if (*left_out && is_disturbed(&rounds->shares[r]))
			continue;
		memcpy(kept + count, rounds->samples + begin, length * sizeof(*kept));
		ends[r_kept++] = count += length;
	}
	return count;
}

/* How far the later half of the rounds is from the earlier; NaN where there is one round. */
static double disagreement(const double *samples, const size_t *ends, size_t rounds, double *scratch)
{
	struct bench_statistics earlier, later;
	size_t half = rounds > 1 ? ends[rounds / 2 - 1] : 0;

	if (!half)
		return (double)NAN;
	bench_statistics_compute(samples, scratch, half, &earlier);
	bench_statistics_compute(samples + half, scratch, ends[rounds - 1] - half, &later);
	return fabs(later.median / earlier.median - 1);
}

static void tell_load(const struct bench_rounds *rounds, struct bench_measure *measure)
{
	struct cpu_shares all = {0, 0, 0};

	for (size_t r = 0; r < rounds->rounds; r++) {
		all.all_s += rounds->shares[r].all_s;
		all.steal_s += rounds->shares[r].steal_s;
		all.others_s += rounds->shares[r].others_s;
	}
	measure->steal_fraction = all.all_s > 0 ? all.steal_s / all.all_s : (double)NAN;
	measure->others_fraction = all.all_s > 0 ? all.others_s / all.all_s : (double)NAN;
}

/* What all rounds say together. `scratch` has room for twice BENCH_SAMPLES_MAX. */
static void conclude_rounds(const struct bench_rounds *rounds, double *scratch, struct bench_measure *measure)
{
	size_t ends[BENCH_ROUNDS_MAX], count = keep_rounds(rounds, scratch, ends, &measure->rounds_left_out);
	size_t kept = rounds->rounds - measure->rounds_left_out;
	double *samples = scratch, *room = scratch + BENCH_SAMPLES_MAX;
	struct bench_clusters clusters;

	measure->rounds = rounds->rounds;
	bench_statistics_compute(samples, room, count, &measure->statistics);
	bench_clusters_make(ends, kept, &clusters);
	if (!bench_median_interval(samples, &clusters, room, 0.8, &measure->median_p10, &measure->median_p90))
		measure->median_p10 = measure->median_p90 = (double)NAN;
	measure->trend = bench_trend(samples, &clusters, room, measure->statistics.drift);
	measure->disagreement = disagreement(samples, ends, kept, room);
	tell_load(rounds, measure);
}

/* The window of the samples, warm-up left out. What flushing caches took is in it, so that a cold run's joules are not its own. */
static bool take_energy(struct repetition *repetition, const struct bench_figure *figure, struct bench_energy *energy, uint64_t *throttle)
{
	double runs = (double)(repetition->count * repetition->runs);
	bool cold = figure->request && figure->request->cold;

	return bench_sampler_end(repetition->run->sampler, cold ? 0 : repetition->work->flops * runs, energy, throttle) &&
		energy->window_s >= ENERGY_WINDOW_S;
}

/* What the figure is of, which its rounds have in common. */
static void describe_figure(struct bench_rounds *rounds, const struct bench_figure *figure, const struct bench_work *work)
{
	const struct bench_work_request *request = figure->request;
	struct bench_measure *measure = &rounds->measure;

	snprintf(rounds->detail, sizeof(rounds->detail), "%s", work->detail);
	measure->bottleneck = figure->test->bottleneck;
	measure->detail = rounds->detail;
	measure->role = figure->role;
	measure->request = NULL;
	if (request) {
		rounds->request = *request;
		rounds->request.parts = NULL; /* of a step: a list that does not outlive its round */
		rounds->request.part_count = 0;
		measure->request = &rounds->request;
	}
	measure->block = figure->block;
	measure->method = request ? request->method : figure->test->methods[0];
	measure->precision = request ? request->precision : figure->test->precision;
	measure->unit = figure->test->unit;
	measure->count = figure->count;
	measure->bytes = work->bytes;
	measure->flops = work->flops;
	measure->predicted_s = figure->predicted_s;
	measure->cache_resident = work->cache_resident;
}

/* Ends a round: its samples belong to the figure. */
static void round_close(struct bench_rounds *rounds, struct repetition *repetition, const struct bench_figure *figure)
{
	struct bench_measure *measure = &rounds->measure;
	struct bench_energy energy;
	uint64_t throttle_reasons = 0;

	if (take_energy(repetition, figure, &energy, &throttle_reasons) && (!measure->energy || energy.window_s > rounds->energy.window_s)) {
		rounds->energy = energy;
		measure->energy = &rounds->energy;
	}
	measure->throttle_reasons |= throttle_reasons;
	measure->runs_per_sample = repetition->runs;
	measure->warmup += repetition->warmup;
	to_unit(repetition, figure->test->unit);
	rounds->count += repetition->count;
	rounds->shares[rounds->rounds] = repetition->shares;
	rounds->ends[rounds->rounds++] = rounds->count;
}

/* What was prepared anew is of another size: its samples are no further ones of the same. */
static bool is_other_work(const struct bench_rounds *rounds, const struct bench_work *work)
{
	const struct bench_measure *measure = &rounds->measure;

	return rounds->rounds > 0 && (fabs(measure->bytes - work->bytes) > 0 || fabs(measure->flops - work->flops) > 0);
}

/* Before the first samples, and again before those of the last round that is planned. */
static void round_check(const struct bench_run *run, struct bench_rounds *rounds, struct repetition *repetition)
{
	struct bench_check check = {.verified = false};
	bool first = rounds->rounds == 0;

	if (!first && run->round != BENCH_ROUNDS)
		return;
	repetition->outcome = repetition->work->verify(repetition->work, &check, &repetition->reason);
	check.verified = check.verified && (first || rounds->measure.check.verified);
	rounds->measure.check = check;
}

static void report_figure(struct bench_run *run, const struct bench_rounds *rounds)
{
	bench_report_measure(run->report, &rounds->measure);
	run->measured++;
	run->failed += !rounds->measure.check.verified;
}

void bench_run_tell(struct bench_run *run)
{
	for (size_t i = 0; i < run->figure_count; i++) {
		if (run->figures[i].rounds > 0)
			report_figure(run, &run->figures[i]);
		free(run->figures[i].samples);
	}
	for (size_t i = 0; i < run->fit_count; i++)
		bench_report_fit(run->report, &run->fits[i]);
	for (size_t i = 0; i < run->mean_count; i++)
		bench_report_mean(run->report, &run->means[i]);
	run->figure_count = run->fit_count = run->mean_count = 0;
}

bool bench_work_measure(struct bench_run *run, const struct bench_figure *figure, struct bench_work *work, double *median)
{
	struct bench_rounds *rounds = rounds_of(run, figure);
	struct repetition repetition = {.run = run, .work = work, .least = run->first ? BENCH_SAMPLES_MIN : BENCH_ROUND_SAMPLES_MIN,
		.warmup_share = figure->steady ? WARMUP_STEADY_SHARE : WARMUP_SHARE};
	double *scratch = malloc(2 * BENCH_SAMPLES_MAX * sizeof(double)), slice_s;
	int64_t start_ns = clock_monotonic_ns();
	bool measured, known;

	if (!rounds || !scratch) {
		bench_run_skip(run, figure->test, BENCH_FAILED, "out of memory for the samples");
		free(scratch);
		return false;
	}
	repetition.samples_s = rounds->samples + rounds->count;
	repetition.most = (BENCH_SAMPLES_MAX - rounds->count) / (figure->test->repeats ? (size_t)BENCH_ROUNDS_MAX + 1 - rounds->rounds : 2);
	repetition.fit = rounds->rounds ? BENCH_ROUND_SAMPLES_MIN : BENCH_SAMPLES_MIN;
	round_check(run, rounds, &repetition);
	/* verifying is part of the slice, up to half of it */
	slice_s = fmax(figure->slice_s - seconds_since(start_ns), figure->slice_s / 2);
	measured = repetition.outcome == BENCH_OK && rounds->rounds < BENCH_ROUNDS_MAX && !is_other_work(rounds, work) && repeat_fill(&repetition, slice_s);
	if (measured) {
		describe_figure(rounds, figure, work);
		round_close(rounds, &repetition, figure);
	}
	rounds->measure.elapsed_s += seconds_since(start_ns);
	/* a round that had no time left takes nothing from those before */
	known = rounds->rounds > 0 && (measured || repetition.outcome != BENCH_FAILED);
	if (known) {
		struct bench_measure *measure = &rounds->measure;

		conclude_rounds(rounds, scratch, measure);
		run->unstable = run->unstable || measure->trend || !(measure->median_p90 - measure->median_p10 <= KNOWN_WELL * measure->statistics.median);
		if (median)
			*median = measure->statistics.median;
	} else {
		bench_run_skip(run, figure->test, repetition.outcome == BENCH_UNSUPPORTED ? BENCH_UNSUPPORTED : BENCH_FAILED, repetition.reason.text);
	}
	free(scratch);
	return known && rounds->measure.check.verified;
}
