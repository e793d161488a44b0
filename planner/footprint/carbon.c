#include "planner/footprint/carbon.h"

#include "base/units.h"
#include "planner/interval.h"

static const double grams_per_kg = 1000;

/* World averages, for a place that nobody named. */
static const double world_grid_gco2e_per_kwh = 473; /* Ember 2025, Global Electricity Review: year 2024 */
static const double world_pue = 1.56; /* Uptime Institute 2024, Global Data Center Survey */
static const double us_wue_l_per_kwh = 0.36; /* LBNL 2024, United States Data Center Energy Usage Report: year 2023 */
static const double us_ewif_l_per_kwh = 3.14; /* Li et al. 2023, Making AI Less Thirsty: United States average */

/* Two books on the same place, GCP us-east4 323 and AWS us-east-1 396 g/kWh: the spread where a region states none. */
static const double grid_book_low = 323, grid_book_high = 396;

static void fill(double *value, double otherwise, const char *field, const char *source, struct findings *findings)
{
	if (is_given(*value))
		return;
	*value = otherwise;
	if (findings)
		findings_assume_number(findings, field, otherwise, source);
}

void site_complete(struct site *site, struct findings *findings)
{
	fill(&site->grid_gco2e_per_kwh, world_grid_gco2e_per_kwh, "site.grid_gco2e_per_kwh",
		"E64: world average of 2024, Ember 2025", findings);
	fill(&site->pue, world_pue, "site.pue", "E63: world average, Uptime Institute 2024", findings);
	fill(&site->wue_l_per_kwh, us_wue_l_per_kwh, "site.wue_l_per_kwh", "E66: United States 2023, LBNL 2024", findings);
	fill(&site->ewif_l_per_kwh, us_ewif_l_per_kwh, "site.ewif_l_per_kwh", "E66: United States average, Li et al. 2023",
		findings);
}

struct carbon carbon_of_energy(double facility_kwh, const struct site *site, double embodied_kgco2e)
{
	double operational_kgco2e = facility_kwh * site->grid_gco2e_per_kwh / grams_per_kg;

	return (struct carbon){
		.operational_kgco2e = operational_kgco2e,
		.market_kgco2e = facility_kwh * site->grid_market_gco2e_per_kwh / grams_per_kg,
		.marginal_kgco2e = facility_kwh * site->grid_marginal_gco2e_per_kwh / grams_per_kg,
		.embodied_kgco2e = embodied_kgco2e,
		.total_kgco2e = operational_kgco2e + embodied_kgco2e,
		.embodied_low_kgco2e = ABSENT_NUMBER,
		.embodied_high_kgco2e = ABSENT_NUMBER,
		.gco2e_per_gpu_hour = ABSENT_NUMBER,
		.gco2e_per_thousand_tokens = ABSENT_NUMBER,
	};
}

static double grid_log_sigma(const struct site *site)
{
	if (is_given(site->grid_low_gco2e_per_kwh) && is_given(site->grid_high_gco2e_per_kwh))
		return interval_log_sigma(site->grid_low_gco2e_per_kwh, site->grid_high_gco2e_per_kwh);
	return interval_log_sigma(grid_book_low, grid_book_high);
}

struct interval carbon_interval(const struct footprint *footprint, const struct site *site, double energy_sigma)
{
	const struct carbon *carbon = &footprint->carbon;
	double grid_sigma = grid_log_sigma(site),
		   operational_sigma = sqrt(energy_sigma * energy_sigma + grid_sigma * grid_sigma);
	double embodied_sigma = interval_log_sigma(footprint->embodied_low_kgco2e, footprint->embodied_high_kgco2e);
	double share = carbon->total_kgco2e > 0 ? carbon->operational_kgco2e / carbon->total_kgco2e : 1;
	double sigmas[2] = {share * operational_sigma, (1 - share) * embodied_sigma};

	return interval_of_product(carbon->total_kgco2e, sigmas, COUNT_OF(sigmas));
}
