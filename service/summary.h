/* Writes a plan's answer as a person would say it: "Rent 896 H100 SXM5 80GB (coreweave, us-east-04a, on demand) for
 * 29.6 days (8 in 10: 25 to 37.5): 1.9 M USD (8 in 10: 1.5 to 2.6 M), 812 MWh, 310 t CO2e. It keeps the deadline with a
 * probability of 80 %. Largest uncertainty: the time of a step." Figures have three significant digits and units that people use; the
 * summary's members have the exact values. */
#ifndef FLEETPLAN_SERVICE_SUMMARY_H
#define FLEETPLAN_SERVICE_SUMMARY_H

#include "planner/plan/serving.h"
#include "planner/plan/training.h"

/* Fill plan->summary from the recommended option. `owned`: the request says that the hardware is the client's own.
 * `spares`: spare replicas that the request asks for.
 * False without memory. */
bool summary_of_training(struct training_plan *plan, bool owned);
bool summary_of_service(struct inference_plan *plan, bool owned, int spares);

#endif
