/* Measured timings of a step, shared by the parts of a diagnosis. */
#ifndef FLEETPLAN_PLANNER_DIAGNOSIS_TIMINGS_H
#define FLEETPLAN_PLANNER_DIAGNOSIS_TIMINGS_H

#include "planner/diagnosis/diagnosis.h"

/* E81. The step without what is idle: the parts that do not overlap. */
double timings_sum_ms(const struct step_timings *timings);

#endif
