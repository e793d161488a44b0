/* The suite as a table: each test has the bottleneck that it measures, its methods, and its share of the budget.
 *
 * A test's slice is its share of the remaining time: a test that is unsupported or ends early leaves its time to later
 * tests. The suite fills a slice with repetitions: it times one, then runs as many as fit, at least 5 and at most
 * 10,000. If too little time is left for that, it skips the test and reports the skip.
 *
 * Tests whose figures correct plans are measured in rounds, in turn. A disturbance of some seconds then affects one
 * round of a test and not all. The median has the interval of those rounds (bench/statistics.h, E149). A test whose
 * preparation would take more than a tenth of the suite's time has two rounds instead. While time is left, tests
 * whose median is known worse than to 5 % get more rounds. All figures are reported at the end. */
#ifndef FLEETPLAN_BENCH_SUITE_SUITE_H
#define FLEETPLAN_BENCH_SUITE_SUITE_H

#include "bench/cpu/cpu_load.h"
#include "bench/report/report.h"

enum { BENCH_TESTS_MAX = 48, BENCH_SAMPLES_MAX = 10000, BENCH_SAMPLES_MIN = 5, BENCH_METHODS_MAX = 2, BENCH_MEASURED_MAX = 256 };
enum { BENCH_ROUNDS = 5, BENCH_ROUNDS_MAX = 12, BENCH_ROUND_SAMPLES_MIN = 2, BENCH_FITTED_MAX = 32 };

struct bench_run;
struct bench_sampler;

struct bench_test {
	const char *name, *bottleneck;                /* bottleneck: compute, memory_bandwidth, launch_overhead, ...; see planner */
	enum bench_method methods[BENCH_METHODS_MAX]; /* in order of preference; the same method twice: the only one */
	enum bench_work_kind kind;
	enum precision precision; /* PRECISION_UNSET: has none, or the first that the device supports */
	enum bench_unit unit;
	double quick_s, full_s; /* slice in each suite; 0: not part of it */
	bool repeats;           /* corrects plans, so it is measured in rounds */
	bool cold;              /* caches are flushed before each run */
	void (*run)(struct bench_run *run, const struct bench_test *test, double slice_s);
};

extern const struct bench_test bench_tests[];
extern const size_t bench_test_count;

enum { BENCH_QUICK_S = 10, BENCH_FULL_S = 120 };

/* The deadline of a worker with this budget: 1.5 times the budget, 10 s, and 15 s to wait until the device is idle. */
static inline double bench_deadline_s(double budget_s)
{
	return budget_s * 1.5 + 10 + 15;
}

struct bench_plan {
	const struct bench_test *tests[BENCH_TESTS_MAX];
	double slices_s[BENCH_TESTS_MAX], again_s[BENCH_TESTS_MAX]; /* first round; all later rounds */
	size_t count;
	double budget_s;
	const char *suite; /* "quick", "full" or the names as the caller gave them */
};

/* Accepts "quick", "full", or names of tests separated by commas. Named tests get their slice of the full suite, and
 * the budget is twice the sum of the slices. For other text, returns false; the reason lists the accepted values. */
bool bench_plan_make(const char *suite, struct bench_plan *plan, struct bench_reason *reason);

/* The file that storage tests read: a file, or the largest file in a folder. write_bytes > 0: a file of that size is
 * created in the folder without a name, so the kernel always removes it. */
struct bench_storage {
	const char *path;
	double write_bytes;
};

/* The results of a figure's rounds so far. */
struct bench_rounds {
	uint64_t key;
	double *samples; /* in the test's unit, in the order of measurement */
	size_t count;
	size_t ends[BENCH_ROUNDS_MAX], rounds;
	struct cpu_shares shares[BENCH_ROUNDS_MAX]; /* CPU time that others used in each round; all_s 0: unknown */
	struct bench_measure measure; /* of all rounds; its pointers point to the members below or to data that outlives the run */
	struct bench_work_request request;
	struct bench_energy energy; /* of the round with the longest window */
	char detail[160];
};

struct bench_run {
	const struct bench_backend *backend;
	struct bench_session *session;
	struct bench_report *report;
	struct bench_sampler *sampler; /* NULL: the device has no sensors */
	const struct bench_device *device;
	const struct bench_device *peers; /* devices of the same backend, including this one */
	size_t peer_count;
	const struct bench_spec *spec; /* the plan's measurements; NULL: the default sizes */
	struct bench_storage storage;
	bool full;
	int64_t start_ns, deadline_ns;    /* monotonic; of the whole suite */
	_Atomic uint64_t *alive;          /* raised as work proceeds */
	int round;                        /* from 1 */
	bool first;                       /* the current test is in its first round */
	bool unstable;                    /* output of the last test: another round may improve one of its figures */
	double sampled_s;                 /* output of the last test: time spent on samples */
	size_t failed, measured;          /* outputs */
	int64_t squares[BENCH_TESTS_MAX]; /* side of each test's largest square, chosen in its first round; 0: not yet chosen */
	size_t figure_count, fit_count, mean_count;
	struct bench_rounds figures[BENCH_MEASURED_MAX];
	struct bench_fit fits[BENCH_FITTED_MAX]; /* of all rounds; each round replaces them */
	struct bench_mean means[BENCH_FITTED_MAX];
};

/* Runs every test of the plan. Reports measures, fits, means, skips and progress. */
void bench_suite_run(struct bench_run *run, const struct bench_plan *plan);

double bench_run_left_s(const struct bench_run *run);

/* --- for the tests ------------------------------------------------------------------------------------------------------- */
/* Describes one figure. */
struct bench_figure {
	const struct bench_test *test;
	const struct bench_work_request *request;
	const char *role;                /* NULL: none */
	const struct bench_block *block; /* NULL: none */
	double count, predicted_s;       /* 0, NaN: none */
	double slice_s;
	bool steady; /* a fifth of the slice is warm-up, so power and clocks are steady */
};

/* Returns a request with the test's kind, method, precision and cache flush. */
struct bench_work_request bench_request(const struct bench_run *run, const struct bench_test *test);

/* Prepares work with the test's methods in order and stores the method that the backend supports in the request.
 * Returns false after reporting a skip. */
bool bench_run_prepare(struct bench_run *run, const struct bench_test *test, struct bench_work_request *request, struct bench_work *work);
enum bench_outcome bench_run_try(struct bench_run *run, const struct bench_test *test, struct bench_work_request *request,
	struct bench_work *work, struct bench_reason *reason); /* the same, without reporting a skip */

/* Reports a skip of this test. BENCH_FAILED also counts as a failure of the run. BENCH_UNSUPPORTED is reported in
 * the test's first round only. */
void bench_run_skip(struct bench_run *run, const struct bench_test *test, enum bench_outcome outcome, const char *reason);

/* Repeats prepared work for the slice, as one round of its figure. Reports a skip with the reason if that fails.
 * *median receives the median of all rounds so far, in the test's unit; it may be NULL. */
bool bench_work_measure(struct bench_run *run, const struct bench_figure *figure, struct bench_work *work, double *median);

/* Stores a fit or mean that the test computed from its rounds' medians; replaces that of an earlier round. */
void bench_run_fit(struct bench_run *run, const struct bench_fit *fit);
void bench_run_mean(struct bench_run *run, const struct bench_mean *mean);

/* Prepares, measures and releases. */
bool bench_run_figure(struct bench_run *run, struct bench_figure *figure, struct bench_work_request *request, double *median);

#endif
