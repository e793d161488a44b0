/* Measured timings of a step: the sum that the parts of a diagnosis share. */
#ifndef FLEETPLAN_PLANNER_DIAGNOSIS_TIMINGS_H
#define FLEETPLAN_PLANNER_DIAGNOSIS_TIMINGS_H

#include "planner/diagnosis/diagnosis.h"

/* E81. Returns the sum of the parts that do not overlap, in ms: the step without its idle time. Absent parts count as
 * 0. */
double timings_sum_ms(const struct step_timings *timings);

#endif
