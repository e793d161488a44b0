/* WattTime v3: https://docs.watttime.org. A login (user:password) returns a token for half an hour, which is kept in
 * memory only. Then one answer for each region: the forecast of the marginal intensity, in pounds per MWh and steps of
 * five minutes, converted to g/kWh and hours. */
#include <string.h>

#include "base/clock.h"
#include "hwdb/feeds/adapters.h"
#include "hwdb/feeds/feed_json.h"

static const double grams_per_pound = 453.59237; /* NIST SP 811; pounds per MWh x this / 1000 = g/kWh */

struct watttime_state {
	const char *token;
};

enum status watttime_request(struct feed_walk *walk, struct feed_request *request, struct failure *failure)
{
	const struct watttime_state *state = walk->state;

	if (!state) {
		request->url = arena_printf(walk->arena, "%s/login", walk->base_url);
		request->basic = walk->key;
		return feed_have(walk, request->url, failure);
	}
	request->url = arena_printf(
		walk->arena, "%s/v3/forecast?region=%s&signal_type=co2_moer", walk->base_url, walk->scope.items[walk->scope_at]);
	request->bearer = state->token;
	return feed_have(walk, request->url, failure);
}

static enum status read_token(struct feed_walk *walk, const json_t *tree, struct failure *failure)
{
	struct watttime_state *state = ARENA_NEW(walk->arena, struct watttime_state);
	const char *token = feed_json_text(tree, "token");

	if (!token || !*token || strpbrk(token, "\r\n"))
		return feed_unreadable(walk, failure, "the login returned no token");
	if (state)
		state->token = arena_strdup(walk->arena, token);
	walk->state = state;
	return feed_have(walk, state ? state->token : NULL, failure);
}

/* Checks units, region and signal of the answer, and reads the length of its steps. */
static enum status check_meta(struct feed_walk *walk, const json_t *tree, double *step_s, struct failure *failure)
{
	const json_t *meta = feed_json_object(tree, "meta");
	const char *region = feed_json_text(meta, "region"), *units = feed_json_text(meta, "units"),
			   *signal = feed_json_text(meta, "signal_type");

	*step_s = feed_json_number(meta, "data_point_period_seconds");
	if (!units || strcmp(units, "lbs_co2_per_mwh") != 0)
		return feed_unreadable(walk, failure, "the units are \"%.40s\", not lbs_co2_per_mwh", units ? units : "");
	if (!region || strcmp(region, walk->scope.items[walk->scope_at]) != 0 || !signal || strcmp(signal, "co2_moer") != 0)
		return feed_unreadable(walk, failure, "the answer is for another region or signal than requested");
	if (!(*step_s >= 60 && *step_s <= 3600))
		return feed_unreadable(walk, failure, "steps of %g s, not of a minute to an hour", *step_s);
	return feed_json_list(tree, "data") ? STATUS_OK : feed_unreadable(walk, failure, "the answer has no data");
}

static enum status read_forecast(struct feed_walk *walk, const json_t *tree, struct failure *failure)
{
	struct feed_hours hours = {.zone = walk->scope.items[walk->scope_at], .signal = grid_signal_words[GRID_MARGINAL]};
	const json_t *points = feed_json_list(tree, "data"), *point;
	double step_s;
	size_t i;
	enum status status = check_meta(walk, tree, &step_s, failure);

	json_array_foreach ((json_t *)(uintptr_t)points, i, point) {
		const char *moment = feed_json_text(point, "point_time");
		double value = feed_json_number(point, "value");
		int64_t start_us;

		if (status != STATUS_OK)
			break;
		walk->rows.seen++;
		if (!moment || !clock_parse(moment, &start_us) || !is_given(value))
			feed_rows_skip(&walk->rows, walk->arena, "no time, or an intensity that is not a number", moment);
		else if (!feed_hours_add(&hours, &walk->rows, walk->arena, start_us, step_s, value * grams_per_pound / 1000, true))
			status = feed_have(walk, NULL, failure);
	}
	if (status == STATUS_OK && !feed_hours_end(&hours, &walk->rows, walk->arena))
		status = feed_have(walk, NULL, failure);
	feed_walk_next_item(walk);
	return status;
}

enum status watttime_read(struct feed_walk *walk, const char *text, size_t length, struct failure *failure)
{
	json_t *tree;
	enum status status = feed_json_read(walk, text, length, &tree, failure);

	if (status != STATUS_OK)
		return status;
	status = walk->state ? read_forecast(walk, tree, failure) : read_token(walk, tree, failure);
	json_decref(tree);
	return status;
}
