#include "planner/footprint/footprint.h"

#include <string.h>

#include "base/units.h"
#include "planner/footprint/carbon.h"
#include "planner/footprint/energy.h"
#include "planner/footprint/water.h"
#include "planner/interval.h"

static const double grams_per_kg = 1000;

/* E108. Litres per kWh are a sum: the spread of each part counts by its share. */
static double water_log_sigma(const struct site *site, double pue_sigma)
{
	double off_site = site->pue * site->ewif_l_per_kwh, whole = site->wue_l_per_kwh + off_site;
	double wue_sigma = interval_log_sigma(site->wue_low_l_per_kwh, site->wue_high_l_per_kwh);
	double ewif_sigma = interval_log_sigma(site->ewif_low_l_per_kwh, site->ewif_high_l_per_kwh);

	return whole > 0
		? interval_joint_sigma(site->wue_l_per_kwh / whole * wue_sigma, off_site / whole * interval_joint_sigma(ewif_sigma, pue_sigma))
		: 0;
}

static struct footprint_spread spread_of(
	const struct usage *usage, const struct site *site, const struct carbon *carbon, double embodied_sigma)
{
	double pue_sigma = interval_log_sigma(given_or(site->pue_low, site->pue), given_or(site->pue_high, site->pue));
	double grid_sigma = carbon_grid_log_sigma(site), share = carbon->total_kgco2e > 0 ? carbon->operational_kgco2e / carbon->total_kgco2e : 1;
	struct footprint_spread spread;
	struct energy_inputs inputs;

	energy_inputs(usage, &inputs);
	spread.mean_gpu_w = energy_gpu_log_sigma(&inputs);
	spread.it_kwh = interval_joint_sigma(spread.mean_gpu_w, energy_host_log_sigma(&inputs));
	spread.total_kwh = interval_joint_sigma(spread.it_kwh, pue_sigma);
	spread.operational_kgco2e = spread.market_kgco2e = spread.marginal_kgco2e = interval_joint_sigma(spread.total_kwh, grid_sigma);
	spread.embodied_kgco2e = embodied_sigma;
	spread.total_kgco2e = interval_joint_sigma(share * spread.operational_kgco2e, (1 - share) * embodied_sigma);
	spread.water_l = interval_joint_sigma(spread.it_kwh, water_log_sigma(site, pue_sigma));
	return spread;
}

/* E109. Replaces the site's mean intensity by the mean over the hours of the run, as far as the grid is known by the
 * hour. */
static struct grid_span use_hours_of_run(const struct usage *usage, struct site *site)
{
	struct grid_span span = grid_hours_mean(&site->hours, site->run_start_us, usage->hours, site->grid_gco2e_per_kwh);

	site->grid_gco2e_per_kwh = span.gco2e_per_kwh;
	return span;
}

void footprint_of_usage(const struct usage *usage, const struct site *site, struct footprint *footprint, struct findings *findings)
{
	struct site known = *site;
	struct embodied embodied;
	struct grid_span span;

	CHECK(isfinite(usage->hours) && isfinite(usage->gpu_count) && isfinite(usage->node_count));
	site_complete(&known, findings);
	span = use_hours_of_run(usage, &known);
	*footprint = (struct footprint){0};
	energy_of_usage(usage, known.pue, &footprint->energy, findings);
	embodied_of_usage(usage, &embodied, findings);
	footprint->embodied_low_kgco2e = embodied.low_kgco2e;
	footprint->embodied_high_kgco2e = embodied.high_kgco2e;
	footprint->carbon = carbon_of_energy(footprint->energy.total_kwh, &known, embodied.kgco2e);
	footprint->carbon.embodied_low_kgco2e = embodied.low_kgco2e;
	footprint->carbon.embodied_high_kgco2e = embodied.high_kgco2e;
	if (known.hours.count > 0)
		footprint->carbon.hourly_fraction = span.covered_fraction;
	if (usage->gpu_count * usage->hours > 0)
		footprint->carbon.gco2e_per_gpu_hour = footprint->carbon.total_kgco2e * grams_per_kg / (usage->gpu_count * usage->hours);
	footprint->water_l = water_l(footprint->energy.it_kwh, known.wue_l_per_kwh, known.pue, known.ewif_l_per_kwh);
	if (CALIBRATED(usage->calibration, load_w, 0) > 0)
		footprint->power_source = usage->calibration->source ? usage->calibration->source : "measured by a benchmark here";
	footprint->spread = spread_of(usage, &known, &footprint->carbon, embodied.log_sigma);
	footprint->total_kwh = interval_of_product(footprint->energy.total_kwh, &footprint->spread.total_kwh, 1);
	footprint->total_kgco2e = interval_of_product(footprint->carbon.total_kgco2e, &footprint->spread.total_kgco2e, 1);
	CHECK(isfinite(footprint->energy.total_kwh) && isfinite(footprint->carbon.total_kgco2e) && isfinite(footprint->water_l));
}

/* A figure of the site. A range of 0 to 0 means that no range is known. */
static struct figure place_figure(const char *field, double value, double low, double high, const char *source, enum provenance_status status)
{
	bool ranged = low > 0 || high > 0;

	return (struct figure){field, value, ranged ? low : value, ranged ? high : value, source, status};
}

void footprint_inputs(const struct usage *usage, const struct site *site, struct figures *inputs)
{
	struct site known = *site;
	struct energy_inputs energy;
	struct embodied embodied;

	site_complete(&known, NULL);
	energy_inputs(usage, &energy);
	embodied_of_usage(usage, &embodied, NULL);
	figures_add(inputs,
		place_figure("site.grid_gco2e_per_kwh", known.grid_gco2e_per_kwh, known.grid_low_gco2e_per_kwh, known.grid_high_gco2e_per_kwh,
			known.grid_source, known.grid_status));
	figures_add(inputs,
		place_figure("site.grid_marginal_gco2e_per_kwh", known.grid_marginal_gco2e_per_kwh, 0, 0, known.grid_source, known.grid_status));
	figures_add(inputs,
		place_figure("site.grid_market_gco2e_per_kwh", known.grid_market_gco2e_per_kwh, 0, 0, known.grid_source, known.grid_status));
	figures_add(inputs, place_figure("site.pue", known.pue, known.pue_low, known.pue_high, known.pue_source, known.pue_status));
	figures_add(inputs,
		place_figure("site.wue_l_per_kwh", known.wue_l_per_kwh, known.wue_low_l_per_kwh, known.wue_high_l_per_kwh, known.wue_source,
			known.wue_status));
	figures_add(inputs,
		place_figure("site.ewif_l_per_kwh", known.ewif_l_per_kwh, known.ewif_low_l_per_kwh, known.ewif_high_l_per_kwh, known.ewif_source,
			known.ewif_status));
	figures_add(inputs, energy.idle_w);
	figures_add(inputs, energy.load_w);
	figures_add(inputs, energy.model);
	figures_add(inputs, energy.host);
	figures_add(inputs, embodied.device);
	figures_add(inputs, embodied.node);
	figures_add(inputs, embodied.life_years);
	figures_add(inputs, embodied.used_fraction);
}

void footprint_warn_of_hours(const struct site *site, const struct carbon *carbon, struct findings *findings)
{
	if (site->hours.count == 0 && site->run_start_us > 0)
		findings_warn(findings,
			"site.start is not used: no hours of this site's grid are known after it, so the whole run uses the site's mean of %.4g g/kWh. "
			"Give site.series, or name a site whose grid a feed reports",
			site->grid_gco2e_per_kwh);
	else if (carbon->hourly_fraction < 1)
		findings_warn(findings,
			"carbon: %.3g %% of the run are counted hour by hour (%s); the rest uses the site's mean of %.4g g/kWh, because the known hours do not "
			"cover the whole run",
			100 * carbon->hourly_fraction, site->hours.source ? site->hours.source : "site.series", site->grid_gco2e_per_kwh);
	if (carbon->hourly_fraction > 0)
		findings_assume_text(findings, "site.series",
			"carbon.operational_kgco2e follows the grid in each hour of the run; the power is the same in all hours",
			site->hours.source && strcmp(site->hours.source, "request") != 0 ? site->hours.source : "E109: site.series of the request");
}

void footprint_provenance(
	const struct footprint *footprint, const struct site *site, struct spread hours, struct provenance *list, size_t *count)
{
	const struct footprint_spread *of = &footprint->spread;
	const struct carbon *carbon = &footprint->carbon;
	const char *grid = is_given(carbon->hourly_fraction) ? "E64, E109: facility kWh x the grid's intensity in the run's hours"
		: site->grid_source                              ? site->grid_source
														 : "E64: facility kWh x the grid's world average";
	const char *water = "E66: IT kWh x (WUE + PUE x EWIF)", *embodied = "E65: published range over a life of 3 to 6 years";
	const struct {
		const char *pointer, *source;
		double value, sigma;
		bool rate; /* a rate: the length of the run cancels out */
	} rows[] = {
		{"/energy/mean_gpu_w", footprint->power_source ? footprint->power_source : "E60: idle + (load - idle) x the predicted utilization",
			footprint->energy.mean_gpu_w, of->mean_gpu_w, true},
		{"/energy/powered_gpu_hours", "E63: accelerators that draw power x hours", footprint->energy.powered_gpu_hours, 0, false},
		{"/energy/it_kwh", "E63: accelerators x W x (1 + host) x hours", footprint->energy.it_kwh, of->it_kwh, false},
		{"/energy/total_kwh", "E60, E63: IT kWh x PUE", footprint->energy.total_kwh, of->total_kwh, false},
		{"/carbon/operational_kgco2e", grid, carbon->operational_kgco2e, of->operational_kgco2e, false},
		{"/carbon/market_kgco2e", grid, carbon->market_kgco2e, of->market_kgco2e, false},
		{"/carbon/marginal_kgco2e", grid, carbon->marginal_kgco2e, of->marginal_kgco2e, false},
		{"/carbon/grid_gco2e_per_kwh", grid, carbon->grid_gco2e_per_kwh, carbon_grid_log_sigma(site), true},
		{"/carbon/embodied_kgco2e", embodied, carbon->embodied_kgco2e, of->embodied_kgco2e, false},
		{"/carbon/embodied_low_kgco2e", embodied, carbon->embodied_low_kgco2e, 0, false},
		{"/carbon/embodied_high_kgco2e", embodied, carbon->embodied_high_kgco2e, 0, false},
		{"/carbon/total_kgco2e", grid, carbon->total_kgco2e, of->total_kgco2e, false},
		{"/carbon/gco2e_per_gpu_hour", "E105: total over accelerator-hours", carbon->gco2e_per_gpu_hour, of->total_kgco2e, true},
		{"/carbon/gco2e_per_thousand_tokens", "E105: total over tokens", carbon->gco2e_per_thousand_tokens, of->total_kgco2e, false},
		{"/water_l", water, footprint->water_l, of->water_l, false},
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct spread spread = spread_joint(spread_even(rows[i].sigma), rows[i].rate ? spread_even(0) : hours);

		provenance_add(list, count, rows[i].pointer, interval_of_spread(rows[i].value, spread),
			i == 0 && footprint->power_source ? PROVENANCE_MEASURED : PROVENANCE_DERIVED, rows[i].source);
	}
}
