#include "planner/footprint/footprint.h"

#include "planner/footprint/carbon.h"
#include "planner/footprint/energy.h"
#include "planner/footprint/water.h"
#include "planner/interval.h"

static const double grams_per_kg = 1000;

void footprint_of_usage(
	const struct usage *usage, const struct site *site, struct footprint *footprint, struct findings *findings)
{
	struct site known = *site;
	struct embodied embodied;
	double sigmas[3];

	CHECK(isfinite(usage->hours) && isfinite(usage->gpu_count) && isfinite(usage->node_count));
	site_complete(&known, findings);
	*footprint = (struct footprint){0};
	energy_of_usage(usage, known.pue, &footprint->energy, findings);
	embodied_of_usage(usage, &embodied, findings);
	footprint->embodied_low_kgco2e = embodied.low_kgco2e;
	footprint->embodied_high_kgco2e = embodied.high_kgco2e;
	footprint->carbon = carbon_of_energy(footprint->energy.total_kwh, &known, embodied.kgco2e);
	footprint->carbon.embodied_low_kgco2e = embodied.low_kgco2e;
	footprint->carbon.embodied_high_kgco2e = embodied.high_kgco2e;
	if (usage->gpu_count * usage->hours > 0)
		footprint->carbon.gco2e_per_gpu_hour = footprint->carbon.total_kgco2e * grams_per_kg / (usage->gpu_count * usage->hours);
	footprint->water_l = water_l(footprint->energy.it_kwh, known.wue_l_per_kwh, known.pue, known.ewif_l_per_kwh);

	sigmas[0] = energy_power_log_sigma(usage);
	sigmas[1] = interval_log_sigma(given_or(known.pue_low, known.pue), given_or(known.pue_high, known.pue));
	footprint->total_kwh = interval_of_product(footprint->energy.total_kwh, sigmas, 2);
	footprint->total_kgco2e =
		carbon_interval(footprint, &known, interval_log_sigma(footprint->total_kwh.p10, footprint->total_kwh.p90));
	CHECK(isfinite(footprint->energy.total_kwh) && isfinite(footprint->carbon.total_kgco2e) &&
		  isfinite(footprint->water_l));
}
