#include <string.h>

#include "planner/training/inputs.h"
#include "planner/training/remarks.h"

/* Effects below this are left out: they move nothing that a person would notice. */
static const double least_effect = 0.001;

/* How far an input is moved that was given, or of which no range is known. */
static const double tenth = 0.1;

struct effect {
	const char *figure; /* JSON pointer inside the option */
	double low, high;   /* relative */
};

static double swing(const struct effect *effect)
{
	return fmax(fabs(effect->low), fabs(effect->high));
}

static double relative(double changed, double before)
{
	return before > 0 ? given_or(changed / before - 1, 0) : 0;
}

/* The figure that the objective watches first. */
static size_t watched(enum objective objective)
{
	switch (objective) {
	case OBJECTIVE_TIME:
		return 1;
	case OBJECTIVE_ENERGY:
		return 2;
	case OBJECTIVE_CARBON:
		return 3;
	case OBJECTIVE_UNSET:
	case OBJECTIVE_COST:
	case OBJECTIVE_GPUS:
		break;
	}
	return 0;
}

/* The objective's figure where that is moved about as far as any; else the one that is moved farthest. */
static struct effect effect_of(const struct moved *before, const struct moved *at_low, const struct moved *at_high, enum objective objective)
{
	const struct effect effects[] = {
		{"/cost/total_usd", relative(at_low->usd, before->usd), relative(at_high->usd, before->usd)},
		{"/wall_clock_hours", relative(at_low->hours, before->hours), relative(at_high->hours, before->hours)},
		{"/energy/total_kwh", relative(at_low->kwh, before->kwh), relative(at_high->kwh, before->kwh)},
		{"/carbon/total_kgco2e", relative(at_low->kgco2e, before->kgco2e), relative(at_high->kgco2e, before->kgco2e)},
		{"/water_l", relative(at_low->water_l, before->water_l), relative(at_high->water_l, before->water_l)},
	};
	struct effect most = effects[watched(objective)];
	static const double about = 0.75;

	for (size_t i = 0; i < COUNT_OF(effects); i++)
		if (about * swing(&effects[i]) > swing(&most))
			most = effects[i];
	return most;
}

/* What is a factor of the figure, or of one of its summands; hours of failures are no such thing. */
static const char *method_of(const struct figure *input)
{
	return strncmp(input->field, "reliability.", 12) == 0 || strcmp(input->field, "mfu") == 0 || strcmp(input->field, "pricing.spot_interruptions_per_gpu_hour") == 0 ? SENSITIVITY_PLANNED
																																  : SENSITIVITY_EXACT;
}

/* Its range; or a tenth to both sides, as far as such a value can be. */
static struct figure moved_range(const struct figure *input)
{
	struct figure range = *input;
	bool share = strcmp(input->field, "mfu") == 0 || strcmp(input->field, "hardware.used_fraction") == 0;

	if (!(range.high > range.low)) {
		range.low *= 1 - tenth;
		range.high *= 1 + tenth;
	}
	if (strcmp(input->field, "site.pue") == 0)
		range.low = fmax(range.low, 1);
	if (share)
		range.high = fmin(range.high, 1);
	return range;
}

void sensitivity_fill(const struct programme *programme, const struct outline *best, struct training_plan *plan)
{
	const struct figures *inputs = &plan->recommended.inputs;
	struct moved before = moved_of_outline(best), at_low, at_high;

	for (size_t i = 0; i < inputs->count; i++) {
		struct figure range = moved_range(&inputs->items[i]);
		struct effect effect;

		if (!inputs_move(programme, best, &range, range.low, &at_low) || !inputs_move(programme, best, &range, range.high, &at_high))
			continue;
		effect = effect_of(&before, &at_low, &at_high, programme->input->request.common.objective);
		if (swing(&effect) >= least_effect)
			findings_sensitivity(&plan->findings, &range, effect.figure, effect.low, effect.high, method_of(&range));
	}
}
