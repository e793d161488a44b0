#include "bench/suite.h"

#include <math.h>

#include "base/clock.h"
#include "base/spelling.h"
#include "bench/sampler.h"

/* Of a test that is measured twice in full, the part of its slice that the first pass takes. */
#define FIRST_PASS_SHARE 0.6

/* Time left over by tests that a device lacks stretches the slices of the others, at most so far. */
#define STRETCH_MAX 2

#define IDLE_QUICK_S 0.4
#define IDLE_FULL_S 3.0
#define IDLE_SHARE_MAX 0.1

static void plan_add(struct bench_plan *plan, const struct bench_test *test, double first_s, double again_s)
{
	if (first_s <= 0 || plan->count == BENCH_TESTS_MAX)
		return;
	plan->tests[plan->count] = test;
	plan->slices_s[plan->count] = first_s;
	plan->again_s[plan->count++] = again_s;
}

static const struct bench_test *test_named(const char *name, size_t length)
{
	for (size_t i = 0; i < bench_test_count; i++)
		if (strlen(bench_tests[i].name) == length && !memcmp(bench_tests[i].name, name, length))
			return &bench_tests[i];
	return NULL;
}

static bool is_planned(const struct bench_plan *plan, const struct bench_test *test)
{
	for (size_t i = 0; i < plan->count; i++)
		if (plan->tests[i] == test)
			return true;
	return false;
}

static bool refuse_name(const char *name, size_t length, struct bench_reason *reason)
{
	struct spelling spelling;
	char wanted[64], list[160];

	snprintf(wanted, sizeof(wanted), "%.*s", (int)length, name);
	spelling_init(&spelling, wanted);
	spelling_offer(&spelling, "quick");
	spelling_offer(&spelling, "full");
	for (size_t i = 0; i < bench_test_count; i++)
		spelling_offer(&spelling, bench_tests[i].name);
	spelling_list(&spelling, list, sizeof(list));
	bench_refuse(reason, BENCH_FAILED, "no test \"%s\"%s%s", wanted, list[0] ? "; nearest: " : "; quick and full run all there are, and --list names them", list);
	return false;
}

static void plan_whole(struct bench_plan *plan, bool full)
{
	for (size_t i = 0; i < bench_test_count; i++) {
		const struct bench_test *test = &bench_tests[i];
		double first = full && test->repeats ? FIRST_PASS_SHARE : 1;

		plan_add(plan, test, (full ? test->full_s : test->quick_s) * first, full ? test->full_s * (1 - first) : 0);
	}
}

bool bench_plan_make(const char *suite, struct bench_plan *plan, struct bench_reason *reason)
{
	bool quick = !strcmp(suite, "quick"), full = !strcmp(suite, "full");

	*plan = (struct bench_plan){.suite = suite, .budget_s = quick ? BENCH_QUICK_S : full ? BENCH_FULL_S : 0};
	if (quick || full) {
		plan_whole(plan, full);
		return true;
	}
	for (const char *name = suite;; name++) {
		size_t length = strcspn(name, ",");
		const struct bench_test *test = test_named(name, length);

		if (!test)
			return refuse_name(name, length, reason);
		if (is_planned(plan, test)) {
			bench_refuse(reason, BENCH_FAILED, "test \"%s\" is named twice", test->name);
			return false;
		}
		plan_add(plan, test, test->full_s, test->full_s);
		plan->budget_s += 2 * test->full_s;
		name += length;
		if (!*name)
			return true;
	}
}

double bench_run_left_s(const struct bench_run *run)
{
	return (double)(run->deadline_ns - clock_monotonic_ns()) * 1e-9;
}

struct bench_work_request bench_request(const struct bench_run *run, const struct bench_test *test)
{
	return (struct bench_work_request){.kind = test->kind, .method = test->methods[0], .precision = test->precision,
		.cold = test->cold, .alive = run->alive};
}

void bench_run_skip(struct bench_run *run, const struct bench_test *test, enum bench_outcome outcome, const char *reason)
{
	run->failed += outcome == BENCH_FAILED;
	bench_report_skip(run->report, test->name, reason);
}

enum bench_outcome bench_run_try(struct bench_run *run, const struct bench_test *test, struct bench_work_request *request,
	struct bench_work *work, struct bench_reason *reason)
{
	struct bench_reason other = {""};
	enum bench_outcome outcome;

	request->method = test->methods[0];
	outcome = run->backend->prepare(run->session, request, work, reason);
	if (outcome != BENCH_UNSUPPORTED || test->methods[1] == test->methods[0])
		return outcome;
	request->method = test->methods[1];
	outcome = run->backend->prepare(run->session, request, work, &other);
	if (outcome != BENCH_OK)
		*reason = other;
	return outcome;
}

bool bench_run_prepare(struct bench_run *run, const struct bench_test *test, struct bench_work_request *request, struct bench_work *work)
{
	struct bench_reason reason = {""};
	enum bench_outcome outcome = bench_run_try(run, test, request, work, &reason);

	if (outcome != BENCH_OK)
		bench_run_skip(run, test, outcome, reason.text);
	return outcome == BENCH_OK;
}

bool bench_run_figure(struct bench_run *run, struct bench_figure *figure, struct bench_work_request *request, double *median)
{
	struct bench_work work;
	bool measured;

	figure->request = request;
	if (!bench_run_prepare(run, figure->test, request, &work))
		return false;
	measured = bench_work_measure(run, figure, &work, median);
	work.release(&work);
	return measured;
}

static void run_test(struct bench_run *run, const struct bench_plan *plan, size_t index, double slice_s)
{
	const struct bench_test *test = plan->tests[index];
	struct bench_progress progress = {.test = test->name, .i = index, .n = plan->count, .budget_s = plan->budget_s,
		.start_ns = run->start_ns};

	run->unstable = false;
	bench_report_progress(run->report, &progress);
	test->run(run, test, slice_s);
}

/* What a test of this share may take now, when so much is shared by it and those after it. */
static double fair_slice_s(const struct bench_run *run, double nominal_s, double shared_s)
{
	return nominal_s * fmin(bench_run_left_s(run) / shared_s, STRETCH_MAX);
}

/* Time for the second pass is not given away in the first. */
static void run_first_pass(struct bench_run *run, const struct bench_plan *plan, bool *again)
{
	double share_s = 0;

	for (size_t i = 0; i < plan->count; i++)
		share_s += plan->slices_s[i] + plan->again_s[i];
	run->pass = 1;
	for (size_t i = 0; i < plan->count; i++) {
		double slice_s = fair_slice_s(run, plan->slices_s[i], share_s);

		share_s -= plan->slices_s[i];
		if (slice_s < plan->slices_s[i] / 4) {
			bench_report_skip(run->report, plan->tests[i]->name, "budget: the suite's time is used up");
			continue;
		}
		run_test(run, plan, i, slice_s);
		again[i] = run->unstable || (run->full && plan->tests[i]->repeats);
	}
}

static double second_slice_s(const struct bench_plan *plan, size_t i)
{
	return plan->again_s[i] > 0 ? plan->again_s[i] : plan->slices_s[i];
}

static void run_second_pass(struct bench_run *run, const struct bench_plan *plan, const bool *again)
{
	double share_s = 0;

	for (size_t i = 0; i < plan->count; i++)
		share_s += again[i] ? second_slice_s(plan, i) : 0;
	run->pass = 2;
	for (size_t i = 0; i < plan->count; i++) {
		double nominal_s = second_slice_s(plan, i), slice_s = again[i] ? fair_slice_s(run, nominal_s, share_s) : 0;

		share_s -= again[i] ? nominal_s : 0;
		if (again[i] && slice_s >= nominal_s / 4)
			run_test(run, plan, i, slice_s);
	}
}

void bench_suite_run(struct bench_run *run, const struct bench_plan *plan)
{
	bool again[BENCH_TESTS_MAX] = {false};

	run->start_ns = run->deadline_ns - (int64_t)(plan->budget_s * 1e9);
	/* A single short test by name has not the time of a whole suite. */
	bench_sampler_idle(run->sampler, fmin(run->full ? IDLE_FULL_S : IDLE_QUICK_S, IDLE_SHARE_MAX * plan->budget_s), run->alive);
	run_first_pass(run, plan, again);
	run_second_pass(run, plan, again);
}
