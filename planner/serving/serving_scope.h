/* The range of inputs on which the serving model was measured, and inputs outside of it (E180).
 *
 * Each fitted constant depends on quantities with a range: that of the published measurements of
 * tests/validation/inference.jsonl. Inside the ranges, the interval of a figure is that of cases left out of the fit.
 * Outside, it widens with the distance, and a warning names the quantity. */
#ifndef FLEETPLAN_PLANNER_SERVING_SERVING_SCOPE_H
#define FLEETPLAN_PLANNER_SERVING_SERVING_SCOPE_H

#include "planner/findings.h"
#include "planner/serving/serving_practice.h"

enum serving_quantity {
	SERVING_PARAMS,
	SERVING_PROMPT,
	SERVING_OUTPUT,
	SERVING_CONTEXT,
	SERVING_ACCELERATORS,
	SERVING_TENSOR,
	SERVING_EXPERT_RANKS,
	SERVING_QUANTITY_COUNT
};

struct serving_scope_row {
	const char *name;      /* "tokens of a prompt" */
	double from, to;       /* measured */
	const char *constants; /* constants of constants.h that depend on it, separated by blanks */
	const char *source;    /* the cases at both ends */
};

const struct serving_scope_row *serving_scope_row_of(enum serving_quantity quantity);

/* True if the constant depends on the row's quantity: it is a whole word of `constants`. */
bool serving_scope_rests_on(const struct serving_scope_row *row, const char *constant);

struct serving_scope {
	size_t count;
	struct {
		enum serving_quantity quantity;
		double value;
	} outside[SERVING_QUANTITY_COUNT];
	double log_sigma; /* 0 inside */
};

/* Spread for a distance of a factor of e beyond the measured range, as for trainings (planner/training/scope.h). */
#define SERVING_SCOPE_LOG_SIGMA 0.09

/* E180. Finds the quantities of a service outside the measured ranges.
 * Given:    model; layout: all degrees >= 1; prompt_tokens, output_tokens: means (0 or absent: not checked).
 * Returned: the quantities outside; log_sigma = root of the sum of squares of SERVING_SCOPE_LOG_SIGMA x ln(value /
 *           nearer end).
 * Case:     tests/planner/test_serving_scope.c, the_distance_widens. */
struct serving_scope serving_scope_of(
	const struct model *model, const struct replica_layout *layout, double prompt_tokens, double output_tokens);

/* E180. Joins the spread to each of the residuals. A residual of 0 belongs to a given figure and stays 0.
 * Case: tests/planner/test_serving_scope.c, the_distance_widens. */
struct residuals serving_scope_widen(struct residuals residuals, const struct serving_scope *scope);

void serving_scope_warn(const struct serving_scope *scope, struct findings *findings);

#endif
