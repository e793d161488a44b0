/* Electricity Maps v3: https://app.electricitymaps.com/docs. The last day of each zone and, if subscribed, the
 * forecast. Without a known zone the service answers for the caller's own location: the request disables that, and an
 * answer for another zone than the requested one is rejected. Lifecycle factors, gCO2e/kWh. */
#include <string.h>

#include "base/clock.h"
#include "hwdb/feeds/adapters.h"
#include "hwdb/feeds/feed_json.h"

static const char *const paths[] = {"history", "forecast"};

enum status electricity_maps_request(struct feed_walk *walk, struct feed_request *request, struct failure *failure)
{
	request->url = arena_printf(walk->arena, "%s/v3/carbon-intensity/%s?zone=%s&shouldUseFallbackCallerLookup=false", walk->base_url,
		paths[walk->step], walk->scope.items[walk->scope_at]);
	request->headers[0] = arena_printf(walk->arena, "auth-token: %s", walk->key);
	request->optional = walk->step == 1;
	return feed_have(walk, request->headers[0] ? request->url : NULL, failure);
}

static enum status take_point(struct feed_walk *walk, const json_t *point, struct feed_hours *hours, struct failure *failure)
{
	const char *moment = feed_json_text(point, "datetime");
	double value = feed_json_number(point, "carbonIntensity");
	int64_t start_us;

	walk->rows.seen++;
	if (!moment || !clock_parse(moment, &start_us)) {
		feed_rows_skip(&walk->rows, walk->arena, "no time", moment);
		return STATUS_OK;
	}
	if (!is_given(value)) {
		feed_rows_skip(&walk->rows, walk->arena, "an intensity that is not a number", moment);
		return STATUS_OK;
	}
	return feed_hours_add(hours, &walk->rows, walk->arena, start_us, 3600, value, walk->step == 1) ? STATUS_OK
																								   : feed_have(walk, NULL, failure);
}

enum status electricity_maps_read(struct feed_walk *walk, const char *text, size_t length, struct failure *failure)
{
	const char *asked = walk->scope.items[walk->scope_at], *zone;
	struct feed_hours hours = {.zone = asked, .signal = grid_signal_words[GRID_AVERAGE]};
	const json_t *points, *point;
	json_t *tree;
	size_t i;
	enum status status = feed_json_read(walk, text, length, &tree, failure);

	if (status != STATUS_OK)
		return status;
	zone = feed_json_text(tree, "zone");
	points = feed_json_list(tree, paths[walk->step]);
	if (!zone || strcmp(zone, asked) != 0)
		status = feed_unreadable(walk, failure, "%s was requested, and the answer is for %.40s", asked, zone ? zone : "no zone");
	else if (!points)
		status = feed_unreadable(walk, failure, "the answer has no %s", paths[walk->step]);
	json_array_foreach ((json_t *)(uintptr_t)points, i, point) {
		if (status == STATUS_OK)
			status = take_point(walk, point, &hours, failure);
	}
	if (status == STATUS_OK && !feed_hours_end(&hours, &walk->rows, walk->arena))
		status = feed_have(walk, NULL, failure);
	json_decref(tree);
	if (++walk->step == COUNT_OF(paths))
		feed_walk_next_item(walk);
	return status;
}
