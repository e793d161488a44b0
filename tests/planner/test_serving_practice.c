/* Practice and confidence of a service (E136, E137): the parts and their
 * sources, the inputs that replace a part, and the promises. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/interval.h"
#include "planner/replica/operating.h"
#include "planner/serving/promises.h"
#include "support/assert.h"
#include "support/serving_fixture.h"

static struct serving_fixture fixture;
static struct inference_plan plan;
static struct performance performance;
static struct failure failure;
static void *workspace;
static bool simulates;
#define REQUEST fixture.inference.request
#define BEST    plan.recommended

static enum status run(void)
{
	memset(&plan, 0, sizeof plan);
	failure_clear(&failure);
	fixture.inference.workspace = simulates ? workspace : NULL;
	fixture.inference.workspace_bytes = simulator_workspace_bytes();
	return planner_inference(&fixture.inference, &plan, &failure);
}

static void planned(void)
{
	if (run() != STATUS_OK)
		fail_msg("%s", failure.detail);
}

static void begin(enum practice_kind practice, double confidence)
{
	simulates = false;
	serving_fixture_fill(&fixture);
	REQUEST.common.practice = practice;
	REQUEST.common.confidence = confidence;
	REQUEST.common.alternatives = 0;
	REQUEST.queries_per_minute = 6000;
	REQUEST.parallelism.tensor = 4;
	REQUEST.parallelism.max_batch = 256;
}

static void a_fixed_number(int64_t count)
{
	REQUEST.common.gpu_count = count;
	REQUEST.queries_per_minute = ABSENT_NUMBER;
}

static size_t place_of(const struct practice *practice, const char *name)
{
	size_t i = 0;

	while (i < practice->part_count && strcmp(practice->parts[i].name, name) != 0)
		i++;
	return i;
}

static bool has_part(const struct practice *practice, const char *name)
{
	return place_of(practice, name) < practice->part_count;
}

static struct practice_part part(const struct practice *practice, const char *name)
{
	CHECK(has_part(practice, name));
	return practice->parts[place_of(practice, name)];
}

static struct service_promise promise(const char *what, const char *member)
{
	for (size_t i = 0; i < BEST.promise_count; i++)
		if (strcmp(BEST.promises[i].what, what) == 0 && (!member || strcmp(BEST.promises[i].member, member) == 0))
			return BEST.promises[i];
	fail_msg("no promise of %s", what);
	return (struct service_promise){NULL, NULL, 0, 0};
}

static double quantile(const double *sorted, size_t count, double share)
{
	double at = (double)(count - 1) * share, low = floor(at);
	size_t i = (size_t)low;

	return sorted[i] + (i + 1 < count ? (at - low) * (sorted[i + 1] - sorted[i]) : 0);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Reads the pairs of a kind in tests/validation/engine_pairs.csv into `ratios`, sorted: throughput after over before.
 * Returns their number. */
static size_t pairs_of(const char *kind, double *ratios, size_t most)
{
	FILE *file = fopen("tests/validation/engine_pairs.csv", "r");
	char line[1024];
	size_t count = 0;

	assert_non_null(file);
	while (fgets(line, sizeof line, file)) {
		double before, after;
		const char *at = line;

		if (strncmp(line, kind, strlen(kind)) != 0)
			continue;
		for (int comma = 0; comma < 11; comma++)
			at = strchr(at, ',') + 1;
		assert_int_equal(sscanf(at, "%lf,%lf", &before, &after), 2);
		assert_true(count < most);
		ratios[count++] = after / before;
	}
	fclose(file);
	qsort(ratios, count, sizeof *ratios, ascending);
	return count;
}

static void the_parts_are_what_the_pairs_say(void **state)
{
	struct practice practice;
	double ratios[64];
	size_t count;

	(void)state;
	begin(PRACTICE_TYPICAL, 0.5);
	practice = practice_of_service(&REQUEST);
	count = pairs_of("flags", ratios, COUNT_OF(ratios));
	assert_int_equal(count, 8);
	assert_close(part(&practice, "flags").factor, quantile(ratios, count, 0.5), 0.005);
	assert_close(part(&practice, "flags").low, quantile(ratios, count, 0.1), 0.005);
	assert_close(part(&practice, "flags").high, quantile(ratios, count, 0.9), 0.005);
	count = pairs_of("release", ratios, COUNT_OF(ratios));
	assert_int_equal(count, 33);
	/* newer releases are not faster; no part of practice makes a service faster than its recipe */
	assert_close(quantile(ratios, count, 0.5), 0.98, 0.005);
	assert_close(part(&practice, "release").factor, fmax(quantile(ratios, count, 0.5), 1), 0.005);
	assert_close(part(&practice, "release").low, quantile(ratios, count, 0.1), 0.005);
	assert_close(part(&practice, "release").high, quantile(ratios, count, 0.9), 0.005);
	assert_close(part(&practice, "load").factor, 1, 1e-12);
	assert_contains(part(&practice, "load").source, "no published pair");
}

static void what_is_known_replaces_its_part(void **state)
{
	static struct rate_piece piece = {60, 10};
	struct practice practice;

	(void)state;
	begin(PRACTICE_RECIPE, 0.5);
	practice = practice_of_service(&REQUEST);
	assert_int_equal(practice.part_count, 0);
	assert_close(practice.value, 1, 1e-12);
	begin(PRACTICE_TYPICAL, 0.5);
	practice = practice_of_service(&REQUEST);
	assert_int_equal(practice.part_count, 4);
	assert_true(practice.low < practice.value && practice.value < practice.high);
	REQUEST.engine_release = "2026-06";
	practice = practice_of_service(&REQUEST);
	assert_false(has_part(&practice, "release"));
	assert_true(has_part(&practice, "flags") && has_part(&practice, "tuning"));
	assert_close(part(&practice, "flags").factor * part(&practice, "tuning").factor, 1.06,
		0.005); /* the factor of the five tests for both together */
	REQUEST.throughput_tokens_per_s_per_gpu = 500;
	REQUEST.rate_profile = (struct rate_profile){&piece, 1};
	practice = practice_of_service(&REQUEST);
	assert_int_equal(practice.part_count, 0);
	begin(PRACTICE_TYPICAL, 0.5);
	practice = practice_of_service(&REQUEST);
	REQUEST.common.practice = PRACTICE_FIRST_RUN;
	assert_close(practice_of_service(&REQUEST).value,
		interval_quantile(&(struct interval){practice.low, practice.value, practice.high}, 0.8), 1e-12);
}

/* One factor on all of a replica's times gives the same replica on a slower clock. */
static void a_slower_replica_is_the_same_one_on_a_slower_clock(void **state)
{
	const double slow = 1.3, requests_per_s = 2;
	struct replica_layout layout = {.tensor = 4,
		.pipeline = 1,
		.expert = 1,
		.attention_data = 1,
		.precision = PRECISION_BF16,
		.kv_precision = PRECISION_BF16,
		.engine = ENGINE_VLLM,
		.release_years = 6,
		.max_batch = ABSENT_NUMBER,
		.chunk_tokens = ABSENT_NUMBER};
	struct request_shape shape = {.prompt_tokens = 1000, .output_tokens = 300, .run_requests = ABSENT_NUMBER};
	struct operating_point fast, late;
	struct replica replica;

	(void)state;
	begin(PRACTICE_RECIPE, 0.5);
	assert_true(replica_prepare(&replica, &fixture.inference.model, &fixture.candidate.accelerator, NULL, &layout, &serving_constants));
	operating_open(&replica, &shape, requests_per_s, &fast);
	replica_slow(&replica, slow);
	operating_open(&replica, &shape, requests_per_s / slow, &late);
	assert_close(late.ttft_s, slow * fast.ttft_s, 1e-3);
	assert_close(late.tpot_s, slow * fast.tpot_s, 1e-3);
	operating_closed(&replica, &shape, CONCURRENCY_MAX, &late);
	replica_slow(&replica, 1 / slow);
	operating_closed(&replica, &shape, CONCURRENCY_MAX, &fast);
	assert_close(late.requests_per_s, fast.requests_per_s / slow, 1e-9);
}

static void one_error_moves_capacity_and_latency_together(void **state)
{
	struct practice practice;
	struct residuals residuals = {.throughput = 0.15, .tpot = 0.16, .ttft = 0.32};
	struct assurance assurance;
	struct allowance allowance;
	double z = normal_quantile(0.8);

	(void)state;
	begin(PRACTICE_TYPICAL, 0.8);
	practice = practice_of_service(&REQUEST);
	assurance = assurance_of(0.8, &practice);
	allowance = allowance_of(&assurance, &residuals);
	/* each whole factor is its own quantile, not a product of margins */
	assert_close(allowance.slow, practice.value * exp(z * hypot(0.15, assurance.practice.high)), 1e-9);
	assert_close(allowance.slow * exp(allowance.log_ttft), practice.value * exp(z * hypot(0.32, assurance.practice.high)), 1e-9);
	assert_close(allowance.slow * exp(allowance.log_tpot), practice.value * exp(z * hypot(0.16, assurance.practice.high)), 1e-9);
	/* of a whole request, the first token and the rest each have their own factor */
	assert_close(promise_e2e_s(&(struct promise){.log_ttft = log(2), .log_tpot = log(1.5)}, 1, 5), 2 + 4 * 1.5, 1e-12);
	assurance = assurance_of(0.5, &practice);
	allowance = allowance_of(&assurance, &residuals);
	assert_close(allowance.slow, practice.value, 1e-12);
	assert_true(fabs(allowance.log_ttft) < 1e-12);
	begin(PRACTICE_RECIPE, 0.5);
	practice = practice_of_service(&REQUEST);
	assurance = assurance_of(0.5, &practice);
	assert_true(memcmp(&(double){allowance_of(&assurance, &residuals).slow}, &(double){1}, sizeof(double)) == 0);
}

static double load_held(enum practice_kind practice, double confidence)
{
	begin(practice, confidence);
	a_fixed_number(16);
	planned();
	return BEST.throughput.output_tokens_per_s;
}

static void practice_takes_capacity_and_leaves_the_plans_own_speed(void **state)
{
	double recipe = load_held(PRACTICE_RECIPE, 0.5), rule = plan.rule_of_thumb.throughput_tokens_per_s_per_gpu, tpot_ms, kwh, value,
		   z = normal_quantile(0.8);

	(void)state;
	value = (load_held(PRACTICE_TYPICAL, 0.5), BEST.practice.value);
	assert_false(is_given(BEST.practice.own_runs) || is_given(BEST.practice.own_weight)); /* not for services */
	assert_true(value > 1.02);
	assert_close(recipe / BEST.throughput.output_tokens_per_s, value, 1e-6);
	assert_close(plan.rule_of_thumb.throughput_tokens_per_s_per_gpu, rule, 1e-12);
	assert_close(BEST.utilization, 0.9 / value, 1e-6);
	assert_true(load_held(PRACTICE_FIRST_RUN, 0.5) < recipe / value);
	/* at 80 % a fixed number reports the load that it carries with that probability */
	assert_close(recipe / load_held(PRACTICE_RECIPE, 0.8), exp(z * 0.15), 1e-3);
	assert_close(promise("load", NULL).probability, 0.8, 1e-6);
	load_held(PRACTICE_TYPICAL, 0.8);
	assert_close(promise("load", NULL).probability, 0.8, 1e-6);
	/* at the same load on the same accelerators latency stays the same; energy is
	 * that of slower engines with larger batches */
	begin(PRACTICE_RECIPE, 0.5);
	REQUEST.queries_per_minute = 600;
	REQUEST.common.gpu_count = 16;
	planned();
	tpot_ms = BEST.latency.tpot_ms.p95;
	kwh = BEST.energy.kwh_per_month;
	REQUEST.common.practice = PRACTICE_TYPICAL;
	planned();
	assert_close(BEST.latency.tpot_ms.p95, tpot_ms, 1e-12);
	assert_close(BEST.energy.kwh_per_month, kwh, 0.02);
	assert_true(fabs(BEST.energy.kwh_per_month - kwh) > 1e-3 * kwh);
}

static void a_measured_throughput_leaves_latency_unknown(void **state)
{
	double even;

	(void)state;
	begin(PRACTICE_TYPICAL, 0.5);
	REQUEST.throughput_tokens_per_s_per_gpu = 500;
	a_fixed_number(16);
	planned();
	even = BEST.throughput.output_tokens_per_s;
	REQUEST.common.confidence = 0.95;
	planned();
	assert_close(BEST.throughput.output_tokens_per_s, even, 1e-9);
	assert_close(promise("load", NULL).probability, 1, 1e-12);
	REQUEST.slo.ttft_ms = BEST.latency.ttft_ms.p95 * 1.2; /* 20 % more are not enough for 95 % */
	planned();
	assert_true(BEST.throughput.output_tokens_per_s < 0.99 * even);
}

/* The throughput is given, so a limit includes only the latencies' own spread: 0.16 of TPOT, 0.33 of TTFT. */
static void limits_have_the_rest_of_their_spread(bool with_simulation)
{
	double z = normal_quantile(0.9), planned_ms;

	begin(PRACTICE_RECIPE, 0.9);
	simulates = with_simulation;
	REQUEST.throughput_tokens_per_s_per_gpu = 800;
	a_fixed_number(16);
	planned();
	planned_ms = BEST.latency.tpot_ms.p95;
	REQUEST.slo.tpot_ms = planned_ms;
	planned();
	assert_true(BEST.latency.tpot_ms.p95 * exp(z * 0.16) <= REQUEST.slo.tpot_ms * 1.0001);
	assert_true(BEST.latency.tpot_ms.p95 * exp(z * 0.16) > REQUEST.slo.tpot_ms * 0.93);
	begin(PRACTICE_RECIPE, 0.9);
	simulates = with_simulation;
	REQUEST.throughput_tokens_per_s_per_gpu = 800;
	a_fixed_number(16);
	planned();
	REQUEST.slo.ttft_ms = 1.03 * BEST.latency.ttft_ms.p95;
	planned();
	assert_true(BEST.latency.ttft_ms.p95 * exp(z * 0.33) <= REQUEST.slo.ttft_ms * 1.0001);
	assert_true(BEST.latency.ttft_ms.p95 * exp(z * 0.33) > REQUEST.slo.ttft_ms * 0.8);
}

static void formulas_hold_limits_against_the_rest_of_the_spread(void **state)
{
	(void)state;
	limits_have_the_rest_of_their_spread(false);
}

static void simulations_hold_limits_against_the_rest_of_the_spread(void **state)
{
	(void)state;
	limits_have_the_rest_of_their_spread(true);
}

static void promises_are_kept_with_their_confidence(bool with_simulation)
{
	int64_t last = 0, first = 0;

	for (double confidence = 0.5; confidence < 0.96; confidence += 0.15) {
		begin(PRACTICE_TYPICAL, confidence);
		simulates = with_simulation;
		REQUEST.slo.ttft_ms = 900;
		REQUEST.slo.tpot_ms = 60;
		REQUEST.queries_per_minute = 3000;
		planned();
		assert_true(BEST.slo_met);
		assert_int_equal(BEST.promise_count, 3);
		assert_true(promise("load", NULL).probability >= confidence);
		assert_true(promise("slo", "ttft_ms").probability >= confidence);
		assert_true(promise("slo", "tpot_ms").probability >= confidence);
		assert_close(promise("slo", "tpot_ms").limit, 60, 1e-12);
		assert_true(BEST.gpu_count >= last);
		first = first ? first : BEST.gpu_count;
		last = BEST.gpu_count;
		REQUEST.common.gpu_count = last - 4; /* one replica fewer does not keep it */
		assert_int_equal(run(), STATUS_INFEASIBLE);
		if (last > first && !with_simulation) /* a fleet of the even-odds size has no lower one */
			assert_contains(failure.detail, "highest confidence");
		assert_true(with_simulation || confidence < 0.6 || !strstr(failure.detail, "with 0 x"));
	}
	assert_true(last >= first + 8);
}

static void formulas_keep_promises_with_their_confidence(void **state)
{
	(void)state;
	promises_are_kept_with_their_confidence(false);
}

static void simulations_judge_at_the_quantile(void **state)
{
	(void)state;
	promises_are_kept_with_their_confidence(true);
	/* the reported latency is the plan's own, below the one that was judged */
	begin(PRACTICE_RECIPE, 0.9);
	simulates = true;
	REQUEST.slo.tpot_ms = 40;
	REQUEST.queries_per_minute = 3000;
	planned();
	assert_true(BEST.simulated.replications > 0);
	assert_true(BEST.latency.tpot_ms.p95 * exp(0.15 * normal_quantile(0.9)) < 40);
}

/* The probability of a promise rises with the limit. It is even if the limit is the plan's own median figure. */
static void a_tighter_limit_is_less_likely(void **state)
{
	double last = 1.1, limit_ms;

	(void)state;
	begin(PRACTICE_RECIPE, 0.5);
	REQUEST.common.gpu_count = 64;
	REQUEST.queries_per_minute = 600;
	REQUEST.slo.tpot_ms = 1000;
	planned();
	limit_ms = BEST.latency.tpot_ms.p95;
	for (double part = 1.5; part > 0.999; part -= 0.1) {
		REQUEST.slo.tpot_ms = limit_ms * (part + 1e-6);
		planned();
		assert_true(promise("slo", "tpot_ms").probability < last);
		last = promise("slo", "tpot_ms").probability;
	}
	assert_close(last, 0.5, 0.01);
	/* 20 % above it: the steps' sigma is 0.16, and requests are nearly alone on a replica */
	REQUEST.slo.tpot_ms = limit_ms * 1.2;
	planned();
	assert_true(promise("slo", "tpot_ms").probability > 0.75 &&
		promise("slo", "tpot_ms").probability < 0.5 * erfc(-log(1.2) / 0.16 / sqrt(2)) + 0.01);
}

static void caps_and_budgets_are_promises_too(void **state)
{
	double usd, needed, z = normal_quantile(0.8), sigma = interval_log_sigma(2.2, 4.5);
	const char *at;

	(void)state;
	begin(PRACTICE_TYPICAL, 0.8);
	planned();
	usd = BEST.cost.usd_per_month * exp(z * sigma);
	REQUEST.budget_usd_per_month = usd * 1.001;
	REQUEST.common.energy_cap_kwh = BEST.energy.kwh_per_month * 2;
	planned();
	assert_close(promise("budget", NULL).probability, 0.8, 0.01);
	assert_true(promise("budget", NULL).probability >= 0.8);
	assert_true(promise("energy_cap", NULL).probability > 0.95);
	REQUEST.budget_usd_per_month = usd * 0.999;
	assert_int_equal(run(), STATUS_INFEASIBLE);
	assert_string_equal(failure.faults[0].pointer, "/budget_usd_per_month");
	/* the fault and its detail say what the fleet needs with that confidence */
	assert_contains(failure.detail, "no fleet keeps the caps with a confidence of 0.8; the nearest, ");
	at = strstr(failure.detail, " needs ");
	assert_non_null(at);
	assert_int_equal(sscanf(at, " needs %lf USD", &needed), 1);
	assert_close(needed, ceil(usd), 1e-9);
	REQUEST.common.confidence = 0.5;
	planned();
	begin(PRACTICE_TYPICAL, 0.9);
	planned();
	REQUEST.common.carbon_cap_kgco2e = BEST.carbon.kgco2e_per_month; /* its median: even odds */
	REQUEST.common.energy_cap_kwh = BEST.energy.kwh_per_month * 2;
	assert_int_equal(run(), STATUS_INFEASIBLE);
	assert_string_equal(failure.faults[0].pointer, "/carbon_cap_kgco2e");
	assert_int_equal(failure.fault_total, 1);
	begin(PRACTICE_TYPICAL, 0.9);
	planned();
	REQUEST.common.energy_cap_kwh = BEST.energy.kwh_per_month;
	assert_int_equal(run(), STATUS_INFEASIBLE);
	assert_string_equal(failure.faults[0].pointer, "/energy_cap_kwh");
}

static void more_confidence_costs_more(void **state)
{
	const struct service_confidence *points = plan.confidence_curve;
	int64_t even;

	(void)state;
	begin(PRACTICE_TYPICAL, 0.9);
	REQUEST.slo.tpot_ms = 60;
	planned();
	assert_int_equal(plan.confidence_count, 4);
	for (size_t i = 1; i < 4; i++) {
		assert_true(points[i].confidence > points[i - 1].confidence);
		assert_true(points[i].gpu_count > points[i - 1].gpu_count);
		assert_true(points[i].usd_per_month > points[i - 1].usd_per_month);
	}
	assert_close(points[2].confidence, 0.9, 1e-12);
	assert_int_equal(points[2].gpu_count, BEST.gpu_count);
	even = points[0].gpu_count;
	REQUEST.common.confidence = 0.5;
	planned();
	assert_int_equal(plan.confidence_count, 3);
	assert_int_equal(even, BEST.gpu_count);
	a_fixed_number(16);
	planned();
	assert_true(points[0].requests_per_s > points[1].requests_per_s && points[1].requests_per_s > points[2].requests_per_s);
	assert_int_equal(points[2].gpu_count, 16);
}

static void the_costliest_uncertainty_comes_first_with_its_cure(void **state)
{
	(void)state;
	begin(PRACTICE_TYPICAL, 0.8);
	planned();
	assert_int_equal(plan.uncertainty_count, 5); /* throughput, release, flags, tuning, price; the load has no published spread */
	assert_string_equal(plan.uncertainties[0].field, "price");
	assert_contains(plan.uncertainties[0].cure, "quote");
	assert_string_equal(plan.uncertainties[1].field, "throughput");
	assert_contains(plan.uncertainties[1].cure, "/v1/benchmarks");
	for (size_t i = 1; i < plan.uncertainty_count; i++)
		assert_true(plan.uncertainties[i].usd_per_month < plan.uncertainties[i - 1].usd_per_month);
	assert_true(plan.uncertainties[1].gpu_count > 0.02 * (double)BEST.gpu_count);
	REQUEST.common.confidence = 0.5;
	planned();
	assert_true(fabs(plan.uncertainties[0].usd_per_month) < 1e-9 * BEST.cost.usd_per_month);
	REQUEST.common.pricing.usd_per_gpu_hour = 2;
	REQUEST.throughput_tokens_per_s_per_gpu = 500;
	planned();
	assert_int_equal(plan.uncertainty_count, 0);
}

static double speed_of(enum practice_kind practice)
{
	memset(&performance, 0, sizeof performance);
	failure_clear(&failure);
	fixture.performance.request.common.practice = practice;
	assert_int_equal(planner_performance(&fixture.performance, &performance, &failure), STATUS_OK);
	return performance.output_tokens_per_s;
}

static void one_replica_runs_its_recipe_unless_told(void **state)
{
	double recipe, unset, typical, tpot_ms;

	(void)state;
	serving_fixture_fill(&fixture);
	recipe = speed_of(PRACTICE_RECIPE);
	tpot_ms = performance.tpot_ms;
	assert_int_equal(performance.practice.part_count, 0);
	unset = speed_of(PRACTICE_UNSET);
	assert_close(recipe, unset, 1e-12);
	typical = speed_of(PRACTICE_TYPICAL);
	assert_close(recipe / typical, performance.practice.value, 1e-9);
	assert_close(performance.tpot_ms / tpot_ms, performance.practice.value, 1e-9);
	assert_int_equal(performance.practice.part_count, 3); /* the load is given */
	/* slower is more likely than faster: throughput ranges further down, latency further up */
	assert_true(performance.interval.output_tokens_per_s.p50 / performance.interval.output_tokens_per_s.p10 >
		performance.interval.output_tokens_per_s.p90 / performance.interval.output_tokens_per_s.p50);
	assert_true(performance.interval.tpot_ms.p90 / performance.interval.tpot_ms.p50 >
		performance.interval.tpot_ms.p50 / performance.interval.tpot_ms.p10);
}

/* No size keeps the limit at 99 %, but some size keeps it with less. The fault names the highest confidence. */
static void an_unreachable_confidence_names_the_highest(void **state)
{
	const char *at;
	double named;

	(void)state;
	begin(PRACTICE_TYPICAL, 0.5);
	REQUEST.common.gpu_count = 400;
	REQUEST.queries_per_minute = 60;
	planned();
	REQUEST.slo.tpot_ms = BEST.latency.tpot_ms.p95 * 1.2;
	REQUEST.common.gpu_count = ABSENT_COUNT;
	REQUEST.common.confidence = 0.99;
	assert_int_equal(run(), STATUS_INFEASIBLE);
	at = strstr(failure.detail, "highest confidence that it can be kept with is ");
	assert_non_null(at);
	assert_int_equal(sscanf(at, "highest confidence that it can be kept with is %lf, with", &named), 1);
	REQUEST.common.confidence = named - 0.01;
	planned();
	REQUEST.common.confidence = named + 0.02;
	assert_int_equal(run(), STATUS_INFEASIBLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_parts_are_what_the_pairs_say),
		cmocka_unit_test(what_is_known_replaces_its_part),
		cmocka_unit_test(a_slower_replica_is_the_same_one_on_a_slower_clock),
		cmocka_unit_test(one_error_moves_capacity_and_latency_together),
		cmocka_unit_test(practice_takes_capacity_and_leaves_the_plans_own_speed),
		cmocka_unit_test(a_measured_throughput_leaves_latency_unknown),
		cmocka_unit_test(formulas_hold_limits_against_the_rest_of_the_spread),
		cmocka_unit_test(simulations_hold_limits_against_the_rest_of_the_spread),
		cmocka_unit_test(formulas_keep_promises_with_their_confidence),
		cmocka_unit_test(simulations_judge_at_the_quantile),
		cmocka_unit_test(a_tighter_limit_is_less_likely),
		cmocka_unit_test(caps_and_budgets_are_promises_too),
		cmocka_unit_test(more_confidence_costs_more),
		cmocka_unit_test(the_costliest_uncertainty_comes_first_with_its_cure),
		cmocka_unit_test(one_replica_runs_its_recipe_unless_told),
		cmocka_unit_test(an_unreachable_confidence_names_the_highest),
	};
	int failed;

	workspace = malloc(simulator_workspace_bytes());
	if (!workspace)
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	free(workspace);
	return failed;
}
