/* How far a figure is believed that somebody else measured: an agent's key may be in other hands than its machine's.
 *
 * What is outside of the range waits for an admin or for a device of another key that agrees (evidence.h). Inside of it a
 * forged figure bends a plan by that much and no more. Pure. */
#ifndef FLEETPLAN_PLANNER_MEASUREMENT_TRUST_H
#define FLEETPLAN_PLANNER_MEASUREMENT_TRUST_H

#include "planner/measurement/evidence.h"

#define TRUST_LEAST 0.5      /* of what plans count on without the figure */
#define TRUST_MOST 1.2       /* of the catalogue row's rate */
#define TRUST_POWER_MOST 2.0 /* of the row's TDP; boards that are sold with a raised limit reach 1.4 */
#define TRUST_RUN_LEAST 0.5    /* of the practice that published runs let expect of the plan */
#define TRUST_RUN_MOST 2.0
#define TRUST_AGREEMENT 0.1  /* between two devices, as a fraction of the larger */

struct trust_range {
	double low, high;
	const char *of; /* what the range comes from, for a sentence */
};

/* Given: an accelerator's row, a quantity, its precision (PRECISION_UNSET: has none). Returned: between which the figure is believed at once.
 * False where nothing is known to compare it with: such a figure waits. */
bool trust_range_of(const struct accelerator *accelerator, enum quantity quantity, enum precision precision, struct trust_range *range);

/* Between which what somebody reports of a job is believed at once: the speed of its software beside what is predicted of it, which is 1 without any
 * report, and a run's hours over those of its plan's steps, of which `expected` is known. */
struct trust_range trust_range_of_speed(void);
struct trust_range trust_range_of_run(double expected);

/* Whether two figures of the same thing agree. */
bool trust_agrees(double a, double b);

#endif
