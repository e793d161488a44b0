/* Deadlines, budgets, caps, memory and pins: which limit binds, faults where
 * nothing is feasible, and awkward requests. */
#include <stdlib.h>

#include "planner/interval.h"
#include "support/assert.h"
#include "support/training_fixture.h"

static struct training_fixture fixture;
#define REQUEST (fixture.input.request)
#define BEST    (fixture.plan.recommended)

static void begin(void)
{
	fixture_init(&fixture);
}

static void a_deadline_gives_the_smallest_number(void **state)
{
	int64_t enough;

	(void)state;
	begin();
	REQUEST.deadline_hours = 720;
	REQUEST.common.objective = OBJECTIVE_GPUS;
	fixture_planned(&fixture);
	fixture_check_option(&fixture, &BEST);
	assert_true(BEST.wall_clock_hours <= 720);
	enough = BEST.gpu_count;
	assert_int_equal(enough % 8, 0);
	REQUEST.common.gpu_count = enough - 8;
	assert_int_equal(fixture_plan(&fixture), STATUS_INFEASIBLE);
	assert_contains(fixture.failure.detail, "% more");
	assert_contains(fixture.failure.detail, "keeps the limit with a probability of 0.0");
	assert_contains(fixture.failure.detail, " of them keep the deadline");
	REQUEST.common.gpu_count = enough;
	fixture_planned(&fixture);
	assert_close(fixture.plan.rule_of_thumb.gpu_count_exact * 720, fixture.plan.rule_of_thumb.gpu_hours, 1e-12);
	assert_contains(fixture.plan.rule_of_thumb.formula, "13.3");
}

/* With a deadline far below any plan's hours, the widest range is the likeliest. The fault names it and the fastest,
 * which is another number. */
static void an_impossible_deadline_says_what_is_likeliest(void **state)
{
	double fastest_hours, probability;
	long fastest, likeliest;
	const char *at;

	(void)state;
	begin();
	REQUEST.tokens = 1e12;
	REQUEST.common.confidence = 0.99;
	REQUEST.deadline_hours = 3;
	assert_int_equal(fixture_plan(&fixture), STATUS_INFEASIBLE);
	at = strstr(fixture.failure.detail, "the fastest found, ");
	assert_non_null(at);
	assert_int_equal(sscanf(at, "the fastest found, %ld of h100-sxm5-80gb, needs %lf hours", &fastest, &fastest_hours), 2);
	at = strstr(fixture.failure.detail, "the highest probability is ");
	assert_non_null(at);
	assert_int_equal(sscanf(at, "the highest probability is %lf, with %ld of", &probability, &likeliest), 2);
	assert_int_not_equal(fastest, likeliest);
	/* the fastest keeps the hours that the fault gives; the likeliest does not */
	REQUEST.deadline_hours = 1.001 * fastest_hours;
	REQUEST.common.gpu_count = fastest;
	fixture_planned(&fixture);
	REQUEST.common.gpu_count = likeliest;
	assert_int_equal(fixture_plan(&fixture), STATUS_INFEASIBLE);
}

/* Either of two limits can be kept alone. The fault gives both ends, and each
 * breaks the limit that it does not keep. */
static void limits_that_exclude_each_other_say_by_how_much(void **state)
{
	static const char *const words[] = {"the fastest found, ", "the cheapest, "};
	double hours[2], usd[2];
	long counts[2];

	(void)state;
	begin();
	REQUEST.common.confidence = 0.8;
	REQUEST.common.practice = PRACTICE_TYPICAL;
	REQUEST.common.gpu_count = ABSENT_COUNT;
	REQUEST.deadline_hours = 240;
	fixture_planned(&fixture);
	REQUEST.budget_usd = 0.9 * interval_quantile(&BEST.interval.total_usd, 0.8);
	assert_true(REQUEST.budget_usd > 1.05 * BEST.cost.total_usd &&
		BEST.wall_clock_hours < 0.95 * REQUEST.deadline_hours); /* the medians keep both limits */
	assert_int_equal(fixture_plan(&fixture), STATUS_INFEASIBLE);
	assert_contains(fixture.failure.detail, "confidence of 0.8, but not all at once");
	for (size_t i = 0; i < 2; i++) {
		const char *at = strstr(fixture.failure.detail, words[i]);

		assert_non_null(at);
		assert_int_equal(sscanf(at + strlen(words[i]), "%ld of h100-sxm5-80gb, needs %lf hours, %lf USD", &counts[i], &hours[i], &usd[i]), 3);
	}
	assert_true(hours[0] <= 240 && usd[0] > REQUEST.budget_usd);
	assert_true(hours[1] > 240 && usd[1] <= REQUEST.budget_usd);
	REQUEST.common.gpu_count = counts[1]; /* planning it gives the same figures */
	REQUEST.deadline_hours = ABSENT_NUMBER;
	fixture_planned(&fixture);
	assert_close(interval_quantile(&BEST.interval.total_usd, 0.8), usd[1], 1e-5);
	assert_close(interval_quantile(&BEST.interval.wall_clock_hours, 0.8), hours[1], 1e-5);
	/* without a price the fault does not mention money */
	begin();
	REQUEST.common.pricing.usd_per_gpu_hour = ABSENT_NUMBER;
	REQUEST.common.gpu_count = ABSENT_COUNT;
	REQUEST.common.confidence = 0.8;
	REQUEST.common.practice = PRACTICE_TYPICAL;
	REQUEST.deadline_hours = 240;
	fixture_planned(&fixture);
	REQUEST.common.carbon_cap_kgco2e = 0.95 * interval_quantile(&BEST.interval.total_kgco2e, 0.8);
	assert_int_equal(fixture_plan(&fixture), STATUS_INFEASIBLE);
	assert_contains(fixture.failure.detail, "the cleanest, ");
	assert_null(strstr(fixture.failure.detail, "USD"));
	assert_contains(fixture.failure.detail, " kg; raise a limit");
}

/* The cheapest at even odds may cost more with the requested confidence, because its offers differ more. */
static void the_nearest_is_so_with_the_confidence(void **state)
{
	(void)state;
	begin();
	REQUEST.common.gpu_count = 8;
	REQUEST.common.confidence = 0.9;
	REQUEST.common.pricing.usd_per_gpu_hour = ABSENT_NUMBER;
	REQUEST.budget_usd = 100;
	fixture.candidates[0].has_offer = fixture.candidates[1].has_offer = true;
	fixture.candidates[1] = fixture.candidates[0];
	fixture.candidates[1].accelerator.id = "steady";
	fixture.candidates[0].offer = (struct offer){.provider = "p",
		.instance_type = "t",
		.gpus = 8,
		.term = TERM_ON_DEMAND,
		.usd_per_gpu_hour = 2,
		.low_usd_per_gpu_hour = 2,
		.high_usd_per_gpu_hour = 12};
	fixture.candidates[1].offer = (struct offer){.provider = "p",
		.instance_type = "t",
		.gpus = 8,
		.term = TERM_ON_DEMAND,
		.usd_per_gpu_hour = 2.1,
		.low_usd_per_gpu_hour = 2.1,
		.high_usd_per_gpu_hour = 2.1};
	fixture.input.candidate_count = 2;
	assert_int_equal(fixture_plan(&fixture), STATUS_INFEASIBLE);
	assert_contains(fixture.failure.detail, "the cheapest found, 8 of steady, needs");
	assert_contains(fixture.failure.detail, "with a probability of less than 0.001");
	assert_contains(fixture.failure.detail, "fewer tokens");
}

/* For a cap that no plan keeps, the fault names the number that needs least, and no other number needs less. */
static void the_nearest_to_a_cap_needs_least(void **state)
{
	static const struct {
		const char *words;
		size_t cap, range; /* offsets in the request and in the option */
	} caps[] = {
		{"the thriftiest found, ", offsetof(struct training_request, common.energy_cap_kwh),
			offsetof(struct training_option, interval.total_kwh)},
		{"the cleanest found, ", offsetof(struct training_request, common.carbon_cap_kgco2e),
			offsetof(struct training_option, interval.total_kgco2e)},
		{"the cheapest found, ", offsetof(struct training_request, budget_usd), offsetof(struct training_option, interval.total_usd)},
	};
	static const int64_t counts[] = {2, 8, 64, 512};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(caps); i++) {
		const char *at;
		double needs;
		long count;

		begin();
		REQUEST.common.practice = PRACTICE_TYPICAL;
		REQUEST.common.confidence = 0.8;
		REQUEST.common.gpu_count = ABSENT_COUNT;
		*(double *)((char *)&REQUEST + caps[i].cap) = 1;
		assert_int_equal(fixture_plan(&fixture), STATUS_INFEASIBLE);
		at = strstr(fixture.failure.detail, caps[i].words);
		assert_non_null(at);
		assert_int_equal(sscanf(at + strlen(caps[i].words), "%ld of h100-sxm5-80gb, needs %lf", &count, &needs), 2);
		assert_contains(fixture.failure.detail, "fewer tokens");
		*(double *)((char *)&REQUEST + caps[i].cap) = ABSENT_NUMBER;
		for (size_t k = 0; k < COUNT_OF(counts); k++) {
			REQUEST.common.gpu_count = counts[k];
			fixture_planned(&fixture);
			assert_true(interval_quantile((const struct interval *)((const char *)&BEST + caps[i].range), 0.8) >= needs * (1 - 1e-5));
		}
	}
}

static void reserved_hours_come_off_the_deadline(void **state)
{
	(void)state;
	begin();
	REQUEST.tokens = 1e9;
	REQUEST.cadence_hours = 24;
	REQUEST.reserved_hours = 6;
	fixture_planned(&fixture);
	assert_true(BEST.wall_clock_hours <= 18);
	/* the rule's number is for 24 - 6 = 18 hours */
	assert_close(fixture.plan.rule_of_thumb.gpu_count_exact, fixture.plan.rule_of_thumb.gpu_hours / 18, 1e-12);
	assert_close(BEST.monthly.total_usd, BEST.cost.total_usd * 730 / 24, 1e-12);
	assert_close(BEST.monthly.total_kwh, BEST.energy.total_kwh * 730 / 24, 1e-12);
	REQUEST.reserved_hours = 24;
	assert_int_equal(fixture_plan(&fixture), STATUS_INVALID);
}

static void budgets_and_caps_bind(void **state)
{
	double cost, carbon;

	(void)state;
	begin();
	REQUEST.common.gpu_count = 256;
	fixture_planned(&fixture);
	cost = BEST.cost.total_usd;
	carbon = BEST.carbon.total_kgco2e;
	REQUEST.budget_usd = cost / 2;
	assert_int_equal(fixture_plan(&fixture), STATUS_INFEASIBLE);
	assert_contains(fixture.failure.detail, "budget_usd");
	REQUEST.budget_usd = cost * 1.01;
	fixture_planned(&fixture);
	REQUEST.common.gpu_count = ABSENT_COUNT;
	fixture_planned(&fixture);
	assert_true(BEST.cost.total_usd <= REQUEST.budget_usd);
	REQUEST.budget_usd = ABSENT_NUMBER;
	REQUEST.common.gpu_count = 256;
	REQUEST.common.carbon_cap_kgco2e = carbon / 2;
	assert_int_equal(fixture_plan(&fixture), STATUS_INFEASIBLE);
	assert_contains(fixture.failure.detail, "carbon_cap_kgco2e");
	REQUEST.common.carbon_cap_kgco2e = ABSENT_NUMBER;
	REQUEST.common.energy_cap_kwh = 1;
	assert_int_equal(fixture_plan(&fixture), STATUS_INFEASIBLE);
	assert_contains(fixture.failure.detail, "energy_cap_kwh");
	REQUEST.common.energy_cap_kwh = ABSENT_NUMBER;
	REQUEST.common.pricing.usd_per_gpu_hour = ABSENT_NUMBER;
	REQUEST.budget_usd = 1e9;
	assert_int_equal(fixture_plan(&fixture), STATUS_INFEASIBLE);
	assert_contains(fixture.failure.detail, "no price");
	REQUEST.budget_usd = ABSENT_NUMBER;
	fixture_planned(&fixture);
	assert_true(fixture_warned(&fixture, "no price"));
	assert_true(isnan(BEST.cost.total_usd));
}

static double hours_said(const char *detail)
{
	const char *in = strstr(detail, ") in ");

	return in ? strtod(in + 5, NULL) : ABSENT_NUMBER;
}

static void memory_says_what_would_help(void **state)
{
	double said_hours, said_more;

	(void)state;
	begin();
	fixture_model(&fixture.input.model, 80, 8192, 64, 8, 28672, 128256, false);
	REQUEST.common.gpu_count = 8;
	assert_int_equal(fixture_plan(&fixture), STATUS_INFEASIBLE);
	assert_contains(fixture.failure.detail, "memory");
	assert_contains(fixture.failure.detail, "GB");
	REQUEST.common.gpu_count = 64;
	REQUEST.parallelism.tensor = 8;
	REQUEST.parallelism.pipeline = 1;
	REQUEST.parallelism.micro_batch = 4;
	REQUEST.parallelism.recompute = RECOMPUTE_NONE;
	assert_int_equal(fixture_plan(&fixture), STATUS_INFEASIBLE);
	assert_contains(fixture.failure.detail, "full recomputation");
	said_hours = hours_said(fixture.failure.detail);
	said_more = strtod(strstr(fixture.failure.detail, " hours, ") + 8, NULL);
	REQUEST.common.enforce_memory = TRUTH_FALSE;
	fixture_planned(&fixture);
	assert_true(fixture_warned(&fixture, "would not run"));
	assert_true(BEST.memory.total_bytes > BEST.memory.capacity_bytes);
	REQUEST.common.enforce_memory = TRUTH_TRUE;
	REQUEST.parallelism.recompute = RECOMPUTE_FULL;
	fixture_planned(&fixture);
	assert_true(BEST.memory.total_bytes <= BEST.memory.capacity_bytes);
	assert_true(BEST.step.recompute_s > 0);
	assert_close(BEST.wall_clock_hours, said_hours, 1e-3);
	fixture.candidates[0].accelerator.memory_usable_bytes = 1e15;
	REQUEST.parallelism.recompute = RECOMPUTE_NONE;
	fixture_planned(&fixture);
	assert_close(100 * (said_hours / BEST.wall_clock_hours - 1), said_more, 0.02);
}

/* 21 billion parameters on 4 accelerators: the states only fit with the host's memory. The fault gives the hours of
 * the plan that uses it. */
static void offload_is_the_nearest_with_its_price(void **state)
{
	double said_hours, said_times;
	long long number;

	(void)state;
	begin();
	REQUEST.common.gpu_count = 4;
	REQUEST.global_batch_size = 16;
	fixture_model(&fixture.input.model, 48, 6656, 52, 4, 17920, 32000, false);
	assert_int_equal(fixture_plan(&fixture), STATUS_INFEASIBLE);
	assert_contains(fixture.failure.detail, "offloaded to the host");
	assert_contains(fixture.failure.detail, "times as long as with enough memory");
	said_hours = hours_said(fixture.failure.detail);
	said_times = strtod(strstr(fixture.failure.detail, " hours, ") + 8, NULL);
	number = strtoll(strstr(fixture.failure.detail, "or on ") + 6, NULL, 10);
	REQUEST.parallelism.offload = TRUTH_TRUE;
	fixture_planned(&fixture);
	assert_close(BEST.wall_clock_hours, said_hours, 1e-3);
	REQUEST.parallelism.offload = TRUTH_UNSET;
	REQUEST.common.gpu_count = number;
	fixture_planned(&fixture);
	REQUEST.common.gpu_count = number / 2;
	assert_int_equal(fixture_plan(&fixture), STATUS_INFEASIBLE);
	fixture.candidates[0].accelerator.memory_usable_bytes = 1e15;
	REQUEST.common.gpu_count = 4;
	fixture_planned(&fixture);
	assert_close(said_hours / BEST.wall_clock_hours, said_times, 0.01);
	assert_true(said_times > 2);
}

static void contradictory_pins_are_named(void **state)
{
	static const struct {
		struct parallelism pins;
		int64_t gpus;
		const char *pointer;
	} cases[] = {
		{{.tensor = 3, .pipeline = -1, .data = -1, .context = -1, .expert = -1, .interleave = -1, .micro_batch = -1}, 48,
			"/parallelism/tensor"},
		{{.tensor = 8, .pipeline = -1, .data = -1, .context = -1, .expert = -1, .interleave = -1, .micro_batch = -1}, 12, "/parallelism"},
		{{.tensor = 2, .pipeline = 2, .data = 2, .context = 1, .expert = -1, .interleave = -1, .micro_batch = -1}, 16, "/parallelism"},
		{{.tensor = 1, .pipeline = 64, .data = -1, .context = -1, .expert = -1, .interleave = -1, .micro_batch = -1}, 64,
			"/parallelism/pipeline"},
		{{.tensor = -1, .pipeline = -1, .data = -1, .context = -1, .expert = 8, .interleave = -1, .micro_batch = -1}, 64,
			"/parallelism/expert"},
		{{.tensor = 1, .pipeline = 1, .data = -1, .context = -1, .expert = -1, .interleave = 4, .micro_batch = -1}, 64,
			"/parallelism/interleave"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		begin();
		REQUEST.parallelism = cases[i].pins;
		REQUEST.parallelism.zero_stage = REQUEST.parallelism.zero_group = ABSENT_COUNT;
		REQUEST.common.gpu_count = cases[i].gpus;
		assert_int_equal(fixture_plan(&fixture), STATUS_INVALID);
		assert_true(fixture.failure.fault_count >= 1);
		assert_string_equal(fixture.failure.faults[0].pointer, cases[i].pointer);
	}
}

static void awkward_requests_stay_finite(void **state)
{
	(void)state;
	begin();
	REQUEST.common.gpu_count = 1;
	fixture_model(&fixture.input.model, 2, 64, 2, 2, 256, 1000, true);
	REQUEST.sequence_length = 128;
	REQUEST.global_batch_size = 8;
	REQUEST.tokens = 1e8;
	fixture_planned(&fixture);
	assert_true(BEST.bottleneck.kind == BOTTLENECK_LAUNCH_OVERHEAD || BEST.bottleneck.kind == BOTTLENECK_MEMORY_BANDWIDTH);
	begin();
	model_from_size(&fixture.input.model, 1e13, 1e13);
	REQUEST.common.gpu_count = 102400;
	REQUEST.global_batch_size = 25600;
	REQUEST.common.alternatives = 0;
	fixture_planned(&fixture);
	assert_true(BEST.goodput.fraction > 0.2 && BEST.goodput.fraction < 0.99);
	begin();
	fixture.candidates[0].accelerator.tflops_bf16 = fixture.candidates[0].accelerator.tflops_fp16 = ABSENT_NUMBER;
	fixture.candidates[0].accelerator.tflops_fp8 = ABSENT_NUMBER;
	fixture.candidates[0].accelerator.interconnect_gbs = ABSENT_NUMBER;
	fixture.candidates[0].internode_gbs = ABSENT_NUMBER;
	fixture.candidates[0].accelerator.id = "made-up";
	REQUEST.common.gpu_count = 16;
	fixture_planned(&fixture);
	assert_true(fixture_warned(&fixture, "no bf16 rate"));
	fixture.candidates[0].accelerator.tflops_tf32 = fixture.candidates[0].accelerator.tflops_fp32 = ABSENT_NUMBER;
	assert_int_equal(fixture_plan(&fixture), STATUS_INFEASIBLE);
	assert_contains(fixture.failure.detail, "no dense rate");
	begin();
	REQUEST.tokens = ABSENT_NUMBER;
	assert_int_equal(fixture_plan(&fixture), STATUS_INVALID);
	begin();
	fixture.input.candidate_count = 0;
	assert_int_equal(fixture_plan(&fixture), STATUS_INFEASIBLE);
	begin();
	REQUEST.deadline_hours = 1e-4;
	assert_int_equal(fixture_plan(&fixture), STATUS_INFEASIBLE);
	assert_contains(fixture.failure.detail, "raise the deadline");
	begin();
	REQUEST.global_batch_size = 4;
	REQUEST.common.gpu_count = 65536;
	assert_int_equal(fixture_plan(&fixture), STATUS_INFEASIBLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_deadline_gives_the_smallest_number),
		cmocka_unit_test(an_impossible_deadline_says_what_is_likeliest),
		cmocka_unit_test(limits_that_exclude_each_other_say_by_how_much),
		cmocka_unit_test(the_nearest_is_so_with_the_confidence),
		cmocka_unit_test(the_nearest_to_a_cap_needs_least),
		cmocka_unit_test(reserved_hours_come_off_the_deadline),
		cmocka_unit_test(budgets_and_caps_bind),
		cmocka_unit_test(memory_says_what_would_help),
		cmocka_unit_test(offload_is_the_nearest_with_its_price),
		cmocka_unit_test(contradictory_pins_are_named),
		cmocka_unit_test(awkward_requests_stay_finite),
	};

	return cmocka_run_group_tests_name("training limits", tests, NULL, NULL);
}
