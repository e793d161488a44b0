#include "bench/suite.h"

#include <math.h>

#include "base/clock.h"
#include "base/spelling.h"

static void run_work(struct bench_run *run, const struct bench_test *test, double slice_s);
static void run_products(struct bench_run *run, const struct bench_test *test, double slice_s);

/* Slices follow the shares of a plan's bottlenecks: products first. The order is that in which they run; the streams come
 * before the products, which heat the part. */
const struct bench_test bench_tests[] = {
	{"launch_round_trip", "launch_overhead", METHOD_THREAD_WAKE, WORK_LAUNCH, PRECISION_UNSET, UNIT_SECONDS, 0.3, 2, run_work},
	{"stream_read", "memory_bandwidth", METHOD_STREAM, WORK_STREAM_READ, PRECISION_UNSET, UNIT_BYTES_PER_S, 0.6, 5, run_work},
	{"stream_copy", "memory_bandwidth", METHOD_STREAM, WORK_STREAM_COPY, PRECISION_UNSET, UNIT_BYTES_PER_S, 0.6, 5, run_work},
	{"stream_triad", "memory_bandwidth", METHOD_STREAM, WORK_STREAM_TRIAD, PRECISION_UNSET, UNIT_BYTES_PER_S, 0.8, 6, run_work},
	{"issue_rate_fp32", "compute", METHOD_ISSUE_RATE, WORK_ISSUE_RATE, PRECISION_FP32, UNIT_FLOPS_PER_S, 0.6, 5, run_work},
	{"gemm_library_fp32", "compute", METHOD_LIBRARY_GEMM, WORK_GEMM, PRECISION_FP32, UNIT_FLOPS_PER_S, 3.0, 50, run_products},
	{"gemm_kernel_fp32", "compute", METHOD_KERNEL_GEMM, WORK_GEMM, PRECISION_FP32, UNIT_FLOPS_PER_S, 1.2, 25, run_products},
};
const size_t bench_test_count = COUNT_OF(bench_tests);

static void plan_add(struct bench_plan *plan, const struct bench_test *test, double slice_s)
{
	if (slice_s <= 0 || plan->count == BENCH_TESTS_MAX)
		return;
	plan->tests[plan->count] = test;
	plan->slices_s[plan->count++] = slice_s;
}

static const struct bench_test *test_named(const char *name, size_t length)
{
	for (size_t i = 0; i < bench_test_count; i++)
		if (strlen(bench_tests[i].name) == length && !memcmp(bench_tests[i].name, name, length))
			return &bench_tests[i];
	return NULL;
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
	bench_refuse(reason, BENCH_FAILED, "no test \"%s\"%s%s", wanted, list[0] ? "; nearest: " : "; quick and full run what there is", list);
	return false;
}

bool bench_plan_make(const char *suite, struct bench_plan *plan, struct bench_reason *reason)
{
	bool quick = !strcmp(suite, "quick"), full = !strcmp(suite, "full");

	*plan = (struct bench_plan){.suite = suite, .budget_s = quick ? BENCH_QUICK_S : BENCH_FULL_S};
	for (size_t i = 0; (quick || full) && i < bench_test_count; i++)
		plan_add(plan, &bench_tests[i], quick ? bench_tests[i].quick_s : bench_tests[i].full_s);
	if (quick || full)
		return true;
	plan->budget_s = 0;
	for (const char *name = suite;; name++) {
		size_t length = strcspn(name, ",");
		const struct bench_test *test = test_named(name, length);

		if (!test)
			return refuse_name(name, length, reason);
		plan_add(plan, test, test->full_s);
		plan->budget_s += 2 * test->full_s;
		name += length;
		if (!*name)
			return true;
	}
}

static double left_s(const struct bench_run *run)
{
	return (double)(run->deadline_ns - clock_monotonic_ns()) * 1e-9;
}

static bool prepare(struct bench_run *run, const struct bench_test *test, const struct bench_shape *shape,
	struct bench_work_request *request, struct bench_work *work)
{
	struct bench_reason reason = {""};

	*request = (struct bench_work_request){.kind = test->kind, .method = test->method, .precision = test->precision,
		.alive = run->alive};
	if (shape)
		request->shape = *shape;
	switch (run->backend->prepare(run->session, request, work, &reason)) {
	case BENCH_OK:
		return true;
	case BENCH_UNSUPPORTED:
		bench_report_skip(run->report, test->name, reason.text);
		return false;
	case BENCH_FAILED:
	case BENCH_OUTCOME_COUNT:
		break;
	}
	run->failed++;
	bench_report_skip(run->report, test->name, reason.text);
	return false;
}

static void run_work(struct bench_run *run, const struct bench_test *test, double slice_s)
{
	struct bench_work_request request;
	struct bench_work work;

	if (!prepare(run, test, NULL, &request, &work))
		return;
	bench_work_measure(run, test, &work, &request, slice_s);
	work.release(&work);
}

/* The largest square product of which this device does one in `longest_s`, judged by a small one. */
static struct bench_shape fitting_square(struct bench_run *run, const struct bench_test *test, double longest_s)
{
	struct bench_work_request request = {.kind = test->kind, .method = test->method, .precision = test->precision,
		.shape = {256, 256, 256}, .alive = run->alive};
	struct bench_reason reason;
	struct bench_work work;
	double elapsed_s = HUGE_VAL, repeat_s;
	int64_t side = run->full ? 4096 : 2048;

	if (run->backend->prepare(run->session, &request, &work, &reason) == BENCH_OK) {
		for (int i = 0; i < 3; i++)
			if (work.run(&work, &repeat_s, &reason) == BENCH_OK)
				elapsed_s = fmin(elapsed_s, repeat_s);
		work.release(&work);
	}
	while (side > 256 && elapsed_s * pow((double)side / 256, 3) > longest_s)
		side /= 2;
	return (struct bench_shape){side, side, side};
}

/* The plan's shapes where given, else one square in `quick` and a ladder of them in `full`. */
static void run_products(struct bench_run *run, const struct bench_test *test, double slice_s)
{
	struct bench_shape ladder[4];
	const struct bench_shape *shapes = run->shapes;
	size_t count = run->shape_count;

	if (!count) {
		struct bench_shape top = fitting_square(run, test, slice_s / (2 * BENCH_SAMPLES_MIN));

		shapes = ladder;
		for (int64_t side = run->full ? 512 : top.n; side <= top.n && count < COUNT_OF(ladder); side *= 2)
			ladder[count++] = (struct bench_shape){side, side, side};
		if (!count)
			ladder[count++] = top;
	}
	for (size_t i = 0; i < count; i++) {
		struct bench_work_request request;
		struct bench_work work;

		if (!prepare(run, test, &shapes[i], &request, &work))
			continue;
		bench_work_measure(run, test, &work, &request, slice_s / (double)count);
		work.release(&work);
	}
}

static void run_test(struct bench_run *run, const struct bench_plan *plan, size_t index, double slice_s)
{
	const struct bench_test *test = plan->tests[index];
	struct bench_progress progress = {.test = test->name, .i = index, .n = plan->count, .budget_s = plan->budget_s,
		.start_ns = run->deadline_ns - (int64_t)(plan->budget_s * 1e9)};

	run->unstable = false;
	bench_report_progress(run->report, &progress);
	test->run(run, test, slice_s);
}

void bench_suite_run(struct bench_run *run, const struct bench_plan *plan)
{
	bool again[BENCH_TESTS_MAX] = {false};
	double share_s = 0;

	for (size_t i = 0; i < plan->count; i++)
		share_s += plan->slices_s[i];
	run->pass = 1;
	for (size_t i = 0; i < plan->count; i++) {
		double slice_s = plan->slices_s[i] * fmin(left_s(run) / share_s, 1);

		share_s -= plan->slices_s[i];
		if (slice_s < plan->slices_s[i] / 4) {
			bench_report_skip(run->report, plan->tests[i]->name, "budget: the suite's time is used up");
			continue;
		}
		run_test(run, plan, i, slice_s);
		again[i] = run->unstable;
	}
	run->pass = 2;
	for (size_t i = 0; i < plan->count; i++)
		if (again[i] && left_s(run) > plan->slices_s[i])
			run_test(run, plan, i, plan->slices_s[i]);
}
