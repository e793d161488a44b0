/* Verification of a plan by its benchmark: compares measured with predicted figures, and plans again with the measured. */
#ifndef FLEETPLAN_SERVICE_PLAN_VERIFICATION_H
#define FLEETPLAN_SERVICE_PLAN_VERIFICATION_H

#include "agent/job.h"
#include "planner/measurement/verification.h"
#include "storage/storage.h"

/* Judges a successful job of a plan before its result is stored. Given: the storage, the job, its calibrations, the time.
 * Returned: true if the result verifies the plan; `verification` is then set, with static text and text in the job's
 * arena. False: the job has no plan or no device (*why_not NULL); or the plan does not exist any more, is for another
 * accelerator, or none of its work was measured (*why_not says which). Plans again unless the plan is confirmed, which
 * takes as long as planning does. */
bool plan_verification_make(struct storage *storage, struct bench_job *job, const struct bench_calibrations *calibrations, int64_t now_us,
	struct verification *verification, const char **why_not);

#endif
