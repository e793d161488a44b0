/* A job: the data of one benchmark while its worker runs, and the encoding of its result. */
#ifndef FLEETPLAN_AGENT_JOB_H
#define FLEETPLAN_AGENT_JOB_H

#include "agent/job_calibrations.h"
#include "agent/worker.h"
#include "hwdb/catalogue/records.h"
#include "planner/measurement/verification.h"

enum { BENCH_RESULT_MAX_BYTES = 2 * 1024 * 1024, BENCH_FITS_MAX = 32, BENCH_MEANS_MAX = 32 };

struct bench_job {
	struct arena arena;             /* of all text below */
	struct benchmark_record record; /* as claimed */
	const char *suite;              /* "quick", "full", "stream_triad,..." */
	double budget_s;
	struct bench_line_device device;
	bool has_device;
	size_t measure_count;
	struct bench_line_measure measures[BENCH_MEASURES_MAX];
	size_t fit_count, mean_count;
	struct bench_line_fit fits[BENCH_FITS_MAX];
	struct bench_line_mean means[BENCH_MEANS_MAX];
	struct buffer device_json, measures_json, fits_json, means_json, skips_json, progress_json;
	size_t skip_count;
	char skipped[160]; /* the first skipped test and its reason */
	char *worker_version;
	double elapsed_s;
	bool progressed; /* progress_json is newer than the last report */
	bool exhausted;  /* of memory: lines are lost, and the benchmark must not succeed */
};

void bench_job_open(struct bench_job *job);
void bench_job_close(struct bench_job *job);

/* Sets the suite (unless it is set) and the budget from the claimed record. False, with a sentence: no such suite. */
bool bench_job_plan(struct bench_job *job, char *detail, size_t size);

/* Stores one line. Has the arguments of bench_worker.on_line, with the job as context. */
void bench_job_take(struct bench_job *job, const struct bench_line *line, const char *text, size_t length);

/* Checks the lines of a worker that reports success: they must name a device and have a measure. Otherwise changes the
 * outcome to a failure, with the reason. */
void bench_job_judge(const struct bench_job *job, struct bench_worker_outcome *outcome);

/* The daemon's conclusions from the measures; each may be NULL. */
struct bench_judgement {
	const struct bench_calibrations *calibrations;
	const struct verification *verification;
	const char *not_verified; /* why the result does not verify the plan */
};

/* Writes the result, as it is stored and returned, to `out`. */
void bench_job_encode(
	const struct bench_job *job, const struct bench_worker_outcome *outcome, const struct bench_judgement *judgement, struct buffer *out);

#endif
