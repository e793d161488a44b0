/* The suite with a scripted device: budgets, repetitions, skips, and what is reported of each. */
#include <math.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/suite.h"
#include "support/assert.h"

/* What the scripted device does with each kind of work. */
struct bench_session {
	double run_s[WORK_KIND_COUNT];        /* that a run says it took */
	bool sleeps;                          /* and really takes */
	enum bench_outcome prepared[WORK_KIND_COUNT], ran[WORK_KIND_COUNT];
	bool wrong;                           /* outputs are */
	int noisy_runs;                       /* every other of the first so many takes twice as long */
	int opened, released;
	int runs[WORK_KIND_COUNT];
	struct bench_shape last_shape;
};

struct scripted_work {
	struct bench_session *session;
	enum bench_work_kind kind;
};

static enum bench_outcome scripted_run(struct bench_work *work, double *elapsed_s, struct bench_reason *reason)
{
	struct scripted_work *state = work->state;
	double run_s = state->session->run_s[state->kind];
	struct timespec pause = {.tv_nsec = (long)(run_s * 1e9)};

	if (state->session->sleeps)
		nanosleep(&pause, NULL);
	*elapsed_s = run_s;
	if (state->session->runs[state->kind]++ % 2 && state->session->runs[state->kind] <= state->session->noisy_runs)
		*elapsed_s *= 2;
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

static enum bench_outcome scripted_prepare(struct bench_session *session, const struct bench_work_request *request,
	struct bench_work *work, struct bench_reason *reason)
{
	struct scripted_work *state;

	if (session->prepared[request->kind] != BENCH_OK)
		return bench_refuse(reason, session->prepared[request->kind], "no such unit");
	state = malloc(sizeof(*state));
	assert_non_null(state);
	*state = (struct scripted_work){session, request->kind};
	session->opened++;
	session->last_shape = request->shape;
	*work = (struct bench_work){.flops = 1e6, .bytes = 1e6, .state = state, .run = scripted_run, .verify = scripted_verify,
		.release = scripted_release};
	return BENCH_OK;
}

static const struct bench_backend scripted_backend = {.name = "scripted", .prepare = scripted_prepare};

/* Runs a suite and answers what it wrote; *elapsed_s and the run are outputs. */
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
	for (size_t i = 0; i < plan.count; i++)
		plan.slices_s[i] *= budget_s / plan.budget_s;
	plan.budget_s = budget_s;
	bench_report_open(&report, REPORT_LINES, fileno(file));
	run->backend = &scripted_backend;
	run->session = session;
	run->report = &report;
	run->alive = &alive;
	run->deadline_ns = clock_monotonic_ns() + (int64_t)(budget_s * 1e9);
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

static void every_test_measures_within_the_budget(void **state)
{
	struct bench_session session = steady(0.0005);
	struct bench_run run = {.full = false};

	(void)state;
	play("quick", 2, &session, &run, text, sizeof(text));
	assert_int_equal(run.measured, bench_test_count);
	assert_int_equal(run.failed, 0);
	assert_int_equal(occurrences(text, "\"type\":\"measure\""), bench_test_count);
	assert_int_equal(occurrences(text, "\"type\":\"skip\""), 0);
	assert_contains(text, "\"test\":\"gemm_library_fp32\",\"bottleneck\":\"compute\",\"method\":\"library_gemm\",\"precision\":\"fp32\"");
	assert_contains(text, "\"median\":2000000000"); /* 1e6 operations in 0.5 ms */
	assert_contains(text, "\"median\":0.0005");     /* the launch is a time and not a rate */
}

static void what_is_unsupported_is_skipped_with_its_reason(void **state)
{
	struct bench_session session = steady(0.0005);
	struct bench_run run = {.full = false};

	(void)state;
	session.prepared[WORK_ISSUE_RATE] = BENCH_UNSUPPORTED;
	play("quick", 0.3, &session, &run, text, sizeof(text));
	assert_int_equal(run.measured, bench_test_count - 1);
	assert_int_equal(run.failed, 0); /* not to have a unit is no failure */
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

/* One test eats the whole budget; those after it are skipped by name, and the suite is not late by more than that one. */
static void a_used_up_budget_skips_the_rest(void **state)
{
	struct bench_session session = steady(0.0005);
	struct bench_run run = {.full = false};

	(void)state;
	session.run_s[WORK_LAUNCH] = 0.3; /* longer than the budget: nothing is left however fast the others are */
	session.sleeps = true;
	play("quick", 0.25, &session, &run, text, sizeof(text));
	assert_int_equal(run.failed, 0);
	assert_contains(text, "{\"type\":\"skip\",\"test\":\"launch_round_trip\",\"reason\":\"budget: one repetition takes 0.3 s");
	assert_contains(text, "{\"type\":\"skip\",\"test\":\"gemm_kernel_fp32\",\"reason\":\"budget: ");
	assert_true(session.runs[WORK_LAUNCH] == 1);
}

/* No sample is shorter than 10 ms, or than a tenth of a short slice: runs of 0.5 ms are taken together. */
static void short_runs_are_sampled_together(void **state)
{
	struct bench_session session = steady(0.0005);
	struct bench_run run = {.full = false};

	(void)state;
	play("stream_triad", 0.3, &session, &run, text, sizeof(text));
	assert_contains(text, "\"runs_per_sample\":20,");
}

/* Samples of 20 and 40 ms by turns are unstable, and measured twice when there is time; steady ones are not. */
static void what_is_unstable_is_measured_again(void **state)
{
	struct bench_session session = steady(0.02);
	struct bench_run run = {.full = false};

	(void)state;
	session.noisy_runs = INT32_MAX;
	play("stream_triad", 0.4, &session, &run, text, sizeof(text));
	assert_int_equal(run.measured, 2);
	assert_int_equal(run.failed, 0);
	assert_int_equal(occurrences(text, "\"pass\":1"), 1);
	assert_int_equal(occurrences(text, "\"pass\":2"), 1);
	session = steady(0.02);
	run = (struct bench_run){.full = false};
	play("stream_triad", 0.4, &session, &run, text, sizeof(text));
	assert_int_equal(run.measured, 1);
	assert_contains(text, "\"unstable\":false,\"pass\":1");
}

static void given_shapes_are_measured_each(void **state)
{
	static const struct bench_shape shapes[] = {{4096, 1024, 1024}, {8, 4096, 4096}};
	struct bench_session session = steady(0.0005);
	struct bench_run run = {.shapes = shapes, .shape_count = 2};

	(void)state;
	play("gemm_library_fp32", 0.2, &session, &run, text, sizeof(text));
	assert_int_equal(run.measured, 2);
	assert_contains(text, "\"shape\":[4096,1024,1024]");
	assert_contains(text, "\"shape\":[8,4096,4096]");
}

/* A slow device gets a smaller square, so that five of them fit: at 256 it takes 2 ms, so 2048 would take a second. */
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
	assert_int_equal(plan.count, bench_test_count);
	assert_close(plan.budget_s, 10, 0);
	for (size_t i = 0; i < plan.count; i++)
		sum_s += plan.slices_s[i];
	assert_true(sum_s <= plan.budget_s);
	assert_true(bench_plan_make("full", &plan, &reason));
	assert_close(plan.budget_s, 120, 0);
	assert_true(bench_plan_make("stream_triad,launch_round_trip", &plan, &reason));
	assert_int_equal(plan.count, 2);
	assert_string_equal(plan.tests[1]->name, "launch_round_trip");
	assert_false(bench_plan_make("stream_triad,", &plan, &reason));
	assert_false(bench_plan_make("strem_triad", &plan, &reason));
	assert_contains(reason.text, "stream_triad");
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
		cmocka_unit_test(what_is_unstable_is_measured_again),
		cmocka_unit_test(given_shapes_are_measured_each),
		cmocka_unit_test(squares_fit_the_device),
		cmocka_unit_test(suites_are_named_or_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
