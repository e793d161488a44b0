/* The layout of a training that needs least memory, and the least number of accelerators on which it fits (E146). */
#ifndef FLEETPLAN_PLANNER_TRAINING_LEAST_LAYOUT_H
#define FLEETPLAN_PLANNER_TRAINING_LEAST_LAYOUT_H

#include "planner/step/layout.h"

/* Returns the layout within the pins that needs least memory on exactly `gpu_count` accelerators, with one micro-batch
 * (pinned, else one sample) for each accelerator.
 * Returned: `any` is false where the pins allow no layout; `fits`. `setting->batch` is unchanged on return. */
struct found least_layout(struct setting *setting, int64_t gpu_count, const struct parallelism *pins);

/* E146. Finds the least number of accelerators on which the layout of least memory fits: by doubling, then by scanning
 * between the last two numbers.
 * Given: setting (model, accelerator, software); pins.
 * Returned: a number of accelerators, a multiple of the pinned degrees; ABSENT_COUNT where the layout fits on none up
 * to SEARCH_GPUS_MAX.
 * Case: training_fits_from_its_least_number_on_as_plans_do in tests/planner/test_training_estimates.c. */
int64_t least_gpu_count(struct setting *setting, const struct parallelism *pins);

#endif
