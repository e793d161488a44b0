/* The `alternatives` of an answer: first up to three options that are really different from the recommended one (another
 * accelerator, another number, another place), the best by the objective first; then the planner's other options. */
#ifndef FLEETPLAN_SERVICE_ALTERNATIVES_H
#define FLEETPLAN_SERVICE_ALTERNATIVES_H

#include "planner/plan/serving.h"
#include "planner/plan/training.h"

/* Fill plan->shown from the recommended option and the other options. `common`: the request's number of
 * alternatives and its objective. `omitted`: parts that the answer leaves out; without PART_ALTERNATIVES there are no
 * other options after the three. The entries point to plan->alternatives. */
void alternatives_of_training(struct training_plan *plan, const struct request_common *common, unsigned omitted);
void alternatives_of_service(struct inference_plan *plan, const struct request_common *common, unsigned omitted);

#endif
