#include "planner/queueing/trial.h"

static const double narrow_enough = 0.05; /* half width over the limit; more repetitions would not change the decision much */

/* Mean and spread of one percentile over repetitions (Welford 1962). */
struct tally {
	double count, mean, squares;
};

enum { SHARE_P50, SHARE_P95, SHARE_P99, SHARE_PROMISED, SHARE_COUNT };
enum { QUANTITY_TTFT, QUANTITY_TPOT, QUANTITY_E2E, PROMISED_COUNT };
enum { QUANTITY_REST_TTFT = PROMISED_COUNT, QUANTITY_REST_TPOT, QUANTITY_REST_E2E, QUANTITY_COUNT };

struct tallies {
	struct tally of[QUANTITY_COUNT][SHARE_COUNT];
};

static void tally_add(struct tally *tally, double value)
{
	double difference = value - tally->mean;

	tally->count++;
	tally->mean += difference / tally->count;
	tally->squares += difference * (value - tally->mean);
}

double trial_student_t(int64_t replications)
{
	/* Degrees of freedom 1 to 29: Fisher and Yates 1938, table III. */
	static const double quantiles[TRIAL_REPLICATIONS_MAX - 1] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
		2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045};

	CHECK(replications >= 2);
	return quantiles[(replications < TRIAL_REPLICATIONS_MAX ? replications : TRIAL_REPLICATIONS_MAX) - 2];
}

static struct trial_estimate estimate_of(const struct tally *tally)
{
	struct trial_estimate estimate = {.mean_s = tally->mean};

	if (tally->count >= 2)
		estimate.half_width_s = trial_student_t((int64_t)tally->count) * sqrt(tally->squares / (tally->count - 1) / tally->count);
	return estimate;
}

static void tallies_add(struct tallies *tallies, const struct simulation_result *result, double promised)
{
	const struct histogram *histograms[QUANTITY_COUNT] = {
		&result->ttft, &result->tpot, &result->e2e, &result->rest_ttft, &result->rest_tpot, &result->rest_e2e};
	const double shares[SHARE_COUNT] = {0.50, 0.95, 0.99, promised};

	for (int quantity = 0; quantity < QUANTITY_COUNT; quantity++)
		for (int share = 0; share < SHARE_COUNT; share++)
			tally_add(&tallies->of[quantity][share], histogram_quantile_s(histograms[quantity], shares[share]));
}

/* Comparison of a percentile with its limit. It is clear if the interval is on one side of the limit, or narrow enough.
 * Without a limit it is kept, and clear if the interval is narrow in relation to the mean. */
struct comparison {
	bool kept, clear;
};

static struct comparison compared(const struct tally *tally, double limit_s)
{
	struct trial_estimate estimate = estimate_of(tally);
	double low_s = estimate.mean_s - estimate.half_width_s, high_s = estimate.mean_s + estimate.half_width_s;

	if (!is_given(limit_s))
		return (struct comparison){.kept = true, .clear = estimate.half_width_s <= narrow_enough * estimate.mean_s};
	return (struct comparison){
		.kept = high_s <= limit_s, .clear = high_s <= limit_s || low_s > limit_s || estimate.half_width_s <= narrow_enough * limit_s};
}

static struct comparison compared_all(const struct tallies *tallies, const struct promise *promise)
{
	struct trial_estimate ttft = estimate_of(&tallies->of[QUANTITY_TTFT][SHARE_PROMISED]),
						  e2e = estimate_of(&tallies->of[QUANTITY_E2E][SHARE_PROMISED]);
	double e2e_factor = e2e.mean_s > 0 ? promise_e2e_s(promise, ttft.mean_s, e2e.mean_s) / e2e.mean_s : 1;
	const double limits_s[PROMISED_COUNT] = {
		promise->ttft_s / exp(promise->log_ttft), promise->tpot_s / exp(promise->log_tpot), promise->e2e_s / e2e_factor};
	struct comparison all = {true, true};

	for (int quantity = 0; quantity < PROMISED_COUNT; quantity++) {
		struct comparison one = compared(&tallies->of[quantity][SHARE_PROMISED], limits_s[quantity]);

		/* One clearly broken limit decides the comparison. */
		if (one.clear && !one.kept)
			return (struct comparison){.kept = false, .clear = true};
		all.kept = all.kept && one.kept;
		all.clear = all.clear && one.clear;
	}
	return all;
}

static struct trial_latency latency_of(const struct tally tallies[SHARE_COUNT])
{
	return (struct trial_latency){.p50 = estimate_of(&tallies[SHARE_P50]),
		.p95 = estimate_of(&tallies[SHARE_P95]),
		.p99 = estimate_of(&tallies[SHARE_P99]),
		.promised = estimate_of(&tallies[SHARE_PROMISED])};
}

/* Runs one more repetition with the remaining work. False if it has no result: the load exceeds the capacity, or the
 * work was used up. */
static bool trial_repeat(const struct trial_setting *setting, void *workspace, struct trial *trial, struct simulation_result *result)
{
	struct simulation_setting run = setting->run;

	run.seed += (uint64_t)trial->replications;
	run.work = setting->work > 0 ? setting->work - trial->work : 0;
	trial->exhausted = setting->work > 0 && run.work <= 0;
	if (trial->exhausted)
		return false;
	simulation_run(&run, workspace, result);
	trial->work += result->work;
	trial->saturated = result->saturated;
	trial->exhausted = result->exhausted;
	return !result->saturated && !result->exhausted;
}

static void trial_take(struct trial *trial, const struct simulation_result *result)
{
	double weight = 1 / (double)(++trial->replications);

	trial->requests += result->e2e.count + result->rest_e2e.count;
	trial->cached_share += weight * (result->cached_share - trial->cached_share);
	trial->evictions += result->evictions;
	trial->output_tokens_per_s += weight * (result->counted_output_tokens / result->counted_s - trial->output_tokens_per_s);
	trial->busy_fraction += weight * (result->busy_fraction - trial->busy_fraction);
	trial->mean_batch += weight * (result->mean_batch - trial->mean_batch);
}

void trial_run(const struct trial_setting *setting, void *workspace, struct trial *trial)
{
	struct tallies tallies = {.of = {{{0}}}};
	struct comparison comparison = {false, false};
	struct simulation_result result;

	*trial = (struct trial){.kept = false};
	while (trial->replications < setting->replications_max && !comparison.clear) {
		if (!trial_repeat(setting, workspace, trial, &result)) {
			/* Enough repetitions are done: use their result and its interval. */
			if (trial->saturated || trial->replications < TRIAL_REPLICATIONS_LEAST)
				return;
			trial->exhausted = false;
			break;
		}
		trial_take(trial, &result);
		tallies_add(&tallies, &result, setting->promise.percentile);
		comparison = compared_all(&tallies, &setting->promise);
		comparison.clear = comparison.clear && trial->replications >= TRIAL_REPLICATIONS_LEAST;
	}
	trial->kept = comparison.kept;
	trial->ttft = latency_of(tallies.of[QUANTITY_TTFT]);
	trial->tpot = latency_of(tallies.of[QUANTITY_TPOT]);
	trial->e2e = latency_of(tallies.of[QUANTITY_E2E]);
	trial->rest_ttft = latency_of(tallies.of[QUANTITY_REST_TTFT]);
	trial->rest_tpot = latency_of(tallies.of[QUANTITY_REST_TPOT]);
	trial->rest_e2e = latency_of(tallies.of[QUANTITY_REST_E2E]);
}
