/* The suite as a table: each test with the bottleneck it looks at, how it gets its figure, and its share of the budget.
 *
 * A test's slice is its share of what is left: a test that is unsupported or done early leaves its time to those
 * after it. A slice is filled with repetitions: one is timed, then as many follow as fit, at least 5 and at most 10,000. When too
 * little is left for that, the test is skipped and says so. */
#ifndef FLEETPLAN_BENCH_SUITE_H
#define FLEETPLAN_BENCH_SUITE_H

#include "bench/report.h"

enum { BENCH_TESTS_MAX = 32, BENCH_SHAPES_MAX = 16, BENCH_SAMPLES_MAX = 10000, BENCH_SAMPLES_MIN = 5 };

struct bench_run;

struct bench_test {
	const char *name, *bottleneck; /* bottleneck: compute, memory_bandwidth, launch_overhead; see planner */
	enum bench_method method;
	enum bench_work_kind kind;
	enum precision precision;
	enum bench_unit unit;
	double quick_s, full_s; /* slice in each suite; 0: not part of it */
	void (*run)(struct bench_run *run, const struct bench_test *test, double slice_s);
};

extern const struct bench_test bench_tests[];
extern const size_t bench_test_count;

enum { BENCH_QUICK_S = 10, BENCH_FULL_S = 120 };

struct bench_plan {
	const struct bench_test *tests[BENCH_TESTS_MAX];
	double slices_s[BENCH_TESTS_MAX];
	size_t count;
	double budget_s;
	const char *suite; /* "quick", "full" or the names as given */
};

/* "quick", "full", or names of tests with commas between, which get their slice of the full suite, and a budget of twice
 * their sum. False, with what would be accepted, for anything else. */
bool bench_plan_make(const char *suite, struct bench_plan *plan, struct bench_reason *reason);

struct bench_run {
	const struct bench_backend *backend;
	struct bench_session *session;
	struct bench_report *report;
	const struct bench_shape *shapes; /* of the GEMM tests; none: a ladder of squares */
	size_t shape_count;
	bool full;
	int64_t deadline_ns;              /* monotonic: of the whole suite */
	_Atomic uint64_t *alive;          /* raised as work goes on */
	int pass;                         /* 1; 2: what was unstable, once more */
	bool unstable;                    /* output: of the last test, any measure */
	size_t failed, measured;          /* outputs */
};

/* Runs every test of the plan, reporting measures, skips and progress. */
void bench_suite_run(struct bench_run *run, const struct bench_plan *plan);

/* Repeats prepared work for slice_s and reports one measure; a skip with the reason where that cannot be. */
void bench_work_measure(struct bench_run *run, const struct bench_test *test, struct bench_work *work,
	const struct bench_work_request *request, double slice_s);

#endif
