/* A measured step beside the predicted one: what a change is worth to the training as it runs (E83). */
#ifndef FLEETPLAN_PLANNER_TRAINING_MEASURED_H
#define FLEETPLAN_PLANNER_TRAINING_MEASURED_H

#include "planner/step/step.h"

/* How the predicted parts become the measured ones. */
struct measured_scale {
	double factors[BOTTLENECK_COUNT]; /* measured over predicted */
	double shares[BOTTLENECK_COUNT];  /* of the measured step, by what binds */
	double rest_s;                    /* measured, of which the prediction knows nothing, */
	double samples_per_gpu;           /* for so many samples an accelerator */
};

/* E83. Given: the measured step (NULL: the predicted one, every factor 1 and no rest), the prediction of the same step, its
 * accelerators. Recomputation and waiting for memory that nobody measured are part of the measured computing, in the predicted
 * proportion; another part that nobody measured is as predicted. A part below a hundredth of the predicted step has the factor 1, and
 * what was measured beyond it is rest, like what is left of the step beside its parts. */
struct measured_scale measured_scale_of(const struct measured_step *measured, const struct step_result *predicted, double gpu_count);

/* E83. The time that another predicted step would be measured to take: sum of factor x part, and the rest as the samples of an
 * accelerator go. Given: scale, the step after a change, its accelerators. */
double measured_step_s(const struct measured_scale *scale, const struct step_result *step, double gpu_count);

#endif
