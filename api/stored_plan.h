/* What a stored plan predicted, read back from the JSON of its result. */
#ifndef FLEETPLAN_API_STORED_PLAN_H
#define FLEETPLAN_API_STORED_PLAN_H

#include "base/arena.h"
#include "base/failure.h"
#include "hwdb/records.h"
#include "planner/training/training.h"

/* Reads the recommended option of a training plan's result as it was answered: accelerator's id, number, step, interval of the step's
 * time, bottleneck, price, hours and energy; the rest of *option is absent. Figures that an older version did not answer are absent too.
 * Text is copied into the arena. Returned: INTERNAL when it is no such result, NO_MEMORY. */
FALLIBLE enum status api_stored_option(const struct json_text *result, struct arena *arena, struct training_option *option,
	struct failure *failure);

/* The figures of the recommended option of a plan of either kind; what is not there is absent. Text is copied into the arena.
 * Returned: INTERNAL when it is no such result, NO_MEMORY. */
FALLIBLE enum status api_stored_figures(const struct json_text *result, struct arena *arena, struct plan_figures *figures,
	struct failure *failure);

#endif
