/* Delivers a benchmark's result to the storage: checks it, computes its calibrations, and stores both in one operation.
 * The daemon's own runner and the agents' results both use this module. */
#ifndef FLEETPLAN_SERVER_BENCH_DELIVERY_H
#define FLEETPLAN_SERVER_BENCH_DELIVERY_H

#include "agent/job.h"
#include "api/bench_result.h"
#include "planner/measurement/verification.h"
#include "service/bench_trust.h"
#include "storage/benchmarks.h"
#include "storage/catalogue_rows.h"

struct bench_delivery {
	struct benchmark_result result; /* the storage job; the caller sets now_us, bearer and the job's failure, and may run it more than once */
	struct catalogue_rows rows;
	struct accelerator_row accelerator;
	struct bench_calibrations calibrations;
	struct verification verification; /* of the benchmark's plan; valid if has_verification */
	bool has_verification;
	size_t held;    /* calibrations that wait for an admin's decision */
	bool no_memory; /* something was left out: an agent should deliver again */
	struct buffer text;
};

/* Checks whether the measurements of a worker that succeeded are possible (service/bench_trust.h). If not, the outcome
 * becomes a failure with the reason, and the benchmark is not tried again. Error: the accelerator's row could not be
 * read, and nothing was checked. */
FALLIBLE enum status bench_delivery_judge(struct storage *storage, struct bench_job *job, struct bench_worker_outcome *outcome);

/* Builds the delivery from a job, its worker's outcome and the bearer who delivers it. Texts live in the job's arena
 * and in the delivery, until the delivery is closed. */
void bench_delivery_open(struct bench_delivery *delivery, struct storage *storage, struct bench_job *job,
	const struct bench_worker_outcome *outcome, enum benchmark_end end, const struct bench_bearer *bearer);
void bench_delivery_close(struct bench_delivery *delivery);

/* Appends the number of the attempt and the maximum to the outcome's detail. */
void bench_outcome_count_attempt(struct bench_worker_outcome *outcome, const struct benchmark_record *benchmark);

/* True if storing the delivery changes the catalogue. */
bool bench_delivery_calibrates(const struct bench_delivery *delivery);

/* Fills job and outcome with an agent's result, as if its worker had run here. Each line is checked like a line from a
 * worker's pipe. STATUS_INVALID, with a sentence in `detail`, for a result that is not valid; STATUS_NO_MEMORY. Release
 * `outcome` with bench_worker_release in all cases. */
FALLIBLE enum status bench_delivery_read(
	const struct bench_result *result, struct bench_job *job, struct bench_worker_outcome *outcome, char *detail, size_t size);

#endif
