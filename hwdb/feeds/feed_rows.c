#include "hwdb/feeds/feed_rows.h"

#include <stdlib.h>
#include <string.h>

#include "hwdb/rows/rows_text.h"

const char *const grid_signal_words[GRID_SIGNAL_COUNT] = {[GRID_AVERAGE] = "average", [GRID_MARGINAL] = "marginal"};

/* Makes room for one more item, and doubles a full list. */
static bool make_room(void **items, size_t count, size_t *room, size_t size, struct arena *arena)
{
	size_t more = *room ? 2 * *room : 256;
	void *larger;

	if (count < *room)
		return true;
	if (count >= FEED_ROWS_MAX)
		return false;
	larger = arena_alloc(arena, more, size);
	if (!larger)
		return false;
	if (count > 0)
		memcpy(larger, *items, count * size);
	*items = larger;
	*room = more;
	return true;
}

struct price_row *feed_rows_price(struct feed_rows *rows, struct arena *arena)
{
	void *items = rows->prices;

	if (!make_room(&items, rows->price_count, &rows->price_room, sizeof *rows->prices, arena))
		return NULL;
	rows->prices = items;
	price_row_clear(&rows->prices[rows->price_count]);
	return &rows->prices[rows->price_count++];
}

struct grid_point *feed_rows_point(struct feed_rows *rows, struct arena *arena)
{
	void *items = rows->points;

	if (!make_room(&items, rows->point_count, &rows->point_room, sizeof *rows->points, arena))
		return NULL;
	rows->points = items;
	return &rows->points[rows->point_count++];
}

void feed_rows_skip(struct feed_rows *rows, struct arena *arena, const char *reason, const char *example)
{
	for (size_t i = 0; i < rows->skip_count; i++) {
		if (strcmp(rows->skips[i].reason, reason) == 0) {
			rows->skips[i].count++;
			return;
		}
	}
	if (rows->skip_count < FEED_SKIPS_MAX)
		rows->skips[rows->skip_count++] = (struct feed_skip){.reason = reason, .example = arena_strdup(arena, example), .count = 1};
}

bool feed_number_read(const char *text, double *value)
{
	char *end;

	if (!text || !*text || strspn(text, "0123456789+-.eE") != strlen(text))
		return false;
	*value = strtod(text, &end);
	return *end == '\0' && isfinite(*value);
}

bool feed_hours_end(struct feed_hours *hours, struct feed_rows *rows, struct arena *arena)
{
	struct grid_point *point;
	bool known = hours->hour_us && hours->seconds >= 1800;

	if (known && !(point = feed_rows_point(rows, arena)))
		return false;
	if (known)
		*point = (struct grid_point){.zone = hours->zone,
			.signal = hours->signal,
			.start_us = hours->hour_us,
			.gco2e_per_kwh = hours->sum / hours->seconds,
			.forecast = hours->foretold};
	hours->hour_us = 0;
	hours->sum = hours->seconds = 0;
	hours->foretold = false;
	return true;
}

bool feed_hours_add(
	struct feed_hours *hours, struct feed_rows *rows, struct arena *arena, int64_t start_us, double seconds, double value, bool foretold)
{
	int64_t hour_us = start_us - start_us % FEED_HOUR_US;

	if (hour_us != hours->hour_us && !feed_hours_end(hours, rows, arena))
		return false;
	hours->hour_us = hour_us;
	if (!is_given(value))
		return true;
	hours->sum += value * seconds;
	hours->seconds += seconds;
	hours->foretold |= foretold;
	return true;
}
