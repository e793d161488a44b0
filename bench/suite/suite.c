#include "bench/suite/suite_tests.h"

#include <math.h>

#include "base/clock.h"
#include "base/spelling.h"
#include "bench/report/sampler.h"

/* Tests that a device does not support leave their time to others, whose slices grow by at most this factor. */
#define STRETCH_MAX 2

/* Share of the budget that a test may use to prepare its later rounds. */
#define PREPARING_SHARE_MAX 0.1

#define IDLE_QUICK_S   0.4
#define IDLE_FULL_S    3.0
#define IDLE_SHARE_MAX 0.1

/* Adds a test. If it corrects plans, its rounds share its time. */
static void plan_add(struct bench_plan *plan, const struct bench_test *test, double all_s)
{
	double first_s = test->repeats ? all_s / BENCH_ROUNDS : all_s;

	if (all_s <= 0 || plan->count == BENCH_TESTS_MAX)
		return;
	plan->tests[plan->count] = test;
	plan->slices_s[plan->count] = first_s;
	plan->again_s[plan->count++] = all_s - first_s;
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
	bench_refuse(reason, BENCH_FAILED, "no test \"%s\"%s%s", wanted,
		list[0] ? "; nearest: " : "; quick and full run all tests, --list shows their names", list);
	return false;
}

static void plan_whole(struct bench_plan *plan, bool full)
{
	for (size_t i = 0; i < bench_test_count; i++)
		plan_add(plan, &bench_tests[i], full ? bench_tests[i].full_s : bench_tests[i].quick_s);
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
		plan_add(plan, test, test->full_s);
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
	return (struct bench_work_request){
		.kind = test->kind, .method = test->methods[0], .precision = test->precision, .cold = test->cold, .alive = run->alive};
}

void bench_run_skip(struct bench_run *run, const struct bench_test *test, enum bench_outcome outcome, const char *reason)
{
	run->failed += outcome == BENCH_FAILED;
	if (run->first || outcome == BENCH_FAILED) /* report what a device lacks in the first round only */
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
	struct bench_progress progress = {
		.test = test->name, .i = index, .n = plan->count, .budget_s = plan->budget_s, .start_ns = run->start_ns};

	run->unstable = false;
	run->sampled_s = 0;
	bench_report_progress(run->report, &progress);
	test->run(run, test, slice_s);
}

/* The slice of a test now, if it shares the remaining time in proportion; shared_s is the nominal time of this and
 * later tests. */
static double fair_slice_s(const struct bench_run *run, double nominal_s, double shared_s)
{
	return nominal_s * fmin(bench_run_left_s(run) / shared_s, STRETCH_MAX);
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

void bench_run_fit(struct bench_run *run, const struct bench_fit *fit)
{
	size_t i = 0;

	while (i < run->fit_count && !(run->fits[i].test == fit->test && same_text(run->fits[i].what, fit->what)))
		i++;
	if (i == BENCH_FITTED_MAX)
		return;
	run->fits[i] = *fit;
	run->fit_count += i == run->fit_count;
}

void bench_run_mean(struct bench_run *run, const struct bench_mean *mean)
{
	size_t i = 0;

	while (i < run->mean_count && run->means[i].test != mean->test)
		i++;
	if (i == BENCH_FITTED_MAX)
		return;
	run->means[i] = *mean;
	run->mean_count += i == run->mean_count;
}

/* The rounds of one test. */
struct rounds_plan {
	int count;       /* planned; 1: only one round */
	int first;       /* its first round */
	bool dropped;    /* its first round gave no figure */
	bool improvable; /* another round may improve a figure */
};

static bool has_round(const struct rounds_plan *rounds, int round)
{
	return round == rounds->first || (!rounds->dropped && rounds->count > 1 && (rounds->count == BENCH_ROUNDS || round == BENCH_ROUNDS));
}

static double round_slice_s(const struct bench_plan *plan, const struct rounds_plan *rounds, size_t i, int round)
{
	return round == rounds->first ? plan->slices_s[i] : plan->again_s[i] / (rounds->count - 1);
}

/* Planned time of this round from test `from` on, and of all later rounds. */
static double rounds_left_s(const struct bench_plan *plan, const struct rounds_plan *rounds, size_t from, int round)
{
	double left_s = 0;

	for (int r = round; r <= BENCH_ROUNDS; r++)
		for (size_t i = r == round ? from : 0; i < plan->count; i++)
			left_s += has_round(&rounds[i], r) ? round_slice_s(plan, &rounds[i], i, r) : 0;
	return left_s;
}

/* Called after a test's first round. A test without a figure gets no more rounds. A test whose preparation would
 * take too much of the suite's time gets only one more. */
static void rounds_settle(
	const struct bench_run *run, const struct bench_plan *plan, const struct bench_test *test, struct rounds_plan *rounds, double took_s)
{
	rounds->dropped = true;
	for (size_t f = 0; f < run->figure_count; f++)
		rounds->dropped = rounds->dropped && !(run->figures[f].measure.test == test->name && run->figures[f].rounds > 0);
	if (rounds->count > 1 && (took_s - run->sampled_s) * (rounds->count - 1) > PREPARING_SHARE_MAX * plan->budget_s)
		rounds->count = 2;
}

/* Runs one round of one test, if at least a quarter of its nominal time is left. */
static bool run_round(
	struct bench_run *run, const struct bench_plan *plan, struct rounds_plan *rounds, size_t i, double nominal_s, double slice_s)
{
	int64_t start_ns = clock_monotonic_ns();

	if (slice_s < nominal_s / 4)
		return false;
	run->first = run->round == rounds->first;
	run_test(run, plan, i, slice_s);
	rounds->improvable = run->unstable;
	if (run->first)
		rounds_settle(run, plan, plan->tests[i], rounds, (double)(clock_monotonic_ns() - start_ns) * 1e-9);
	return true;
}

/* Spreads the tests with one round over the rounds of the tests that correct plans. Those begin in round 1, so they
 * are the last to run out of time. */
static void rounds_begin(const struct bench_plan *plan, struct rounds_plan *rounds)
{
	int singles = 0, single = 0;

	for (size_t i = 0; i < plan->count; i++)
		singles += !plan->tests[i]->repeats;
	for (size_t i = 0; i < plan->count; i++) {
		rounds[i] = (struct rounds_plan){.count = plan->tests[i]->repeats ? BENCH_ROUNDS : 1, .first = 1};
		if (!plan->tests[i]->repeats)
			rounds[i].first += single++ * BENCH_ROUNDS / singles;
	}
}

/* Runs the tests in turn, so that the rounds of a test are spread over the whole suite. Unused time goes to the
 * tests whose medians are known worst. */
static void run_rounds(struct bench_run *run, const struct bench_plan *plan, struct rounds_plan *rounds)
{
	for (run->round = 1; run->round <= BENCH_ROUNDS; run->round++)
		for (size_t i = 0; i < plan->count; i++) {
			double nominal_s, slice_s;

			if (!has_round(&rounds[i], run->round))
				continue;
			nominal_s = round_slice_s(plan, &rounds[i], i, run->round);
			slice_s = fair_slice_s(run, nominal_s, rounds_left_s(plan, rounds, i, run->round));
			if (rounds[i].count > 1 ||
				!run->full) /* in a full suite, a test with one round may use the time that others leave: power needs a long window */
				slice_s = fmin(slice_s, nominal_s);
			if (!run_round(run, plan, &rounds[i], i, nominal_s, slice_s) && run->round == rounds[i].first) {
				bench_report_skip(run->report, plan->tests[i]->name, "budget: no time is left for this test");
				rounds[i].dropped = true;
			}
		}
}

/* True if a test gets another round. Tests that correct plans continue in turn, all of them, while one of them is
 * not known well enough. Other tests continue only while they are not known well enough themselves. */
static bool gets_another_round(const struct bench_plan *plan, const struct rounds_plan *rounds, size_t i, bool repeats)
{
	bool wanted = rounds[i].improvable;

	for (size_t k = 0; repeats && k < plan->count; k++)
		wanted = wanted || (rounds[k].improvable && !rounds[k].dropped && plan->tests[k]->repeats);
	return wanted && !rounds[i].dropped && plan->tests[i]->repeats == repeats;
}

/* Repeats tests that are not known well enough, while time is left. */
static void run_again(struct bench_run *run, const struct bench_plan *plan, struct rounds_plan *rounds, bool repeats)
{
	for (run->round = BENCH_ROUNDS + 1; run->round <= BENCH_ROUNDS_MAX; run->round++) {
		bool chosen[BENCH_TESTS_MAX];
		double share_s = 0;

		for (size_t i = 0; i < plan->count; i++) {
			chosen[i] = gets_another_round(plan, rounds, i, repeats);
			share_s += chosen[i] ? plan->slices_s[i] : 0;
		}
		for (size_t i = 0; i < plan->count; i++) {
			if (!chosen[i])
				continue;
			if (!run_round(run, plan, &rounds[i], i, plan->slices_s[i], fair_slice_s(run, plan->slices_s[i], share_s)))
				return;
			share_s -= plan->slices_s[i];
		}
	}
}

void bench_suite_run(struct bench_run *run, const struct bench_plan *plan)
{
	struct rounds_plan rounds[BENCH_TESTS_MAX];

	run->start_ns = run->deadline_ns - (int64_t)(plan->budget_s * 1e9);
	/* The idle time is a tenth of the budget at most: a single short test by name has a short budget. */
	bench_sampler_idle(run->sampler, fmin(run->full ? IDLE_FULL_S : IDLE_QUICK_S, IDLE_SHARE_MAX * plan->budget_s), run->alive);
	rounds_begin(plan, rounds);
	run_rounds(run, plan, rounds);
	run_again(run, plan, rounds, true); /* tests that correct plans first */
	run_again(run, plan, rounds, false);
	bench_run_tell(run);
}
