/* The ranges of inputs on which the step model was measured, and the inputs of a plan outside of them (E135).
 *
 * Each fitted constant depends on quantities whose ranges are those of the published runs of
 * tests/validation/training.jsonl. Inside the ranges, the interval of a step is that of runs left out of the fit.
 * Outside, it widens with the distance, and a warning names the quantities. */
#ifndef FLEETPLAN_PLANNER_TRAINING_SCOPE_H
#define FLEETPLAN_PLANNER_TRAINING_SCOPE_H

#include "planner/training/fleet.h"

enum scope_quantity {
	SCOPE_PARAMS,
	SCOPE_ACCELERATORS,
	SCOPE_SEQUENCE,
	SCOPE_STEP_TOKENS,
	SCOPE_ROWS,
	SCOPE_TENSOR,
	SCOPE_STAGES,
	SCOPE_CONTEXT,
	SCOPE_RANKS,
	SCOPE_SHARDS,
	SCOPE_HELD,
	SCOPE_EXPERT_RANKS,
	SCOPE_EXPERT_ACCELERATORS,
	SCOPE_CHIPS,
	SCOPE_ADAPTED,
	SCOPE_SAMPLE,
	SCOPE_RELEASE,
	SCOPE_COUNT
};

struct scope_row {
	const char *name; /* "parameters of the model" */
	double from, to;  /* measured range; releases: in years, of the stack if it has runs of its own */
	const char *constants; /* constants that depend on it, separated by blanks: of physics.h (compiled steps: compiled_*), adapters.h, generic.h */
	const char *source; /* the runs at both ends of the range */
};

const struct scope_row *scope_row_of(enum scope_quantity quantity);

/* True if a constant depends on the quantity of the row: a whole word of `constants`. */
bool scope_rests_on(const struct scope_row *row, const char *constant);

/* Releases of a stack with published runs, in years; of all stacks where the stack has none. */
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
	double log_sigma; /* 0 inside the ranges */
};

/* E135. Finds the quantities of a layout outside of their measured ranges, and the spread that they add.
 * Given: setting (batch set); layout (all members filled).
 * Returned: scope. `outside` lists the quantities. `log_sigma` is the root of the sum of squares of SCOPE_LOG_SIGMA x
 * distance: the distance is the logarithm of the ratio to the nearer end, for releases the difference in years.
 * Case: inside_nothing_widens and the_distance_widens in tests/planner/test_training_scope.c. */
void scope_of(const struct setting *setting, const struct parallelism *layout, struct scope *scope);

/* At ten times the measured range the spread of a dense step doubles: sqrt(3) x 0.12 / ln 10. */
#define SCOPE_LOG_SIGMA 0.09

/* Return the spread and warn of the quantities outside, for a candidate_plan's layout and its longest stage. */
double scope_log_sigma(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan);
void scope_warn(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan, struct findings *findings);

#endif
