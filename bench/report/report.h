/* The output of a run: NDJSON lines for a supervisor (planner/measurement/bench_lines.h), a table for a person, or one
 * JSON record for a script.
 *
 * Figures are in SI units; `unit` names the unit. Three threads report (the run, its heartbeat, the sampler), so every call takes the report's lock. */
#ifndef FLEETPLAN_BENCH_REPORT_REPORT_H
#define FLEETPLAN_BENCH_REPORT_REPORT_H

#include <pthread.h>

#include "bench/backend.h"
#include "bench/statistics.h"

enum bench_unit { UNIT_SECONDS, UNIT_BYTES_PER_S, UNIT_FLOPS_PER_S, UNIT_PER_S, UNIT_COUNT };
const char *bench_unit_name(enum bench_unit unit); /* "s", "bytes_per_s", "flops_per_s", "per_s" */

/* How reliable an energy is. High: a counter over at least 2 s. Medium: at least 10 polls. Low: fewer polls, or a
 * counter over less than 2 s. */
enum bench_confidence { CONFIDENCE_LOW, CONFIDENCE_MEDIUM, CONFIDENCE_HIGH, CONFIDENCE_COUNT };

/* Power and energy of a window of steady work. NaN: unknown. */
struct bench_energy {
	double window_s, energy_joules, mean_w;
	double idle_w, dynamic_joules; /* dynamic: above the idle power */
	double joules_per_tflop;
	double limit_fraction; /* mean power divided by the power limit */
	size_t samples;
	const char *source, *by, *scope; /* static: "nvml", "rapl"; "counter" or "polls"; "gpu_board", "cpu_package" */
	enum bench_confidence confidence;
};

struct bench_measure {
	const char *test, *bottleneck, *detail;
	const char *role;                         /* in the plan's work; NULL: none */
	const struct bench_work_request *request; /* gives shape, product, attention, transfer, size; NULL: none of them */
	const struct bench_block *block;          /* of a measured step; NULL: none */
	enum bench_method method;
	enum precision precision;
	enum bench_unit unit;
	struct bench_statistics statistics;
	size_t warmup, runs_per_sample;
	double count;                   /* in one step of the plan; 0: unknown */
	double disagreement;            /* between the later and the earlier half of its rounds: |median / median - 1|; NaN: one round */
	size_t rounds, rounds_left_out; /* rounds measured; rounds of those left out because the host gave the CPUs to others */
	double median_p10, median_p90;  /* the median is between these with a probability of 80 % (E149); NaN: unknown */
	bool trend;                     /* its rounds have a trend (E150) */
	double steal_fraction, others_fraction; /* share of the CPUs' time that other guests of the host and other processes used; NaN: unknown */
	double bytes, flops;                    /* of one run; 0: not counted */
	double elapsed_s;
	double predicted_s; /* NaN: not predicted */
	bool cache_resident;
	uint64_t throttle_reasons;         /* seen during the measurement; bit 1 << enum bench_throttle */
	const struct bench_energy *energy; /* NULL: not measured */
	struct bench_check check;
};

/* T(bytes) = alpha + bytes / beta, by least squares over relative errors. */
struct bench_fit {
	const char *test, *what; /* "to_device"; NULL: the test has only one fit */
	enum bench_method method;
	double alpha_s, beta_bytes_per_s;
	double worst_residual; /* |fitted / measured - 1| of the size with the largest error */
	size_t sizes;
};

/* All products of a test together: total operations divided by total time, each product weighted by its count in a
 * step (a harmonic mean). */
struct bench_mean {
	const char *test;
	enum bench_method method;
	enum precision precision;
	enum bench_unit unit;
	double value, flops;
	size_t products;
};

struct bench_progress {
	const char *test;
	size_t i, n; /* tests begun, of all tests */
	double budget_s;
	int64_t start_ns; /* monotonic; start of the suite */
};

/* ok: exit code 0. failed, busy: other exit codes. */
enum bench_verdict { BENCH_VERDICT_OK, BENCH_VERDICT_FAILED, BENCH_VERDICT_BUSY, BENCH_VERDICT_COUNT };

enum bench_report_style { REPORT_LINES, REPORT_TABLE, REPORT_RECORD };

struct bench_report {
	enum bench_report_style style;
	int fd;                                     /* receives the lines, table or record */
	bool progress;                              /* REPORT_TABLE: a progress line on a terminal's stderr */
	struct buffer text;                         /* the current line, or the record so far */
	struct buffer measures, fits, means, skips; /* REPORT_RECORD: the members of each list */
	bool broken;                                /* writing failed: the reader is gone */
	struct bench_progress current;
	pthread_mutex_t lock;
};

void bench_report_open(struct bench_report *report, enum bench_report_style style, int fd);
void bench_report_close(struct bench_report *report);

void bench_report_hello(struct bench_report *report);
void bench_report_device(struct bench_report *report, const struct bench_device *device);
void bench_report_progress(struct bench_report *report, const struct bench_progress *progress);
void bench_report_alive(struct bench_report *report); /* repeats the last progress with the current elapsed time */
void bench_report_measure(struct bench_report *report, const struct bench_measure *measure);
void bench_report_fit(struct bench_report *report, const struct bench_fit *fit);
void bench_report_mean(struct bench_report *report, const struct bench_mean *mean);
void bench_report_sample(struct bench_report *report, double elapsed_s, const struct bench_sensors *sensors);
void bench_report_skip(struct bench_report *report, const char *test, const char *reason);

struct bench_result {
	enum bench_verdict verdict;
	const char *suite;
	double budget_s, elapsed_s;
	size_t measures, failed;
	const char *reason; /* NULL if nothing failed */
};
void bench_report_result(struct bench_report *report, const struct bench_result *result);

#endif
