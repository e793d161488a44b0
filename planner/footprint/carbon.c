#include "planner/footprint/carbon.h"

#include "base/units.h"
#include "planner/interval.h"

static const double grams_per_kg = 1000;

/* World averages, for a site that the request does not name. */
static const double world_grid_gco2e_per_kwh = 473; /* Ember 2025, Global Electricity Review: year 2024 */
static const double world_pue = 1.56;               /* Uptime Institute 2024, Global Data Center Survey */
static const double us_wue_l_per_kwh = 0.36;        /* LBNL 2024, United States Data Center Energy Usage Report: year 2023 */
static const double us_ewif_l_per_kwh = 3.14;       /* Li et al. 2023, Making AI Less Thirsty: United States average */

/* Two providers on one place: GCP us-east4 323 and AWS us-east-1 396 g/kWh. The range of a region that states none. */
static const double grid_book_low = 323, grid_book_high = 396;

/* Default of an absent value, with its source. */
struct stand_in {
	const char *field, *source;
	double value;
};

static void fill_absent(
	double *value, const char **source, enum provenance_status *status, struct stand_in stand_in, struct findings *findings)
{
	if (is_given(*value))
		return;
	*value = stand_in.value;
	*source = stand_in.source;
	*status = PROVENANCE_DEFAULT;
	if (findings)
		findings_assume_number(findings, stand_in.field, stand_in.value, stand_in.source);
}

void site_complete(struct site *site, struct findings *findings)
{
	fill_absent(&site->grid_gco2e_per_kwh, &site->grid_source, &site->grid_status,
		(struct stand_in){"site.grid_gco2e_per_kwh", "E64: world average of 2024, Ember 2025", world_grid_gco2e_per_kwh}, findings);
	fill_absent(&site->pue, &site->pue_source, &site->pue_status,
		(struct stand_in){"site.pue", "E63: world average, Uptime Institute 2024", world_pue}, findings);
	fill_absent(&site->wue_l_per_kwh, &site->wue_source, &site->wue_status,
		(struct stand_in){"site.wue_l_per_kwh", "E66: United States 2023, LBNL 2024", us_wue_l_per_kwh}, findings);
	fill_absent(&site->ewif_l_per_kwh, &site->ewif_source, &site->ewif_status,
		(struct stand_in){"site.ewif_l_per_kwh", "E66: United States average, Li et al. 2023", us_ewif_l_per_kwh}, findings);
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
		.grid_gco2e_per_kwh = site->grid_gco2e_per_kwh,
		.hourly_fraction = ABSENT_NUMBER,
	};
}

double carbon_grid_log_sigma(const struct site *site)
{
	if (site->grid_low_gco2e_per_kwh > 0 && is_given(site->grid_high_gco2e_per_kwh))
		return interval_log_sigma(site->grid_low_gco2e_per_kwh, site->grid_high_gco2e_per_kwh);
	return site->grid_status == PROVENANCE_GIVEN ? 0 : interval_log_sigma(grid_book_low, grid_book_high);
}
