/* The rows that adapters make of a feed's bytes: offers and hours of a grid, and counts of the rows left out, with
 * reasons.
 *
 * Lists grow in the walk's arena, up to FEED_ROWS_MAX rows. Numbers are as published; vet.h checks them. */
#ifndef FLEETPLAN_HWDB_FEEDS_FEED_ROWS_H
#define FLEETPLAN_HWDB_FEEDS_FEED_ROWS_H

#include "hwdb/catalogue/catalogue.h"

enum { FEED_ROWS_MAX = 200000, FEED_SKIPS_MAX = 64 };

/* Intensity of a grid: of the average kWh, or of one additional kWh. */
enum grid_signal { GRID_AVERAGE, GRID_MARGINAL, GRID_SIGNAL_COUNT };
extern const char *const grid_signal_words[GRID_SIGNAL_COUNT];

struct grid_point {
	const char *zone, *signal; /* "FR"; a word of grid_signal_words */
	int64_t start_us;          /* start of an hour */
	double gco2e_per_kwh;
	int64_t forecast; /* 1: forecast, 0: measured */
};

/* Rows that an adapter left out, by reason. */
struct feed_skip {
	const char *reason, *example;
	int64_t count;
};

struct feed_rows {
	struct price_row *prices;
	size_t price_count, price_room;
	struct grid_point *points;
	size_t point_count, point_room;
	struct feed_skip skips[FEED_SKIPS_MAX];
	size_t skip_count;
	int64_t seen; /* rows of the feed that were read */
};

/* Return a new cleared row at the end of a list; NULL when there is no room. */
struct price_row *feed_rows_price(struct feed_rows *rows, struct arena *arena);
struct grid_point *feed_rows_point(struct feed_rows *rows, struct arena *arena);

/* Counts a row that is left out. `reason` is a literal; the first example of each reason is kept. */
void feed_rows_skip(struct feed_rows *rows, struct arena *arena, const char *reason, const char *example);

/* Reads a published decimal number, which must be finite and without other text. False for "NaN", "0x1p3", "", "12
 * USD". */
bool feed_number_read(const char *text, double *value);

/* Turns steps of at most an hour, in order of time, into hours: the mean of each hour of which at least half is
 * known. */
struct feed_hours {
	const char *zone, *signal;
	int64_t hour_us; /* the hour being filled; 0: none */
	double sum, seconds;
	bool foretold; /* part of the hour is a forecast */
};
#define FEED_HOUR_US INT64_C(3600000000)

/* Adds a step. False when there is no room. `value` absent: the step is unknown. */
bool feed_hours_add(
	struct feed_hours *hours, struct feed_rows *rows, struct arena *arena, int64_t start_us, double seconds, double value, bool foretold);
bool feed_hours_end(struct feed_hours *hours, struct feed_rows *rows, struct arena *arena); /* ends the last hour */

#endif
