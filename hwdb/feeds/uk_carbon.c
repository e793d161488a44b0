/* UK Carbon Intensity (National Energy System Operator): https://carbon-intensity.github.io/api-definitions. The last
 * day and the next two days of Great Britain, in half hours; measurements replace forecasts. */
#include <string.h>

#include "base/clock.h"
#include "hwdb/feeds/adapters.h"
#include "hwdb/feeds/feed_json.h"

static const char *const spans[] = {"pt24h", "fw48h"};

/* Returns the present half hour in the service's format: "2026-11-21T12:30Z". */
static const char *moment_text(const struct feed_walk *walk)
{
	const int64_t half_us = FEED_HOUR_US / 2;
	char text[CLOCK_TEXT_MAX];

	clock_format(text, walk->now_us - walk->now_us % half_us);
	return arena_printf(walk->arena, "%.16sZ", text);
}

enum status uk_carbon_request(struct feed_walk *walk, struct feed_request *request, struct failure *failure)
{
	const char *moment = moment_text(walk);

	if (moment)
		request->url = arena_printf(walk->arena, "%s/intensity/%s/%s", walk->base_url, moment, spans[walk->step]);
	return feed_have(walk, request->url, failure);
}

static enum status take_half_hour(struct feed_walk *walk, const json_t *entry, struct feed_hours *hours, struct failure *failure)
{
	const char *from = feed_json_text(entry, "from"), *to = feed_json_text(entry, "to");
	const json_t *intensity = feed_json_object(entry, "intensity");
	double actual = feed_json_number(intensity, "actual"), value = given_or(actual, feed_json_number(intensity, "forecast"));
	char full[2][32];
	int64_t start_us, end_us;

	walk->rows.seen++;
	/* "2018-01-20T12:00Z" lacks the seconds that RFC 3339 requires. */
	snprintf(full[0], sizeof full[0], "%.16s:00Z", from ? from : "");
	snprintf(full[1], sizeof full[1], "%.16s:00Z", to ? to : "");
	if (!clock_parse(full[0], &start_us) || !clock_parse(full[1], &end_us) || end_us <= start_us || end_us - start_us > FEED_HOUR_US) {
		feed_rows_skip(&walk->rows, walk->arena, "no times", from);
		return STATUS_OK;
	}
	if (!is_given(value)) {
		feed_rows_skip(&walk->rows, walk->arena, "an intensity that is not a number", from);
		return STATUS_OK;
	}
	return feed_hours_add(hours, &walk->rows, walk->arena, start_us, (double)(end_us - start_us) / 1e6, value, !is_given(actual))
		? STATUS_OK
		: feed_have(walk, NULL, failure);
}

enum status uk_carbon_read(struct feed_walk *walk, const char *text, size_t length, struct failure *failure)
{
	struct feed_hours hours = {.zone = walk->scope.items[walk->scope_at], .signal = grid_signal_words[GRID_AVERAGE]};
	const json_t *entries, *entry;
	json_t *tree;
	size_t i;
	enum status status = feed_json_read(walk, text, length, &tree, failure);

	if (status != STATUS_OK)
		return status;
	entries = feed_json_list(tree, "data");
	if (!entries)
		status = feed_unreadable(walk, failure, "the answer has no data");
	json_array_foreach ((json_t *)(uintptr_t)entries, i, entry) {
		if (status == STATUS_OK)
			status = take_half_hour(walk, entry, &hours, failure);
	}
	if (status == STATUS_OK && !feed_hours_end(&hours, &walk->rows, walk->arena))
		status = feed_have(walk, NULL, failure);
	json_decref(tree);
	if (++walk->step == COUNT_OF(spans))
		feed_walk_next_item(walk);
	return status;
}
