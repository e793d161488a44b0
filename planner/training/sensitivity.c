#include "planner/training/remarks.h"

/* Effects below this are left out: they move nothing that a person would notice. */
static const double least_effect = 0.001;

static void note(struct training_plan *plan, const char *field, double relative, const char *figure)
{
	if (fabs(relative) >= least_effect)
		findings_sensitivity(&plan->findings, &(struct figure){.field = field, .value = 1, .low = 1, .high = 1.1}, figure, 0, relative, SENSITIVITY_EXACT);
}

/* Wall clock relative to the plan's when failures come 10 % more rarely: the hours are planned again. */
static double rarer_failures(const struct outline *best)
{
	struct reliability rarer = best->reliability;

	rarer.interval_hours = fmax(reliability_daly_interval(rarer.checkpoint_hours, 1.1 * rarer.mtbf_hours),
		rarer.write_hours > rarer.checkpoint_hours ? rarer.write_hours : 0);
	return best->reliability.fraction / reliability_fraction(&rarer, 1.1 * rarer.mtbf_hours) - 1;
}

void sensitivity_fill(const struct programme *programme, const struct outline *best, struct training_plan *plan)
{
	const struct training_option *option = &plan->recommended;
	double total_kg = fmax(1e-12, option->carbon.total_kgco2e), operational = option->carbon.operational_kgco2e / total_kg;
	bool pinned = is_given(programme->input->request.mfu);

	if (best->priced)
		note(plan, "pricing.usd_per_gpu_hour", 0.1, "total_usd");
	note(plan, pinned ? "mfu" : "efficiency", 1 / 1.1 - 1, best->priced ? "total_usd" : "gpu_hours");
	note(plan, "tokens", 0.1, best->priced ? "total_usd" : "gpu_hours");
	note(plan, "site.grid_gco2e_per_kwh", 0.1 * operational, "total_kgco2e");
	note(plan, "site.pue", 0.1 * operational, "total_kgco2e");
	note(plan, "reliability.mtbf_gpu_hours", rarer_failures(best), "wall_clock_hours");
}
