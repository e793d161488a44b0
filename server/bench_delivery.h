/* What was measured, on its way into the storage: checked, with the calibrations that came of it, all in one operation.
 * The daemon's own runner and results that agents deliver go through here alike. */
#ifndef FLEETPLAN_SERVER_BENCH_DELIVERY_H
#define FLEETPLAN_SERVER_BENCH_DELIVERY_H

#include "agent/job.h"
#include "api/bench_result.h"
#include "planner/measurement/verification.h"
#include "service/bench_trust.h"
#include "storage/benchmarks.h"
#include "storage/catalogue_rows.h"

struct bench_delivery {
	struct benchmark_result result; /* to be run once or more; now_us, bearer and the job's failure are the caller's */
	struct catalogue_rows rows;
	struct accelerator_row accelerator;
	struct bench_calibrations calibrations;
	struct verification verification; /* of the plan, where has_verification */
	bool has_verification;
	size_t held; /* calibrations that wait */
	struct buffer text;
};

/* Whether what a worker that succeeded measured is possible (service/bench_trust.h); where not, the outcome becomes a failure with its reason, which
 * no further attempt follows. */
void bench_delivery_judge(struct storage *storage, struct bench_job *job, struct bench_worker_outcome *outcome);

/* Of a job, how its worker ended, and who delivers that. Text lives in the job's arena and in the delivery, until that is closed. */
void bench_delivery_open(struct bench_delivery *delivery, struct storage *storage, struct bench_job *job,
	const struct bench_worker_outcome *outcome, enum benchmark_end end, const struct bench_bearer *bearer);
void bench_delivery_close(struct bench_delivery *delivery);

/* Says in the detail of a worker that broke which attempt it was, and whether another follows. */
void bench_outcome_count_attempt(struct bench_worker_outcome *outcome, const struct benchmark_record *benchmark);

/* Whether it changes the catalogue, when it is stored. */
bool bench_delivery_calibrates(const struct bench_delivery *delivery);

/* Fills job and outcome with what an agent delivered, as if its worker had run here: each line is checked like one that came on
 * a pipe. False with a sentence when it cannot be believed. `outcome` is for bench_worker_release either way. */
bool bench_delivery_read(const struct bench_result *result, struct bench_job *job, struct bench_worker_outcome *outcome, char *detail,
	size_t size);

#endif
