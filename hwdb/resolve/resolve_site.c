#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "hwdb/resolve/resolve_parts.h"

/* PUE of sites without a stated one: the average of all sites, with its known range. */
static const double pue_average = 1.56, pue_spread = 1.2; /* new sites reach 1.3, the average divided by 1.2 */
static const char pue_source[] = "Uptime Institute Global Data Center Survey 2024: average 1.56; new sites 1.3 or better";

/* Buildings with a published statement but no figure: an estimate with its range, which is not a row of the
 * catalogue. */
static const struct pue_estimate {
	const char *provider, *region;
	double pue, low, high;
	const char *source;
} pue_estimates[] = {
	{"nebius", "eu-north1", 1.1, 1.03, 1.25,
		"ESTIMATE of 1.1, 1.03 to 1.25: Haskoning, who designed the hall in Mantsala, states \"just above 1.0\" (outdoor air, no chillers) and no figure; Nebius publishes none"},
};
static const double wue_average_l_per_kwh = 0.375;
static const char wue_source[] = "Shehabi et al. 2024, LBNL, United States Data Center Energy Usage Report: 66e9 l on site for 176e9 kWh in 2023";
static const double ewif_average_l_per_kwh = 3.908;
static const char ewif_source[] = "world average, genai-impact/ecologits electricity_mixes.csv (WOR)";
static const double grid_average_gco2e_per_kwh = 473;
static const char grid_source[] = "Ember, Global Electricity Review 2025: world average of 2024";

/* Spread of grid intensities: two accounts of one grid and year, Google's 323 and the GSF's 396 g/kWh for PJM in 2024,
 * differ by 1.23. Each side of the true value gets the root of that. */
static const double grid_spread = 1.11;

static const char *citation_of(const struct catalogue *catalogue, const struct region_row *region)
{
	return catalogue->index->region_citations[region - catalogue->rows.regions];
}

enum status resolve_site_region(const struct resolver *resolver, const struct site_request *request, const struct region_row **region)
{
	*region = NULL;
	if (request->country && (request->provider || request->region)) {
		failure_add(resolver->failure, "/site/country", "conflict", "give a country, or a provider and its region, not both");
	} else if (request->country) {
		*region = region_of_country(resolver->catalogue, request->country);
		if (!*region)
			fault_unknown(resolver, "/site/country", "country", request->country);
	} else if (request->region && !request->provider) {
		failure_add(resolver->failure, "/site/provider", "required", "a region needs its provider");
	} else if (request->provider && !request->region) {
		failure_add(resolver->failure, "/site/region", "required", "a provider needs one of its regions");
	} else if (request->provider) {
		*region = region_of_provider(resolver->catalogue, request->provider, request->region);
		if (!*region)
			fault_unknown(
				resolver, "/site/region", "region", resolver_text(resolver, "%s.%s", provider_name(request->provider), request->region));
	}
	return resolver_status(resolver);
}

static void note(struct findings *findings, struct figure figure)
{
	if (findings)
		findings_assume_figure(findings, &figure);
}

static void place_grid(const struct catalogue *catalogue, const struct site_request *request, const struct region_row *region,
	struct findings *findings, struct site *site)
{
	const struct region_row *world = catalogue->index->world;

	site->grid_status = PROVENANCE_DEFAULT;
	if (is_given(request->grid_gco2e_per_kwh)) {
		site->grid_gco2e_per_kwh = site->grid_low_gco2e_per_kwh = site->grid_high_gco2e_per_kwh = request->grid_gco2e_per_kwh;
		site->grid_source = "request";
		site->grid_status = PROVENANCE_GIVEN;
		return;
	}
	if (region && is_given(region->grid_gco2e_per_kwh)) {
		site->grid_gco2e_per_kwh = region->grid_gco2e_per_kwh;
		site->grid_marginal_gco2e_per_kwh = region->grid_marginal_gco2e_per_kwh;
		site->grid_low_gco2e_per_kwh = site->grid_gco2e_per_kwh / grid_spread;
		site->grid_high_gco2e_per_kwh = site->grid_gco2e_per_kwh * grid_spread;
		site->grid_source = citation_of(catalogue, region);
	} else {
		site->grid_gco2e_per_kwh = world ? world->grid_gco2e_per_kwh : grid_average_gco2e_per_kwh;
		site->grid_low_gco2e_per_kwh = fmin(catalogue->index->country_grid_low_gco2e_per_kwh, site->grid_gco2e_per_kwh);
		site->grid_high_gco2e_per_kwh = fmax(catalogue->index->country_grid_high_gco2e_per_kwh, site->grid_gco2e_per_kwh);
		site->grid_source = world ? citation_of(catalogue, world) : grid_source;
	}
	note(findings,
		(struct figure){"site.grid_gco2e_per_kwh", site->grid_gco2e_per_kwh, site->grid_low_gco2e_per_kwh, site->grid_high_gco2e_per_kwh,
			site->grid_source, site->grid_status});
}

static const struct provider_average *average_of(const struct catalogue *catalogue, const char *provider)
{
	for (size_t i = 0; provider && i < catalogue->index->average_count; i++)
		if (strcasecmp(catalogue->index->averages[i].provider, provider_name(provider)) == 0)
			return &catalogue->index->averages[i];
	return NULL;
}

static const struct pue_estimate *estimate_of(const struct site *site)
{
	for (size_t i = 0; site->provider && site->region && i < COUNT_OF(pue_estimates); i++)
		if (strcasecmp(pue_estimates[i].provider, provider_name(site->provider)) == 0 &&
			strcasecmp(pue_estimates[i].region, site->region) == 0)
			return &pue_estimates[i];
	return NULL;
}

static void place_building(const struct resolver *resolver, const struct site_request *request, const struct region_row *region,
	struct findings *findings, struct site *site)
{
	const struct provider_average *average = average_of(resolver->catalogue, site->provider);
	const struct pue_estimate *estimate = estimate_of(site);

	site->pue_status = PROVENANCE_DEFAULT;
	if (is_given(request->pue)) {
		site->pue = site->pue_low = site->pue_high = request->pue;
		site->pue_source = "request";
		site->pue_status = PROVENANCE_GIVEN;
		return;
	}
	if (region && is_given(region->pue)) {
		site->pue = site->pue_low = site->pue_high = region->pue;
		site->pue_source = citation_of(resolver->catalogue, region);
	} else if (estimate) {
		site->pue = estimate->pue;
		site->pue_low = estimate->low;
		site->pue_high = estimate->high;
		site->pue_source = estimate->source;
	} else if (average && average->pue_count > 0) {
		site->pue = average->pue;
		site->pue_low = average->pue_low;
		site->pue_high = average->pue_high;
		site->pue_source = findings ? resolver_text(resolver, "catalogue: median of the %zu %s regions that state one, %g to %g",
										  average->pue_count, average->provider, average->pue_low, average->pue_high)
									: "catalogue: median of the provider's regions";
	} else {
		site->pue = pue_average;
		site->pue_low = pue_average / pue_spread;
		site->pue_high = pue_average * pue_spread;
		site->pue_source = pue_source;
	}
	note(findings, (struct figure){"site.pue", site->pue, site->pue_low, site->pue_high, site->pue_source, site->pue_status});
}

static void place_water(const struct resolver *resolver, const struct site_request *request, const struct region_row *region,
	struct findings *findings, struct site *site)
{
	const struct catalogue *catalogue = resolver->catalogue;
	const struct provider_average *average = average_of(catalogue, site->provider);
	const struct region_row *country = region ? region_country(catalogue, region) : NULL;
	const struct region_row *stated = region && is_given(region->ewif_l_per_kwh) ? region
		: country && is_given(country->ewif_l_per_kwh)                           ? country
																				 : NULL;
	const struct region_row *world = catalogue->index->world;

	site->wue_l_per_kwh = site->wue_low_l_per_kwh = site->wue_high_l_per_kwh = request->wue_l_per_kwh;
	site->ewif_l_per_kwh = site->ewif_low_l_per_kwh = site->ewif_high_l_per_kwh = request->ewif_l_per_kwh;
	site->wue_source = site->ewif_source = "request";
	site->wue_status = site->ewif_status = PROVENANCE_GIVEN;
	if (!is_given(request->wue_l_per_kwh)) {
		bool own = region && is_given(region->wue_l_per_kwh), fleet = average && average->wue_count > 0;

		site->wue_l_per_kwh = own ? region->wue_l_per_kwh : fleet ? average->wue_l_per_kwh : wue_average_l_per_kwh;
		site->wue_low_l_per_kwh = own ? site->wue_l_per_kwh
			: fleet                   ? average->wue_low_l_per_kwh
									  : given_or(catalogue->index->wue_low_l_per_kwh, site->wue_l_per_kwh);
		site->wue_high_l_per_kwh = own ? site->wue_l_per_kwh
			: fleet                    ? average->wue_high_l_per_kwh
									   : given_or(catalogue->index->wue_high_l_per_kwh, site->wue_l_per_kwh);
		site->wue_source = own ? citation_of(catalogue, region)
			: fleet            ? "catalogue: median of the provider's regions that state one"
							   : wue_source;
		site->wue_status = PROVENANCE_DEFAULT;
		note(findings,
			(struct figure){"site.wue_l_per_kwh", site->wue_l_per_kwh, site->wue_low_l_per_kwh, site->wue_high_l_per_kwh, site->wue_source,
				PROVENANCE_DEFAULT});
	}
	site->water_source = site->wue_source;
	if (!is_given(request->ewif_l_per_kwh)) {
		bool average_world = world && is_given(world->ewif_l_per_kwh);

		site->ewif_source = stated ? citation_of(catalogue, stated) : average_world ? citation_of(catalogue, world) : ewif_source;
		site->ewif_l_per_kwh = stated ? stated->ewif_l_per_kwh : average_world ? world->ewif_l_per_kwh : ewif_average_l_per_kwh;
		site->ewif_low_l_per_kwh = stated ? site->ewif_l_per_kwh : fmin(catalogue->index->country_ewif_low_l_per_kwh, site->ewif_l_per_kwh);
		site->ewif_high_l_per_kwh = stated ? site->ewif_l_per_kwh : fmax(catalogue->index->country_ewif_high_l_per_kwh, site->ewif_l_per_kwh);
		site->ewif_status = PROVENANCE_DEFAULT;
		note(findings,
			(struct figure){"site.ewif_l_per_kwh", site->ewif_l_per_kwh, site->ewif_low_l_per_kwh, site->ewif_high_l_per_kwh,
				site->ewif_source, PROVENANCE_DEFAULT});
	}
}

static void warn_of_world(const struct resolver *resolver, const struct site_request *request, const struct offer *offer)
{
	if (is_given(request->grid_gco2e_per_kwh))
		return;
	if (!offer || !offer->provider)
		findings_warn(resolver->findings,
			"carbon and water use the world average grid: no site is known; "
			"give site {provider, region}, {country} or grid_gco2e_per_kwh");
	else if (!offer->region)
		findings_warn(resolver->findings,
			"carbon and water use the world average grid: the offer of %s names no region; give site "
			"{country} or {provider, region}",
			offer->provider);
	else
		findings_warn(resolver->findings,
			"carbon and water use the world average grid: the catalogue has no region %s of %s; give site "
			"{country}",
			offer->region, offer->provider);
}

void resolve_site_at(const struct resolver *resolver, const struct site_request *request, const struct region_row *asked,
	const struct region_row *of_offer, const struct offer *offer, struct findings *findings, struct site *site)
{
	const struct region_row *region = asked ? asked : of_offer, *country = region ? region_country(resolver->catalogue, region) : NULL;

	*site = (struct site){.grid_marginal_gco2e_per_kwh = ABSENT_NUMBER,
		.grid_market_gco2e_per_kwh = ABSENT_NUMBER,
		.electricity_usd_per_kwh = request->electricity_usd_per_kwh,
		.hours = resolver->hours,
		.run_start_us = resolver->run_start_us};
	if (asked && request->provider) {
		site->provider = asked->provider;
		site->region = request->region;
	} else if (!asked && offer) {
		site->provider = offer->provider;
		site->region = offer->region;
	}
	site->country = country ? country->location : NULL;
	place_grid(resolver->catalogue, request, region, findings, site);
	site->grid_market_gco2e_per_kwh = request->grid_market_gco2e_per_kwh;
	site->grid_marginal_gco2e_per_kwh = given_or(request->grid_marginal_gco2e_per_kwh, site->grid_marginal_gco2e_per_kwh);
	place_building(resolver, request, region, findings, site);
	place_water(resolver, request, region, findings, site);
	if (!region && findings)
		warn_of_world(resolver, request, offer);
}

enum status resolve_hours(struct resolver *resolver, const struct site_request *site)
{
	const struct site_series *series = &site->series;
	double *integral;

	resolver->run_start_us = site->start_us;
	if (series->gco2e_per_kwh.count == 0)
		return STATUS_OK;
	integral = arena_alloc_uncleared(resolver->arena, (series->gco2e_per_kwh.count + 1) * sizeof *integral);
	if (!integral)
		return failure_set(resolver->failure, STATUS_NO_MEMORY, "no room for the hours of the site");
	resolver->hours = (struct grid_hours){.start_us = series->start_us,
		.step_minutes = series->step_minutes > 0 ? series->step_minutes : 60,
		.count = series->gco2e_per_kwh.count,
		.integral = integral,
		.source = series->source ? series->source : "request"};
	resolver->run_start_us = site->start_us > 0 ? site->start_us : series->start_us;
	grid_hours_integrate(series->gco2e_per_kwh.items, series->gco2e_per_kwh.count, resolver->hours.step_minutes, integral);
	return STATUS_OK;
}

enum status resolve_site(const struct resolver *resolver, const struct site_request *request, const struct offer *offer, struct site *site)
{
	const struct region_row *asked, *of_offer = NULL;
	enum status status = resolve_site_region(resolver, request, &asked);

	if (status != STATUS_OK)
		return status;
	if (!asked && offer && offer->provider && offer->region)
		of_offer = region_of_provider(resolver->catalogue, offer->provider, offer->region);
	resolve_site_at(resolver, request, asked, of_offer, offer, resolver->findings, site);
	return STATUS_OK;
}
