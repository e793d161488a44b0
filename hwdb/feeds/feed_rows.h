/* What adapters make of a feed's bytes: offers and hours of a grid, and what they left out, with why.
 *
 * Lists grow in the walk's arena, up to FEED_ROWS_MAX rows. Numbers are as published; whether they can be true is for vet.h. */
#ifndef FLEETPLAN_HWDB_FEEDS_FEED_ROWS_H
#define FLEETPLAN_HWDB_FEEDS_FEED_ROWS_H

#include "hwdb/catalogue/catalogue.h"

enum { FEED_ROWS_MAX = 200000, FEED_SKIPS_MAX = 64 };

/* Intensity of a grid: of the average kWh, or of one more. */
enum grid_signal { GRID_AVERAGE, GRID_MARGINAL, GRID_SIGNAL_COUNT };
extern const char *const grid_signal_words[GRID_SIGNAL_COUNT];

struct grid_point {
	const char *zone, *signal; /* "FR"; a word of grid_signal_words */
	int64_t start_us;          /* of an hour */
	double gco2e_per_kwh;
	int64_t forecast;          /* 1: foretold, 0: what it was */
};

/* Rows that an adapter saw and did not take, by reason. */
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
	int64_t seen; /* rows of the feed that were looked at */
};

/* A cleared row at the end; NULL when there is no more room. */
struct price_row *feed_rows_price(struct feed_rows *rows, struct arena *arena);
struct grid_point *feed_rows_point(struct feed_rows *rows, struct arena *arena);

/* Counts a row that is left out. `reason` is a literal; the first example of each is kept. */
void feed_rows_skip(struct feed_rows *rows, struct arena *arena, const char *reason, const char *example);

/* A decimal number as it is published: finite, no more and no less. False for "NaN", "0x1p3", "", "12 USD". */
bool feed_number_read(const char *text, double *value);

/* Steps of up to an hour, in order of time, become hours: the mean of each hour of which at least half is known. */
struct feed_hours {
	const char *zone, *signal;
	int64_t hour_us; /* being filled; 0: none */
	double sum, seconds;
	bool foretold;   /* some of it */
};
#define FEED_HOUR_US INT64_C(3600000000)

/* False when there is no more room. `value` absent: the step is not known. */
bool feed_hours_add(struct feed_hours *hours, struct feed_rows *rows, struct arena *arena, int64_t start_us, double seconds, double value,
	bool foretold);
bool feed_hours_end(struct feed_hours *hours, struct feed_rows *rows, struct arena *arena); /* the last hour too */

#endif
