/* A loss curve as a saturating power law of the step: fit, interval, and the cost of further steps (E84, E85, E89). */
#ifndef FLEETPLAN_PLANNER_DIAGNOSIS_POWER_LAW_H
#define FLEETPLAN_PLANNER_DIAGNOSIS_POWER_LAW_H

#include "planner/findings.h"

enum { CURVE_POINTS_MAX = 48, CURVE_EXPONENTS = 40, CURVE_OFFSETS = 14, CURVE_REPLICATES = 199 };

/* Points of a curve; steps rise. The weight is the number of rows that a point represents. */
struct curve {
	size_t count;
	double step[CURVE_POINTS_MAX], loss[CURVE_POINTS_MAX], weight[CURVE_POINTS_MAX];
};

/* L(s) = limit + amplitude (s + offset)^-exponent. */
struct power_law {
	double limit, amplitude, offset_steps, exponent;
	double residual; /* weighted root mean square, in units of the loss of one row */
};

/* Working memory of a fit: (step + offset)^-exponent of every trial. */
struct power_law_room {
	double basis[CURVE_EXPONENTS][CURVE_OFFSETS][CURVE_POINTS_MAX];
	double limits[CURVE_REPLICATES], finals[CURVE_REPLICATES];
};

/* E84. Fits L(s) = limit + amplitude (s + offset)^-exponent by weighted least squares, over exponents 0.05 to 3 and
 * offsets up to ten times the range of the steps. For each of these limit and amplitude are linear, and not below 0.
 * Given:    curve of at least 6 points; room: working memory.
 * Returned: false where no falling curve fits (amplitude 0). law: limit in units of the loss, offset in steps.
 * Source:   Kaplan et al. 2020, arXiv 2001.08361, eq. 1.6 with an offset; Hoffmann et al. 2022 for the limit.
 * Case:     tests/planner/golden/diagnosis.txt (E84). */
bool power_law_fit(const struct curve *curve, struct power_law_room *room, struct power_law *law);

/* E85. Computes p10, p50 and p90 of the limit and of the loss at `final_step` by residual bootstrap: CURVE_REPLICATES
 * curves from the fit and its own residuals, drawn by a fixed generator, each fitted again; p50 is the fit's own.
 * Given:    curve and its law; final_step: absent: the last step of the curve; room: working memory.
 * Returned: limit, final, in units of the loss.
 * Source:   Efron and Tibshirani 1993, section 9.4; residuals widened by sqrt(n / (n - 4)) for the four fitted constants.
 * Case:     tests/planner/test_training_log.c (coverage over logs of known truth). */
void power_law_interval(const struct curve *curve, const struct power_law *law, double final_step, struct power_law_room *room,
	struct interval *limit, struct interval *final);

/* E84. Returns the loss at a step (> -offset). */
double power_law_loss(const struct power_law *law, double step);

/* E89. Computes the steps that lower the loss by one hundredth of its value at `step`.
 * Given:    law; step, > -offset.
 * Returned: steps; infinity where that loss is at or below the limit.
 * Case:     tests/planner/golden/diagnosis.txt (E89). */
double power_law_steps_per_percent(const struct power_law *law, double step);

/* E89. Computes the first step from which a further hundredth takes more than `steps_max` steps.
 * Given:    law; first: the earliest step to consider; steps_max, >= 0.
 * Returned: step, >= first, to half a step; infinity where there is none below 1e15.
 * Case:     tests/planner/golden/diagnosis.txt (E89). */
double power_law_stop_step(const struct power_law *law, double first, double steps_max);

#endif
