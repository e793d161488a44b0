#include "service/grid_series.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "hwdb/feeds/feed.h"
#include "service/site_hours.h"
#include "storage/feeds.h"

struct filling {
	struct storage *storage;
	const struct catalogue *catalogue;
	struct arena *arena;
	struct schedule_request *request;
	struct failure *failure;
	int64_t from_us, to_us;
	struct grid_zone_list zones;
	const char *signal;
	const char *feeds;
};

static bool has_no_figures(const struct schedule_series *series)
{
	return series->gco2e_per_kwh.count == 0 && series->usd_per_kwh.count == 0;
}

/* Checks that each series with figures has start and step. True: at least one series has no figures, or there is none. */
static bool check_given(const struct schedule_request *request, struct failure *failure)
{
	bool some = request->series.count == 0;
	char pointer[64];

	for (size_t i = 0; i < request->series.count; i++) {
		const struct schedule_series *series = &request->series.items[i];

		some |= has_no_figures(series);
		snprintf(pointer, sizeof pointer, "/series/%zu/start", i);
		if (!has_no_figures(series) && series->start_us <= 0)
			failure_add(failure, pointer, "required", "is required with figures; give the time at which the first step begins");
		snprintf(pointer, sizeof pointer, "/series/%zu/step_minutes", i);
		if (!has_no_figures(series) && series->step_minutes < 1)
			failure_add(failure, pointer, "required", "is required with figures; give the length of a step");
		snprintf(pointer, sizeof pointer, "/series/%zu", i);
		if (has_no_figures(series) && (series->start_us > 0 || series->step_minutes > 0))
			failure_add(failure, pointer, "required", "needs gco2e_per_kwh or usd_per_kwh; to use the hours of a feed, give only the region");
	}
	return some;
}

static const struct grid_zone *zone_of(const struct filling *filling, const char *name, const char *signal)
{
	for (size_t i = 0; i < filling->zones.count; i++)
		if (strcasecmp(filling->zones.items[i].zone, name) == 0 && (!signal || strcmp(filling->zones.items[i].signal, signal) == 0))
			return &filling->zones.items[i];
	return NULL;
}

/* Finds the zone of a region: by its name, else by the em_zone of its catalogue row. */
static const struct grid_zone *zone_of_region(const struct filling *filling, const char *region, const char *signal)
{
	const struct grid_zone *zone = zone_of(filling, region, signal);
	const struct region_row *row = zone ? NULL : catalogue_region(filling->catalogue, region);

	return row && row->em_zone ? zone_of(filling, row->em_zone, signal) : zone;
}

/* Adds a series for each zone. */
static enum status add_all_zones(struct filling *filling)
{
	struct schedule_request *request = filling->request;

	request->series.items = ARENA_ARRAY(filling->arena, struct schedule_series, SCHEDULE_SERIES_MAX);
	if (!request->series.items)
		return STATUS_NO_MEMORY;
	for (size_t i = 0; i < filling->zones.count && request->series.count < SCHEDULE_SERIES_MAX; i++)
		if (strcmp(filling->zones.items[i].signal, filling->signal) == 0)
			request->series.items[request->series.count++] = (struct schedule_series){.region = filling->zones.items[i].zone};
	if (request->series.count > 0)
		return STATUS_OK;
	failure_add(filling->failure, "/series", "required",
		"no hours of a grid are known from that time on; give series, or refresh a grid's feed (GET /v1/feeds)");
	return STATUS_INVALID;
}

/* Chooses average if all series without figures have it, else marginal. */
static void choose_signal(struct filling *filling)
{
	const struct schedule_request *request = filling->request;
	bool averages = filling->zones.count > 0;

	filling->signal = grid_signal_words[GRID_AVERAGE];
	if (request->series.count == 0)
		averages = false;
	for (size_t i = 0; i < filling->zones.count && request->series.count == 0; i++)
		averages |= strcmp(filling->zones.items[i].signal, filling->signal) == 0;
	for (size_t i = 0; i < request->series.count; i++)
		averages &= !has_no_figures(&request->series.items[i]) ||
			zone_of_region(filling, request->series.items[i].region, filling->signal) != NULL;
	if (!averages)
		filling->signal = grid_signal_words[GRID_MARGINAL];
}

static enum status fill_series(struct filling *filling, size_t index)
{
	struct schedule_series *series = &filling->request->series.items[index];
	const struct grid_zone *zone = zone_of_region(filling, series->region, filling->signal);
	struct grid_hour_list hours = {0};
	enum status status = zone ? storage_grid_hours(filling->storage, zone->zone, filling->signal, filling->from_us, filling->to_us,
									filling->arena, &hours, filling->failure)
							  : STATUS_OK;
	char pointer[64];
	size_t known;

	if (status != STATUS_OK)
		return status;
	if (hours.count == 0) {
		snprintf(pointer, sizeof pointer, "/series/%zu/region", index);
		failure_add(filling->failure, pointer, "unknown",
			"no feed has hours of \"%.64s\" from that time on; give its figures, or refresh its feed", series->region);
		return STATUS_INVALID;
	}
	known = site_hours_known(filling->catalogue, &hours);
	if (known == 0) {
		snprintf(pointer, sizeof pointer, "/series/%zu/region", index);
		failure_add(filling->failure, pointer, "unknown",
			"the hours of \"%.64s\" from that time on were not known at as_of, or were corrected since", series->region);
		return STATUS_INVALID;
	}
	series->start_us = hours.items[0].start_us;
	series->step_minutes = 60;
	series->gco2e_per_kwh.items = ARENA_ARRAY(filling->arena, double, hours.count);
	if (!series->gco2e_per_kwh.items)
		return STATUS_NO_MEMORY;
	for (size_t i = 0; i < known; i++)
		series->gco2e_per_kwh.items[series->gco2e_per_kwh.count++] = hours.items[i].gco2e_per_kwh;
	if (!filling->feeds || !strstr(filling->feeds, hours.items[0].feed))
		filling->feeds = filling->feeds ? arena_printf(filling->arena, "%s, %s", filling->feeds, hours.items[0].feed)
										: arena_strdup(filling->arena, hours.items[0].feed);
	return filling->feeds ? STATUS_OK : STATUS_NO_MEMORY;
}

enum status grid_series_fill(struct storage *storage, const struct catalogue *catalogue, int64_t now_us, struct arena *arena,
	struct schedule_request *request, struct failure *failure)
{
	int64_t earliest_us = request->earliest_us > 0 ? request->earliest_us : now_us;
	struct filling filling = {.storage = storage,
		.catalogue = catalogue,
		.arena = arena,
		.request = request,
		.failure = failure,
		.from_us = earliest_us - earliest_us % FEED_HOUR_US,
		.to_us = request->deadline_us > 0 ? request->deadline_us : INT64_MAX};
	bool some = check_given(request, failure);
	enum status status = failure->status;

	if (status != STATUS_OK || !some)
		return status;
	status = storage_grid_zones(storage, filling.from_us, arena, &filling.zones, failure);
	if (status == STATUS_OK) {
		choose_signal(&filling);
		if (request->series.count == 0)
			status = add_all_zones(&filling);
	}
	for (size_t i = 0; i < request->series.count && status == STATUS_OK; i++)
		if (has_no_figures(&request->series.items[i]))
			status = fill_series(&filling, i);
	if (status != STATUS_OK)
		return status;
	request->earliest_us = earliest_us;
	request->series_source = arena_printf(arena, "%s intensity of each hour, by %s", filling.signal, filling.feeds ? filling.feeds : "");
	return request->series_source ? STATUS_OK : STATUS_NO_MEMORY;
}
