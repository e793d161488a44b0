/* A measured step compared with the predicted one: the effect of a change on the training as it runs (E83). */
#ifndef FLEETPLAN_PLANNER_TRAINING_MEASURED_H
#define FLEETPLAN_PLANNER_TRAINING_MEASURED_H

#include "planner/step/step.h"

/* Factors that turn the predicted parts of a step into the measured ones. */
struct measured_scale {
	double factors[BOTTLENECK_COUNT]; /* measured over predicted time */
	double shares[BOTTLENECK_COUNT];  /* shares of the measured step, by what binds */
	double rest_s;                    /* measured seconds that the prediction does not explain, at samples_per_gpu */
	double samples_per_gpu;           /* samples of the measured step on one accelerator */
};

/* E83. Computes the factor from each predicted part of a step to the measured part.
 * Given: measured (the measured step; NULL: use the prediction, with every factor 1 and no rest); predicted (the
 * prediction of the same step); gpu_count (accelerators of that step, > 0).
 * Returned: factors, shares, rest and samples of an accelerator. Recomputation and waiting for memory without a
 * measurement count as part of the measured computing, in the predicted proportion. Another part without a measurement
 * is as predicted. A part below 0.01 of the predicted step has the factor 1; its measured time beyond the prediction
 * goes into the rest, as does all other time of the step beside its parts.
 * Case: measured_over_predicted in tests/planner/test_training_levers.c. */
struct measured_scale measured_scale_of(const struct measured_step *measured, const struct step_result *predicted, double gpu_count);

/* E83. Computes the time that a measurement of another predicted step would show: the sum of factor x part, and the
 * rest in proportion to the samples of an accelerator.
 * Given: scale; step (the predicted step after a change); gpu_count (its accelerators, > 0).
 * Returned: seconds.
 * Case: measured_over_predicted in tests/planner/test_training_levers.c. */
double measured_step_s(const struct measured_scale *scale, const struct step_result *step, double gpu_count);

#endif
