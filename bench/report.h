/* What a run tells: to a supervisor as NDJSON lines, to a person as a table, to a script as one JSON record.
 *
 * A line is one JSON object with its kind in `type`: hello, device, progress, sample, measure, skip, result. Lines are at
 * most BENCH_LINE_MAX bytes, newline included. Figures are SI; `unit` names theirs. Two threads report (the run and
 * its heartbeat), so every call takes the report's lock. */
#ifndef FLEETPLAN_BENCH_REPORT_H
#define FLEETPLAN_BENCH_REPORT_H

#include <pthread.h>

#include "bench/backend.h"
#include "bench/statistics.h"

enum { BENCH_LINE_MAX = 64 * 1024, BENCH_PROTOCOL = 1 };

enum bench_unit { UNIT_SECONDS, UNIT_BYTES_PER_S, UNIT_FLOPS_PER_S, UNIT_COUNT };
const char *bench_unit_name(enum bench_unit unit); /* "s", "bytes_per_s", "flops_per_s" */

struct bench_measure {
	const char *test, *bottleneck, *detail;
	enum bench_method method;
	enum precision precision;
	enum bench_unit unit;
	bool has_shape;
	struct bench_shape shape;
	struct bench_statistics statistics;
	size_t warmup, runs_per_sample;
	int pass;
	double bytes, flops; /* of one run; 0: does not count them */
	double elapsed_s;
	bool cache_resident;
	struct bench_check check;
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
	struct buffer measures, skips; /* REPORT_RECORD: the lists' members */
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
