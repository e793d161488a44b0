/* Tests the suite on a scripted device: budgets, repetitions, skips, and the report of each. */
#include <math.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/report/sampler.h"
#include "bench/suite/suite.h"
#include "support/assert.h"

/* The behaviour of the scripted device for each kind of work. */
struct bench_session {
	double run_s[WORK_KIND_COUNT]; /* time that a run reports */
	bool sleeps;                   /* a run also takes the reported time */
	enum bench_outcome prepared[WORK_KIND_COUNT], ran[WORK_KIND_COUNT];
	bool wrong;     /* the outputs are wrong */
	double later;   /* factor on the time of work that is prepared again; 0: none */
	int later_from; /* the factor applies from this preparation on */
	int prepares[WORK_KIND_COUNT];
	bool noisy; /* every second preparation takes twice as long */
	int opened, released;
	int runs[WORK_KIND_COUNT];
	struct bench_shape last_shape;
	double latency_s, bytes_per_s; /* of a transfer; both 0: run_s applies */
	size_t part_count;             /* of the last sequence, by kind; and the operations of its products and attention */
	int parts[WORK_KIND_COUNT];
	double part_flops;
};

struct scripted_work {
	struct bench_session *session;
	enum bench_work_kind kind;
	double bytes, times;
};

static enum bench_outcome scripted_run(struct bench_work *work, double *elapsed_s, struct bench_reason *reason)
{
	struct scripted_work *state = work->state;
	double run_s = state->session->run_s[state->kind] * state->times;
	struct timespec pause = {.tv_nsec = (long)(run_s * 1e9)};

	if (state->session->sleeps)
		nanosleep(&pause, NULL);
	*elapsed_s = run_s;
	if (state->kind == WORK_TRANSFER && state->session->bytes_per_s > 0)
		*elapsed_s = state->session->latency_s + state->bytes / state->session->bytes_per_s;
	state->session->runs[state->kind]++;
	if (state->session->ran[state->kind] != BENCH_OK)
		return bench_refuse(reason, state->session->ran[state->kind], "the device fell off the bus");
	return BENCH_OK;
}

static enum bench_outcome scripted_verify(struct bench_work *work, struct bench_check *check, struct bench_reason *reason)
{
	struct scripted_work *state = work->state;

	(void)reason;
	*check = (struct bench_check){.verified = !state->session->wrong, .samples = 1};
	return BENCH_OK;
}

static void scripted_release(struct bench_work *work)
{
	((struct scripted_work *)work->state)->session->released++;
	free(work->state);
}

static void take_parts(struct bench_session *session, const struct bench_work_request *request)
{
	session->part_count = request->part_count;
	session->part_flops = 0;
	memset(session->parts, 0, sizeof(session->parts));
	for (size_t i = 0; i < request->part_count; i++) {
		const struct bench_work_request *part = &request->parts[i];

		session->parts[part->kind]++;
		if (part->kind == WORK_GEMM)
			session->part_flops += bench_shape_flops(&part->shape);
		if (part->kind == WORK_ATTENTION)
			session->part_flops += bench_attention_flops(&part->attention);
	}
}

static enum bench_outcome scripted_prepare(
	struct bench_session *session, const struct bench_work_request *request, struct bench_work *work, struct bench_reason *reason)
{
	struct scripted_work *state;

	if (session->prepared[request->kind] != BENCH_OK)
		return bench_refuse(reason, session->prepared[request->kind], "no such unit");
	state = malloc(sizeof(*state));
	assert_non_null(state);
	*state = (struct scripted_work){
		session, request->kind, 1e6, session->prepares[request->kind]++ >= session->later_from && session->later > 0 ? session->later : 1};
	if (session->noisy && session->prepares[request->kind] % 2)
		state->times *= 2;
	if (request->kind == WORK_TRANSFER)
		state->bytes = request->transfer.bytes * (request->transfer.direction == DIRECTION_BOTH ? 2 : 1);
	if (request->kind == WORK_SEQUENCE)
		take_parts(session, request);
	session->opened++;
	session->last_shape = request->shape;
	*work = (struct bench_work){.flops = 1e6,
		.bytes = state->bytes,
		.items = 1,
		.state = state,
		.run = scripted_run,
		.verify = scripted_verify,
		.release = scripted_release};
	return BENCH_OK;
}

static const struct bench_backend scripted_backend = {.name = "scripted", .prepare = scripted_prepare};

static const struct bench_device devices[] = {{.id = "first"}, {.id = "second"}};

/* The suite's deadline over its budget. With a long deadline, a test that counts rounds gets all of them on a busy
 * machine, too. */
static double patience = 1;

/* Runs a suite and copies its report to `text`. *elapsed_s and the run are outputs. */
static void play(const char *suite, double budget_s, struct bench_session *session, struct bench_run *run, char *text, size_t size)
{
	static _Atomic uint64_t alive;
	struct bench_reason reason;
	struct bench_report report;
	struct bench_plan plan;
	FILE *file = tmpfile();
	size_t length;

	assert_non_null(file);
	assert_true(bench_plan_make(suite, &plan, &reason));
	for (size_t i = 0; i < plan.count; i++) {
		plan.slices_s[i] *= budget_s / plan.budget_s;
		plan.again_s[i] *= budget_s / plan.budget_s;
	}
	plan.budget_s = patience * budget_s;
	bench_report_open(&report, REPORT_LINES, fileno(file));
	run->backend = &scripted_backend;
	run->session = session;
	run->report = &report;
	run->device = &devices[0];
	run->peers = devices;
	run->peer_count = COUNT_OF(devices);
	run->alive = &alive;
	run->deadline_ns = clock_monotonic_ns() + (int64_t)(patience * budget_s * 1e9);
	bench_suite_run(run, &plan);
	bench_report_close(&report);
	rewind(file);
	length = fread(text, 1, size - 1, file);
	text[length] = '\0';
	fclose(file);
	assert_int_equal(session->opened, session->released);
}

static struct bench_session steady(double run_s)
{
	struct bench_session session = {.wrong = false};

	for (int kind = 0; kind < WORK_KIND_COUNT; kind++)
		session.run_s[kind] = run_s;
	return session;
}

static size_t occurrences(const char *text, const char *part)
{
	size_t count = 0;

	while ((text = strstr(text, part)) != NULL) {
		count++;
		text += strlen(part);
	}
	return count;
}

static char text[256 * 1024];

static struct bench_spec a_plan(void)
{
	static struct bench_spec_product products[] = {
		{.role = "qkv", .m = 512, .n = 768, .k = 256, .precision = PRECISION_BF16, .count = 3},
		{.role = "mlp_up", .m = 512, .n = 1024, .k = 256, .product = PRODUCT_WEIGHT_GRADIENT, .count = ABSENT_NUMBER},
	};
	static struct bench_spec_attention kv_read[] = {
		{.shape = {4, 8, 2, 1, 1024, 64, .causal = false}, .precision = PRECISION_BF16, .count = 2}};
	static double sizes[] = {0x1p21};
	struct bench_spec spec;

	bench_spec_init(&spec);
	spec.products = (struct bench_products){products, COUNT_OF(products)};
	spec.kv_read = (struct bench_attentions){kv_read, COUNT_OF(kv_read)};
	spec.transfer_bytes = (struct number_list){sizes, COUNT_OF(sizes)};
	spec.block = (struct bench_block){.layers = 2,
		.hidden = 256,
		.heads = 4,
		.kv_heads = 2,
		.head_dimension = 64,
		.ffn = 512,
		.vocabulary = 1000,
		.sequence = 128,
		.micro_batch = 2,
		.gated = TRUTH_TRUE,
		.precision = PRECISION_BF16,
		.optimizer_bytes_per_parameter = 16,
		.predicted_s = 0.0004};
	return spec;
}

/* Runs every test of the quick suite, except storage, which has no file here, and JPEG, whose library may be missing. */
static void every_test_measures_within_the_budget(void **state)
{
	struct bench_session session = steady(0.0005);
	struct bench_spec spec = a_plan();
	struct bench_run run = {.full = false, .spec = &spec};

	(void)state;
	play("quick", 3, &session, &run, text, sizeof(text));
	assert_int_equal(run.failed, 0);
	for (size_t i = 0; i < bench_test_count; i++) {
		char measure[64];

		if (bench_tests[i].quick_s <= 0 || bench_tests[i].methods[0] == METHOD_FILE_READ || !strcmp(bench_tests[i].name, "decode_jpeg"))
			continue;
		snprintf(measure, sizeof(measure), "\"type\":\"measure\",\"test\":\"%s\"", bench_tests[i].name);
		assert_contains(text, measure);
	}
	assert_contains(text, "\"test\":\"gemm_library_fp32\",\"bottleneck\":\"compute\",\"method\":\"library_gemm\",\"precision\":\"fp32\"");
	assert_contains(text, "\"median\":2000000000"); /* 1e6 operations in 0.5 ms */
	assert_contains(text, "\"median\":0.0005");     /* the launch is a time, not a rate */
	assert_contains(text, "{\"type\":\"skip\",\"test\":\"storage_random\",\"reason\":\"no file to read is given");
}

static void what_is_unsupported_is_skipped_with_its_reason(void **state)
{
	struct bench_session session = steady(0.0005);
	struct bench_run run = {.full = false};

	(void)state;
	session.prepared[WORK_ISSUE_RATE] = BENCH_UNSUPPORTED;
	play("issue_rate_fp32,stream_read", 0.3, &session, &run, text, sizeof(text));
	assert_int_equal(run.measured, 1);
	assert_int_equal(run.failed, 0); /* a missing unit is not a failure */
	assert_contains(text, "{\"type\":\"skip\",\"test\":\"issue_rate_fp32\",\"reason\":\"no such unit\"}");
}

static void a_device_that_fails_fails_the_run(void **state)
{
	struct bench_session session = steady(0.0005);
	struct bench_run run = {.full = false};

	(void)state;
	session.ran[WORK_STREAM_READ] = BENCH_FAILED;
	session.prepared[WORK_STREAM_COPY] = BENCH_FAILED;
	play("stream_read,stream_copy,stream_triad", 0.2, &session, &run, text, sizeof(text));
	assert_int_equal(run.failed, 2);
	assert_int_equal(run.measured, 1);
	assert_contains(text, "fell off the bus");
}

static void a_wrong_output_fails_the_run_and_says_so(void **state)
{
	struct bench_session session = steady(0.0005);
	struct bench_run run = {.full = false};

	(void)state;
	session.wrong = true;
	play("stream_triad", 0.1, &session, &run, text, sizeof(text));
	assert_int_equal(run.measured, 1);
	assert_int_equal(run.failed, 1);
	assert_contains(text, "\"verified\":false");
}

/* One test uses up the budget. The tests after it are skipped by name, and the suite is late by that one test only. */
static void a_used_up_budget_skips_the_rest(void **state)
{
	struct bench_session session = steady(0.0005);
	struct bench_run run = {.full = false};

	(void)state;
	session.run_s[WORK_LAUNCH] = 0.3; /* longer than the budget, so nothing remains for the others */
	session.sleeps = true;
	play("quick", 0.25, &session, &run, text, sizeof(text));
	assert_int_equal(run.failed, 0);
	assert_contains(text,
		"{\"type\":\"skip\",\"test\":\"launch_round_trip\",\"reason\":\"budget: "); /* one repetition too long, or, on a machine that stalls, none begun */
	assert_contains(text, "{\"type\":\"skip\",\"test\":\"gemm_kernel_fp32\",\"reason\":\"budget: ");
	assert_true(session.runs[WORK_LAUNCH] <= 1);
}

/* No sample is shorter than 10 ms or a quarter of a short round. Runs of 0.5 ms are grouped into one sample. */
static void short_runs_are_sampled_together(void **state)
{
	struct bench_session session = steady(0.0005);
	struct bench_run run = {.full = false};

	(void)state;
	play("stream_triad", 0.5, &session, &run, text, sizeof(text));
	assert_contains(text, "\"runs_per_sample\":20,");
}

static double number_after(const char *lines, const char *key)
{
	const char *found = strstr(lines, key);

	assert_non_null(found);
	return strtod(found + strlen(key), NULL);
}

/* Figures that correct plans are measured in rounds by turns. Each round prepares the work anew. The report has one
 * line per figure, with the interval of its median. */
static void what_corrects_plans_is_measured_in_rounds(void **state)
{
	struct bench_session session = steady(0.002);
	struct bench_run run = {.full = false};

	(void)state;
	patience = 1000;
	play("stream_triad,launch_pipelined", 0.5, &session, &run, text, sizeof(text));
	patience = 1;
	assert_int_equal(run.measured, 2);
	assert_int_equal(session.prepares[WORK_STREAM_TRIAD], BENCH_ROUNDS);
	assert_int_equal(session.prepares[WORK_LAUNCH_PIPELINED], BENCH_ROUNDS);
	assert_int_equal(occurrences(text, "\"rounds\":5"), 2);
	assert_close(number_after(text, "\"median_p10\":"), number_after(text, "\"median\":"), 1e-12); /* they all took as long */
	assert_close(number_after(text, "\"median_p90\":"), number_after(text, "\"median\":"), 1e-12);
	session = steady(0.002);
	run = (struct bench_run){.full = false};
	play("issue_rate_fp32", 0.3, &session, &run, text, sizeof(text)); /* this figure corrects no plan */
	assert_int_equal(session.prepares[WORK_ISSUE_RATE], 1);
	assert_contains(text, "\"rounds\":1");
}

/* Rounds of 2 and 4 ms by turns leave the median uncertain. The suite adds rounds while there is time, and still
 * reports one line. */
static void what_is_known_badly_gets_more_rounds(void **state)
{
	struct bench_session session = steady(0.002);
	struct bench_run run = {.full = false};

	(void)state;
	session.noisy = true;
	patience = 1000;
	play("stream_triad", 0.4, &session, &run, text, sizeof(text));
	patience = 1;
	assert_int_equal(run.measured, 1);
	assert_int_equal(run.failed, 0);
	assert_int_equal(session.prepares[WORK_STREAM_TRIAD], BENCH_ROUNDS_MAX);
	assert_true(number_after(text, "\"median_p90\":") > 1.1 * number_after(text, "\"median_p10\":"));
}

static void given_shapes_are_measured_each(void **state)
{
	struct bench_session session = steady(0.0005);
	struct bench_spec spec = a_plan();
	struct bench_run run = {.spec = &spec};

	(void)state;
	play("gemm_library_bf16", 0.2, &session, &run, text, sizeof(text));
	assert_int_equal(run.measured, 2);
	assert_contains(text, "\"role\":\"qkv\",\"kind\":\"gemm\",\"shape\":[512,768,256],\"product\":\"forward\",\"count\":3");
	assert_contains(text, "\"shape\":[512,1024,256],\"product\":\"weight_gradient\",\"unit\"");
	run = (struct bench_run){.spec = &spec};
	play("gemm_library_fp32", 0.2, &session, &run, text, sizeof(text));
	assert_int_equal(run.measured, 1); /* the product without a precision */
}

/* Three products of 0.5 ms and one of 1 ms (twice the operations). The mean rate is all operations over all time, not
 * the mean of the rates. */
static void products_are_averaged_by_operations(void **state)
{
	struct bench_session session = steady(0.0005);
	struct bench_spec spec = a_plan();
	struct bench_run run = {.spec = &spec};
	double qkv = 3 * 2.0 * 512 * 768 * 256, mlp = 2.0 * 512 * 1024 * 256, expected;
	const char *mean;

	(void)state;
	play("gemm_library_bf16", 0.2, &session, &run, text, sizeof(text));
	mean = strstr(text, "\"type\":\"mean\"");
	assert_non_null(mean);
	assert_contains(mean, "\"products\":2");
	/* The scripted device counts 1e6 operations a run, so both rates are 2e9, and so is each mean of them. */
	assert_contains(mean, "\"value\":2000000000");
	expected = qkv + mlp;
	assert_close(strtod(strstr(mean, "\"flops\":") + 8, NULL), expected, 1e-12);
}

/* The step consists of its parts in the order in which they run. The report has its figure beside its prediction. */
static void a_block_is_measured_against_its_prediction(void **state)
{
	struct bench_session session = steady(0.0005);
	struct bench_spec spec = a_plan();
	struct bench_run run = {.spec = &spec};

	(void)state;
	play("block_step", 0.2, &session, &run, text, sizeof(text));
	assert_int_equal(run.measured, 1);
	assert_contains(text, "\"predicted_s\":0.0004");
	assert_contains(text, "\"block\":{\"layers\":2,\"hidden\":256,");
	/* Forward: 4 products, attention and elements per layer, and the head. Backward: 8 products and the same per layer,
	 * the head twice, and the update. */
	assert_int_equal(session.part_count, 2 * 6 + 1 + 2 + 2 * 10 + 1);
	assert_int_equal(session.parts[WORK_ATTENTION], 4);
	assert_int_equal(session.parts[WORK_GEMM], 2 * 4 + 3 + 2 * 8);
	assert_close(session.part_flops, bench_block_flops(&spec.block), 1e-12);
}

/* The suite measures every size in each direction, and fits a line. */
static void transfers_are_fitted_by_direction(void **state)
{
	struct bench_session session = steady(0.0005);
	struct bench_spec spec = a_plan();
	struct bench_run run = {.spec = &spec};

	(void)state;
	session.bytes_per_s = 1e11;
	session.latency_s = 0.0001;
	play("transfer_pinned", 0.6, &session, &run, text, sizeof(text));
	assert_int_equal(run.measured, 4 * 3);
	assert_contains(text, "\"transfer\":{\"direction\":\"to_device\",\"pinned\":true,\"bytes\":2097152}");
	assert_contains(text, "{\"type\":\"fit\",\"test\":\"transfer_pinned\",\"what\":\"to_device\",\"method\":\"copy_engine\",\"alpha_s\":");
	assert_close(strtod(strstr(text, "\"alpha_s\":") + 10, NULL), 0.0001, 1e-6);
	assert_close(strtod(strstr(text, "\"beta_bytes_per_s\":") + 19, NULL), 1e11, 1e-6);
	assert_int_equal(occurrences(text, "\"type\":\"fit\""), 3);
}

/* After three rounds the device is a quarter slower. However many rounds follow, their later half shows this. */
static void rounds_that_disagree_say_so(void **state)
{
	struct bench_session session = steady(0.002);
	struct bench_run run = {.full = true};

	(void)state;
	session.later = 1.25;
	session.later_from = 3;
	patience = 1000;
	play("stream_triad", 0.3, &session, &run, text, sizeof(text));
	patience = 1;
	assert_int_equal(run.measured, 1);
	assert_true(number_after(text, "\"disagreement\":") > 0.1);
}

static enum bench_outcome hundred_watts(struct bench_session *session, struct bench_sensors *sensors, struct bench_reason *reason)
{
	(void)session;
	(void)reason;
	*sensors = (struct bench_sensors){.energy_source = "nvml", .energy_joules = 100 * (double)clock_monotonic_ns() * 1e-9};
	bench_sensors_note(sensors, SENSOR_ENERGY);
	return BENCH_OK;
}

/* The report has the energy of windows of seconds. The window includes the flushes, so its energy is not the energy of
 * the operations alone. */
static void energy_is_told_of_long_windows(void **state)
{
	static const struct bench_backend metered = {.name = "metered", .sense = hundred_watts};
	struct bench_session session = steady(0.01);
	struct bench_run run = {.full = false};
	struct bench_report nowhere;
	struct bench_reason reason;
	FILE *file = tmpfile();

	(void)state;
	session.sleeps = true;
	bench_report_open(&nowhere, REPORT_LINES, fileno(file));
	run.sampler = bench_sampler_new(&metered, &session, &nowhere, &reason);
	assert_non_null(run.sampler);
	play("gemm_kernel_fp32", 2 * 2.5, &session, &run, text, sizeof(text));
	assert_contains(text, "\"mean_w\":");
	assert_contains(text, "\"confidence\":\"high\"");
	assert_null(strstr(text, "j_per_tflop"));
	play("stream_triad", 2 * 1.5, &session, &run, text, sizeof(text));
	assert_contains(text, "\"test\":\"stream_triad\"");
	assert_null(strstr(text, "\"mean_w\":"));
	bench_sampler_free(run.sampler);
	bench_report_close(&nowhere);
	fclose(file);
}

/* A slow device gets a smaller square, so that five runs fit in the budget. A square of 256 takes 2 ms, so one of 2048
 * would take a second. */
static void squares_fit_the_device(void **state)
{
	struct bench_session session = steady(0.002);
	struct bench_run run = {.full = false};

	(void)state;
	play("gemm_library_fp32", 0.5, &session, &run, text, sizeof(text));
	assert_int_equal(run.measured, 1);
	assert_true(session.last_shape.n < 2048 && session.last_shape.n >= 256);
}

static void suites_are_named_or_listed(void **state)
{
	struct bench_reason reason;
	struct bench_plan plan;
	double sum_s = 0;

	(void)state;
	assert_true(bench_plan_make("quick", &plan, &reason));
	assert_close(plan.budget_s, 10, 0);
	for (size_t i = 0; i < plan.count; i++)
		sum_s += plan.slices_s[i] + plan.again_s[i];
	assert_true(sum_s > 9 && sum_s <= plan.budget_s);
	assert_true(bench_plan_make("full", &plan, &reason));
	assert_int_equal(plan.count, bench_test_count);
	assert_close(plan.budget_s, 120, 0);
	sum_s = 3; /* for the idle power */
	for (size_t i = 0; i < plan.count; i++)
		sum_s += plan.slices_s[i] + plan.again_s[i];
	assert_true(sum_s > 108 && sum_s <= plan.budget_s);
	assert_true(bench_plan_make("stream_triad,launch_round_trip", &plan, &reason));
	assert_int_equal(plan.count, 2);
	assert_string_equal(plan.tests[1]->name, "launch_round_trip");
	assert_false(bench_plan_make("stream_triad,", &plan, &reason));
	assert_false(bench_plan_make("strem_triad", &plan, &reason));
	assert_contains(reason.text, "stream_triad");
	assert_false(bench_plan_make("stream_triad,stream_read,stream_triad", &plan, &reason));
	assert_contains(reason.text, "\"stream_triad\" is named twice");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_test_measures_within_the_budget),
		cmocka_unit_test(what_is_unsupported_is_skipped_with_its_reason),
		cmocka_unit_test(a_device_that_fails_fails_the_run),
		cmocka_unit_test(a_wrong_output_fails_the_run_and_says_so),
		cmocka_unit_test(a_used_up_budget_skips_the_rest),
		cmocka_unit_test(short_runs_are_sampled_together),
		cmocka_unit_test(what_corrects_plans_is_measured_in_rounds),
		cmocka_unit_test(what_is_known_badly_gets_more_rounds),
		cmocka_unit_test(given_shapes_are_measured_each),
		cmocka_unit_test(products_are_averaged_by_operations),
		cmocka_unit_test(a_block_is_measured_against_its_prediction),
		cmocka_unit_test(transfers_are_fitted_by_direction),
		cmocka_unit_test(rounds_that_disagree_say_so),
		cmocka_unit_test(energy_is_told_of_long_windows),
		cmocka_unit_test(squares_fit_the_device),
		cmocka_unit_test(suites_are_named_or_listed),
	};

	setenv("FLEETPLAN_BENCH_PROC", "/nowhere", 1); /* the load of the machine that runs the test must not count */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
