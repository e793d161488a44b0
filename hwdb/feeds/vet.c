#include "hwdb/feeds/vet.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "hwdb/catalogue/catalogue_index.h"
#include "hwdb/rows/rows_text.h"

static const double grid_most_gco2e_per_kwh = 1500;
static const int64_t us_per_day = INT64_C(86400000000);
enum { PAST_DAYS_MAX = 400, AHEAD_DAYS_MAX = 15, SAME_PRICE_DAYS = 30 };

static void hold_row(struct feed_vetted *vetted, struct feed_change change, bool quarantined)
{
	change.what = quarantined ? "quarantined" : "rejected";
	vetted->quarantined += quarantined;
	vetted->rejected += !quarantined;
	if (vetted->held_count < FEED_HELD_MAX)
		vetted->held[vetted->held_count++] = change;
}

/* Returns the median price of the catalogue's offers of an accelerator, all terms and providers; 0: no offers. */
static double median_usd_per_gpu_hour(const struct catalogue *catalogue, const char *accelerator_id)
{
	const struct name_slot *slot = name_table_find(&catalogue->index->accelerators, accelerator_id);
	const struct offer_span *span = slot ? &catalogue->index->offers[slot->row] : NULL;

	return span && span->count > 0 ? span->items[span->count / 2].usd_per_gpu_hour : 0;
}

/* True if a price is accepted; otherwise it is added to the held rows. */
static bool price_counts(const struct feed_walk *walk, const struct price_row *row, struct feed_vetted *vetted)
{
	double each = row->price_usd_per_hour / (double)row->gpus, median;
	const struct price_row *before = catalogue_price(walk->catalogue, row->id);
	struct feed_change change = {.subject = row->id,
		.quantity = "price_usd_per_hour",
		.after = row->price_usd_per_hour,
		.before = before ? before->price_usd_per_hour : ABSENT_NUMBER,
		.low = FEED_PRICE_LEAST_USD * (double)row->gpus,
		.high = FEED_PRICE_MOST_USD * (double)row->gpus};

	if (!name_table_find(&walk->catalogue->index->accelerators, row->accelerator_id)) {
		change.detail = arena_printf(walk->arena, "the catalogue has no accelerator %s", row->accelerator_id);
		change.low = change.high = ABSENT_NUMBER;
		hold_row(vetted, change, false);
		return false;
	}
	if (!(each >= FEED_PRICE_LEAST_USD && each <= FEED_PRICE_MOST_USD)) {
		change.detail = arena_printf(
			walk->arena, "%g USD per hour for each accelerator; the range is %g to %g", each, FEED_PRICE_LEAST_USD, FEED_PRICE_MOST_USD);
		hold_row(vetted, change, false);
		return false;
	}
	median = median_usd_per_gpu_hour(walk->catalogue, row->accelerator_id);
	if (median <= 0 || (each >= FEED_MEDIAN_LEAST * median && each <= FEED_MEDIAN_MOST * median))
		return true;
	change.low = FEED_MEDIAN_LEAST * median * (double)row->gpus;
	change.high = FEED_MEDIAN_MOST * median * (double)row->gpus;
	change.detail = arena_printf(
		walk->arena, "%g USD per hour for each %s, %.3g times the median of %g", each, row->accelerator_id, each / median, median);
	hold_row(vetted, change, true);
	return false;
}

static int by_id(const void *a, const void *b)
{
	const struct price_row *left = a, *right = b;
	int order = strcmp(left->id, right->id);

	if (order != 0)
		return order;
	return left->price_usd_per_hour < right->price_usd_per_hour ? -1 : left->price_usd_per_hour > right->price_usd_per_hour;
}

/* Keeps the date of an unchanged price for a month, so that an unchanged price does not add a row to the catalogue
 * every day. */
static void keep_date(const struct feed_walk *walk, struct price_row *row)
{
	const struct price_row *before = catalogue_price(walk->catalogue, row->id);
	int64_t as_of_us;

	if (!before || strcmp(before->meta.origin, "imported") != 0 || fabs(before->price_usd_per_hour - row->price_usd_per_hour) > 0 ||
		!before->as_of || !clock_parse(before->as_of, &as_of_us) || walk->now_us - as_of_us > SAME_PRICE_DAYS * us_per_day)
		return;
	row->as_of = before->as_of;
	row->meta.source_date = before->meta.source_date;
}

static bool name_rows(const struct feed_walk *walk, struct price_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		rows[i].id = rows_text_price_id(walk->arena, &rows[i]);
		rows[i].meta.origin = "imported";
		rows[i].meta.source = walk->feed->source;
		rows[i].meta.source_date = rows[i].as_of = walk->today;
		if (!rows[i].id)
			return false;
		keep_date(walk, &rows[i]);
	}
	return true;
}

/* Accepts one of several prices of one offer if they agree, none if they differ. */
static void accept_offer(const struct feed_walk *walk, const struct price_row *rows, size_t count, struct feed_vetted *vetted)
{
	const struct price_row *first = &rows[0], *last = &rows[count - 1];
	double difference = last->price_usd_per_hour - first->price_usd_per_hour;

	if (difference <= 1e-9 * last->price_usd_per_hour && first->gpus == last->gpus) {
		vetted->rows.prices[vetted->rows.price_count++] = *first;
		return;
	}
	hold_row(vetted,
		(struct feed_change){.subject = first->id,
			.quantity = "price_usd_per_hour",
			.before = first->price_usd_per_hour,
			.after = last->price_usd_per_hour,
			.low = ABSENT_NUMBER,
			.high = ABSENT_NUMBER,
			.detail = arena_printf(walk->arena, "%zu prices of one offer, from %g to %g USD per hour", count, first->price_usd_per_hour,
				last->price_usd_per_hour)},
		true);
}

static enum status vet_prices(const struct feed_walk *walk, struct feed_vetted *vetted, struct failure *failure)
{
	size_t count = 0, end;
	struct price_row *rows = ARENA_ARRAY(walk->arena, struct price_row, walk->rows.price_count + 1);

	vetted->rows.prices = ARENA_ARRAY(walk->arena, struct price_row, walk->rows.price_count + 1);
	if (!rows || !vetted->rows.prices || !name_rows(walk, walk->rows.prices, walk->rows.price_count))
		return failure_set(failure, STATUS_NO_MEMORY, "%s: no memory for %zu prices", walk->feed->name, walk->rows.price_count);
	for (size_t i = 0; i < walk->rows.price_count; i++)
		if (price_counts(walk, &walk->rows.prices[i], vetted))
			rows[count++] = walk->rows.prices[i];
	if (count > 1)
		qsort(rows, count, sizeof *rows, by_id);
	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count && strcmp(rows[end].id, rows[i].id) == 0;)
			end++;
		accept_offer(walk, &rows[i], end - i, vetted);
	}
	return STATUS_OK;
}

static int by_time(const void *a, const void *b)
{
	const struct grid_point *left = a, *right = b;
	int order = strcmp(left->zone, right->zone);

	order = order ? order : strcmp(left->signal, right->signal);
	if (order)
		return order;
	if (left->start_us != right->start_us)
		return left->start_us < right->start_us ? -1 : 1;
	return (int)(left->forecast - right->forecast);
}

static bool point_counts(const struct feed_walk *walk, const struct grid_point *point, struct feed_vetted *vetted)
{
	bool in_time = point->start_us % FEED_HOUR_US == 0 && point->start_us > walk->now_us - PAST_DAYS_MAX * us_per_day &&
		point->start_us < walk->now_us + AHEAD_DAYS_MAX * us_per_day;
	char moment[CLOCK_TEXT_MAX];

	if (in_time && point->gco2e_per_kwh >= 0 && point->gco2e_per_kwh <= grid_most_gco2e_per_kwh)
		return true;
	clock_format(moment, point->start_us);
	hold_row(vetted,
		(struct feed_change){.subject = arena_printf(walk->arena, "%s %s", point->zone, moment),
			.quantity = "gco2e_per_kwh",
			.before = ABSENT_NUMBER,
			.after = point->gco2e_per_kwh,
			.low = 0,
			.high = grid_most_gco2e_per_kwh,
			.detail = in_time ? "must be 0 to 1500 g/kWh" : "must be a full hour of the last 400 days or the next 15"},
		false);
	return false;
}

static enum status vet_points(const struct feed_walk *walk, struct feed_vetted *vetted, struct failure *failure)
{
	struct grid_point *points = ARENA_ARRAY(walk->arena, struct grid_point, walk->rows.point_count + 1);
	size_t count = 0;

	if (!points)
		return failure_set(failure, STATUS_NO_MEMORY, "%s: no memory for %zu hours", walk->feed->name, walk->rows.point_count);
	for (size_t i = 0; i < walk->rows.point_count; i++)
		if (point_counts(walk, &walk->rows.points[i], vetted))
			points[count++] = walk->rows.points[i];
	if (count > 1)
		qsort(points, count, sizeof *points, by_time);
	for (size_t i = 0; i < count; i++) {
		const struct grid_point *kept = vetted->point_count > 0 ? &points[vetted->point_count - 1] : NULL;

		if (!kept || kept->start_us != points[i].start_us || strcmp(kept->zone, points[i].zone) != 0 ||
			strcmp(kept->signal, points[i].signal) != 0)
			points[vetted->point_count++] = points[i];
	}
	vetted->points = points;
	return STATUS_OK;
}

enum status feed_vet(const struct feed_walk *walk, struct feed_vetted *vetted, struct failure *failure)
{
	enum status status;

	*vetted = (struct feed_vetted){.held = ARENA_ARRAY(walk->arena, struct feed_change, FEED_HELD_MAX)};
	if (!vetted->held)
		return failure_set(failure, STATUS_NO_MEMORY, "%s: no memory", walk->feed->name);
	status = vet_prices(walk, vetted, failure);
	return status == STATUS_OK ? vet_points(walk, vetted, failure) : status;
}
