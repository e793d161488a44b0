/* The inputs on which the step model was measured, and what lies outside of them (E135).
 *
 * Each fitted constant rests on quantities whose range the published runs of tests/validation/training.jsonl span. Inside, the interval of a step
 * is that of runs left out of the fit; outside it widens with the distance, and a warning names what is outside. */
#ifndef FLEETPLAN_PLANNER_TRAINING_SCOPE_H
#define FLEETPLAN_PLANNER_TRAINING_SCOPE_H

#include "planner/training/fleet.h"

enum scope_quantity {
	SCOPE_PARAMS, SCOPE_ACCELERATORS, SCOPE_SEQUENCE, SCOPE_STEP_TOKENS, SCOPE_ROWS, SCOPE_TENSOR, SCOPE_STAGES, SCOPE_CONTEXT, SCOPE_RANKS,
	SCOPE_SHARDS, SCOPE_HELD, SCOPE_EXPERT_RANKS, SCOPE_EXPERT_ACCELERATORS, SCOPE_CHIPS, SCOPE_ADAPTED, SCOPE_SAMPLE, SCOPE_RELEASE, SCOPE_COUNT
};

struct scope_row {
	const char *name;      /* "parameters of the model" */
	double from, to;       /* measured; releases: years, of the stack where it has runs of its own */
	const char *constants; /* of physics.h (compiled steps': compiled_*), adapters.h and generic.h, that rest on it, separated by blanks */
	const char *source;    /* the runs at both ends */
};

const struct scope_row *scope_row_of(enum scope_quantity quantity);

/* Whether a constant rests on it: a whole word of `constants`. */
bool scope_rests_on(const struct scope_row *row, const char *constant);

/* Releases of a stack whose runs were published, in years; those of all stacks where it has none. */
struct scope_releases {
	double from, to;
};
struct scope_releases scope_releases_of(enum stack stack);

struct scope {
	size_t count;
	struct {
		enum scope_quantity quantity;
		double value, from, to;
	} outside[SCOPE_COUNT];
	double log_sigma; /* 0 inside */
};

/* E135. Given: setting (batch set), layout (all filled). Returned: what of it is outside, and the root of the sum of squares of
 * SCOPE_LOG_SIGMA x distance: of the logarithm to the nearer end, of releases in years. */
void scope_of(const struct setting *setting, const struct parallelism *layout, struct scope *scope);

/* A factor of ten beyond what was measured doubles the spread of a dense step: sqrt(3) x 0.12 / ln 10. */
#define SCOPE_LOG_SIGMA 0.09

/* The same of a candidate_plan's layout and its longest stage. */
double scope_log_sigma(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan);
void scope_warn(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan, struct findings *findings);

#endif
