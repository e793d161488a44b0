/* How far a service is from what was measured (E193): the width of an answer's interval. */
#ifndef FLEETPLAN_PLANNER_SERVING_DISTANCE_H
#define FLEETPLAN_PLANNER_SERVING_DISTANCE_H

#include "planner/findings.h"
#include "planner/replica/engine_rules.h"

/* Log standard deviations of the model's residuals over published measurements. */
struct residuals {
	double throughput, tpot, ttft;
};

/* Where a service stands. */
struct ground {
	const struct model *model;
	const struct accelerator *accelerator;
	enum engine engine;
	double release_years; /* since 2020-01 */
	bool at_once; /* one run whose requests all come together */
};

/* E193. Given: where the service stands. Returned: the spread of the nearest measurements, joined as squares by that of each distance from them: the accelerator's
 * stack, an accelerator whose products nobody timed, experts, latent attention before its kernels, an engine's generation, a run whose requests come at
 * once, 0.05 for each year of an engine's age, 0.15 for a shape that is guessed. Source: the suites of tests/validation/inference*.jsonl, each left out of the fit. */
struct residuals distance_residuals(const struct ground *ground);

/* Notes each distance that widens the interval, with what it was taken from; warns where nothing of the kind was measured at all. */
void distance_note(const struct ground *ground, struct findings *findings);

#endif
