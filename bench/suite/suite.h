/* The suite as a table: each test with the bottleneck it looks at, how it gets its figure, and its share of the budget.
 *
 * A test's slice is its share of what is left: a test that is unsupported or done early leaves its time to those
 * after it. A slice is filled with repetitions: one is timed, then as many follow as fit, at least 5 and at most 10,000. When too
 * little is left for that, the test is skipped and says so.
 *
 * What corrects plans is measured in rounds, by turns with all else that does, so that a neighbour of seconds disturbs one round of it and not
 * all: its median has the interval of those rounds (bench/statistics.h, E149). A test whose preparing would take more than a tenth of
 * the suite's time has two rounds instead. While time is left, what is known worse than to 5 % gets more. All figures are reported at the end. */
#ifndef FLEETPLAN_BENCH_SUITE_SUITE_H
#define FLEETPLAN_BENCH_SUITE_SUITE_H

#include "bench/cpu/cpu_load.h"
#include "bench/report/report.h"

enum { BENCH_TESTS_MAX = 48, BENCH_SAMPLES_MAX = 10000, BENCH_SAMPLES_MIN = 5, BENCH_METHODS_MAX = 2, BENCH_MEASURED_MAX = 256 };
enum { BENCH_ROUNDS = 5, BENCH_ROUNDS_MAX = 12, BENCH_ROUND_SAMPLES_MIN = 2, BENCH_FITTED_MAX = 32 };

struct bench_run;
struct bench_sampler;

struct bench_test {
	const char *name, *bottleneck;   /* bottleneck: compute, memory_bandwidth, launch_overhead, ...; see planner */
	enum bench_method methods[BENCH_METHODS_MAX]; /* in the order in which they are tried; the same twice: one only */
	enum bench_work_kind kind;
	enum precision precision;        /* PRECISION_UNSET: has none, or the first that the device can */
	enum bench_unit unit;
	double quick_s, full_s;          /* slice in each suite; 0: not part of it */
	bool repeats;                    /* corrects plans: measured in rounds */
	bool cold;                       /* caches are flushed before each run */
	void (*run)(struct bench_run *run, const struct bench_test *test, double slice_s);
};

extern const struct bench_test bench_tests[];
extern const size_t bench_test_count;

enum { BENCH_QUICK_S = 10, BENCH_FULL_S = 120 };

/* When a worker with such a budget has to be at its end: half as much again, 10 s, and 15 s for a device to fall idle before. */
static inline double bench_deadline_s(double budget_s)
{
	return budget_s * 1.5 + 10 + 15;
}

struct bench_plan {
	const struct bench_test *tests[BENCH_TESTS_MAX];
	double slices_s[BENCH_TESTS_MAX], again_s[BENCH_TESTS_MAX]; /* first round, and all that follow */
	size_t count;
	double budget_s;
	const char *suite; /* "quick", "full" or the names as given */
};

/* "quick", "full", or names of tests with commas between, which get their slice of the full suite, and a budget of twice
 * their sum. False, with what would be accepted, for anything else. */
bool bench_plan_make(const char *suite, struct bench_plan *plan, struct bench_reason *reason);

/* What storage tests read: a file, or the largest file in a folder; write_bytes > 0: a file of that size is made in the folder,
 * without a name, so that nothing is left of it whatever happens. */
struct bench_storage {
	const char *path;
	double write_bytes;
};

/* What a figure's rounds said so far. */
struct bench_rounds {
	uint64_t key;
	double *samples; /* in the test's unit, in the order in which they were taken */
	size_t count;
	size_t ends[BENCH_ROUNDS_MAX], rounds;
	struct cpu_shares shares[BENCH_ROUNDS_MAX]; /* who else had the CPUs in each round; all_s 0: not known */
	struct bench_measure measure; /* of all of them; its pointers are to what follows, or outlive the run */
	struct bench_work_request request;
	struct bench_energy energy;   /* of the round with the longest window */
	char detail[160];
};

struct bench_run {
	const struct bench_backend *backend;
	struct bench_session *session;
	struct bench_report *report;
	struct bench_sampler *sampler;    /* NULL: the device has no sensors */
	const struct bench_device *device;
	const struct bench_device *peers; /* devices of the same backend, this one among them */
	size_t peer_count;
	const struct bench_spec *spec;    /* what the plan wants measured; NULL: the usual ladders */
	struct bench_storage storage;
	bool full;
	int64_t start_ns, deadline_ns;    /* monotonic: of the whole suite */
	_Atomic uint64_t *alive;          /* raised as work goes on */
	int round;                        /* from 1 */
	bool first;                       /* of the test under way */
	bool unstable;                    /* output: of the last test, any figure that another round may improve */
	double sampled_s;                 /* output: of the last test, the time that went into samples */
	size_t failed, measured;          /* outputs */
	int64_t squares[BENCH_TESTS_MAX]; /* side of the largest square of each test, chosen in its first round; 0: not yet */
	size_t figure_count, fit_count, mean_count;
	struct bench_rounds figures[BENCH_MEASURED_MAX];
	struct bench_fit fits[BENCH_FITTED_MAX];   /* of all rounds, as the last of them left it */
	struct bench_mean means[BENCH_FITTED_MAX];
};

/* Runs every test of the plan, reporting measures, fits, means, skips and progress. */
void bench_suite_run(struct bench_run *run, const struct bench_plan *plan);

double bench_run_left_s(const struct bench_run *run);

/* --- for the tests ------------------------------------------------------------------------------------------------------- */
/* What one figure is of. */
struct bench_figure {
	const struct bench_test *test;
	const struct bench_work_request *request;
	const char *role;                /* NULL: none */
	const struct bench_block *block; /* NULL: none */
	double count, predicted_s;       /* 0, NaN: none */
	double slice_s;
	bool steady;                     /* a fifth of the slice warms up: for power and clocks */
};

/* A request of the test's kind, method, precision and flush. */
struct bench_work_request bench_request(const struct bench_run *run, const struct bench_test *test);

/* Prepares by the test's methods in turn, leaving in the request the one that the backend has. False after reporting a skip. */
bool bench_run_prepare(struct bench_run *run, const struct bench_test *test, struct bench_work_request *request, struct bench_work *work);
enum bench_outcome bench_run_try(struct bench_run *run, const struct bench_test *test, struct bench_work_request *request,
	struct bench_work *work, struct bench_reason *reason); /* the same without a skip */

/* A skip of this test: unsupported, or a failure of the run. */
void bench_run_skip(struct bench_run *run, const struct bench_test *test, enum bench_outcome outcome, const char *reason);

/* Repeats prepared work for the slice, as a round of its figure. A skip with the reason where that cannot be. *median, of all rounds so far in
 * the test's unit, may be NULL. */
bool bench_work_measure(struct bench_run *run, const struct bench_figure *figure, struct bench_work *work, double *median);

/* Keeps what the test made of its rounds' medians, in the place of what an earlier round made. */
void bench_run_fit(struct bench_run *run, const struct bench_fit *fit);
void bench_run_mean(struct bench_run *run, const struct bench_mean *mean);

/* Prepares, measures and releases. */
bool bench_run_figure(struct bench_run *run, struct bench_figure *figure, struct bench_work_request *request, double *median);

#endif
