/* What a run tells: to a supervisor as NDJSON lines, to a person as a table, to a script as one JSON record.
 *
 * A line is one JSON object with its kind in `type`: hello, device, progress, sample, measure, fit, mean, skip, result. Lines
 * are at most BENCH_LINE_MAX bytes, newline included. Figures are SI; `unit` names theirs. Three threads report (the run,
 * its heartbeat, the sampler), so every call takes the report's lock. */
#ifndef FLEETPLAN_BENCH_REPORT_REPORT_H
#define FLEETPLAN_BENCH_REPORT_REPORT_H

#include <pthread.h>

#include "bench/backend.h"
#include "bench/statistics.h"

enum { BENCH_LINE_MAX = 64 * 1024, BENCH_PROTOCOL = 1 };

enum bench_unit { UNIT_SECONDS, UNIT_BYTES_PER_S, UNIT_FLOPS_PER_S, UNIT_PER_S, UNIT_COUNT };
const char *bench_unit_name(enum bench_unit unit); /* "s", "bytes_per_s", "flops_per_s", "per_s" */

/* How much an energy can be trusted: a counter over 2 s and more; polls, or a counter over less; a few polls. */
enum bench_confidence { CONFIDENCE_LOW, CONFIDENCE_MEDIUM, CONFIDENCE_HIGH, CONFIDENCE_COUNT };

/* Power and energy of a window of steady work. NaN: not known. */
struct bench_energy {
	double window_s, energy_joules, mean_w;
	double idle_w, dynamic_joules;    /* dynamic: above idle power */
	double joules_per_tflop;
	double limit_fraction;            /* mean power over the power limit */
	size_t samples;
	const char *source, *by, *scope;  /* static: "nvml", "rapl"; "counter" or "polls"; "gpu_board", "cpu_package" */
	enum bench_confidence confidence;
};

struct bench_measure {
	const char *test, *bottleneck, *detail;
	const char *role;                        /* of the plan's work; NULL: none */
	const struct bench_work_request *request; /* tells shape, product, attention, transfer, size; NULL: none of them */
	const struct bench_block *block;         /* of a step that was measured; NULL: none */
	enum bench_method method;
	enum precision precision;
	enum bench_unit unit;
	struct bench_statistics statistics;
	size_t warmup, runs_per_sample;
	double count;        /* in one step of the plan; 0: not told */
	double disagreement; /* of the later half of its rounds with the earlier: |median / median - 1|; NaN: one round */
	size_t rounds, rounds_left_out; /* in which it was measured; and those of them that do not count, since the host gave the CPUs to others */
	double median_p10, median_p90;  /* between which the median lies with 80 % (E149); NaN: not known */
	bool trend;                     /* its rounds go one way (E150) */
	double steal_fraction, others_fraction; /* of the CPUs' time meanwhile: other guests of the host, other processes; NaN: not known */
	double bytes, flops; /* of one run; 0: does not count them */
	double elapsed_s;
	double predicted_s;  /* NaN: nobody predicted it */
	bool cache_resident;
	uint64_t throttle_reasons; /* seen while it ran; bit 1 << enum bench_throttle */
	const struct bench_energy *energy; /* NULL: not measured */
	struct bench_check check;
};

/* T(bytes) = alpha + bytes / beta, by least squares over relative errors. */
struct bench_fit {
	const char *test, *what; /* "to_device"; NULL: there is one only */
	enum bench_method method;
	double alpha_s, beta_bytes_per_s;
	double worst_residual;   /* |fitted / measured - 1| of the worst size */
	size_t sizes;
};

/* All products of a test together: operations over time, each by how often a step has it; the harmonic mean. */
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
	size_t i, n; /* tests begun, of all */
	double budget_s;
	int64_t start_ns; /* monotonic, of the suite */
};

/* ok: exit 0. failed, busy: another exit code. */
enum bench_verdict { BENCH_VERDICT_OK, BENCH_VERDICT_FAILED, BENCH_VERDICT_BUSY, BENCH_VERDICT_COUNT };

enum bench_report_style { REPORT_LINES, REPORT_TABLE, REPORT_RECORD };

struct bench_report {
	enum bench_report_style style;
	int fd;                  /* where lines, table or record go */
	bool progress;           /* REPORT_TABLE: a progress line on a terminal's stderr */
	struct buffer text;      /* the line under way, or the record so far */
	struct buffer measures, fits, means, skips; /* REPORT_RECORD: the lists' members */
	bool broken;             /* nobody reads any more: writing failed */
	struct bench_progress current;
	pthread_mutex_t lock;
};

void bench_report_open(struct bench_report *report, enum bench_report_style style, int fd);
void bench_report_close(struct bench_report *report);

void bench_report_hello(struct bench_report *report);
void bench_report_device(struct bench_report *report, const struct bench_device *device);
void bench_report_progress(struct bench_report *report, const struct bench_progress *progress);
void bench_report_alive(struct bench_report *report); /* the last progress again, with the time that has passed */
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
	const char *reason; /* NULL where all went well */
};
void bench_report_result(struct bench_report *report, const struct bench_result *result);

#endif
