/* Ranges in which the daemon believes a figure that another machine measured: an agent's key may be stolen.
 *
 * A figure outside of its range waits for an admin, or for a device of another key that agrees (evidence.h). Inside of
 * it a forged figure changes a plan by at most that much. Pure. */
#ifndef FLEETPLAN_PLANNER_MEASUREMENT_TRUST_H
#define FLEETPLAN_PLANNER_MEASUREMENT_TRUST_H

#include "planner/measurement/evidence.h"

#define TRUST_LEAST      0.5 /* of the value that plans use without the figure */
#define TRUST_MOST       1.2 /* of the catalogue row's rate */
#define TRUST_POWER_MOST 2.0 /* of the row's TDP; boards that are sold with a raised limit reach 1.4 */
#define TRUST_RUN_LEAST  0.5 /* of the practice that published runs imply for the plan */
#define TRUST_RUN_MOST   2.0
#define TRUST_AGREEMENT  0.1 /* between two devices, as a fraction of the larger */

struct trust_range {
	double low, high;
	const char *of; /* what the range is derived from, for a sentence */
};

/* Returns the range in which a figure is believed at once. Given: an accelerator's row, a quantity, its precision
 * (PRECISION_UNSET: none). False where nothing is known to compare it with: such a figure waits. */
bool trust_range_of(const struct accelerator *accelerator, enum quantity quantity, enum precision precision, struct trust_range *range);

/* Return the ranges in which a report of a job is believed at once: the observed speed of its software over the
 * predicted one (1 without reports), and a run's hours over those of its plan's steps, of which `expected` is
 * predicted. */
struct trust_range trust_range_of_speed(void);
struct trust_range trust_range_of_run(double expected);

/* True if two figures of the same thing agree. */
bool trust_agrees(double a, double b);

#endif
