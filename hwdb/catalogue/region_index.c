/* Regions: the country of each, averages over a provider's other buildings, spread of grids over countries. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "hwdb/catalogue/catalogue_index.h"

static const char country_provider[] = "country";

/* Price lists and region lists spell providers differently; the second name is that of regions.csv. */
static const struct {
	const char *spelling, *name;
} spellings[] = {
	{"datacrunch", "verda"},
	{"oracle-cloud", "oci"},
	{"oracle", "oci"},
	{"ovhcloud", "ovh"},
	{"google", "gcp"},
	{"google-cloud", "gcp"},
	{"amazon", "aws"},
	{"microsoft", "azure"},
	{"lambda-labs", "lambda"},
	{"lambdalabs", "lambda"},
};

const char *provider_name(const char *provider)
{
	for (size_t i = 0; i < COUNT_OF(spellings); i++)
		if (strcasecmp(provider, spellings[i].spelling) == 0)
			return spellings[i].name;
	return provider;
}

static bool is_country(const struct region_row *row)
{
	return strcmp(row->provider, country_provider) == 0;
}

/* Compares "US" of "US-MIDA-PJM" with a country row's two-letter zone. */
static bool same_country(const struct region_row *country, const char *zone)
{
	size_t length = strcspn(zone, "-");

	return country->country_zone && strlen(country->country_zone) == length && strncasecmp(country->country_zone, zone, length) == 0;
}

const struct region_row *region_of_country(const struct catalogue *catalogue, const char *country)
{
	for (size_t i = 0; i < catalogue->rows.region_count; i++) {
		const struct region_row *row = &catalogue->rows.regions[i];

		if (is_country(row) &&
			(strcasecmp(row->region_id, country) == 0 || (row->location && strcasecmp(row->location, country) == 0) ||
				(row->country_zone && strcasecmp(row->country_zone, country) == 0)))
			return row;
	}
	return NULL;
}

const struct region_row *region_of_provider(const struct catalogue *catalogue, const char *provider, const char *region)
{
	const char *name = provider_name(provider);

	for (size_t i = 0; i < catalogue->rows.region_count; i++) {
		const struct region_row *row = &catalogue->rows.regions[i];

		if (strcasecmp(row->provider, name) == 0 && strcasecmp(row->region_id, region) == 0)
			return row;
	}
	/* Some providers use the country as a region's name: "SE", "US". */
	return strlen(region) == 2 || strlen(region) == 3 ? region_of_country(catalogue, region) : NULL;
}

const struct region_row *region_country(const struct catalogue *catalogue, const struct region_row *region)
{
	return catalogue->index->countries[region - catalogue->rows.regions];
}

static int compare_numbers(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

/* Returns the value below which `share` of the sorted numbers lie. */
static double quantile(const double *sorted, size_t count, double share)
{
	return sorted[(size_t)(share * (double)(count - 1) + 0.5)];
}

static void average_provider(const struct catalogue *catalogue, struct provider_average *average, double *scratch)
{
	size_t count = 0;

	for (size_t i = 0; i < catalogue->rows.region_count; i++)
		if (strcmp(catalogue->rows.regions[i].provider, average->provider) == 0 && is_given(catalogue->rows.regions[i].pue))
			scratch[count++] = catalogue->rows.regions[i].pue;
	average->pue_count = count;
	if (count > 0) {
		qsort(scratch, count, sizeof *scratch, compare_numbers);
		average->pue = quantile(scratch, count, 0.5);
		average->pue_low = scratch[0];
		average->pue_high = scratch[count - 1];
	}
	count = 0;
	for (size_t i = 0; i < catalogue->rows.region_count; i++)
		if (strcmp(catalogue->rows.regions[i].provider, average->provider) == 0 && is_given(catalogue->rows.regions[i].wue_l_per_kwh))
			scratch[count++] = catalogue->rows.regions[i].wue_l_per_kwh;
	average->wue_count = count;
	if (count > 0) {
		qsort(scratch, count, sizeof *scratch, compare_numbers);
		average->wue_l_per_kwh = quantile(scratch, count, 0.5);
		average->wue_low_l_per_kwh = scratch[0];
		average->wue_high_l_per_kwh = scratch[count - 1];
	}
}

static void average_providers(struct catalogue *catalogue, double *scratch)
{
	struct catalogue_index *index = catalogue->index;

	for (size_t i = 0; i < catalogue->rows.region_count; i++) {
		const char *provider = catalogue->rows.regions[i].provider;
		bool known = is_country(&catalogue->rows.regions[i]);

		for (size_t j = 0; j < index->average_count; j++)
			known |= strcmp(index->averages[j].provider, provider) == 0;
		if (known)
			continue;
		index->averages[index->average_count].provider = provider;
		average_provider(catalogue, &index->averages[index->average_count++], scratch);
	}
}

/* Computes p10 and p90 of a figure over the countries, or over the providers' regions. */
static void spread_rows(const struct catalogue *catalogue, size_t member, bool countries, double *scratch, double *low, double *high)
{
	size_t count = 0;

	for (size_t i = 0; i < catalogue->rows.region_count; i++) {
		double value;

		memcpy(&value, (const char *)&catalogue->rows.regions[i] + member, sizeof value);
		if (is_country(&catalogue->rows.regions[i]) == countries && is_given(value))
			scratch[count++] = value;
	}
	*low = *high = ABSENT_NUMBER;
	if (count == 0)
		return;
	qsort(scratch, count, sizeof *scratch, compare_numbers);
	*low = quantile(scratch, count, 0.1);
	*high = quantile(scratch, count, 0.9);
}

static void spread_figures(struct catalogue *catalogue, double *scratch)
{
	struct catalogue_index *index = catalogue->index;

	spread_rows(catalogue, offsetof(struct region_row, grid_gco2e_per_kwh), true, scratch, &index->country_grid_low_gco2e_per_kwh,
		&index->country_grid_high_gco2e_per_kwh);
	spread_rows(catalogue, offsetof(struct region_row, ewif_l_per_kwh), true, scratch, &index->country_ewif_low_l_per_kwh,
		&index->country_ewif_high_l_per_kwh);
	spread_rows(catalogue, offsetof(struct region_row, wue_l_per_kwh), false, scratch, &index->wue_low_l_per_kwh, &index->wue_high_l_per_kwh);
}

static bool cite(struct catalogue *catalogue)
{
	struct catalogue_index *index = catalogue->index;
	struct arena *arena = &catalogue->arena;

	for (size_t i = 0; i < catalogue->rows.region_count; i++) {
		const struct region_row *row = &catalogue->rows.regions[i];

		index->region_citations[i] = arena_printf(arena, "catalogue %s (%s): %s", row->id,
			row->meta.source_date ? row->meta.source_date : "undated", row->meta.source ? row->meta.source : "source not stated");
		if (!index->region_citations[i])
			return false;
	}
	for (size_t i = 0; i < catalogue->rows.accelerator_count; i++) {
		const struct accelerator *row = &catalogue->rows.accelerators[i].accelerator;

		index->accelerator_citations[i] = arena_printf(arena, "catalogue %s (%s): %s", row->id,
			row->source_date ? row->source_date : "undated", row->source ? row->source : "source not stated");
		if (!index->accelerator_citations[i])
			return false;
	}
	return true;
}

static void place_countries(struct catalogue *catalogue)
{
	for (size_t i = 0; i < catalogue->rows.region_count; i++) {
		const struct region_row *row = &catalogue->rows.regions[i];

		if (!row->country_zone)
			continue;
		for (size_t j = 0; j < catalogue->rows.region_count; j++)
			if (is_country(&catalogue->rows.regions[j]) && same_country(&catalogue->rows.regions[j], row->country_zone))
				catalogue->index->countries[i] = &catalogue->rows.regions[j];
	}
}

bool index_regions(struct catalogue *catalogue)
{
	struct catalogue_index *index = catalogue->index;
	struct arena *arena = &catalogue->arena;
	size_t count = catalogue->rows.region_count;
	double *scratch = ARENA_ARRAY(arena, double, count + 1);

	index->countries = ARENA_ARRAY(arena, const struct region_row *, count + 1);
	index->region_citations = ARENA_ARRAY(arena, const char *, count + 1);
	index->accelerator_citations = ARENA_ARRAY(arena, const char *, catalogue->rows.accelerator_count + 1);
	index->averages = ARENA_ARRAY(arena, struct provider_average, count + 1);
	if (!scratch || !index->countries || !index->region_citations || !index->accelerator_citations || !index->averages)
		return false;
	place_countries(catalogue);
	index->world = catalogue_region(catalogue, "country.wor");
	average_providers(catalogue, scratch);
	spread_figures(catalogue, scratch);
	return cite(catalogue);
}
