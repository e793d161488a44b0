#include <string.h>

#include "planner/training/inputs.h"
#include "planner/training/remarks.h"

/* Inputs that are a factor of the figure or of one of its summands are products. Hours of failures are not. */
static const char *method_of(const struct figure *input)
{
	return strncmp(input->field, "reliability.", 12) == 0 || strcmp(input->field, "mfu") == 0 ||
			strcmp(input->field, "pricing.spot_interruptions_per_gpu_hour") == 0
		? SENSITIVITY_PLANNED
		: SENSITIVITY_EXACT;
}

void sensitivity_fill(const struct stage_schedule *schedule, const struct candidate_plan *best, struct training_plan *plan)
{
	const struct figures *inputs = &plan->recommended.inputs;
	struct moved before = moved_of_candidate_plan(best), at_low, at_high;

	for (size_t i = 0; i < inputs->count; i++) {
		struct figure range = sensitivity_range(&inputs->items[i]);

		if (!inputs_move(schedule, best, &range, range.low, &at_low) || !inputs_move(schedule, best, &range, range.high, &at_high))
			continue;
		sensitivity_note(&plan->findings, &range, &before, &at_low, &at_high, schedule->input->request.common.objective, method_of(&range));
	}
}
