/* The leanest layout of a training, and the least number of accelerators that holds it (E146). */
#ifndef FLEETPLAN_PLANNER_TRAINING_LEAST_LAYOUT_H
#define FLEETPLAN_PLANNER_TRAINING_LEAST_LAYOUT_H

#include "planner/step/layout.h"

/* The layout under the pins that needs least memory on exactly so many accelerators: a sample for each data rank.
 * Returned: `any` false where the pins leave none; `fits`. `setting->batch` is left as it was. */
struct found least_layout(struct setting *setting, int64_t gpu_count, const struct parallelism *pins);

/* E146. The least number on which the leanest layout fits; ABSENT_COUNT where none of SEARCH_GPUS_MAX does. */
int64_t least_gpu_count(struct setting *setting, const struct parallelism *pins);

#endif
