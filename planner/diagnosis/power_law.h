/* A loss curve as a saturating power law of the step: fit, interval, and what going on costs (E84, E85, E89). */
#ifndef FLEETPLAN_PLANNER_DIAGNOSIS_POWER_LAW_H
#define FLEETPLAN_PLANNER_DIAGNOSIS_POWER_LAW_H

#include "planner/findings.h"

enum { CURVE_POINTS_MAX = 48, CURVE_EXPONENTS = 40, CURVE_OFFSETS = 14, CURVE_REPLICATES = 199 };

/* Points of a curve, steps rising; the weight is the number of rows that a point stands for. */
struct curve {
	size_t count;
	double step[CURVE_POINTS_MAX], loss[CURVE_POINTS_MAX], weight[CURVE_POINTS_MAX];
};

/* L(s) = limit + amplitude (s + offset)^-exponent. */
struct power_law {
	double limit, amplitude, offset_steps, exponent;
	double residual; /* weighted root mean square, in units of the loss of one row */
};

/* Working memory of a fit: (step + offset)^-exponent at every trial. */
struct power_law_room {
	double basis[CURVE_EXPONENTS][CURVE_OFFSETS][CURVE_POINTS_MAX];
	double limits[CURVE_REPLICATES], finals[CURVE_REPLICATES];
};

/* E84. Weighted least squares over exponents 0.05..3 and offsets up to the range of the steps; for each of these limit and
 * amplitude are linear, and neither is below 0. Given: a curve of at least 6 points. Returned: false where no falling curve
 * fits (amplitude 0). Source: Kaplan et al. 2020, arXiv 2001.08361, eq. 1.6 with an offset; Hoffmann et al. 2022 for the limit. */
bool power_law_fit(const struct curve *curve, struct power_law_room *room, struct power_law *law);

/* E85. p10, p50, p90 of the limit and of the loss at `final_step` (absent: none) by residual bootstrap: CURVE_REPLICATES
 * curves made of the fit and its own residuals, drawn by a fixed generator, each fitted again; p50 is the fit's own.
 * Source: Efron and Tibshirani 1993, section 9.4; residuals widened by sqrt(n / (n - 4)) for the four constants fitted. */
void power_law_interval(const struct curve *curve, const struct power_law *law, double final_step, struct power_law_room *room,
	struct interval *limit, struct interval *final);

/* Given: step (> -offset). Returned: the loss. */
double power_law_loss(const struct power_law *law, double step);

/* E89. Steps that lower the loss from where it is at `step` by one hundredth of it; infinity where that lies below the limit. */
double power_law_steps_per_percent(const struct power_law *law, double step);

/* E89. The first step from which a further hundredth takes more than `steps_max` steps (>= 0), not before `first`. */
double power_law_stop_step(const struct power_law *law, double first, double steps_max);

#endif
