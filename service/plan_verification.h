/* The verification of a plan by a benchmark that was made for it: what its result tells, and the plan planned again with that. */
#ifndef FLEETPLAN_SERVICE_PLAN_VERIFICATION_H
#define FLEETPLAN_SERVICE_PLAN_VERIFICATION_H

#include "agent/job.h"
#include "planner/measurement/verification.h"
#include "storage/storage.h"

/* Judges a job of a plan that has succeeded, before its result is stored. Given: the storage, the job, what it calibrates, when. Returned: whether it
 * says something of the plan; `verification` then holds it, with text in the job's arena and static. It says nothing where the job has no plan, and
 * where that is gone, is of another accelerator, or nothing of it was measured: then *why_not says that. Plans again, which takes as long as planning does. */
bool plan_verification_make(struct storage *storage, struct bench_job *job, const struct bench_calibrations *calibrations, int64_t now_us,
	struct verification *verification, const char **why_not);

#endif
