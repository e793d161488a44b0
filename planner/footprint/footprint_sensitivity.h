/* Sensitivity of an answer (E108): the figure that an input changes, and its change at both ends of the input's range.
 * Pure. */
#ifndef FLEETPLAN_PLANNER_FOOTPRINT_FOOTPRINT_SENSITIVITY_H
#define FLEETPLAN_PLANNER_FOOTPRINT_FOOTPRINT_SENSITIVITY_H

#include "planner/findings.h"
#include "planner/plan/request.h"

/* Figures of an option that inputs change; absent: the option has no such figure. */
struct moved {
	double usd, hours, kwh, kgco2e, water_l;
};

/* Returns the input with the range over which it is moved: its own range; without one (the client gave the value, or
 * no source states a range) a tenth to both sides, within the values that are possible. */
struct figure sensitivity_range(const struct figure *input);

/* Notes the figure that `input` (with its range) changes: the objective's figure, unless the effect on another figure
 * is larger by more than a third. Notes nothing if the effect is below a thousandth. */
void sensitivity_note(struct findings *findings, const struct figure *input, const struct moved *before, const struct moved *at_low,
	const struct moved *at_high, enum objective objective, const char *method);

#endif
