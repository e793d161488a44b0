/* Tests the resolution of inference requests and performance questions. */
#include "hwdb/fixture.h"

static struct inference_request request;
static struct inference_input input;
static struct performance_request question;
static struct performance_input asked;

static struct token_distribution tokens(double mean)
{
	return (struct token_distribution){.mean = mean, .p50 = ABSENT_NUMBER, .p95 = ABSENT_NUMBER, .cv = ABSENT_NUMBER};
}

static int begin(void **state)
{
	(void)state;
	fixture_begin();
	request = (struct inference_request){.queries_per_minute = 600,
		.requests_per_s = ABSENT_NUMBER,
		.prompt_tokens = tokens(1000),
		.output_tokens = tokens(300),
		.slo = {ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER},
		.throughput_tokens_per_s_per_gpu = ABSENT_NUMBER,
		.prefix_cache_hit_rate = ABSENT_NUMBER,
		.speculative = {ABSENT_NUMBER, ABSENT_NUMBER},
		.burstiness_cv = ABSENT_NUMBER,
		.headroom = ABSENT_NUMBER};
	fixture_common(&request.common);
	request.common.model.id = "llama-3.1-70b";
	question = (struct performance_request){.prompt_tokens = tokens(1000),
		.output_tokens = tokens(300),
		.concurrency = ABSENT_NUMBER,
		.requests_per_s = ABSENT_NUMBER,
		.requests = ABSENT_COUNT};
	fixture_common(&question.common);
	return 0;
}

static enum status resolve(void)
{
	return resolve_inference(&fixture.resolver, &request, &input);
}

static void a_plain_load_resolves(void **state)
{
	(void)state;
	assert_int_equal(resolve(), STATUS_OK);
	assert_int_equal(input.candidate_count, 1);
	assert_close(input.model.params_total, 70.55e9, 0.002);
	assert_int_equal(input.request.engine, ENGINE_GENERIC);
	assert_contains(fixture_assumption("engine")->source, "E54");
	for (size_t i = 0; i < fixture.findings.assumption_count; i++)
		assert_null(strstr(fixture.findings.assumptions[i].source, "default"));
}

/* A degree that does not divide the heads is rejected if the stack does not pad them. */
static void heads_must_divide(void **state)
{
	(void)state;
	question.common.model.id = "llama-3.1-70b";
	question.common.accelerator.id = "h100";
	question.common.gpu_count = 12;
	question.parallelism.tensor = 12;
	assert_int_equal(resolve_performance(&fixture.resolver, &question, &asked), STATUS_INVALID);
	fixture_fault("/parallelism/tensor");
}

static void loads_that_contradict(void **state)
{
	struct trace_arrival arrivals[] = {{0, 10, 10}};

	(void)state;
	request.requests_per_s = 10;
	request.trace = (struct request_trace){.arrivals = arrivals, .count = 1};
	request.burstiness_cv = 2;
	request.speculative.draft_tokens = 4;
	request.daily_profile = (struct number_list){(double[]){1, 2, 3}, 3};
	assert_int_equal(resolve(), STATUS_INVALID);
	fixture_fault("/requests_per_s");
	fixture_fault("/trace");
	fixture_fault("/burstiness_cv");
	fixture_fault("/speculative");
	fixture_fault("/daily_profile");
}

/* Statistics that contradict each other are a fault, and so is a value that the planner would ignore. */
static void lengths_that_cannot_be(void **state)
{
	static const struct {
		double mean, p50, p95, cv;
		bool is_one;
	} lengths[] = {{1000, ABSENT_NUMBER, 3800, ABSENT_NUMBER, true}, {1000, ABSENT_NUMBER, 3900, ABSENT_NUMBER, false},
		{1000, ABSENT_NUMBER, 999, ABSENT_NUMBER, false}, {1000, ABSENT_NUMBER, 999, 5, true}, {1000, 20, 9000, ABSENT_NUMBER, true},
		{ABSENT_NUMBER, 1000, 1000, ABSENT_NUMBER, true}, {ABSENT_NUMBER, 1000, 999, ABSENT_NUMBER, false}};

	for (size_t i = 0; i < COUNT_OF(lengths); i++) {
		begin(state);
		request.prompt_tokens.mean = question.prompt_tokens.mean = lengths[i].mean;
		request.prompt_tokens.p50 = question.prompt_tokens.p50 = lengths[i].p50;
		request.prompt_tokens.p95 = question.prompt_tokens.p95 = lengths[i].p95;
		request.prompt_tokens.cv = question.prompt_tokens.cv = lengths[i].cv;
		assert_int_equal(resolve(), lengths[i].is_one ? STATUS_OK : STATUS_INVALID);
		if (!lengths[i].is_one)
			assert_contains(fixture_fault("/prompt_tokens"), "95th percentile");
	}
	begin(state);
	request.speculative.draft_tokens = 3;
	request.speculative.acceptance = 0.7;
	assert_int_equal(resolve(), STATUS_OK);
	request.speculative.draft_tokens = 3.5;
	assert_int_equal(resolve(), STATUS_INVALID);
	assert_contains(fixture_fault("/speculative/draft_tokens"), "whole");
}

/* A profile has 24 or 168 hours: a day or a week. */
static void profiles_are_days_or_weeks(void **state)
{
	static const size_t counts[] = {24, 168, 23, 25, 48, 167};
	double hours[168];

	(void)state;
	for (size_t i = 0; i < 168; i++)
		hours[i] = 1;
	for (size_t i = 0; i < COUNT_OF(counts); i++) {
		begin(state);
		request.daily_profile = (struct number_list){hours, counts[i]};
		assert_int_equal(resolve(), i < 2 ? STATUS_OK : STATUS_INVALID);
		if (i >= 2)
			assert_contains(fixture_fault("/daily_profile"), "24 or 168");
	}
}

static void what_a_load_needs(void **state)
{
	(void)state;
	request.queries_per_minute = ABSENT_NUMBER;
	request.prompt_tokens = tokens(ABSENT_NUMBER);
	request.output_tokens = tokens(ABSENT_NUMBER);
	assert_int_equal(resolve(), STATUS_INVALID);
	fixture_fault("/queries_per_minute");
	fixture_fault("/prompt_tokens");
	fixture_fault("/output_tokens");
	begin(state);
	request.queries_per_minute = ABSENT_NUMBER;
	request.common.gpu_count = 8;
	assert_int_equal(resolve(), STATUS_OK);
}

static void a_trace_is_a_load(void **state)
{
	struct trace_arrival arrivals[] = {{0, 10, 10}, {2, 10, 10}, {2, 20, 10}};

	(void)state;
	request.queries_per_minute = ABSENT_NUMBER;
	request.prompt_tokens = request.output_tokens = tokens(ABSENT_NUMBER);
	request.trace = (struct request_trace){.arrivals = arrivals, .count = 3};
	assert_int_equal(resolve(), STATUS_OK);
	arrivals[0].t_s = 3;
	assert_int_equal(resolve(), STATUS_INVALID);
	assert_contains(fixture_fault("/trace/arrivals"), "request 1 arrives before");
}

/* A single moment has no rate. A span of almost zero gives a rate that no fleet could serve. */
static void a_trace_has_a_rate(void **state)
{
	static const double spans_s[] = {0, 5e-324, 1e-9};

	for (size_t i = 0; i < 3; i++) {
		struct trace_arrival arrivals[] = {{0, 10, 10}, {spans_s[i], 10, 10}};

		begin(state);
		request.queries_per_minute = ABSENT_NUMBER;
		request.prompt_tokens = request.output_tokens = tokens(ABSENT_NUMBER);
		request.trace = (struct request_trace){.arrivals = arrivals, .count = i == 0 ? 1 : 2};
		assert_int_equal(resolve(), STATUS_INVALID);
		assert_contains(fixture_fault("/trace/arrivals"), "a rate needs requests");
	}
}

static void only_what_generates_tokens_is_served(void **state)
{
	(void)state;
	request.common.model = (struct model_reference){
		.kind = "generic", .params = 1e9, .params_active = ABSENT_NUMBER, .flops_per_sample = 1e12, .sample_bytes = 1};
	assert_int_equal(resolve(), STATUS_INVALID);
	fixture_fault("/model/kind");
	begin(state);
	request.common.model.id = "no-such-model";
	assert_int_equal(resolve(), STATUS_INVALID);
	fixture_fault("/model");
}

static void lengths_beyond_the_model_are_warned_of(void **state)
{
	(void)state;
	request.prompt_tokens = tokens(200000);
	assert_int_equal(resolve(), STATUS_OK);
	assert_true(fixture_warned("beyond the 131072 positions"));
}

/* The warning counts the requests that are too long for the model, and all requests. */
static void what_a_trace_has_beyond_the_model_is_counted(void **state)
{
	struct trace_arrival arrivals[] = {{0, 131000, 72}, {1, 131000, 73}, {2, 10, 10}, {3, 200000, 1}};

	(void)state;
	request.queries_per_minute = ABSENT_NUMBER;
	request.prompt_tokens = request.output_tokens = tokens(ABSENT_NUMBER);
	request.trace = (struct request_trace){.arrivals = arrivals, .count = COUNT_OF(arrivals)};
	assert_int_equal(resolve(), STATUS_OK);
	assert_true(fixture_warned("2 of 4 requests"));
}

static void one_replica_is_one_accelerator(void **state)
{
	(void)state;
	assert_int_equal(resolve_performance(&fixture.resolver, &question, &asked), STATUS_OK);
	assert_int_equal(asked.request.common.gpu_count, 1);
	assert_non_null(asked.candidate);
	assert_string_equal(asked.candidate->accelerator.id, "h100-sxm5-80gb");
	assert_contains(fixture_assumption("gpu_count")->source, "one accelerator");
	begin(state);
	question.common.accelerator.id = NULL;
	assert_int_equal(resolve_performance(&fixture.resolver, &question, &asked), STATUS_INVALID);
	fixture_fault("/accelerator");
	begin(state);
	question.common.accelerators = (struct accelerator_reference_list){&question.common.accelerator, 1};
	question.concurrency = 4;
	question.requests_per_s = 1;
	question.prompt_tokens = question.output_tokens = tokens(ABSENT_NUMBER);
	assert_int_equal(resolve_performance(&fixture.resolver, &question, &asked), STATUS_INVALID);
	fixture_fault("/accelerators");
	fixture_fault("/requests_per_s");
	fixture_fault("/prompt_tokens");
	fixture_fault("/output_tokens");
}

/* With a small arena the resolver must return STATUS_NO_MEMORY and must not write past it. */
static void little_memory_is_said(void **state)
{
	(void)state;
	for (size_t size_bytes = 16; size_bytes < 65536; size_bytes *= 2) {
		struct arena small;

		begin(state);
		arena_init(&small, size_bytes);
		fixture.resolver.arena = &small;
		if (resolve() != STATUS_OK)
			assert_int_equal(fixture.failure.status, STATUS_NO_MEMORY);
		arena_release(&small);
	}
}

/* A checkpoint in 8 or 4 bits is served in its own precision, unless the request names another. This does not apply to
 * trainings and other models. */
static void checkpoints_are_served_as_published(void **state)
{
	static const struct {
		const char *model;
		enum precision asked, served;
	} cases[] = {{"deepseek-r1", PRECISION_UNSET, PRECISION_FP8}, {"deepseek-v3", PRECISION_UNSET, PRECISION_FP8},
		{"kimi-k2", PRECISION_UNSET, PRECISION_FP8}, {"kimi-k2.5", PRECISION_UNSET, PRECISION_INT4},
		{"gpt-oss-120b", PRECISION_UNSET, PRECISION_MXFP4}, {"gpt-oss-20b", PRECISION_UNSET, PRECISION_MXFP4},
		{"minimax-m2.5", PRECISION_UNSET, PRECISION_FP8}, {"deepseek-r1", PRECISION_BF16, PRECISION_BF16},
		{"llama-3.1-70b", PRECISION_UNSET, PRECISION_UNSET}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		begin(NULL);
		request.common.model.id = question.common.model.id = cases[i].model;
		request.common.precision = question.common.precision = cases[i].asked;
		assert_int_equal(resolve(), STATUS_OK);
		assert_int_equal(input.request.common.precision, cases[i].served);
		if (cases[i].asked == PRECISION_UNSET && cases[i].served != PRECISION_UNSET)
			assert_contains(fixture_assumption("precision")->source, "published");
		question.concurrency = 4;
		assert_int_equal(resolve_performance(&fixture.resolver, &question, &asked), STATUS_OK);
		assert_int_equal(asked.request.common.precision, cases[i].served);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_plain_load_resolves, begin),
		cmocka_unit_test_setup(heads_must_divide, begin),
		cmocka_unit_test_setup(checkpoints_are_served_as_published, begin),
		cmocka_unit_test_setup(loads_that_contradict, begin),
		cmocka_unit_test_setup(lengths_that_cannot_be, begin),
		cmocka_unit_test_setup(profiles_are_days_or_weeks, begin),
		cmocka_unit_test_setup(what_a_trace_has_beyond_the_model_is_counted, begin),
		cmocka_unit_test_setup(what_a_load_needs, begin),
		cmocka_unit_test_setup(a_trace_is_a_load, begin),
		cmocka_unit_test_setup(a_trace_has_a_rate, begin),
		cmocka_unit_test_setup(only_what_generates_tokens_is_served, begin),
		cmocka_unit_test_setup(lengths_beyond_the_model_are_warned_of, begin),
		cmocka_unit_test_setup(one_replica_is_one_accelerator, begin),
		cmocka_unit_test_setup(little_memory_is_said, begin),
	};

	return cmocka_run_group_tests_name("resolve serving", tests, fixture_setup, fixture_teardown);
}
