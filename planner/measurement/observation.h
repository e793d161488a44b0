/* Speed of a stack on an accelerator in real jobs, over its predicted speed (E125). Pure. */
#ifndef FLEETPLAN_PLANNER_MEASUREMENT_OBSERVATION_H
#define FLEETPLAN_PLANNER_MEASUREMENT_OBSERVATION_H

#include "base/given.h"
#include "planner/hardware/accelerator.h"

enum { OBSERVATIONS_LEAST = 5, OBSERVATION_PLANS_LEAST = 2, OBSERVATIONS_MAX = 256 };

/* A job outside of these limits did not do what its plan says: another model, another machine, a stall. */
#define OBSERVATION_SPEED_LEAST 0.33
#define OBSERVATION_SPEED_MOST  3.0

/* Jobs agree if their median absolute deviation is at most this part of the median. Jobs that are more than
 * OBSERVATION_MADS deviations from the median are left out. */
#define OBSERVATION_SPREAD_MOST 0.15
#define OBSERVATION_MADS        3.0

struct observed_speed {
	const char *plan_id;
	double speed; /* of the stack; 1: as predicted without observations */
};

struct observed_consensus {
	double value, low, high, spread; /* of the speeds that count: median, p10, p90, median absolute deviation */
	size_t count, plans;             /* speeds that count, and their plans */
	bool counts[OBSERVATIONS_MAX];   /* for each given speed: it counts */
	char why[160];                   /* why they do not agree; "" if they do */
};

/* E125. Checks whether the observed speeds of one stack on one accelerator agree, and takes their median. Speeds more
 * than three deviations (of at least 1 % of the median) from the median are left out.
 * Given:    items, count: speeds, newest first; those behind the first OBSERVATIONS_MAX are ignored.
 * Returned: true if at least 5 speeds from at least 2 plans are left, and deviate by at most 15 % of their median.
 * Case:     tests/planner/test_measurement.c. */
bool observation_consensus(const struct observed_speed *items, size_t count, struct observed_consensus *consensus);

/* Differences between an observed job and the planned one. Both have the same accelerator and software: other jobs do
 * not count. */
struct observed_kind {
	double params_ratio, gpus_ratio; /* of models, of accelerators, > 0; absent params: a factor of ten; absent gpus: open */
	bool same_precision;             /* an unknown format counts as another one */
};

#define OBSERVATION_LIKENESS_SOURCE \
	"E148: 1/2 for each factor of ten in the model's size and in the number of accelerators, and for another number format"

/* E148. Computes how much of an observed job's speed holds for another job.
 * Given:    kind: the differences.
 * Returned: 0 to 1: 1/2 to the power of |log10 of the models' sizes| + |log10 of the numbers of accelerators| + (another
 *           number format).
 * Source:   as E134; its pairs of runs are too few to fit how the likeness falls with the distance.
 * Case:     tests/planner/test_training_practice.c (through a plan). */
double observation_likeness(const struct observed_kind *kind);

/* E148. Computes the speed that an observed one implies for a job at a distance: ln speed = likeness x ln observed; the
 * same for low and high. range_step_log_sigma() has the uncertainty that remains in a step.
 * Given:    speed: observed, over the predicted one, > 0; likeness, 0 to 1.
 * Returned: speed over the predicted one.
 * Source:   the mean of a normal field with that correlation.
 * Case:     tests/planner/test_training_practice.c (through a plan). */
double observation_speed_at(double speed, double likeness);

/* Observed speed of a stack at one number of accelerators. Without observations: speed, low and high 1, likeness 0. */
struct observed_stack {
	double speed, low, high; /* median, p10 and p90: observed steps per second over predicted ones */
	double likeness;
};

/* E148. Computes the observed speed at one number of accelerators, where the request left the number to the search. Of
 * the calibration's effect 1/2 to the power of |log10 of the numbers| remains.
 * Given:    calibration (stack_gpu_count not above 0: its number is counted already, or is not known); gpu_count:
 *           accelerators, >= 1.
 * Returned: speeds over the predicted one, and the likeness.
 * Case:     tests/planner/test_training_practice.c (through a plan). */
struct observed_stack observation_stack_at(const struct calibration *calibration, double gpu_count);

/* The figures that a job reported, and its plan's prediction. */
struct observed_job {
	double step_time_s, tokens_per_s, step_tokens; /* reported; step_tokens: of the plan's step */
	double predicted_step_time_s;
	int64_t gpu_count, planned_gpu_count; /* ABSENT_COUNT: not reported */
	const char *stack, *planned_stack;
	bool pinned; /* the request gave mfu: the plan predicted nothing */
};

/* E125. Returns NULL if the job counts for its stack, else the reason why it does not.
 * Case: tests/planner/test_measurement.c. */
const char *observation_refusal(const struct observed_job *job);

/* A whole run that was reported, and its plan. */
struct observed_run {
	double hours, recipe_hours;           /* reported; of its plan's steps and failures */
	int64_t gpu_count, planned_gpu_count; /* as above */
	const char *stack, *planned_stack;
	double step_ratio; /* reported over planned time of a step; NaN: not reported */
	double hfu;        /* of the plan's steps; NaN: not known */
};

/* E134. Returns NULL if the run counts for the practice of others, else the reason why it does not.
 * Case: tests/planner/test_own_runs.c. */
const char *observation_run_refusal(const struct observed_run *run);

/* Returns the time of a step in s: as reported, else from tokens/s; NaN when neither was reported. */
double observation_step_time_s(const struct observed_job *job);

#endif
