/* The inputs on which the serving model was measured, and what lies outside of them (E180).
 *
 * Each fitted constant rests on quantities whose range the published measurements of tests/validation/inference.jsonl span. Inside, the interval of
 * a figure is that of cases left out of the fit; outside it widens with the distance, and a warning names what is outside. */
#ifndef FLEETPLAN_PLANNER_SERVING_SERVING_SCOPE_H
#define FLEETPLAN_PLANNER_SERVING_SERVING_SCOPE_H

#include "planner/findings.h"
#include "planner/serving/serving_practice.h"

enum serving_quantity {
	SERVING_PARAMS, SERVING_PROMPT, SERVING_OUTPUT, SERVING_CONTEXT, SERVING_ACCELERATORS, SERVING_TENSOR, SERVING_EXPERT_RANKS, SERVING_QUANTITY_COUNT
};

struct serving_scope_row {
	const char *name;      /* "tokens of a prompt" */
	double from, to;       /* measured */
	const char *constants; /* of constants.h, that rest on it, separated by blanks */
	const char *source;    /* the cases at both ends */
};

const struct serving_scope_row *serving_scope_row_of(enum serving_quantity quantity);

/* Whether a constant rests on it: a whole word of `constants`. */
bool serving_scope_rests_on(const struct serving_scope_row *row, const char *constant);

struct serving_scope {
	size_t count;
	struct {
		enum serving_quantity quantity;
		double value;
	} outside[SERVING_QUANTITY_COUNT];
	double log_sigma; /* 0 inside */
};

/* A factor of ten beyond what was measured: as for trainings (planner/training/scope.h). */
#define SERVING_SCOPE_LOG_SIGMA 0.09

/* E180. Given: model, layout (all degrees >= 1), mean tokens of prompt and output (0 or absent: not looked at). Returned: what of it is outside, and
 * the root of the sum of squares of SERVING_SCOPE_LOG_SIGMA x the logarithm of the distance to the nearer end. */
struct serving_scope serving_scope_of(const struct model *model, const struct replica_layout *layout, double prompt_tokens, double output_tokens);

/* The same spread joined to each of the residuals; one of 0 is of a figure that was given, and stays. */
struct residuals serving_scope_widen(struct residuals residuals, const struct serving_scope *scope);

void serving_scope_warn(const struct serving_scope *scope, struct findings *findings);

#endif
