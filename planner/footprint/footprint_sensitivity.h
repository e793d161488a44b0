/* How far an input moves what is answered (E108): which of the figures, and by how much at both ends of the input's range. Pure. */
#ifndef FLEETPLAN_PLANNER_FOOTPRINT_FOOTPRINT_SENSITIVITY_H
#define FLEETPLAN_PLANNER_FOOTPRINT_FOOTPRINT_SENSITIVITY_H

#include "planner/findings.h"
#include "planner/plan/request.h"

/* The figures of an option that inputs move; absent: not answered. */
struct moved {
	double usd, hours, kwh, kgco2e, water_l;
};

/* The range that an input is moved over: its own; or, where it was given or nobody states one, a tenth to both sides, as far as such a value can be. */
struct figure sensitivity_range(const struct figure *input);

/* Notes the figure that `input` (with its range) moves: that of the objective where it is moved about as far as any, else the one that is moved
 * farthest. What moves nothing by a thousandth is left out. */
void sensitivity_note(struct findings *findings, const struct figure *input, const struct moved *before, const struct moved *at_low,
	const struct moved *at_high, enum objective objective, const char *method);

#endif
