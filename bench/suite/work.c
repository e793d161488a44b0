/* Repeats one prepared work for a given time, and computes its figure. */
#include <math.h>

#include "base/clock.h"
#include "bench/report/sampler.h"
#include "bench/suite/suite_tests.h"

/* Share of a slice for warm-up of caches, pages and clocks. Power and temperature take longer to become steady. */
#define WARMUP_SHARE        0.1
#define WARMUP_STEADY_SHARE 0.2

/* Energy is reported only for windows of at least this length: shorter ones are not reliable. */
#define ENERGY_WINDOW_S 2.0

/* A sample is the mean of as many runs as take at least this long: a single run of microseconds would measure the
 * scheduler. */
#define SAMPLE_LEAST_S 0.01

/* A figure whose median is known worse than this gets more rounds while time is left. */
#define KNOWN_WELL 0.05

/* A round does not count if others (guests of the host, other processes) used more than this share of the CPUs'
 * time, provided that at least ROUNDS_LEAST rounds remain. */
#define OTHERS_MOST  0.1
#define ROUNDS_LEAST 3

struct repetition {
	struct bench_run *run;
	struct bench_work *work;
	struct bench_reason reason;
	enum bench_outcome outcome;
	double *samples_s; /* where this round's samples are stored */
	size_t count, warmup;
	size_t least, most; /* number of samples in this round */
	size_t fit;         /* a figure starts only if time is left for this number of samples */
	size_t runs;        /* per sample */
	double warmup_share;
	struct cpu_shares shares; /* CPU time that others used meanwhile */
};

static double seconds_since(int64_t start_ns)
{
	return (double)(clock_monotonic_ns() - start_ns) * 1e-9;
}

/* Returns false if a run failed, or took no measurable time. */
static bool repeat_once(struct repetition *repetition, double *elapsed_s)
{
	*elapsed_s = 0;
	repetition->outcome = repetition->work->run(repetition->work, elapsed_s, &repetition->reason);
	atomic_fetch_add_explicit(repetition->run->alive, 1, memory_order_relaxed);
	if (repetition->outcome == BENCH_OK && !(*elapsed_s > 0 && isfinite(*elapsed_s)))
		repetition->outcome = bench_refuse(&repetition->reason, BENCH_FAILED, "a run took no time: the clock is broken");
	return repetition->outcome == BENCH_OK;
}

/* Takes one sample: the mean time of a run. */
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

/* Warms up. The fastest run, which nothing disturbed, gives the runs per sample and the samples that fit in the
 * slice. A run can cost more than the time that it reports: it may flush caches first, or report one of a thousand
 * launches. So the larger of both times counts. */
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
			"budget: one repetition takes %.3g s, and the time left is too short for %zu", once_s, repetition->fit);
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

	slice_s = fmin(slice_s, bench_run_left_s(repetition->run)); /* preparing and verifying used part of the slice */
	if (!repeat_warm(repetition, slice_s, &wanted))
		return false;
	bench_sampler_begin(repetition->run->sampler);
	watched = cpu_load_read(&before);
	start_ns = clock_monotonic_ns();
	while (repetition->count < wanted) {
		/* A machine that became slower after the warm-up takes fewer samples, so the test still ends in time. */
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

/* Converts each run's time to a rate before quantiles are computed, so p10 is the low rate. */
static void to_unit(struct repetition *repetition, enum bench_unit unit)
{
	const struct bench_work *work = repetition->work;
	double amount = unit == UNIT_FLOPS_PER_S ? work->flops : unit == UNIT_BYTES_PER_S ? work->bytes : work->items;

	if (unit == UNIT_SECONDS)
		return;
	for (size_t i = 0; i < repetition->count; i++)
		repetition->samples_s[i] = amount / repetition->samples_s[i];
}

/* Distinguishes a figure from the other figures of its test, so that a later round finds it. */
static uint64_t figure_key(const struct bench_work_request *request)
{
	const struct bench_attention *attention = &request->attention;
	const int64_t parts[] = {request->shape.m, request->shape.n, request->shape.k, (int64_t)request->product, (int64_t)request->precision,
		(int64_t)request->method, attention->batch, attention->heads, attention->queries, attention->keys, attention->head_dimension,
		attention->backward, (int64_t)request->transfer.direction, request->transfer.pinned, (int64_t)request->transfer.bytes,
		(int64_t)request->bytes};
	uint64_t key = 0xcbf29ce484222325u; /* FNV-1a */

	for (size_t i = 0; i < COUNT_OF(parts); i++)
		key = (key ^ (uint64_t)parts[i]) * 0x100000001b3u;
	return key;
}

/* Returns the figure's rounds, new at its first round; NULL if there is no room. */
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

/* Copies the samples that count to `kept`, round by round, and the end of each round to `ends`. Takes all rounds, or
 * only those that other processes did not disturb. */
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

/* Difference between the later and the earlier half of the rounds; NaN if there is only one round. */
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

/* Computes the statistics of all rounds. `scratch` has room for twice BENCH_SAMPLES_MAX. */
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

/* Energy of the window of the samples, without the warm-up. The window includes cache flushes, so a cold run gets no
 * joules per operation. */
static bool take_energy(struct repetition *repetition, const struct bench_figure *figure, struct bench_energy *energy, uint64_t *throttle)
{
	double runs = (double)(repetition->count * repetition->runs);
	bool cold = figure->request && figure->request->cold;

	return bench_sampler_end(repetition->run->sampler, cold ? 0 : repetition->work->flops * runs, energy, throttle) &&
		energy->window_s >= ENERGY_WINDOW_S;
}

/* Describes the figure, with the values that its rounds have in common. */
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
		rounds->request.parts = NULL; /* parts of a step: the list does not outlive its round */
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

/* Ends a round and adds its samples to the figure. */
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

/* True if this round prepared work of another size: its samples do not belong to the same figure. */
static bool is_other_work(const struct bench_rounds *rounds, const struct bench_work *work)
{
	const struct bench_measure *measure = &rounds->measure;

	return rounds->rounds > 0 && (fabs(measure->bytes - work->bytes) > 0 || fabs(measure->flops - work->flops) > 0);
}

/* Verifies the work before the first samples, and again before those of the last planned round. */
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
	struct repetition repetition = {.run = run,
		.work = work,
		.least = run->first ? BENCH_SAMPLES_MIN : BENCH_ROUND_SAMPLES_MIN,
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
	/* verifying uses up to half of the slice */
	slice_s = fmax(figure->slice_s - seconds_since(start_ns), figure->slice_s / 2);
	measured = repetition.outcome == BENCH_OK && rounds->rounds < BENCH_ROUNDS_MAX && !is_other_work(rounds, work) &&
		repeat_fill(&repetition, slice_s);
	if (measured) {
		describe_figure(rounds, figure, work);
		round_close(rounds, &repetition, figure);
	}
	rounds->measure.elapsed_s += seconds_since(start_ns);
	/* a round without time does not invalidate the earlier rounds */
	known = rounds->rounds > 0 && (measured || repetition.outcome != BENCH_FAILED);
	if (known) {
		struct bench_measure *measure = &rounds->measure;

		conclude_rounds(rounds, scratch, measure);
		run->unstable = run->unstable || measure->trend ||
			!(measure->median_p90 - measure->median_p10 <= KNOWN_WELL * measure->statistics.median);
		if (median)
			*median = measure->statistics.median;
	} else {
		bench_run_skip(run, figure->test, repetition.outcome == BENCH_UNSUPPORTED ? BENCH_UNSUPPORTED : BENCH_FAILED, repetition.reason.text);
	}
	free(scratch);
	return known && rounds->measure.check.verified;
}
