#include "planner/footprint/footprint_sensitivity.h"

#include <string.h>

/* Relative effects below this are left out: they are too small to matter. */
static const double least_effect = 0.001;

/* Relative range of an input that was given, or without a known range. */
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

/* Index into the effects of the figure that the objective minimizes. */
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

/* Starts with the effect on the objective's figure. Another figure replaces it if its effect is larger by more than a
 * third. */
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

struct figure sensitivity_range(const struct figure *input)
{
	struct figure range = *input;
	bool share = strcmp(input->field, "mfu") == 0 || strcmp(input->field, "hardware.used_fraction") == 0 ||
		strcmp(input->field, "utilization") == 0;

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

void sensitivity_note(struct findings *findings, const struct figure *input, const struct moved *before, const struct moved *at_low,
	const struct moved *at_high, enum objective objective, const char *method)
{
	struct effect effect = effect_of(before, at_low, at_high, objective);

	if (swing(&effect) >= least_effect)
		findings_sensitivity(findings, input, effect.figure, effect.low, effect.high, method);
}
