/* Distance of a service from the published measurements (E193). It decides the width of an answer's interval. */
#ifndef FLEETPLAN_PLANNER_SERVING_DISTANCE_H
#define FLEETPLAN_PLANNER_SERVING_DISTANCE_H

#include "planner/findings.h"
#include "planner/replica/engine_rules.h"

/* Log standard deviations of the model's residuals over published measurements. */
struct residuals {
	double throughput, tpot, ttft;
};

/* The properties of a service that decide its distance. */
struct ground {
	const struct model *model;
	const struct accelerator *accelerator;
	enum engine engine;
	double release_years; /* since 2020-01 */
	bool at_once;         /* all requests of the run arrive together */
};

/* E193. Computes the spread of the model's residuals for a service.
 * Given:    ground: properties of the service.
 * Returned: log standard deviations: those of the nearest measurements and of each distance, added as squares.
 *           Distances: the accelerator's software stack; an accelerator without measured products; experts; latent
 *           attention before 2025-11; vLLM before V1; a run whose requests arrive at once; 0.05 for each year of an
 *           engine's age; 0.15 for a guessed shape.
 * Source:   the suites of tests/validation/inference*.jsonl, each left out of the fit.
 * Case:     tests/planner/test_serving_demand.c, spreads_add_as_squares and distances_are_named. */
struct residuals distance_residuals(const struct ground *ground);

/* Notes each distance that widens the interval, with its source. Warns where few or no measurements of the kind
 * exist. */
void distance_note(const struct ground *ground, struct findings *findings);

#endif
