/* What real jobs agree on: the speed of a stack on an accelerator beside what is predicted of it (E125). Pure. */
#ifndef FLEETPLAN_PLANNER_MEASUREMENT_OBSERVATION_H
#define FLEETPLAN_PLANNER_MEASUREMENT_OBSERVATION_H

#include "base/given.h"
#include "planner/hardware/accelerator.h"

enum { OBSERVATIONS_LEAST = 5, OBSERVATION_PLANS_LEAST = 2, OBSERVATIONS_MAX = 256 };

/* One job outside of these did something else than its plan: another model, another machine, a stall. */
#define OBSERVATION_SPEED_LEAST 0.33
#define OBSERVATION_SPEED_MOST  3.0

/* Consistent: the median absolute deviation is at most this part of the median; and each farther than three of it is left out. */
#define OBSERVATION_SPREAD_MOST 0.15
#define OBSERVATION_MADS        3.0

struct observed_speed {
	const char *plan_id;
	double speed; /* of the stack: 1 is as predicted without any observation */
};

struct observed_consensus {
	double value, low, high, spread; /* median; p10 and p90 of those that count; median absolute deviation */
	size_t count, plans;             /* that count */
	bool counts[OBSERVATIONS_MAX];   /* each of those given */
	char why[160];                   /* why there is none; "" */
};

/* E125. Given: speeds of one stack on one accelerator, newest first, at most OBSERVATIONS_MAX. Those farther than three deviations (at least 1 % of
 * the median) from the median are left out; what is left must be 5 from 2 plans, and deviate by at most 15 %. Returned: whether they agree. */
bool observation_consensus(const struct observed_speed *items, size_t count, struct observed_consensus *consensus);

/* What a job and the one that is planned differ in. Accelerator and software are the same: jobs of others do not count. */
struct observed_kind {
	double params_ratio, gpus_ratio; /* of models and accelerators, > 0; absent params: not known, and counted as a factor of ten; absent gpus: open */
	bool same_precision;             /* not known is another */
};

#define OBSERVATION_LIKENESS_SOURCE "E148: 1/2 for each factor of ten in the model's size and in the number of accelerators, and for another number format"

/* E148. How much of what an observed job showed holds for another one: 1/2 to the power of |log10 of the models' sizes| + |log10 of the
 * numbers of accelerators| + (another number format), 0 to 1. Source: as E134, whose pairs of runs are too few to tell a fall with the distance. */
double observation_likeness(const struct observed_kind *kind);

/* E148. What observed steps say at that distance: ln speed = likeness x ln observed; low and high likewise. What they leave open of a step
 * is in range_step_log_sigma(). Given: the observed speed > 0, likeness 0 to 1. Source: the mean of a normal field with that correlation. */
double observation_speed_at(double speed, double likeness);

/* What observed steps say of one number of accelerators. Without any: speed, low and high 1, likeness 0. */
struct observed_stack {
	double speed, low, high; /* of the median, p10 and p90: steps a second beside what was predicted */
	double likeness;
};

/* E148 once more where the number was left to the search: of what the calibration holds, 1/2 to the power of |log10 of the numbers| remains.
 * Given: a calibration (stack_gpu_count not above 0: its number was counted, or is not known), accelerators >= 1. */
struct observed_stack observation_stack_at(const struct calibration *calibration, double gpu_count);

/* What a job reported, and its plan's prediction: NULL when it can count for its stack, else why not. */
struct observed_job {
	double step_time_s, tokens_per_s, step_tokens; /* reported; tokens of a step by the plan */
	double predicted_step_time_s;
	int64_t gpu_count, planned_gpu_count;          /* ABSENT_COUNT: not reported */
	const char *stack, *planned_stack;
	bool pinned;                                   /* the plan's mfu was given: nothing was predicted */
};
const char *observation_refusal(const struct observed_job *job);

/* E134. A whole run that was reported, and its plan: NULL when it can count for the practice of others, else why not. */
struct observed_run {
	double hours, recipe_hours;           /* reported, and of its plan's steps and failures */
	int64_t gpu_count, planned_gpu_count; /* as above */
	const char *stack, *planned_stack;
	double step_ratio;                    /* reported over planned time of a step; NaN: not reported */
	double hfu;                           /* of the plan's steps; NaN: not known */
};
const char *observation_run_refusal(const struct observed_run *run);

/* Time of a step: as reported, else from tokens/s; NaN when neither was. */
double observation_step_time_s(const struct observed_job *job);

#endif
