#include "service/site_hours.h"

#include <math.h>
#include <strings.h>

#include "hwdb/catalogue/catalogue_index.h"
#include "hwdb/feeds/feed.h"
#include "storage/feeds.h"

/* Rounds an intensity to the digits that a stored plan has, so that a second computation uses the same numbers. */
static double round_as_stored(double gco2e_per_kwh)
{
	return round(gco2e_per_kwh * 1e6) / 1e6;
}

size_t site_hours_known(const struct catalogue *catalogue, const struct grid_hour_list *hours)
{
	size_t count = 0;

	while (count < hours->count && hours->items[count].start_us == hours->items[0].start_us + (int64_t)count * FEED_HOUR_US &&
		(catalogue->as_of_us <= 0 || hours->items[count].fetched_at_us <= catalogue->as_of_us))
		count++;
	return count;
}

static bool same_zone(const char *a, const char *b)
{
	return a && b && strcasecmp(a, b) == 0;
}

/* Finds the feeds' zone of the site: its row's em_zone, else its country_zone. */
static const char *zone_of_site(const struct catalogue *catalogue, const struct site_request *site, const struct grid_zone_list *zones)
{
	const struct region_row *row = site->country ? region_of_country(catalogue, site->country)
		: site->provider && site->region         ? region_of_provider(catalogue, site->provider, site->region)
												 : NULL;

	for (size_t i = 0; row && i < zones->count; i++)
		if (strcmp(zones->items[i].signal, grid_signal_words[GRID_AVERAGE]) == 0 &&
			(same_zone(zones->items[i].zone, row->em_zone) || (!row->em_zone && same_zone(zones->items[i].zone, row->country_zone))))
			return zones->items[i].zone;
	return NULL;
}

enum status site_hours_fill(
	struct storage *storage, const struct catalogue *catalogue, struct arena *arena, struct site_request *site, struct failure *failure)
{
	int64_t from_us = site->start_us - site->start_us % FEED_HOUR_US;
	struct grid_zone_list zones;
	struct grid_hour_list hours = {0};
	size_t known;
	const char *zone;
	enum status status;

	if (!storage || site->start_us <= 0 || site->series.gco2e_per_kwh.count > 0)
		return STATUS_OK;
	status = storage_grid_zones(storage, from_us, arena, &zones, failure);
	zone = status == STATUS_OK ? zone_of_site(catalogue, site, &zones) : NULL;
	if (zone)
		status = storage_grid_hours(
			storage, zone, grid_signal_words[GRID_AVERAGE], from_us, from_us + SITE_STEPS_MAX * FEED_HOUR_US, arena, &hours, failure);
	known = status == STATUS_OK ? site_hours_known(catalogue, &hours) : 0;
	if (known == 0)
		return status;
	CHECK(hours.items); /* known > 0 */
	site->series = (struct site_series){.start_us = hours.items[0].start_us, .step_minutes = 60};
	site->series.gco2e_per_kwh.items = ARENA_ARRAY(arena, double, hours.count);
	site->series.source = arena_printf(arena, "average intensity of each hour in %s, by %s", zone, hours.items[0].feed);
	if (!site->series.gco2e_per_kwh.items || !site->series.source)
		return STATUS_NO_MEMORY;
	for (size_t i = 0; i < known; i++)
		site->series.gco2e_per_kwh.items[site->series.gco2e_per_kwh.count++] = round_as_stored(hours.items[i].gco2e_per_kwh);
	return STATUS_OK;
}
