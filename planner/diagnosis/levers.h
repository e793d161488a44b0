/* What could be changed about a measured step, and what it would then take (E83). */
#ifndef FLEETPLAN_PLANNER_DIAGNOSIS_LEVERS_H
#define FLEETPLAN_PLANNER_DIAGNOSIS_LEVERS_H

#include "planner/diagnosis/diagnosis.h"

/* E83. Tries each lever of a table on diagnosis->timings: the step afterwards is the sum of its parts with the change made.
 * A lever is kept when it saves at least two hundredths of the step. Returned: diagnosis->levers, the largest saving first,
 * and advice in words; hours and USD where context has steps_remaining, and gpu_count and usd_per_gpu_hour. */
void levers_fill(const struct diagnosis_context *context, struct diagnosis *diagnosis);

/* The parts that do not overlap; absent ones count as nothing. Returned: ms. */
double timings_sum_ms(const struct step_timings *timings);

#endif
